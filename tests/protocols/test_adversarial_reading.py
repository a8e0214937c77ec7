"""Replies of an adversarial review: every way to write a record is read, and nothing is read that was not said."""

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reviewers import ARTIFACT, PROBLEM

from madbench.protocols.adversarial_review_degraded import degraded
from madbench.protocols.adversarial_review_evidence import cited, span_of, unresolved
from madbench.protocols.adversarial_review_forms import Defence, Objections, Rejoinder, Resolutions
from madbench.protocols.adversarial_review_items import Item
from madbench.protocols.adversarial_review_rows import Bounds
from madbench.protocols.adversarial_review_rules import fault_of
from madbench.protocols.adversarial_review_sheet import about
from madbench.types import Artifact, Document

IDS = {"B/1/1": "A/1", "B/1/2": "A/2", "B/1/11": "A/11"}
MOVES = ("CONCEDED", "REBUTTED", "CARRIED")


def sheet(kind=Defence, ids=IDS, **options):
    items = [Item(name, claim, ("The objection in question.",)) for name, claim in ids.items()]
    return about(kind, items, Bounds(), **options)


def read(text, kind=Defence, *, cut=False, **options):
    return sheet(kind, **options).read(text, PROBLEM, cut=cut)


def moves(text, **options):
    return {row.id: row.move for row in read(text, **options).rows}


def slips(text, **options):
    return [(slip.what, slip.text) for slip in read(text, **options).slips]


# JSON


@pytest.mark.parametrize(
    "text",
    [
        '{"answers": {"B/1/1": {"reason": "r", "evidence": [], "move": "CARRIED"}}}',
        'Here it is:\n```json\n{"answers": {"B/1/1": {"reason": "r", "move": "Carried"}}}\n```\nDone.',
        '{"answers": [{"objection": "B/1/1", "reason": "r", "move": "carried"}]}',
        '[{"id": "B/1/1", "claim": "A/1", "reason": "r", "move": "CARRIED"}]',
        '{"objection": "B/1/1", "reason": "r", "move": "CARRIED", "mood": "calm"}',
        '{"B/1/1": {"reason": "r", "evidence": "app.py:3", "move": "CARRIED"}}',
        '{"answers": {"A/1": {"reason": "r", "move": "CARRIED"}}}',
        '{"answers": {"B/1/1 on A/1": {"reason": "r", "move": "CARRIED"}}}',
        '{"answers": {}}\nNo, wait.\n{"answers": {"B/1/1": {"reason": "r", "move": "CARRIED"}}}',
        '<think>{"answers": {"B/1/1": {"move": "CONCEDED"}}}</think>{"answers": {"B/1/1": {"move": "CARRIED"}}}',
    ],
)
def test_json_is_read_however_it_is_wrapped(text):
    assert moves(text) == {"B/1/1": "CARRIED"}


def test_the_last_whole_answer_counts():
    first, last = ('{"answers": {"B/1/1": {"move": "%s"}}}' % move for move in ("CARRIED", "REBUTTED"))  # noqa: UP031
    assert moves(first + last) == {"B/1/1": "REBUTTED"}


def test_what_breaks_off_is_not_half_an_answer():
    whole = '{"answers": {"B/1/1": {"reason": "I concede nothing", "move": "CONCEDED"}}}'
    assert moves(whole) == {"B/1/1": "CONCEDED"}
    for size in range(1, len(whole)):
        assert moves(whole[:size], cut=True) == {}


def test_an_id_twice_keeps_the_first_and_says_so():
    text = '{"answers": {"B/1/1": {"move": "CARRIED"}, "B/1/1": {"move": "CONCEDED"}}}'
    assert moves(text) == {"B/1/1": "CARRIED"}
    assert slips(text) == [("duplicate_id", "B/1/1")]


def test_an_id_that_nobody_asked_for_is_noted_and_nothing_else():
    text = '{"answers": {"B/7/7": {"move": "CONCEDED"}}}'
    assert moves(text) == {}
    assert slips(text) == [("unknown_id", "B/7/7")]


def test_claims_that_come_late_are_noted():
    text = '{"answers": {"B/1/1": {"move": "CARRIED"}}, "new_claims": [{"text": "a leak"}]}'
    assert slips(text) == [("late_claim", '{"text": "a leak"}')]
    assert slips("New claim: a leak.\nB/1/1: CARRIED.") == [("late_claim", "New claim: a leak.")]


