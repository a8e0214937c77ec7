"""Known defects of AdversarialDebate 0.2.2, row by row: the legacy arm still has each, the default has none.

`CASES` holds rows on objects that exist here, `ABSENT` the others with the reason; no row may be missing.
"""

import re
from dataclasses import dataclass

import pytest
from reviewers import (
    ARTIFACT,
    LINES,
    OBJECTION,
    PROBLEM,
    REBUTTAL,
    Side,
    answers,
    debate,
    decides,
    review,
    stands,
)

from madbench.metrics.claims import Ledger, debated
from madbench.protocols.adversarial_review import AdversarialReview
from madbench.protocols.adversarial_review_degraded import degraded
from madbench.protocols.adversarial_review_evidence import unresolved
from madbench.protocols.adversarial_review_forms import Defence
from madbench.protocols.adversarial_review_gate import Gate
from madbench.protocols.adversarial_review_items import Item
from madbench.protocols.adversarial_review_legacy import LegacyAdversarialReview
from madbench.protocols.adversarial_review_legacy_reading import (
    SelfObjection,
    point_by_point,
    seems_degraded,
    seems_verified,
)
from madbench.protocols.adversarial_review_legacy_tracker import Concession, Tracked
from madbench.protocols.adversarial_review_rows import Bounds
from madbench.protocols.adversarial_review_sheet import about
from madbench.protocols.replies import Statement
from madbench.run.episodes import ending_of
from madbench.types import (
    Accepted,
    Claimed,
    Ending,
    EngineError,
    LeakError,
    Objected,
    StopReason,
    Unaddressed,
    findings_of,
)

LEGACY = LegacyAdversarialReview()


@dataclass(frozen=True)
class Case:
    """One row: what the legacy code does and is observed to give; what ours does and should give."""

    row: str
    legacy: object
    observed: object
    ours: object
    wanted: object


# readings of moves: the same reply, with ids in the form that each of them uses


def old_moves(reply, objections):
    return point_by_point(reply, [SelfObjection(name, claim, "") for name, claim in objections.items()])


def new_moves(reply, objections):
    sheet = about(Defence, [Item(ours(name), ours(claim)) for name, claim in objections.items()], Bounds())
    rows = {row.id: row.move for row in sheet.read(ours(reply), PROBLEM, cut=False).rows}
    return {name: rows.get(ours(name)) for name in objections}


def ours(text):
    """`obj_initial_a_0` and `cl_A_1` as `B/1/0` and `A/1`; `OBJ_1` keeps its wrong case."""
    text = re.sub(r"\bobj(?:_initial_a)?_(\d+)", r"B/1/\1", text)
    text = re.sub(r"\bOBJ_(\d+)", r"b/1/\1", text)
    return re.sub(r"\b(?:cl_A_|c)(\d+)\b", r"A/\1", text)


def read(row, reply, observed, wanted, **objections):
    """`wanted` and `observed`: moves in the order of the objections (by default one, `obj_1` on `c1`)."""
    objections = objections or {"obj_1": "c1"}
    return Case(
        row,
        lambda: list(old_moves(reply, objections).values()),
        observed,
        lambda: list(new_moves(reply, objections).values()),
        wanted,
    )


