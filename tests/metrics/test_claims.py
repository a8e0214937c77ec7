"""Debates about claims: theater by every rule, convergence, capitulation and moves, on ledgers written by hand."""

from dataclasses import replace

import pytest
from metrics.build import turn
from metrics.reviewing import Script, argued, failed_debate, review

from madbench.metrics import arm_metrics, definitions, measure, tabulate
from madbench.metrics.guard import Fault, telling, watch
from madbench.types import Accepted, Answered, StopReason
from madbench.types import Fault as Breach

RULES = ("theater", "theater_no_concession", "theater_no_valid_answer", "theater_no_state_change")


def metrics(*records):
    return {name: found.value for name, found in arm_metrics(tabulate(map(measure, records))).items()}


def two_claims():
    """A and B claim one thing each, and object to each other's."""
    return Script().claim("A/1", 3).claim("B/1", 7).object("A/1").object("B/1")


def unread():
    return two_claims().silent("A/1", "B/1/1").silent("B/1", "A/1/1")


def both(move, fault=""):
    return two_claims().move("A/1", "B/1/1", move, fault).move("B/1", "A/1/1", move, fault)


FIXTURES = {
    # what happened: (ledger, is it theater, what each rule says, in the order of RULES)
    "constant prose without a marker": (unread(), True, (1, 1, 1, 1)),
    "replayed reviews": (unread(), True, (1, 1, 1, 1)),
    "empty replies": (unread(), True, (1, 1, 1, 1)),
    "nobody objected": (Script().claim("A/1").claim("B/1"), True, (1, 1, 1, 1)),
    "all carried without a reason": (both("CARRIED", "no reason"), True, (0, 1, 1, 1)),
    "all rebutted without evidence": (both("REBUTTED", "no evidence"), True, (0, 1, 1, 1)),
    "a reason copied from the objection": (both("CARRIED", "copied"), True, (0, 1, 1, 1)),
    "stubborn with reasons": (both("CARRIED"), False, (0, 1, 0, 1)),
    "rebutted with evidence": (both("REBUTTED"), False, (0, 1, 0, 1)),
    "one of two conceded": (
        two_claims().move("A/1", "B/1/1", "CONCEDED").move("B/1", "A/1/1", "CARRIED", "no reason"),
        False,
        (0, 0, 0, 0),
    ),
    "everything conceded": (both("CONCEDED"), False, (0, 0, 0, 0)),
    "rebutted, and the objection dropped": (
        two_claims().move("A/1", "B/1/1", "REBUTTED").drop("A/1", "B/1/1"),
        False,
        (0, 1, 0, 0),
    ),
    "one answered, one not": (
        two_claims().move("A/1", "B/1/1", "REBUTTED").silent("B/1", "A/1/1"),
        False,
        (0, 1, 0, 1),
    ),
}


@pytest.mark.parametrize("name", FIXTURES)
def test_theater_by_every_rule(name):
    script, _, expected = FIXTURES[name]
    numbers = measure(argued(script)).numbers
    assert tuple(int(numbers[rule]) for rule in RULES) == expected


@pytest.mark.parametrize("name", FIXTURES)
def test_known_theater_and_known_debate_are_told_apart_without_error(name):
    """By the rule that validity is judged by: no answer that is valid under the strict contract."""
    script, theater, _ = FIXTURES[name]
    assert bool(measure(argued(script)).numbers["theater_no_valid_answer"]) is theater


def test_the_lenient_rules_do_not_tell_them_apart():
    """A detector that counts concessions calls stubborn debate theater; one that counts moves lets bare ones pass."""
    wrong = dict.fromkeys(RULES, 0)
    for script, theater, _ in FIXTURES.values():
        numbers = measure(argued(script)).numbers
        for rule in RULES:
            wrong[rule] += bool(numbers[rule]) is not theater
    assert wrong == {
        "theater": 3,
        "theater_no_concession": 4,
        "theater_no_valid_answer": 0,
        "theater_no_state_change": 3,
    }


def test_without_claims_there_is_no_theater_and_no_convergence():
    empty = review([], [[], []], facts={"claims": 0}, stop=StopReason.NO_OBJECTION)
    found = metrics(empty)
    assert found["zero_claim_rate"] == 1
    assert found["missed_issue_recall"] == 0
    for name in ("theater_rate", "convergence", "open_share", "theater_no_state_change", "cheap_move_share"):
        assert found[name] is None
    mixed = metrics(empty, argued(both("CONCEDED"), name="q1"))
    assert (mixed["zero_claim_rate"], mixed["convergence"], mixed["theater_rate"]) == (0.5, 1, 0)


