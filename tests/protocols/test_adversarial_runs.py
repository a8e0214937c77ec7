"""Adversarial review on disk and its arms: dead debates are called dead, killed runs end as if they had not been."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from hydra.utils import instantiate
from jobs import finish, job_at, run
from reviewers import CARRY, OBJECTION, PROBLEM, REBUTTAL, Side, answers, debate, decides, review, stands

from madbench.engines.simulated_reviewer import SimulatedReviewer
from madbench.metrics.claims import Ledger, debated
from madbench.protocols.adversarial_review import AdversarialReview
from madbench.protocols.adversarial_review_legacy import LegacyAdversarialReview
from madbench.protocols.adversarial_review_stored import StoredReview
from madbench.tasks.synthetic_reviews import SyntheticReviews
from madbench.types import Answered, Contract, Fault, RoleSettings, entry_of, findings_of

CONF = Path(__file__).parents[2] / "conf"
ARMS = sorted(path.stem for path in (CONF / "protocol").glob("adversarial_review*.yaml"))


def arm(name):
    with initialize_config_dir(str(CONF), version_base=None):
        return instantiate(compose("config", [f"protocol={name}"]).protocol, _convert_="all")


def theaters(heard):
    found = debated(Ledger.of(heard.outcome.ledger), {})
    return [
        found[rule]
        for rule in ("theater", "theater_no_concession", "theater_no_valid_answer", "theater_no_state_change")
    ]


PROSE = "All of this has been considered with care, and our view of it is what it was before."
OBJECTS_TO = {"A": stands(B1=OBJECTION), "B": stands(A1=OBJECTION)}


def both(answer, rejoin='{"decisions": {}}', **options):
    """Both sides object to each other's one claim, and answer alike."""
    sides = [
        Side(review=review(line), object=OBJECTS_TO[side], answer=answer.replace("?", other), rejoin=rejoin)
        for side, other, line in (("A", "B", 3), ("B", "A", 7))
    ]
    return debate(*sides, rounds=1, **options)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (PROSE, [1, 1, 1, 1]),
        (review(3), [1, 1, 1, 1]),
        ("", [1, 1, 1, 1]),
        ("?/1/1: CARRIED", [0, 1, 1, 1]),
        ("?/1/1: REBUTTED", [0, 1, 1, 1]),
        (f"?/1/1: CARRIED. {OBJECTION[1]}", [0, 1, 1, 1]),
        (f"?/1/1: CARRIED. {CARRY[1]}", [0, 1, 0, 1]),
        (f"?/1/1: REBUTTED. {REBUTTAL[1]}, app.py:5", [0, 1, 0, 1]),
        ("?/1/1: CONCEDED", [0, 0, 0, 0]),
    ],
    ids=[
        "constant prose",
        "replayed review",
        "empty",
        "bare CARRIED",
        "bare REBUTTED",
        "copied",
        "stubborn",
        "rebutted",
        "conceded",
    ],
)
def test_known_theater_and_known_debate(answer, expected):
    """By four rules: nothing answered, nothing conceded, nothing validly answered, nothing changed."""
    assert theaters(both(answer)) == expected


def test_nobody_objecting_is_theater_and_so_are_objections_that_nobody_can_read():
    assert theaters(debate(Side(), Side())) == [1, 1, 1, 1]
    assert theaters(debate(Side(object=PROSE), Side(object=review(7)))) == [1, 1, 1, 1]


# arms


def test_the_stored_arm_answers_with_its_review_and_calls_nobody_for_it():
    sides = (
        Side(review=review(3), answer=answers(B_1_1="CONCEDED")),
        Side(review=review(), object=stands(A1=OBJECTION)),
    )
    heard = debate(*sides, protocol=StoredReview(debate_rounds=2))
    assert not [turn for turn in heard.turns if turn.speaker.role == "defender"]
    assert heard.moves == {"B/1/1": None}
    assert ("unread", "A") in heard.faults
    assert theaters(heard) == [1, 1, 1, 1]


def test_the_stored_legacy_arm_is_theater_by_every_rule_but_its_own():
    sides = Side(review=review(3)), Side(review=review(7))
    heard = debate(*sides, protocol=LegacyAdversarialReview(replies="stored"))
    assert theaters(heard) == [1, 1, 1, 1]
    assert heard.outcome.facts["legacy_theater"] is False
    assert heard.outcome.facts["legacy_theater_first"] is True
    assert len(heard.turns) == 2


def test_a_legacy_debate_moves_its_own_claims():
    """Under the published code a side concedes to an objection that is its own claim; the numbers go with it."""

    def script(side, move):
        def said(request):
            return (
                f"obj_initial_{side}_0: {move}, it is so."
                if "Debate round" in request.messages[0].text
                else review(3)
            )

        return said

    heard = debate(script("a", "CONCEDED"), script("b", "CARRIED"), protocol=LegacyAdversarialReview())
    assert heard.last == [[], ["B/1"]]
    assert heard.moves == {"obj_initial_a_0": "CONCEDED", "obj_initial_b_0": "CARRIED"}
    facts = heard.outcome.facts
    assert (facts["legacy_convergence"], facts["legacy_verdict"], facts["legacy_resolved"]) == (
        0.5,
        "disputed",
        ["cl_A_1"],
    )
    assert [turn.speaker.round for turn in heard.turns if turn.speaker.role == "defender"] == [1, 1, 2, 2]