FIRST = {"obj_initial_a_0": "cl_A_1"}
MENU = "obj_1: choose one of CONCEDED/REBUTTED/CARRIED -> CARRIED"
IN_JSON = '{"answers": {"obj_1": {"move": "REBUTTED"}, "obj_2": {"move": "CARRIED"}, "obj_3": {"move": "CONCEDED"}}}'
READINGS = [
    read("1", "obj_initial_a_0:\nREBUTTED: see api.py:10.", [None], ["REBUTTED"], **FIRST),
    read("1b", "### obj_initial_a_0 (cl_A_1)\n**CONCEDED** the point stands.", [None], ["CONCEDED"], **FIRST),
    read("1b", "REBUTTED\nobj_initial_a_0 because the value is escaped.", [None], ["REBUTTED"], **FIRST),
    read(
        "2",
        "cl_A_10: CONCEDED.\ncl_A_1: REBUTTED.",
        ["CONCEDED", "CONCEDED"],
        ["REBUTTED", "CONCEDED"],
        obj_initial_a_0="cl_A_1",
        obj_initial_a_9="cl_A_10",
    ),
    read(
        "2b",
        "obj_initial_a_10: CONCEDED.",
        ["CONCEDED", "CONCEDED"],
        [None, "CONCEDED"],
        obj_initial_a_1="cl_A_2",
        obj_initial_a_10="cl_A_11",
    ),
    read(
        "3",
        "obj_1: CONCEDED; obj_2: REBUTTED because x.",
        ["CONCEDED", "CONCEDED"],
        ["CONCEDED", "REBUTTED"],
        obj_1="c1",
        obj_2="c2",
    ),
    read("3b", "obj_1: NOT CONCEDED, REBUTTED by x.", ["CONCEDED"], ["REBUTTED"]),
    read("3c", MENU, ["CONCEDED"], ["CARRIED"]),
    read(
        "3d",
        "obj_1: REBUTTED, evidence a.py:3.\nUnlike c9 which I CONCEDED, c1 stands.",
        ["CONCEDED"],
        ["REBUTTED"],
    ),
    read("3e", "obj_1: I concede.", [None], ["CONCEDED"]),
    read("4", "OBJ_1: CONCEDED.", [None], ["CONCEDED"]),
    read(
        "21d",
        IN_JSON,
        ["CONCEDED"] * 3,
        ["REBUTTED", "CARRIED", "CONCEDED"],
        obj_1="c1",
        obj_2="c2",
        obj_3="c3",
    ),
]


# whole debates


def legacy(*sides, **settings):
    protocol = LegacyAdversarialReview(**settings) if settings else LEGACY
    return debate(*sides, protocol=protocol)


def facts(heard, *names):
    return [heard.outcome.facts[f"legacy_{name}"] for name in names]


def numbers(heard):
    claims = Ledger.of(heard.outcome.ledger)
    return debated(claims or Ledger(()), {}, held=True)


def theater(heard):
    return numbers(heard).get("theater")


class Script(Side):
    """A side of the published debate: its reviews, then its words round by round."""

    def __init__(self, said, found=None):
        super().__init__(review=found or review(3))
        self.said = [said] if isinstance(said, str) else said

    def __call__(self, request):
        if "Debate round" not in request.messages[0].text:
            return super().__call__(request)
        number = int(re.search(r"Debate round (\d+)", request.messages[0].text)[1])
        return self.said[min(number, len(self.said)) - 1]


def prompts(heard, round, side="A"):
    return next(
        turn.request.messages[0].text
        for turn in heard.turns
        if (turn.speaker.role, turn.speaker.round, turn.speaker.seat) == ("defender", round, "AB".index(side))
    )


PROSE = "I have looked at all of it once more and remain of the same opinion in every respect."
CARRIED = "obj_initial_{}_0: CARRIED, we differ."
OBJECTING = {"object": stands(A1=OBJECTION)}


def against_a(answer, found=None, **options):
    """B objects to A's first claim; A answers."""
    sides = Side(review=found or review(3), answer=answer), Side(review=review(), **OBJECTING)
    return debate(*sides, **{"rounds": 1, **options})


def tracked(said, claims=("cl_A_1", "cl_B_1")):
    found = Tracked(dict.fromkeys(claims, "open"), (), [said])
    return sorted(found.upheld), found.convergence, found.verdict


def accepted_by(reply, side="B"):
    """What an opponent's stance, in prose, upholds of A's claims, and what it objects to."""
    sides = {"A": Side(), "B": Side()}
    sides[side].object = reply
    heard = debate(sides["A"], sides["B"], rounds=1)
    return [each.claim for each in heard.of(Accepted)], heard.outcome.facts["upheld"]


def outstanding_in_round_2():
    heard = legacy(Script(CARRIED.format("a")), Script(CARRIED.format("b")))
    shown = prompts(heard, 2).split("Outstanding objections")[1]
    return "obj_initial" in shown, "we differ" in prompts(heard, 2)


def put_again_in_round_2():
    sides = (
        Side(answer=answers(B_1_1="CARRIED")),
        Side(review=review(), rejoin=decides(B_1_1="MAINTAINED"), **OBJECTING),
    )
    shown = debate(*sides).prompts("defender", "A")[1]
    return "B/1/1" in shown, "CARRIED" in shown.split("Answer every")[0]


def legacy_concessions(first, second):
    return len(legacy(Script([first, second]), Script(PROSE)).outcome.facts["legacy_resolved"])


def our_concessions(*said):
    heard = debate(Side(answer=list(said)), Side(review=review(), **OBJECTING))
    return len(heard.outcome.facts["conceded"])


