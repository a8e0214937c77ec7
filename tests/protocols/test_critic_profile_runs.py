"""Critic and profile as a run on disk: sessions cut anywhere go on as if nothing had been, and score again alike."""

import json
from collections import Counter
from dataclasses import replace

import pytest
from jobs import finish, job_at, run

from madbench.protocols.critic_profile import CriticProfile
from madbench.protocols.critic_profile_costs import tokens_by_job
from madbench.tasks.synthetic import Synthetic
from madbench.types import Contract, RoleSettings

QUICK = CriticProfile(session=4, debate_rounds=1, forms="brief", nudges=1, critic_memory="session")
GRAMMAR = RoleSettings(contract=Contract(enforcement="grammar"))


def session_job(path, **changes):
    return replace(job_at(path, task=Synthetic(10), protocol=QUICK, **changes), defaults=GRAMMAR)


@pytest.fixture
def whole(tmp_path):
    job = session_job(tmp_path / "whole")
    run(job)
    return job, finish(job)


def test_a_session_cut_anywhere_ends_as_if_nothing_had_been(whole):
    job, rows = whole
    lines = job.folder.shard().read_bytes().splitlines(keepends=True)
    for kept in (0, 3, 6):
        job.folder.shard().write_bytes(b"".join(lines[:kept]) + lines[kept][:40])
        run(job)
        assert finish(job) == rows


def test_a_limit_is_extended_to_the_same_rows(whole, tmp_path):
    job = session_job(tmp_path / "short", limit=6)
    run(job)
    run(replace(job, limit=None))
    assert finish(replace(job, limit=None)) == whole[1]


def test_rows_carry_the_state_after_them(whole):
    _, rows = whole
    places = [(row.place.session, row.place.position) for row in rows]
    assert places == [(n // 4, n % 4) for n in range(10)]
    for row in rows:
        state = json.loads(row.place.state)
        assert len(state["questions"]) <= row.place.position + 1
        assert (row.outcome.facts["aborted"] == 1) == (row.outcome.answer is None)


def test_tokens_by_job_add_up_to_what_the_episodes_cost(whole):
    _, rows = whole
    booked = sum((Counter(tokens_by_job(row.turns)) for row in rows), Counter())
    spent = sum(
        turn.completion.prompt_tokens + turn.completion.output_tokens for row in rows for turn in row.turns
    )
    assert sum(booked.values()) == spent
    assert set(booked) == {"rephrase", "answerer", "restate", "critic", "verdict", "profile"}