@pytest.mark.parametrize(
    "record", [{"reason": "r"}, {"move": "MAYBE"}, {"move": None}, {"reason": 7, "move": "CARRIED"}]
)
def test_a_record_that_does_not_fit_is_unread_and_named(record):
    said = read(json.dumps({"answers": {"B/1/1": record, "B/1/2": {"move": "CARRIED"}}}))
    assert [row.id for row in said.rows] == ["B/1/2"]
    assert [slip.what for slip in said.slips] == ["unread"]
    assert "B/1/1" in said.missing()


def test_words_beyond_measure_are_clipped_and_still_a_record():
    (row,) = read(json.dumps({"answers": {"B/1/1": {"reason": "word " * 2000, "move": "CARRIED"}}})).rows
    assert len(row.reason) == 1200


def test_objections_without_an_argument_are_none():
    said = read('{"claims": {"A/1": {"argument": " ", "stance": "OBJECTED"}}}', Objections, ids={"A/1": ""})
    assert not said.rows
    assert "without an argument" in said.missing()


def test_an_objector_owes_nothing_and_others_owe_all():
    claims = {"A/1": "", "A/2": ""}
    assert read('{"claims": {}}', Objections, ids=claims).missing() == ""
    assert read("I have no objections.", Objections, ids=claims).missing() == ""
    assert "no line with an id" in read("Looks good.", Objections, ids=claims).missing()
    for kind in (Defence, Rejoinder, Resolutions):
        assert "nothing on B/1/1; nothing on B/1/2" in read("{}", kind).missing()


# lines


@pytest.mark.parametrize(
    "text",
    [
        "B/1/1: CARRIED since it depends.",
        "B/1/1 - CARRIED, it depends",
        "- **B/1/1**: CARRIED. It depends.",
        "1. Objection B/1/1 (A/1): CARRIED. It depends.",
        "[B/1/1] CARRIED: it depends",
        "`b/1/1` -> carried; it depends",
        "### B/1/1\n\n**CARRIED**\n\nIt depends.",
        "CARRIED\nB/1/1 because it depends.",
        "A/1: CARRIED, it depends.",
        "B/1/1: neither conceded nor rebutted but CARRIED, it depends.",
        "B/1/1: I will not concede this and I carry it: it depends.",
        "B/1/1: options are CONCEDED | REBUTTED | CARRIED.\nCARRIED. It depends.",
        "B/1/1: CONCEDED, REBUTTED or CARRIED? CARRIED. It depends.",
    ],
)
def test_lines_are_read_however_they_are_written(text):
    (row,) = read(text).rows
    assert (row.id, row.move) == ("B/1/1", "CARRIED")
    assert "depends" in row.reason


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I concede.",
        "All objections are CONCEDED.",
        "B/1/1 is a fair point.",
        "B/1/1: not conceded.",
        "B/1/1: choose one of CONCEDED/REBUTTED/CARRIED.",
        "B/1/12: CONCEDED.",
        "XB/1/1: CONCEDED.",
        "B/1/1\n\nfirst some words\n\nCONCEDED",
        "See B/1/1, which somebody else CONCEDED.",
    ],
)
def test_what_is_no_record_is_not_read_as_one(text):
    assert moves(text) == {}


def test_several_records_on_a_line_and_words_that_go_on():
    text = "B/1/1: CONCEDED; B/1/2: REBUTTED, see app.py:3.\nAs with A/1, the lock\nis held. B/1/11: CARRIED by design."
    said = {row.id: (row.move, row.reason) for row in read(text).rows}
    assert {key: move for key, (move, _) in said.items()} == {
        "B/1/1": "CONCEDED", "B/1/2": "REBUTTED", "B/1/11": "CARRIED",
    }  # fmt: skip
    assert "the lock\nis held" in said["B/1/2"][1]


def test_a_claim_s_id_is_enough_only_where_it_can_mean_one_objection():
    assert moves("A/1: CONCEDED.", ids={"B/1/1": "", "C/1/1": ""}) == {}


