"""Where AdversarialDebate's article, package and documents define a number differently: what each gives, and ours.

The package's numbers come from the legacy arm's tracker. Its theater detector is one of four definitions in its own
papers; they are set side by side on the same debates here.
"""

import pytest
from metrics.reviewing import Script, argued

from madbench.metrics import measure
from madbench.protocols.adversarial_review_legacy_tracker import Concession, Tracked

CLAIMS = ("A/1", "B/1")


def debate(*moves, fault=""):
    """A claim and an objection a side; `moves` are A's and B's answers, None where a reply had no marker."""
    script = Script().claim("A/1", 3).claim("B/1", 7).object("A/1").object("B/1")
    for claim, objection, move in zip(CLAIMS, ("B/1/1", "A/1/1"), moves, strict=True):
        script.silent(claim, objection) if move is None else script.move(claim, objection, move, fault)
    return script


def ours(script):
    return measure(argued(script)).numbers


def package(*moves):
    """The same debate as the package counts it: whatever was replied, with or without a marker, is a defence."""
    conceded = [Concession(claim, 1) for claim, move in zip(CLAIMS, moves, strict=True) if move == "CONCEDED"]
    replies = [f"{claim}: {move or 'I see your point'}." for claim, move in zip(CLAIMS, moves, strict=True)]
    return Tracked(dict.fromkeys(CLAIMS, "open"), conceded, replies, len(CLAIMS))


MOVES = {
    # moves: (first detector, package's corrected detector, article's words, no valid answer, no state change)
    (None, None): (True, False, 1, 1, 1),
    ("CARRIED", "CARRIED"): (True, False, 0, 1, 1),
    ("REBUTTED", "CARRIED"): (True, False, 0, 1, 1),
    ("CONCEDED", None): (False, False, 0, 1, 0),
    ("CONCEDED", "CONCEDED"): (False, False, 0, 1, 0),
}


@pytest.mark.parametrize("moves", MOVES)
def test_theater(moves):
    """Moves without a reason. The package sees theater in none of these: a reply of any kind is a defence to it, so
    that its corrected detector cannot fire where anybody spoke, against its article's own words (first row).
    """
    first, corrected, article, no_valid, no_change = MOVES[moves]
    tracked, found = package(*moves), ours(debate(*moves, fault="no specific reason"))
    assert (tracked.theater_first, tracked.theater) == (first, corrected)
    assert found["theater_no_concession"] == first
    assert found["theater"] == article
    assert (found["theater_no_valid_answer"], found["theater_no_state_change"]) == (no_valid, no_change)


def test_theater_needs_claims_and_somebody_who_was_asked():
    assert Tracked({}).theater is True
    assert Tracked({}).convergence == 1.0
    assert "theater" not in measure(argued(Script(), facts={"claims": 0})).numbers


@pytest.mark.parametrize(
    ("conceded", "pooled", "by_side"),
    [
        ({"A": 10, "B": 0}, False, {"A": 1, "B": 0}),
        ({"A": 10, "B": 10}, True, {"A": 1, "B": 1}),
        ({"A": 8, "B": 8}, True, {"A": 1, "B": 1}),
        ({"A": 7, "B": 9}, True, {"A": 0, "B": 1}),
    ],
)
def test_capitulation(conceded, pooled, by_side):
    """Its catalogue: over 80 % of one reviewer's. Its code: 80 % of both sides' together. Ours: of one side's."""
    script, given_up = Script(), []
    for side, other in ("AB", "BA"):
        for number in range(1, 11):
            claim, objection = f"{side}/{number}", f"{other}/1/{number}"
            move = "CONCEDED" if number <= conceded[side] else "CARRIED"
            script.claim(claim, number).object(claim, number).move(claim, objection, move)
            given_up += [Concession(claim, 1)] if move == "CONCEDED" else []
    claims = {f"{side}/{number}": "open" for side in "AB" for number in range(1, 11)}
    assert Tracked(claims, given_up, ["…"], 20).capitulation is pooled
    assert {side: ours(script)[f"capitulated:{side}"] for side in "AB"} == by_side


@pytest.mark.parametrize("move", ["CARRIED", "REBUTTED"])
def test_a_move_without_its_reason_is_parsed_and_not_valid(move):
    """The article demands a reason of CARRIED and counter-evidence of REBUTTED; the package asks for neither."""
    bare, meant = ours(debate(move, move, fault="no specific reason")), ours(debate(move, move))
    assert bare["moves"] == meant["moves"] == 2
    assert (bare["valid_moves"], meant["valid_moves"]) == (0, 2)
    assert (bare["theater_no_valid_answer"], meant["theater_no_valid_answer"]) == (1, 0)
    assert (bare["cheap_moves"], meant["cheap_moves"]) == (2 * (move == "CARRIED"), 0)


def test_convergence():
    """The package resolves a claim when any reply holds its id and a word of upholding, whoever says it."""
    said = Tracked(dict.fromkeys(CLAIMS, "open"), [], ["I DISAGREED with A/1."], 2)
    assert said.convergence == 0.5
    assert ours(debate("CARRIED", "CARRIED"))["conceded"] == 0
    accepted = ours(debate("CARRIED", "CARRIED").accept("A/1"))
    assert (accepted["accepted"], accepted["claims"]) == (1, 2)


DETECTORS = {"first": "theater_no_concession", "corrected": "theater"}
CONTRACTS = {
    # nine debates each: what both sides answered
    "permissive": [("CARRIED", "CARRIED")] * 8 + [("CONCEDED", "CARRIED")],
    "strict": [("CONCEDED", "REBUTTED")] * 9,
}


def test_contract_by_detector():
    """The source's 8 of 9 before and 0 of 9 after changed contract and detector at once. On the same debates, the new
    detector alone gives 0 of 9 for the old contract too.
    """
    table = {
        (contract, name): sum(ours(debate(*moves))[detector] for moves in debates)
        for contract, debates in CONTRACTS.items()
        for name, detector in DETECTORS.items()
    }
    assert table == {
        ("permissive", "first"): 8,
        ("permissive", "corrected"): 0,
        ("strict", "first"): 0,
        ("strict", "corrected"): 0,
    }


def test_what_the_change_of_contract_did_shows_where_validity_is_judged():
    bare = [ours(debate("CARRIED", "CARRIED", fault="no specific reason")) for _ in range(8)]
    assert sum(found["theater_no_valid_answer"] for found in bare) == 8
    assert sum(ours(debate(*moves))["theater_no_valid_answer"] for moves in CONTRACTS["strict"]) == 0
