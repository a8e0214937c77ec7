"""The simulated reviewer keeps its word, turn by turn. (Whole debates: tests/metrics/test_theory_reviews.py.)"""

import asyncio
import json

import pytest

from madbench.engines.filling import Filling
from madbench.engines.forms import Instance
from madbench.engines.review_marks import MarkedDocument, documents_in, place_of, places_in
from madbench.engines.reviewer_settings import Arguing, Reviewing
from madbench.engines.simulated import SimulatedModel
from madbench.engines.simulated_reviewer import SimulatedReviewer
from madbench.protocols.adversarial_review_forms import Defence, Objections, Rejoinder, Resolutions
from madbench.protocols.adversarial_review_items import Item
from madbench.protocols.adversarial_review_rows import Bounds
from madbench.protocols.adversarial_review_sheet import about
from madbench.tasks.synthetic_reviews import SyntheticReviews
from madbench.types import InputError, Message, Request, Sampling, findings_of

SAMPLE = next(s for s in SyntheticReviews(20).samples() if len(s.target.facts["issues"]) == 2)
PROBLEM = SAMPLE.problem
KNOWN = [finding.span.first for finding in findings_of(SAMPLE.target.answer)]
REAL, FALSE = "Line 3 of main.txt is wrong ⟦real⟧ 0a1b2c3d", "Line 8 of main.txt is wrong ⟦false⟧ 4e5f6a7b"
CLAIMS = (
    f"{PROBLEM.question}\nYou are reviewer A.\nB/1 [main.txt:3, high] {REAL}\nB/2 [main.txt:8, low] {FALSE}"
)
SURE = SimulatedReviewer(
    Reviewing(recall=1.0, false_alarms=0.0),
    Arguing(
        objects_real=0.0, objects_false=1.0, accepts=1.0, concedes_real=0.0, concedes_false=1.0, cheap=0.0
    ),
)


def say(model, *texts, seed=1, schema=None, tokens=2048, temperature=0.7):
    """The reply to a conversation whose turns alternate, the user's first."""
    roles = ["user", "assistant"] * 9
    messages = tuple(Message(role, text) for role, text in zip(roles, texts, strict=False))
    sampling = Sampling(temperature=temperature, max_tokens=tokens)
    schema = json.dumps(schema) if schema else None

    async def main():
        async with model.open() as engine:
            return await engine.generate(Request(messages, sampling, seed, schema))

    return asyncio.run(main())


def lines(completion):
    return [finding.span.first for finding in findings_of(PROBLEM.reader.read(completion.text).answer)]


def test_prose_and_grammar_report_the_same():
    for seed in range(20):
        model = SimulatedReviewer()
        free = say(model, PROBLEM.prompt, seed=seed)
        held = say(model, PROBLEM.prompt, seed=seed, schema=PROBLEM.reader.reply_schema())
        assert lines(free) == lines(held)
        bare = json.loads(held.text)["findings"]
        assert all(row.keys() == {"line_start", "line_end", "text", "severity", "confidence"} for row in bare)


def test_certain_reviewers():
    assert lines(say(SURE, PROBLEM.prompt)) == KNOWN
    blind = SimulatedReviewer(Reviewing(recall=0.0, false_alarms=2.0))
    for seed in range(20):
        found = lines(say(blind, PROBLEM.prompt, seed=seed))
        assert len(found) == 2
        assert all(abs(line - known) > 2 for line in found for known in KNOWN)


def test_a_rate_between_is_drawn():
    half = SimulatedReviewer(Reviewing(recall=0.0, false_alarms=1.5))
    counts = [len(lines(say(half, PROBLEM.prompt, seed=seed))) for seed in range(200)]
    assert set(counts) == {1, 2}
    assert 70 < counts.count(2) < 130


def test_confidence_is_stated_as_set():
    model = SimulatedReviewer(Reviewing(recall=1.0, false_alarms=1.0, sure_real=0.9, sure_false=0.2))
    found = findings_of(PROBLEM.reader.read(say(model, PROBLEM.prompt).text).answer)
    stated = {finding.span.first in KNOWN: finding.confidence for finding in found}
    assert stated == {True: 0.9, False: 0.2}