LAYOUTS = (
    "{id}: {move} {why}", "- **{id}** - {move}: {why}", "{id}:\n{move}\n{why}", "### {id} ({claim})\n**{move}** {why}",
    "{claim}: {move}, {why}",
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(
    chosen=st.lists(
        st.tuples(st.sampled_from(sorted(IDS)), st.sampled_from(MOVES)), min_size=1, unique_by=lambda x: x[0]
    ),
    layout=st.sampled_from(LAYOUTS),
    lower=st.booleans(),
)
def test_whatever_is_chosen_is_what_is_read(chosen, layout, lower):
    lines = [
        layout.format(
            id=name, claim=IDS[name], move=move.lower() if lower else move, why="since the queue is shared"
        )
        for name, move in chosen
    ]
    assert moves("\n".join(lines)) == dict(chosen)
    as_json = {
        "answers": {name: {"reason": "since the queue is shared", "move": move} for name, move in chosen}
    }
    assert moves(json.dumps(as_json)) == dict(chosen)


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=400), st.booleans())
def test_no_text_raises_and_what_is_read_is_about_what_was_asked(text, cut):
    for kind in (Defence, Objections, Rejoinder, Resolutions):
        said = read(text, kind, cut=cut)
        assert {row.id for row in said.rows} <= set(IDS)


def test_decisions_stands_and_points_are_read_from_lines_too():
    said = read("B/1/1: withdrawn.\nB/1/2: MAINTAINED, no proof.", Rejoinder)
    assert [(row.id, row.decision) for row in said.rows] == [("B/1/1", "WITHDRAWN"), ("B/1/2", "MAINTAINED")]
    claims = {"A/1": "", "A/2": "", "A/3": ""}
    stances = read(
        "A/1: ACCEPTED.\nA/2: OBJECTED, line 3 is fine.\nA/3: this object is never closed.",
        Objections,
        ids=claims,
    )
    assert [(row.id, row.stance) for row in stances.rows] == [("A/1", "ACCEPTED"), ("A/2", "OBJECTED")]
    (point,) = read("B/1/1: a run under load would show it.", Resolutions).rows
    assert point.would_resolve_if == "a run under load would show it"


# repairs


def test_a_repair_is_joined_to_what_was_read_before():
    first = read("B/1/1: CONCEDED.\nB/9/9: CARRIED.")
    second = read("B/1/2: REBUTTED by app.py:3.\nB/1/1: CARRIED.").joined(first)
    assert {row.id: row.move for row in second.rows} == {"B/1/1": "CARRIED", "B/1/2": "REBUTTED"}
    assert [slip.what for slip in second.slips] == ["unknown_id"]
    assert second.missing() == "nothing on B/1/11"


# evidence


SPACED = Artifact((Document("src/my file.py", "a\nb\nc"), Document("C++/x.cpp", "a")))
LONE = Artifact((Document("main.txt", "a\nb\nc"),))


@pytest.mark.parametrize(
    ("reference", "artifact", "lines"),
    [
        ("app.py:3", ARTIFACT, (3, 3)),
        (" `app.py:3-5` ", ARTIFACT, (3, 5)),
        ("lib/util.py", ARTIFACT, (1, 10)),
        ("src/my file.py:3", SPACED, (3, 3)),
        ("C++/x.cpp:1", SPACED, (1, 1)),
        ("line 2", LONE, (2, 2)),
        ("lines 2-3", LONE, (2, 3)),
        ("L3", LONE, (3, 3)),
    ],
)
def test_references_that_resolve(reference, artifact, lines):
    span = span_of(reference, artifact)
    assert (span.first, span.last) == lines


@pytest.mark.parametrize(
    ("reference", "artifact"),
    [
        ("app.py:0", ARTIFACT), ("app.py:31", ARTIFACT), ("app.py:5-3", ARTIFACT), ("app.py:3-31", ARTIFACT),
        ("util.py:3", ARTIFACT), ("trustme", ARTIFACT), ("", ARTIFACT), ("12345", ARTIFACT), ("line 3", ARTIFACT),
        ("line 4", LONE), ("main.txt:0-2", LONE), ("main.txt:3:1", LONE),
    ],
)  # fmt: skip
def test_references_that_do_not(reference, artifact):
    assert span_of(reference, artifact) is None
    assert unresolved((reference,), artifact) == (reference,)