@pytest.mark.parametrize("stop", [StopReason.ERROR, StopReason.BUDGET, StopReason.CONTEXT])
def test_a_debate_that_failed_before_any_answer_is_no_theater(stop):
    numbers = measure(failed_debate(Script().claim("A/1").claim("B/1"), stop)).numbers
    assert "theater" not in numbers
    assert measure(failed_debate(both("CARRIED"), stop)).numbers["theater"] == 0


def test_convergence_is_claims_settled_by_their_owner_or_an_opponent():
    script = two_claims().claim("A/2", 9).claim("B/2", 11)
    script.move("A/1", "B/1/1", "CONCEDED").accept("B/1").move("B/1", "A/1/1", "REBUTTED")
    found = metrics(argued(script))
    assert (found["withdrawn_share"], found["accepted_share"], found["open_share"]) == (0.25, 0.25, 0.5)
    assert found["convergence"] == 0.5
    assert found["claims"] == 4


def test_claims_that_fall_by_default_are_neither_settled_nor_open():
    """Where terms take silence for a concession, a dead debate would else converge."""
    script = two_claims().claim("B/2", 9).accept("B/2").silent("A/1", "B/1/1").silent("B/1", "A/1/1")
    record = argued(script, facts={"conceded": ["A/1", "B/1"]})
    found, silent = metrics(record), metrics(argued(script))
    assert [found[f"{state}_share"] for state in ("withdrawn", "accepted", "open")] == [0, 1 / 3, 0]
    assert found["defaulted_share"] == 2 / 3
    assert silent["open_share"] == 2 / 3
    for name in ("convergence", "theater_rate", "theater_no_concession", "concessions"):
        assert found[name] == silent[name]


def test_convergence_is_a_mean_over_debates_not_over_claims():
    many = Script()
    for number in range(1, 10):
        many.claim(f"A/{number}", number)
    found = metrics(argued(many), argued(Script().claim("B/1", 3).accept("B/1"), name="q1"))
    assert found["convergence"] == 0.5, "pooled over claims it would be 0.1"


def test_nobody_upholds_a_claim_of_their_own():
    assert metrics(argued(two_claims().accept("A/1", by="A")))["convergence"] == 0


def test_words_are_no_acceptance():
    """Prose that holds UPHELD, DISAGREED or ACCEPTED is not a move: nothing is in the ledger for it."""
    said = [turn("I DISAGREED with A/1. B/1 was not ACCEPTED. A/1 is UPHELD by app.py:10.", seat=1)]
    assert metrics(argued(two_claims(), turns=said))["convergence"] == 0


def test_agreement_is_no_withdrawal():
    found = metrics(argued(Script().claim("A/1").accept("A/1")))
    assert (found["accepted_share"], found["withdrawn_share"]) == (1, 0)
    assert found["missed_issue_recall"] == 0.5, "the claim survives"


def test_a_concession_of_an_unknown_claim_counts_for_nothing():
    script = two_claims().move("A/1", "B/1/1", "REBUTTED")
    script.entries.append(
        Answered(by="A", round=1, objection="B/9/9", claim="A/9", move="CONCEDED", reason="fine")
    )
    script.entries.append(Breach(by="A", round=1, what="unknown_id", text="B/9/9"))
    numbers = measure(argued(script)).numbers
    assert (numbers["theater"], numbers["conceded"], numbers["breaches"]) == (0, 0, 1)
    script.entries.append(Accepted(by="B", round=1, claim="A/9"))
    assert measure(argued(script)).numbers["accepted"] == 0


def test_a_claim_conceded_twice_is_one():
    script = Script().claim("A/1").object("A/1", 1).object("A/1", 2)
    script.move("A/1", "B/1/1", "CONCEDED").move("A/1", "B/1/2", "CONCEDED")
    found = metrics(argued(script))
    assert (found["concessions"], found["withdrawn_share"]) == (1, 1)


def test_everything_conceded_is_no_success():
    found = metrics(argued(both("CONCEDED")))
    assert (found["convergence"], found["missed_issue_recall"], found["recall_lost"]) == (1, 0, 1)
    assert (found["precision"], found["harmful_capitulation"]) == (None, 1)