@pytest.mark.parametrize(("reading", "conceded"), [("by_line", 1), ("whole_reply", 2)])
def test_the_first_field_tests_read_one_word_for_a_whole_reply(reading, conceded):
    def said(request):
        if "Debate round" not in request.messages[0].text:
            return review(3, 4)
        return (
            "obj_initial_a_0: CONCEDED.\nobj_initial_a_1: REBUTTED."
            if "reviewer A" in request.messages[0].text
            else "-"
        )

    heard = debate(said, said, protocol=LegacyAdversarialReview(reading=reading))
    assert len(heard.outcome.facts["legacy_resolved"]) == conceded


@pytest.mark.parametrize("name", ARMS)
def test_every_arm_has_the_same_isolated_reviews(name):
    sides = Side(review=review(3)), Side(review=review(7))
    first = [turn.request for turn in debate(*sides).turns if turn.speaker.role == "solver"]
    ours = [
        turn.request for turn in debate(*sides, protocol=arm(name)).turns if turn.speaker.role == "solver"
    ]
    assert ours[:2] == first


@pytest.mark.parametrize(
    ("name", "wording", "enforcement"),
    [
        ("adversarial_review", "strict", "repair"),
        ("adversarial_review_permissive", "permissive", "repair"),
        ("adversarial_review_strict_prompt", "strict", "prompt"),
        ("adversarial_review_grammar", "strict", "grammar"),
        ("adversarial_review_quick", "strict", "grammar"),
        ("adversarial_review_stored", "strict", "repair"),
    ],
)
def test_wording_and_enforcement_are_two_axes(name, wording, enforcement):
    protocol = arm(name)
    for role in ("objector", "defender"):
        contract = protocol.roles[role]["contract"]
        assert (contract["wording"], contract["enforcement"]) == (wording, enforcement)
    heard = debate(Side(), Side(object=stands(A1=OBJECTION)), protocol=protocol)
    shown = heard.prompts("defender")[:1] or ["never the default" * (wording == "strict")]
    assert ("never the default" in shown[0]) is (wording == "strict")
    schemas = [turn.request.schema for turn in heard.turns if turn.speaker.role == "objector"]
    assert all((schema is not None) is (enforcement == "grammar") for schema in schemas)


def test_a_grammar_holds_a_reply_to_the_open_ids_of_its_ask():
    heard = debate(
        Side(review=review(3, 4), answer=answers(B_1_1=CARRY, B_1_2="CONCEDED")),
        Side(review=review(), object=stands(A1=OBJECTION, A2=OBJECTION)),
        enforcement="grammar",
    )
    asked = [json.loads(turn.request.schema) for turn in heard.turns if turn.speaker.role == "defender"]
    open_ids = [list(schema["properties"]["answers"]["properties"]) for schema in asked]
    assert open_ids == [["B/1/1", "B/1/2"], ["B/1/1"]]


# runs

GRAMMAR = RoleSettings(contract=Contract(enforcement="grammar"))
MODEL = SimulatedReviewer()


def review_job(path, protocol=None, **changes):
    protocol = protocol or AdversarialReview(reviewers=3, debate_rounds=2)
    return replace(job_at(path, task=SyntheticReviews(12), protocol=protocol, **changes), defaults=GRAMMAR)


def test_a_run_cut_anywhere_ends_as_if_nothing_had_been_and_pays_for_nothing_twice(tmp_path):
    job, journal = review_job(tmp_path / "whole"), tmp_path / "journal"
    run(job, model=MODEL, journal=journal)
    rows = finish(job)
    lines = job.folder.shard().read_bytes().splitlines(keepends=True)
    (file,) = journal.glob("*.jsonl")
    paid = file.read_bytes().splitlines(keepends=True)
    for kept in (0, 5, 11):
        job.folder.shard().write_bytes(b"".join(lines[:kept]) + lines[kept][:40])
        file.write_bytes(b"".join(paid[: len(paid) * kept // 12]))
        run(job, model=MODEL, journal=journal)
        assert finish(job) == rows
        again = file.read_bytes().splitlines(keepends=True)
        assert len(again) == len(set(again))
        assert set(again) <= set(paid)


def test_what_a_run_keeps_can_be_told_from_its_records_alone(tmp_path):
    job = review_job(tmp_path / "kept")
    run(job, model=MODEL)
    for row in finish(job):
        entries = [entry_of(event) for event in row.outcome.ledger]
        assert None not in entries
        claimed = {finding.id for answer in row.outcome.positions[0] for finding in findings_of(answer)}
        standing = {finding.id for answer in row.outcome.positions[-1] for finding in findings_of(answer)}
        conceded = {each.claim for each in entries if isinstance(each, Answered) and each.move == "CONCEDED"}
        assert standing == claimed - conceded
        assert {finding.id for finding in findings_of(row.outcome.answer)} == standing
        assert row.scores["channel_leaks"] == 0
        assert not [each for each in entries if isinstance(each, Fault)]


@pytest.mark.parametrize("name", ARMS)
def test_every_arm_plays_on_a_simulated_reviewer(name, tmp_path):
    job = replace(
        job_at(tmp_path / name, task=SyntheticReviews(4), protocol=arm(name)), defaults=RoleSettings()
    )
    run(job, model=MODEL)
    rows = finish(job)
    assert [row.error for row in rows] == [""] * 4
    assert all("view:upheld:findings" in row.scores for row in rows)


def test_a_debate_plays_the_same_twice():
    def once():
        return both(f"?/1/1: REBUTTED. {REBUTTAL[1]}, app.py:5", decides(A_1_1="WITHDRAWN"))

    assert once().outcome == once().outcome
    assert PROBLEM.question in once().turns[-1].request.messages[0].text