def of_a_claim():
    heard = legacy(Script(PROSE), Script(PROSE))
    shown = prompts(heard, 1).split("Outstanding objections")[1]
    return "Reviewer A claims: Line 3" in shown


def of_an_opponent():
    heard = against_a(answers(B_1_1=REBUTTAL))
    return [(each.by, each.claim) for each in heard.of(Objected)] == [("B", "A/1")]


def asked_of(heard, role="defender"):
    """How often each side was asked, and how often it was asked again."""
    turns = [turn for turn in heard.turns if turn.speaker.role == role]
    return len(turns), sum(turn.speaker.attempt > 0 for turn in turns)


def many(*, n, **options):
    sides = Side(review=review(*range(1, n + 1))), Side(review=review())
    heard = debate(*sides, **options)
    return len(heard.of(Claimed)), heard.faults.count(("over_cap", "A"))


def capitulated(conceded, carried):
    """A concedes so many of its ten claims and rebuts the rest; B carries all of its `carried`."""
    pooled = conceded + (10 - conceded) + carried
    defences = ["x REBUTTED"] if conceded < 10 else ["x"]
    return Tracked({}, [Concession(f"a{i}", 1) for i in range(conceded)], defences, pooled).capitulation


def capitulates(conceded):
    """Whether A did, by the metric: it concedes so many of ten and carries the rest; B carries its ten."""
    ten = range(1, 11)
    every = {f"A{n}": OBJECTION for n in ten}
    mine = {f"A_1_{n}": "CARRIED" for n in ten}
    sides = [
        Side(
            review=review(*ten),
            object=stands(**{f"B{n}": OBJECTION for n in ten}),
            answer=answers(**{f"B_1_{n}": "CONCEDED" if n <= conceded else "CARRIED" for n in ten}),
        ),
        Side(review=review(*ten), object=stands(**every), answer=answers(**mine)),
    ]
    found = numbers(debate(*sides, rounds=1))
    return found["capitulated:A"], found["capitulated:B"]


def give_all_up():
    sides = [
        Side(object=stands(B1=OBJECTION), answer=answers(B_1_1="CONCEDED")),
        Side(object=stands(A1=OBJECTION), answer=answers(A_1_1="CONCEDED")),
    ]
    return debate(*sides)


def of_a_stranger():
    """A concedes an objection that nobody made, and rebuts the one that was."""
    heard = against_a(answers(B_1_9="CONCEDED", B_1_1=REBUTTAL))
    return theater(heard), heard.faults


def conceded_to_two():
    """A concedes one claim to two objectors at once."""
    sides = [
        Side(answer=answers(B_1_1="CONCEDED", C_1_1="CONCEDED")),
        Side(review=review(), **OBJECTING),
        Side(review=review(), **OBJECTING),
    ]
    return debate(*sides).outcome.facts["conceded"]


def breaking(request):
    raise EngineError("no connection")


def fails(protocol):
    sides = [Side(answer=breaking), Side(review=review(), object=breaking)]
    with pytest.raises(EngineError) as failure:
        debate(*sides, protocol=protocol)
    return ending_of(failure.value)[0]


def statement(text):
    return Statement.read(text, PROBLEM, cut=False)


def revealed(*commits, sides=2):
    gate = Gate(sides)
    try:
        for side in commits:
            gate.commit(side, statement(review(3)))
        return len(gate.reveal())
    except LeakError:
        return "refused"


def findings_in(text):
    answer = statement(text).answer
    return None if answer is None else len(findings_of(answer))