def ten(side, other, moves):
    """A side's claims, an objection to each, and its moves."""
    script = Script()
    for number, move in enumerate(moves, 1):
        script.claim(f"{side}/{number}", number).object(f"{side}/{number}", number)
        script.move(f"{side}/{number}", f"{other}/1/{number}", move)
    return script.entries


@pytest.mark.parametrize(
    ("ours", "theirs", "capitulated"),
    [
        (["CONCEDED"] * 10, ["CARRIED"] * 10, (1, 0)),
        (["CONCEDED"] * 19 + ["REBUTTED"], ["CARRIED"], (0, 0)),
        (["CONCEDED"] * 19 + ["CARRIED"], ["REBUTTED"] * 5, (1, 0)),
        (["CONCEDED"] * 4 + ["CARRIED"], ["CONCEDED"], (1, 1)),
        (["CONCEDED"] * 3 + ["CARRIED"], ["CARRIED"], (0, 0)),
    ],
)
def test_capitulation_is_a_sides_own(ours, theirs, capitulated):
    script = Script([*ten("A", "B", ours), *ten("B", "A", theirs)])
    found = metrics(argued(script))
    assert (found["capitulation_side_A"], found["capitulation_side_B"]) == capitulated
    assert found["capitulation_rate"] == sum(capitulated) / 2


def test_an_invalid_rebuttal_saves_nobody_from_capitulation():
    entries = ten("A", "B", ["CONCEDED"] * 9)
    script = (
        Script(entries).claim("A/10", 10).object("A/10", 10).move("A/10", "B/1/10", "REBUTTED", "no evidence")
    )
    assert metrics(argued(script))["capitulation_side_A"] == 1


def test_without_objections_nobody_capitulates():
    found = metrics(
        argued(Script([entry for entry in ten("A", "B", ["CONCEDED"]) if entry.kind == "claimed"]))
    )
    assert found["capitulation_rate"] is None


def test_concessions_of_later_rounds_are_no_capitulation():
    script = (
        Script()
        .claim("A/1")
        .object("A/1")
        .move("A/1", "B/1/1", "CARRIED")
        .move("A/1", "B/1/1", "CONCEDED", round=2)
    )
    found = metrics(argued(script))
    assert (found["capitulation_side_A"], found["concessions"]) == (0, 1), "a round-2 concession counts"
    assert (found["concessions_round_1"], found["concessions_round_2"]) == (0, 1)
    assert (found["convergence_round_1"], found["convergence_round_2"]) == (0, 1)


def test_an_objection_that_stays_open_is_put_again():
    script = two_claims().move("A/1", "B/1/1", "REBUTTED").silent("B/1", "A/1/1")
    script.move("A/1", "B/1/1", "CARRIED", "its own earlier words again", round=2)
    script.move("B/1", "A/1/1", "REBUTTED", round=2)
    found = metrics(argued(script))
    assert (found["engagement_round_1"], found["engagement_round_2"]) == (1 / 2, 1 / 2)
    assert found["marker_miss_rate"] == 0, "answered in the end"


def test_harm_is_a_true_finding_given_away():
    script = Script().claim("A/1", 3).claim("A/2", 5).claim("B/1", 3)
    for number, claim in enumerate(("A/1", "A/2", "B/1"), 1):
        script.object(claim, number)
        script.move(claim, f"{'A' if claim[0] == 'B' else 'B'}/1/{number}", "CONCEDED")
    numbers = measure(argued(script)).numbers
    assert (numbers["conceded_judged"], numbers["conceded_known"]) == (3, 1), "line 3 was found by A/1 first"


def test_moves_parsed_and_moves_valid_are_two_facts():
    script = two_claims().move("A/1", "B/1/1", "CARRIED", "no reason").move("B/1", "A/1/1", "REBUTTED")
    script.claim("A/2", 5).object("A/2", 2).silent("A/2", "B/1/2")
    found = metrics(argued(script))
    assert found["engagement"] == 1 / 3
    assert found["cheap_move_share"] == 1 / 2
    assert found["marker_miss_rate"] == 1 / 3
    assert found["valid_move_share"] == 1 / 2
    assert (found["carried_share"], found["rebutted_share"]) == (1 / 2, 1 / 2)


def test_evidence_that_exists():
    script = Script().claim("A/1", refs=["a.py:3", "a.py:99999", "trustme"], bad=["a.py:99999", "trustme"])
    assert metrics(argued(script.object("A/1")))["evidence_resolves_rate"] == 2 / 4, "its own place exists"
    assert metrics(argued(both("CONCEDED")))["evidence_resolves_rate"] == 1