def test_seeds_alone_decide_and_greedy_replies_depend_on_the_prompt_alone():
    model = SimulatedReviewer()
    replies = {say(model, PROBLEM.prompt, seed=seed).text for seed in range(20)}
    assert len(replies) > 10
    assert say(model, PROBLEM.prompt, seed=7).text == say(model, PROBLEM.prompt, seed=7).text
    greedy = {say(model, PROBLEM.prompt, seed=seed, temperature=0.0).text for seed in range(5)}
    assert len(greedy) == 1


def test_asked_again_it_repeats_itself_and_adopts_what_it_is_told():
    mine = json.dumps({"findings": [{"line_start": 3, "text": REAL}]}, ensure_ascii=False)
    for adopts, expected in ((0.0, [3]), (1.0, [3, 8])):
        model = SimulatedReviewer(Reviewing(adopts=adopts))
        told = say(model, PROBLEM.prompt, mine, f"One of them replied: {FALSE}, {REAL}\n{PROBLEM.prompt}")
        assert lines(told) == expected


def asked(sheet, *ids):
    return about(sheet, [Item(name) for name in ids], Bounds()).form(PROBLEM)


def records(model, sheet, *ids, prompt=CLAIMS, **given):
    form = json.loads(say(model, prompt, schema=asked(sheet, *ids), **given).text)
    return form[sheet.listed]


def test_it_objects_to_what_is_false_and_accepts_what_is_real():
    said = records(SURE, Objections, "B/1", "B/2")
    assert {name: row["stance"] for name, row in said.items()} == {"B/1": "ACCEPTED", "B/2": "OBJECTED"}
    assert said["B/2"]["evidence"] == ["main.txt:8"]


OBJECTIONS = (
    f"{PROBLEM.question}\nB/1/1 on A/1 [low]: Against {REAL}: so\nB/1/2 on A/2 [low]: Against {FALSE}: so"
)


def test_it_concedes_what_is_false_and_rebuts_with_a_reason_of_its_own():
    said = records(SURE, Defence, "B/1/1", "B/1/2", prompt=OBJECTIONS)
    assert {name: row["move"] for name, row in said.items()} == {"B/1/1": "REBUTTED", "B/1/2": "CONCEDED"}
    items = [Item("B/1/1", against=(f"Against {REAL}: so", REAL))]
    text = json.dumps({"answers": {"B/1/1": said["B/1/1"]}})
    (row,) = about(Defence, items, Bounds()).read(text, PROBLEM, cut=False).rows
    assert row.fault == ""


@pytest.mark.parametrize(
    ("demand", "move"),
    [("Answer as you like.", "CARRIED"), ("Give a specific technical reason.", "REBUTTED")],
)
def test_a_demand_for_reasons_is_heeded(demand, move):
    model = SimulatedReviewer(arguing=Arguing(concedes_real=0.0, cheap=1.0, cheap_when_strict=0.0))
    said = records(model, Defence, "B/1/1", prompt=f"{OBJECTIONS}\n{demand}")
    assert said["B/1/1"]["move"] == move


@pytest.mark.parametrize(("withdraws", "decision"), [(1.0, "WITHDRAWN"), (0.0, "MAINTAINED")])
def test_it_withdraws_as_often_as_told(withdraws, decision):
    model = SimulatedReviewer(arguing=Arguing(withdraws=withdraws))
    assert records(model, Rejoinder, "B/1/1", prompt=OBJECTIONS)["B/1/1"]["decision"] == decision
    assert records(model, Resolutions, "B/1/1", prompt=OBJECTIONS)["B/1/1"]["would_resolve_if"]


def test_moves_in_words():
    listed = f"You are reviewer A.\n- obj_a_0 (claim cl_A_1): {REAL}\n- obj_a_1 (claim cl_A_2): {FALSE}"
    first, second = say(SURE, listed).text.splitlines()
    assert first.startswith("obj_a_0: REBUTTED, main.txt:3 shows ")
    assert second.startswith("obj_a_1: CONCEDED, ")
    form = '{"claims": {"B/1": {"argument": "why"}}}'
    said = json.loads(say(SURE, f"{CLAIMS}\nA/1 {FALSE}\nReply with one object: {form}").text)
    assert said["claims"].keys() == {"B/1", "B/2"}  # its own claims are not its to object to


def test_unmarked_documents_get_findings_out_of_the_form():
    model = SimulatedReviewer(Reviewing(false_alarms=3.0))
    held = say(model, "Review this.", schema=PROBLEM.reader.reply_schema())
    assert len(json.loads(held.text)["findings"]) == 3
    assert PROBLEM.reader.read(held.text).answer is not None