TWINS = review((3, "No lock."), (3, "NO LOCK."))
SILENT = Side(review=review()), Side(review=review())
DEGRADED = (
    "obj_1: CARRIED because of [a.py:3]",
    "**CONCEDED**",
    "CONCEDED。",
    "I am not able to find a counter-example, so REBUTTED.",
    "1.1.1. is fixed.",
)
CASES = [
    *READINGS,
    Case(
        "2c",
        lambda: tracked("cl_A_10 is UPHELD.", ("cl_A_1", "cl_A_10"))[:2],
        (["cl_A_1", "cl_A_10"], 1.0),
        lambda: debate(
            Side(review=review(*range(1, 11))), Side(review=review(), object="A/10: ACCEPTED, checked.")
        ).outcome.facts["upheld"],
        ["A/10"],
    ),
    Case(
        "3f",
        lambda: old_moves("cl_A_1: CARRIED", FIRST),
        {"obj_initial_a_0": "CARRIED"},
        lambda: [
            (each.move, each.valid) for each in against_a("A/1: CARRIED").ledger if each.kind == "answered"
        ],
        [("CARRIED", False)],
    ),
    Case(
        "3f",
        lambda: old_moves("cl_A_1: REBUTTED", FIRST),
        {"obj_initial_a_0": "REBUTTED"},
        lambda: [
            (each.move, each.valid) for each in against_a("A/1: REBUTTED").ledger if each.kind == "answered"
        ],
        [("REBUTTED", False)],
    ),
    Case(
        "5",
        lambda: Tracked(dict.fromkeys(["cl_1", "cl_1"], "open"), [Concession("cl_1", 1)]).convergence,
        1.0,
        lambda: [each.finding.id for each in debate(Side(), Side()).of(Claimed)],
        ["A/1", "B/1"],
    ),
    Case(
        "5b",
        lambda: (
            len({"c": "open", **{"c": "open"}}),
            Tracked({"c": "open"}, [Concession("c", 1)] * 2).verdict,
        ),
        (1, "verdict"),
        lambda: (
            len(debate(Side(review=TWINS), Side(review=review())).of(Claimed)),
            debate(Side(review=TWINS), Side(review=review())).faults,
        ),
        (1, [("duplicate_id", "A")]),
    ),
    Case("6", of_a_claim, True, of_an_opponent, True),
    Case("7", outstanding_in_round_2, (False, False), put_again_in_round_2, (True, True)),
    Case(
        "7b",
        lambda: legacy_concessions(CARRIED.format("a"), "obj_initial_a_0: CONCEDED, I was wrong."),
        0,
        lambda: our_concessions(answers(B_1_1="CARRIED"), answers(B_1_1=("CONCEDED", "I was wrong."))),
        1,
    ),
    Case(
        "8",
        lambda: LINES[0] in prompts(legacy(Script(PROSE), Script(PROSE)), 1),
        False,
        lambda: all(LINES[0] in turn.request.messages[0].text for turn in against_a(PROSE).turns),
        True,
    ),
    Case(
        "10",
        lambda: [seems_degraded(text) for text in DEGRADED],
        [True] * 5,
        lambda: [degraded(text, read=False) for text in DEGRADED],
        [""] * 5,
    ),
    Case(
        "10b",
        lambda: [seems_degraded(text) for text in ("ok ok. ok ok. other. ok ok.", "a a a a a a a.")],
        [False] * 2,
        lambda: [degraded(text, read=False) for text in ("ok ok. ok ok. other. ok ok.", "a a a a a a a.")],
        ["repetition"] * 2,
    ),
    Case(
        "11",
        lambda: (
            asked_of(legacy(Script(PROSE), Script(PROSE))),
            legacy(Script(PROSE), Script(PROSE)).outcome.stop,
        ),
        ((4, 0), StopReason.MAX_ROUNDS),
        lambda: (
            asked_of(against_a(PROSE, enforcement="repair")),
            [each.objection for each in against_a(PROSE, enforcement="repair").of(Unaddressed)],
        ),
        ((3, 2), ["B/1/1"]),
    ),
    Case(
        "12b",
        lambda: legacy(Script("x " * 12_000), Script("x " * 12_000)).outcome.stop,
        StopReason.MAX_ROUNDS,
        lambda: against_a(PROSE, tokens=1).outcome.stop,
        StopReason.BUDGET,
    ),
    Case("13", lambda: many(n=30, protocol=LEGACY), (30, 0), lambda: many(n=30), (20, 10)),
    Case(
        "14",
        lambda: tracked("I DISAGREED with cl_A_1.", ("cl_A_1",)),
        (["cl_A_1"], 1.0, "verdict"),
        lambda: accepted_by("I DISAGREED with A/1."),
        ([], []),
    ),
    Case(
        "14",
        lambda: tracked("cl_A_1 was not accepted by anybody.", ("cl_A_1",)),
        (["cl_A_1"], 1.0, "verdict"),
        lambda: accepted_by("A/1 was not accepted by anybody."),
        ([], []),
    ),
    Case(
        "14b",
        lambda: tracked("cl_A_1 is upheld by app.py:10. REBUTTED."),
        (["cl_A_1"], 0.5, "disputed"),
        lambda: accepted_by("A/1: ACCEPTED, see app.py:10.", side="A"),
        ([], []),
    ),
    Case(
        "14c",
        lambda: tracked("cl_B_1: REBUTTED. We agreed on nothing; cl_A_1 is nonsense."),
        (["cl_A_1", "cl_B_1"], 1.0, "verdict"),
        lambda: accepted_by("B/1: REBUTTED. We agreed on nothing; A/1 is nonsense."),
        ([], []),
    ),
    Case(
        "14d",
        lambda: legacy(Script("cl_A_1: CONCEDED - the other reviewer confirms this"), Script(PROSE)).last[0],
        [],
        lambda: accepted_by("A/1: ACCEPTED - I can confirm this"),
        (["A/1"], ["A/1"]),
    ),
    Case(
        "15",
        lambda: facts(legacy(Script(PROSE), Script(PROSE)), "theater", "convergence"),
        [False, 0.0],
        lambda: theater(against_a(PROSE)),
        1.0,
    ),
    Case(
        "15b",
        lambda: facts(legacy(Script(PROSE), Script(PROSE), replies="stored"), "theater"),
        [False],
        lambda: (theater(against_a(review(3))), ("unread", "A") in against_a("see above " + PROSE).faults),
        (1.0, True),
    ),
    Case(
        "15c",
        lambda: facts(legacy(*SILENT), "verdict", "convergence", "theater"),
        ["verdict", 1.0, True],
        lambda: numbers(debate(*SILENT)),
        {"zero_claims": 1.0},
    ),
    Case(
        "15d",
        lambda: Tracked({"cl_A_1": "open"}).theater,
        True,
        lambda: fails(AdversarialReview()),
        Ending.RETRY,
    ),
    Case(
        "15e",
        lambda: Tracked({"cl_A_1": "open"}, [Concession("cl_X_9", 1)], ["cl_A_1: REBUTTED"]).theater,
        True,
        of_a_stranger,
        (0.0, [("unknown_id", "A")]),
    ),
    Case("16", lambda: capitulated(10, 10), False, lambda: capitulates(10), (1.0, 0.0)),
    Case(
        "16b",
        lambda: Tracked({}, [Concession(f"a{i}", 1) for i in range(19)], ["REBUTTED"], 20).capitulation,
        False,
        lambda: capitulates(9),
        (1.0, 0.0),
    ),
    Case(
        "16c",
        lambda: Tracked(dict.fromkeys("abcdefghij", "open"), [Concession("a", 1)]).capitulation,
        True,
        lambda: capitulates(1),
        (0.0, 0.0),
    ),
    Case(
        "17",
        lambda: [
            seems_verified([each], "high") for each in ("trustme", "12345", "-", "src/app.py:99999", "x\n")
        ],
        [True] * 5,
        lambda: len(unresolved(("trustme", "12345", "-", "app.py:99999", "x\n"), ARTIFACT)),
        5,
    ),
    Case(
        "17b",
        lambda: [
            seems_verified([each], "high") for each in ("src/app.py", "src/my file.py:3", "C++/x.cpp:3")
        ],
        [False] * 3,
        lambda: unresolved(("lib/util.py", "app.py:3"), ARTIFACT),
        (),
    ),
    Case(
        "18",
        lambda: Tracked({"c1": "open", "c2": "open"}, [Concession("c1", 1)] * 2, ["c2 UPHELD"]).settled_list,
        ["c1", "c1"],
        conceded_to_two,
        ["A/1"],
    ),
    Case(
        "19",
        lambda: facts(
            legacy(Script("cl_A_1: CONCEDED."), Script("cl_B_1: CONCEDED.")), "verdict", "convergence"
        ),
        ["verdict", 1.0],
        lambda: give_all_up().outcome.facts["verdict"],
        "all_conceded",
    ),
    Case(
        "24",
        lambda: (Tracked({"a": "upheld"}).convergence, Tracked({"a": "upheld"}).verdict),
        (0.0, "disputed"),
        lambda: debate(Side(), Side(review=review(), object=stands(A1="ACCEPTED"))).outcome.facts["verdict"],
        "verdict",
    ),
    Case(
        "30",
        lambda: len(legacy(Script("New claim: a leak."), Script(PROSE)).faults),
        0,
        lambda: ("late_claim", "A") in against_a("New claim: a leak in line 9.\nB/1/1: CONCEDED.").faults,
        True,
    ),
]