def test_did_anyone_change_their_mind():
    stubborn = argued(both("REBUTTED"))
    dropped = argued(FIXTURES["rebutted, and the objection dropped"][0], name="q1")
    conceded = argued(both("CONCEDED"), name="q2")
    agreed = argued(Script().claim("A/1").accept("A/1"), name="q3")
    found = metrics(stubborn, dropped, conceded, agreed)
    assert found["changed_mind_rate"] == 2 / 4
    assert found["dropped_objection_share"] == 1 / 6


def test_what_a_protocol_measured_by_the_old_rules_stands_beside_it():
    legacy = argued(both("CARRIED"), facts={"legacy_convergence": 1.0, "legacy_theater": False})
    found = metrics(legacy)
    assert (found["legacy_convergence"], found["convergence"]) == (1, 0)
    assert (found["legacy_theater"], found["theater_rate"]) == (0, 0)
    assert definitions(found)["legacy_theater"].startswith("As the published package counts it: theater")


def test_confidence_against_having_matched():
    script = Script().claim("A/1", 3, sure=0.95).claim("A/2", 5, sure=0.92).claim("B/1", 7, sure=0.45)
    script.claim("B/2", 3, sure=0.1)
    found = metrics(argued(script))
    assert found["confidence_finding"] == pytest.approx((0.95 + 0.92 + 0.45) / 3), "a duplicate is left out"
    assert found["ece_finding"] == pytest.approx((abs(0.95 + 0.92 - 1) + abs(0.45 - 1)) / 3)
    assert found["brier_finding"] == pytest.approx((0.05**2 + 0.92**2 + 0.55**2) / 3)
    assert found["auroc_finding"] == 1 / 4, "one tie of two, one below"
    assert found["overconfidence_finding"] == pytest.approx((0.95 + 0.92 + 0.45 - 2) / 3)


def test_the_guard_sees_debates_about_claims_that_are_dead():
    def alarms(script):
        records = [argued(script, name=f"q{i}", turns=[turn(f"word {i} " * 9, seat=i)]) for i in range(6)]
        return {alarm.fault for alarm in watch(records)}

    assert alarms(both("CARRIED")) == set()
    assert alarms(both("CARRIED", "no reason")) == {Fault.MOVEMENT}
    assert alarms(unread()) == {Fault.MOVEMENT, Fault.MARKERS}
    assert alarms(both("CONCEDED")) == set()
    assert alarms(Script().claim("A/1")) == set(), "nobody objected: they agree, and such debates end first"


def test_the_guard_waits_for_debates_in_which_somebody_objected():
    agreed = [argued(Script().claim("A/1"), name=f"q{i}") for i in range(8)]
    disputed = [argued(both("CARRIED", "no reason"), name=f"p{i}") for i in range(4)]
    assert not telling(agreed)
    assert not telling(agreed + disputed[:3])
    assert telling(agreed + disputed)
    assert {alarm.fault for alarm in watch(agreed + disputed)} == {Fault.MOVEMENT}
    assert telling([review([])])


def test_stored_text_and_constant_text_are_seen():
    stored = "The function at line 3 is off by one, severity high."

    def replayed(i):
        text = f"{stored} Case {i}."
        said = [turn(text, seat=seat, round=r) for seat in range(2) for r in range(2)]
        return argued(unread(), name=f"q{i}", turns=said)

    assert Fault.REPLAYED in {alarm.fault for alarm in watch([replayed(i) for i in range(6)])}

    def retold(i):
        roles = enumerate(("solver", "defender"))
        said = [turn(f"{stored} Case {i}.", role=role, round=number) for number, role in roles]
        return argued(both("REBUTTED"), name=f"q{i}", turns=said)

    found = {alarm.fault for alarm in watch([retold(i) for i in range(6)])}
    assert found == {Fault.REPLAYED}, "a stored review, given as an answer by the same side in another role"
    constant = [
        argued(unread(), name=f"q{i}", turns=[turn(stored, seat=s) for s in (0, 1)]) for i in range(6)
    ]
    assert Fault.CONSTANT in {alarm.fault for alarm in watch(constant)}


def test_rows_without_a_ledger_have_no_numbers_of_one():
    plain = argued(both("CARRIED"))
    plain = replace(plain, outcome=replace(plain.outcome, ledger=()))
    found = metrics(plain)
    assert {found[name] for name in ("claims", "engagement", "capitulation_rate", "zero_claim_rate")} == {
        None
    }