def test_references_in_words_count_as_those_given_apart():
    assert cited(("app.py:3",), "see app.py:3, lib/util.py:4-5 and at 12:30 the log", ARTIFACT) == (
        "app.py:3", "lib/util.py:4-5",
    )  # fmt: skip
    assert cited((), "see src/my file.py:2", SPACED)[-1] == "src/my file.py:2"
    assert cited((), "as lines 2-3 show", LONE) == ("lines 2-3",)
    assert cited(("main.txt:1",), "as lines 2-3 show", LONE) == ("main.txt:1",)


# the strict contract

OBJECTION = "The scheduler hands every worker a private copy of the queue beforehand"
CLAIM = "Two workers read the queue without holding a lock"
OWN = "Both receive the identical instance from their constructor arguments"


@pytest.mark.parametrize(
    ("move", "reason", "evidence", "fault"),
    [
        ("CONCEDED", "", (), ""),
        ("REBUTTED", OWN, ("app.py:5",), ""),
        ("REBUTTED", f"{OWN}, see app.py:5", (), ""),
        ("CARRIED", OWN, (), ""),
        ("REBUTTED", OWN, (), "no counter-evidence"),
        ("REBUTTED", OWN, ("app.py:99",), "evidence that does not exist: app.py:99"),
        ("CARRIED", OWN, ("nowhere.py:1",), "evidence that does not exist: nowhere.py:1"),
        ("CARRIED", "", (), "no specific reason"),
        ("CARRIED", "I disagree with this", (), "no specific reason"),
        ("REBUTTED", "It is wrong, app.py:5", (), "no specific reason"),
        ("CARRIED", OBJECTION, (), "the objection in its own words"),
        ("CARRIED", f"{OBJECTION.upper()}!", (), "the objection in its own words"),
        ("REBUTTED", CLAIM, ("app.py:3",), "its own earlier words again"),
    ],
)
def test_what_makes_a_move_valid(move, reason, evidence, fault):
    assert fault_of(move, reason, evidence, (OBJECTION, CLAIM), ARTIFACT) == fault


def test_a_reason_is_copied_from_four_fifths_on():
    fresh = ["alpha", "bravo", "delta", "gamma", "kappa"]
    for own in range(6):
        reason = " ".join(fresh[:own] + ["worker", "private", "queue", "scheduler", "copy"][own:])
        expected = "the objection in its own words" if own <= 1 else ""
        assert fault_of("CARRIED", reason, (), (OBJECTION,), ARTIFACT) == expected, own


# degraded messages


@pytest.mark.parametrize(
    ("text", "read_as_reply", "flag"),
    [
        ("", True, "empty"),
        (" \n", False, "empty"),
        ("the same words again " * 5, True, "repetition"),
        ("I'm sorry, but I can't help with that.", False, "refusal"),
        ("I cannot review this code.", False, "refusal"),
        ("As an AI language model I have no opinion.", False, "refusal"),
        ("I cannot review line 3 without the caller. B/1/1: CARRIED.", True, ""),
        ("A mutex would cost little here, and the queue is shared between threads.", False, ""),
        ("The function cannot continue after the error.", False, ""),
    ],
)
def test_degraded_messages(text, read_as_reply, flag):
    assert degraded(text, read=read_as_reply) == flag


def test_records_of_a_form_do_not_count_as_repetition():
    rng = random.Random(0)
    words = "queue lock worker shared index bound guard cache stale retry token parse".split()  # noqa: SIM905
    rows = {
        name: {"reason": " ".join(rng.sample(words, 8)), "evidence": ["app.py:3"], "move": "CARRIED"}
        for name in IDS
    }
    assert read(json.dumps({"answers": rows})).flag == ""


# grammar


@pytest.mark.parametrize("kind", [Defence, Objections, Rejoinder, Resolutions])
def test_a_grammar_wants_exactly_the_open_ids_with_reasons_first(kind):
    form = sheet(kind).form(PROBLEM)
    records = form["properties"][kind.listed]
    assert records["required"] == list(records["properties"]) == list(IDS)
    assert not records["additionalProperties"]
    for record in records["properties"].values():
        fields = list(record["properties"])
        assert record["required"] == fields
        assert fields[0] == kind.row.prose
        assert fields[-1] == (kind.row.choice or kind.row.prose)
        assert record["properties"][fields[0]]["maxLength"] == Bounds().text


def test_a_narrowed_form_keeps_its_name():
    assert sheet(Defence).__name__ == "Defence"
    assert type(read("B/1/1: CARRIED")).__name__ == "Defence"