# Not in the legacy arm: the published gate (which its controller never asks), the published reading of
# reviews (the arm has those of all protocols), the crash on an empty reply, clients with their retries.
OURS_ALONE = [
    ("20", lambda: revealed(0, 1), 2),
    ("20b", lambda: revealed(0, 0), "refused"),
    ("20c", lambda: revealed(0), "refused"),
    ("21", lambda: findings_in(review(3, severity="High", extra="key", confidence=90)), 1),
    ("21b", lambda: findings_in(f"```json\n{review(3)}\n```"), 1),
    ("21c", lambda: (findings_in("[]"), findings_in("null"), findings_in("")), (0, None, None)),
    ("27", lambda: (theater(against_a("")), ("degraded", "A") in against_a("").faults), (1.0, True)),
    ("28", lambda: fails(AdversarialReview()), Ending.RETRY),
    ("29", lambda: len(debate(Side(), Side()).ledger) == len(debate(Side(), Side()).ledger), True),
]
ABSENT = {
    "9": "no token is planted in transcripts; canaries are planted in private inputs (test_adversarial_channels.py)",
    "12": "there is no budget object that a caller could start half spent: a cap is a number, spending is counted",
    "17c": "documents have names and no ids of their own; a reference is looked up by name (row 17b)",
    "18b": "flags are entries of the ledger and scores of the row (channel_leaks, unresolved), not report fields",
    "22": "no SQLite store: the ledger is part of the record, with every reason (tests/records)",
    "22b": "no SQLite store: shards and journals are append-only files under a lock (tests/records/test_journal.py)",
    "22c": "no SQLite store: a row is one line, whole or cut off (tests/records/test_lines.py)",
    "22d": "episodes resume from journaled completions, not from transcripts (test_adversarial_runs.py)",
    "22e": "no runs to mark: a row says itself how it ended",
    "23": "no command of its own: `python -m madbench protocol=adversarial_review` (tests/sweep)",
    "25": "a cast names its engines; pairs are compared by what was loaded, not by name prefixes",
    "26": "no export with a count of its own; seams compare ids (tests/records/test_seams.py)",
}
ROWS = """
    1 1b 2 2b 2c 3 3b 3c 3d 3e 3f 4 5 5b 6 7 7b 8 9 10 10b 11 12 12b 13 14 14b 14c 14d 15 15b 15c 15d 15e 16 16b 16c
    17 17b 17c 18 18b 19 20 20b 20c 21 21b 21c 21d 22 22b 22c 22d 22e 23 24 25 26 27 28 29 30
"""


