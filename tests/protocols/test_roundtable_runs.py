"""The round table as a run: secret votes, rows that survive a kill, records that do not depend on who answers first."""

from dataclasses import replace

import pytest
from canary import check_channels
from jobs import finish, job_at, run
from panel import DATA, Panel, votes
from stage import stage

from madbench.engines.simulated import SimulatedModel
from madbench.engines.simulated_panel import PanelModel
from madbench.metrics.arm import arm_metrics
from madbench.protocols.roundtable import Roundtable
from madbench.protocols.roundtable_chair import Manner
from madbench.protocols.roundtable_forms import PERSONAS
from madbench.run.job import finish_job
from madbench.tasks.insights import Insights
from madbench.tasks.synthetic import Synthetic
from madbench.types import Contract, Edge, RoleSettings

GRAMMAR = RoleSettings(contract=Contract(enforcement="grammar"))
QUICK = Roundtable(debate_rounds=2, manner=Manner(schedule="synchronous", forms="brief"))
PANEL = PanelModel(SimulatedModel(accuracy=0.6), repeats=0.3)


def job(path, **changes):
    return replace(job_at(path, task=Insights(12), protocol=QUICK, **changes), defaults=GRAMMAR)


def test_votes_are_secret_and_every_channel_between_them_would_be_caught(tmp_path):
    """Everybody first votes under another's name, so that each ballot is put again when all votes are known."""
    assert len(Roundtable.edges) == 30
    assert Edge("skeptic/Vote", "contrarian/Ballot") in Roundtable.edges
    twice = {
        f"{name}_ballot": [
            votes(other, reason=f"As the {name} I find this convincing enough."),
            votes(name, reason=f"Under my own name, {name}, I vote for it."),
        ]
        for name, other in zip(PERSONAS, (*PERSONAS[1:], PERSONAS[0]), strict=True)
    }
    roles = {name: {"contract": {"enforcement": "prompt"}} for name in PERSONAS}
    scene = stage(Roundtable(debate_rounds=1, roles=roles), Panel(**twice), problem=DATA)
    honest = check_channels(scene, tmp_path)
    asked = [turn.speaker.role for turn in honest.turns if turn.seen == "Ballot"]
    assert asked == [*PERSONAS, *PERSONAS], "an order that depends on who replied first"


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = tmp_path_factory.mktemp("whole")
    run(job(path / "run"), model=PANEL, journal=path / "journal")
    return path, finish(job(path / "run"))


@pytest.mark.parametrize("kept", [0, 5, 11])
def test_a_run_cut_anywhere_ends_as_if_nothing_had_been_and_pays_for_no_call_twice(whole, kept):
    path, rows = whole
    shard = job(path / "run").folder.shard()
    lines = shard.read_bytes().splitlines(keepends=True)
    shard.write_bytes(b"".join(lines[:kept]) + lines[kept][:40])
    _, counts = run(job(path / "run"), model=PANEL, journal=path / "journal")
    assert counts.calls == 0
    assert finish(job(path / "run")) == rows


def test_records_do_not_depend_on_how_many_play_at_once(whole, tmp_path):
    run(job(tmp_path / "one"), model=PANEL, concurrency=1)
    assert finish(job(tmp_path / "one")) == whole[1]


def test_what_was_counted_and_scored_are_metrics_of_the_arm(whole):
    path, rows = whole
    metrics = arm_metrics(finish_job(job(path / "run")).rows)
    approved = [row.outcome.facts["approved"] for row in rows]
    assert metrics["approved"].value == pytest.approx(sum(approved) / 12)
    weak = [row.scores["fact:weak_approval"] for row in rows]
    assert metrics["weak_approval"].value == pytest.approx(sum(weak) / 12)
    for name in (
        "rejection_rate_proposal",
        "rejections_of_generalist",
        "rejections_round_2",
        "adversary_fold_rate",
    ):
        assert metrics[name].n > 0
    assert metrics["channel_leaks"].value == 0
    assert metrics["error_rate"].value == 0


def test_questions_with_a_gold_are_debated_too(tmp_path):
    """On a model that is always right every persona stands for the truth, and the proposal is the truth."""
    gates = replace(QUICK.gates, proposal="off", role="off", vote="off", concerns="off")
    played = replace(job(tmp_path), task=Synthetic(12), protocol=replace(QUICK, gates=gates))
    run(played, model=SimulatedModel(accuracy=1.0))
    rows = finish(played)
    for row in rows:
        truth = row.sample.target.answer
        assert row.outcome.facts["proposal"]["answer"] == truth
        assert set(row.outcome.positions[0]) == {truth}
        assert row.scores["correct"] == float(row.outcome.facts["approved"])
        assert row.outcome.answer == (truth if row.outcome.facts["approved"] else None)
    assert {row.outcome.facts["approved"] for row in rows} == {0, 1}