def test_restatements_repeat_what_was_shown():
    form = {"type": "object", "properties": {"facts": {"type": "string", "maxLength": 1200}}}
    assert REAL in json.loads(say(SURE, f"{PROBLEM.question}\nReply: {REAL}", schema=form).text)["facts"]
    assert documents_in([Message("user", say(SURE, PROBLEM.question, schema=form).text)]) == documents_in(
        [Message("user", PROBLEM.question)]
    )


def test_all_else_is_answered_by_the_other_model():
    model = SimulatedReviewer(answering=SimulatedModel(1.0))
    assert say(model, "Which? ⟦truth=B options=ABCD⟧\nEnd with Answer: X.").text.endswith("Answer: B")


def test_a_long_review_is_cut_and_says_so():
    cut = say(SURE, PROBLEM.prompt, tokens=10)
    assert (cut.finish, cut.output_tokens, len(cut.text)) == ("length", 10, 40)
    assert PROBLEM.reader.read(cut.text, cut=True).answer is None


def test_marks_and_places():
    shown = "   9 | ⟦document=a.txt issues=3,9 lines=20⟧ ⟦document=b/c.txt issues= lines=4⟧"
    assert documents_in([Message("user", shown), Message("assistant", "⟦document=x issues= lines=1⟧")]) == (
        MarkedDocument("a.txt", 20, (3, 9)),
        MarkedDocument("b/c.txt", 4, ()),
    )
    assert MarkedDocument("a.txt", 12, (3, 9)).sound == [6, 12]
    assert [place.real for place in places_in(f"{FALSE} {REAL} {FALSE}")] == [False, True]
    told = [Message("user", f"A/10 {FALSE}\nA/1 {REAL}\nA/1/2 {FALSE}")]
    assert place_of("A/1", told).real
    assert not place_of("A/1/2", told).real
    assert place_of("A/2", told) is None


def test_fillings_fit_their_fields():
    schema = {
        "type": "object",
        "properties": {
            "rows": {"type": "array", "maxItems": 2, "items": {"$ref": "#/$defs/Row"}},
            "other": {"type": "boolean"},
        },
        "$defs": {
            "Row": {
                "type": "object",
                "properties": {
                    "text": {"anyOf": [{"type": "null"}, {"type": "string", "maxLength": 4}]},
                    "sure": {"type": "integer"},
                    "kind": {"enum": ["a", "b"]},
                    "code": {"type": "string", "pattern": "^[0-9]+$"},
                },
            }
        },
    }
    import random

    rows = [{"text": "a long text", "sure": 0.25, "kind": "z", "code": "x"}] * 3
    written = json.loads(Filling(Instance("", "", random.Random(1))).write(schema, {"rows": rows}))
    assert len(written["rows"]) == 2
    for row in written["rows"]:
        assert (row["text"], row["sure"]) == ("a lo", 25)
        assert row["kind"] in "ab"
        assert row["code"].isdigit()


def test_its_fingerprint_covers_what_can_change_a_reply():
    models = [
        SimulatedReviewer(),
        SimulatedReviewer(Reviewing(recall=0.1)),
        SimulatedReviewer(arguing=Arguing(cheap=0.3)),
        SimulatedReviewer(answering=SimulatedModel(0.9)),
    ]
    assert len({model.fingerprint() for model in models}) == 4
    assert SimulatedReviewer(name="other").fingerprint() == models[0].fingerprint()


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (SimulatedReviewer(Reviewing(recall=1.5)), r"model\.reviewing\.recall: 1\.5; wanted 0 to 1"),
        (
            SimulatedReviewer(Reviewing(false_alarms=-1)),
            r"model\.reviewing\.false_alarms: -1; wanted 0 to inf",
        ),
        (SimulatedReviewer(arguing=Arguing(cheap=2)), r"model\.arguing\.cheap: 2; wanted 0 to 1"),
        (SimulatedReviewer(answering=SimulatedModel(7)), r"model\.accuracy: 7"),
    ],
)
def test_bad_settings_are_named(model, words):
    with pytest.raises(InputError, match=words):
        model.check()
    SimulatedReviewer(Reviewing(false_alarms=12.5)).check()
