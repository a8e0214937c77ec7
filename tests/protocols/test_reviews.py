"""Every protocol for questions holds reviews too: a position is what a reviewer reports, a vote goes issue by issue."""

import os
from dataclasses import fields
from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from hydra.utils import instantiate
from jobs import job_at, run
from stage import SUM

from madbench.agents import audit
from madbench.engines.reviewer_settings import Arguing, Reviewing
from madbench.engines.simulated_reviewer import SimulatedReviewer
from madbench.protocols.debate import Debate
from madbench.protocols.self_consistency import SelfConsistency
from madbench.protocols.tally import tally
from madbench.records.tables import read_records
from madbench.run.job import finish_job
from madbench.tasks.answers.findings import FindingsReader
from madbench.tasks.synthetic_reviews import SyntheticReviews
from madbench.types import (
    Artifact,
    Contract,
    Document,
    Ending,
    Finding,
    Problem,
    RoleSettings,
    Sampling,
    Span,
    canonical_findings,
    findings_of,
)

CONF = Path(__file__).parents[2] / "conf"
DATA = Path(os.environ.get("MADBENCH_DATA", "/nowhere"))
PROTOCOLS = (
    "cot", "cot_sampled", "self_consistency", "self_refine", "self_refine_asserting", "debate", "debate_alone",
    "debate_strangers", "debate_sequential", "debate_personas", "debate_summarised", "choi_decentralized",
    "choi_sparse", "choi_centralized", "conformist", "follower", "critic_profile", "critic_profile_no_rephrase",
    "critic_profile_structured", "critic_profile_quick",
)  # fmt: skip
MODEL = SimulatedReviewer(Reviewing(recall=0.7, false_alarms=0.6, adopts=0.5), Arguing())
ARTIFACT = Artifact((Document("main.txt", "\n".join("abcdefghijklmnopqrst")),))
REVIEW = Problem("review", "review", "Review this.", FindingsReader(ARTIFACT))


def config(*overrides):
    with initialize_config_dir(str(CONF), version_base=None):
        return compose("config", list(overrides))


def protocol(name):
    return instantiate(config(f"protocol={name}").protocol, _convert_="all")


def played(folder, name, task, enforcement):
    settings = RoleSettings(
        sampling=Sampling(max_tokens=2048), contract=Contract(enforcement=enforcement, wording="strict")
    )
    job = job_at(folder, task=task, protocol=protocol(name), defaults=settings)
    run(job, model=MODEL, concurrency=16)
    finish_job(job)
    return list(read_records(job.folder)), job.protocol


@pytest.mark.parametrize("enforcement", ["prompt", "grammar"])
@pytest.mark.parametrize("name", PROTOCOLS)
def test_every_protocol_reviews(name, enforcement, tmp_path):
    records, built = played(tmp_path, name, SyntheticReviews(8, seed=3), enforcement)
    done = [record for record in records if record.ending is Ending.DONE]
    assert len(records) == 8
    assert len(done) >= 6  # a question that cannot be put in neutral words is given up
    assert any(findings_of(record.outcome.answer) for record in done)
    for record in done:
        assert canonical_findings(findings_of(record.outcome.answer)) == record.outcome.answer
        assert {"view:final:matched", "view:union:known", "view:reviewer_0:missed", "clean"} <= set(
            record.scores
        )
        assert "correct" not in record.scores
        assert audit(record.sample.problem, record.turns, built.edges).leaks == ()
    assert sum(record.scores["view:final:matched"] for record in done) > 0


@pytest.mark.skipif(not DATA.is_dir(), reason="MADBENCH_DATA names no folder of data")
@pytest.mark.parametrize(
    "name", ["cot", "self_consistency", "self_refine", "debate", "critic_profile_no_rephrase"]
)
def test_every_protocol_reviews_modules(name, tmp_path):
    """Documents without marks: findings are drawn, and every one of them is counted against the known issues."""
    path = DATA / "review_modules" / "data.jsonl"
    task = instantiate(
        config("task=review_modules", f"task.path={path}", "task.size=8").task, _convert_="all"
    )
    records, built = played(tmp_path, name, task, "grammar")
    assert [record.ending for record in records] == [Ending.DONE] * 8
    for record in records:
        counts = [record.scores[f"view:final:{count}"] for count in ("matched", "unmatched", "duplicates")]
        assert sum(counts) == record.scores["view:final:findings"] == len(findings_of(record.outcome.answer))
        assert audit(record.sample.problem, record.turns, built.edges).leaks == ()
    if name not in ("self_consistency", "debate"):
        assert sum(record.scores["view:final:findings"] for record in records) > 0


def review(*lines):
    spans = [Span(document="main.txt", first=line, last=line) for line in lines]
    return canonical_findings(Finding(span=span, text=f"line {span.first} is wrong") for span in spans)


def voted(*answers, problem=REVIEW):
    return tally(problem, answers, seed=0, tie="random")


@pytest.mark.parametrize(
    ("answers", "lines"),
    [
        ([review(3, 9), review(3), review(9, 12)], [3, 9]),
        ([review(3), review(3), review(), review()], []),
        ([review(3), review(3), review(3), review()], [3]),
        ([review(3, 9), review(3)], [3]),
        ([review(3, 9)], [3, 9]),
        ([review(3), None, None], [3]),
        ([review(3), review(9), None], []),
    ],
    ids=[
        "two of three",
        "half is no majority",
        "three of four",
        "two of two",
        "one of one",
        "one gave",
        "two gave",
    ],
)
def test_what_more_than_half_of_those_given_report_stays(answers, lines):
    vote = voted(*answers)
    assert [finding.span.first for finding in findings_of(vote.answer)] == lines
    assert (vote.share, vote.tied) == (None, ())


def test_nobody_reviewed():
    assert voted(None, None).answer is None
    assert voted(review(), None).answer == "[]"


def test_a_vote_on_a_question_is_as_it_was():
    vote = voted("9", "9", "8", None, problem=SUM)
    assert (vote.answer, vote.share) == ("9", 2 / 3)


def test_reviews_need_no_setting_of_their_own():
    shared = {"roles", "tie"}
    assert {each.name for each in fields(SelfConsistency)} == shared | {"votes", "pool"}
    assert {each.name for each in fields(Debate)} == shared | {
        "agents", "debate_rounds", "hearing", "peers", "revision", "personas", "decides",
    }  # fmt: skip