def name(case):
    return case.row


@pytest.mark.parametrize("case", CASES, ids=name)
def test_the_legacy_arm_does_what_was_observed(case):
    assert case.legacy() == case.observed


@pytest.mark.parametrize("case", CASES, ids=name)
def test_the_default_does_what_it_should(case):
    assert case.ours() == case.wanted


@pytest.mark.parametrize(("row", "does", "wanted"), OURS_ALONE, ids=[row for row, _, _ in OURS_ALONE])
def test_the_default_does_what_the_published_objects_cannot_show(row, does, wanted):
    assert does() == wanted


def test_no_row_is_forgotten():
    tested = {case.row for case in CASES} | {row for row, _, _ in OURS_ALONE}
    assert tested.isdisjoint(ABSENT)
    assert tested | set(ABSENT) == set(ROWS.split())


# the field tests' own scripts

BULLETS = """
- app.py:3: the queue is read without a lock
- Severity: High
- Evidence References:
1. Confidence: 0.9
"""


def test_lines_about_a_finding_are_no_findings():
    """The field tests took every bullet for a claim, `Severity: High` among them."""
    heard = debate(Side(review=BULLETS), Side(review=review()))
    assert [each.finding.text for each in heard.of(Claimed)] == ["the queue is read without a lock"]


def test_a_move_without_an_id_is_none_and_an_agreement_is_no_concession():
    """The two examples that were printed: the one names no objection, the other agrees with its own claim."""
    carried = "CARRIED: the guard depends on a build flag that these files do not show."
    assert old_moves(carried, FIRST) == {"obj_initial_a_0": None}
    assert new_moves(carried, FIRST) == {"obj_initial_a_0": None}
    agreed = against_a("I agree with my finding A/1, it is CONCEDED by everybody that the lock is missing.")
    assert agreed.last == [["A/1"], []]
