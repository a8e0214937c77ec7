"""A sweep's runs, summarised."""

import json
from dataclasses import asdict, replace

import pytest
from metrics.build import debate, failed, record, sample, turn, votes

from madbench.metrics import Measured, MeasuredRun, arm_metrics, definitions, measure, summarise, tabulate
from madbench.metrics.budgets import Shape
from madbench.types import Ending, Place, RowId

NAMES = {
    *(
        "accuracy",
        "accuracy_strict",
        "unparsed_rate",
        "error_rate",
        "coverage",
        "theater_rate",
        "convergence",
    ),
    *(
        "ece",
        "ece_expected",
        "brier",
        "auroc",
        "precision",
        "missed_issue_recall",
        "missed_issue_rate",
        "calls",
    ),
    *(
        "prompt_tokens",
        "output_tokens",
        "tokens_per_right_answer",
        "flips_right_to_wrong",
        "flips_wrong_to_right",
    ),
    *("accuracy_round_0", "accuracy_round_1", "oracle_any", "tie_rate", "truncated_rate"),
}


def run(arm, records, *, seed=0, task="toy", cast="small", planned=None):
    rows = tabulate(map(measure, records))
    return MeasuredRun(arm, task, arm, cast, seed, len(records) if planned is None else planned, rows)


def cot(n=6):
    return [record("B", [["B"]], [turn("so B", "B", probability=0.9)], of=sample(f"q{i}")) for i in range(n)]


def voting(n=6, votes_of=lambda i: "BBCBCB"):
    return [votes(list(votes_of(i)), charged=6, of=sample(f"q{i}")) for i in range(n)]


def debates(n=6, last="C"):
    rounds = [[(f"One {i} B", "B") for i in range(3)], [(f"Two {i} {last}", last) for i in range(3)]]
    return [debate(rounds, of=sample(f"q{i}")) for i in range(n)]


def comparisons(summary):
    return {(c.a, c.b): c for c in summary.comparisons}


def test_every_metric_is_in_every_arm_and_has_its_meaning():
    summary = summarise(
        "toy", [run("cot", cot()), run("self_consistency", voting()), run("debate", debates())]
    )
    names = set(summary.arms[0].metrics)
    assert names >= NAMES
    assert all(set(arm.metrics) == names for arm in summary.arms)
    assert all(definitions(names)[name].strip() for name in names)
    text = json.dumps([asdict(arm) for arm in summary.arms], allow_nan=False)
    assert '"value": null' in text


def test_undefined_is_none_and_never_a_number():
    metrics = summarise("toy", [run("cot", cot())]).arms[0].metrics
    for name in (
        "theater_rate",
        "convergence",
        "precision",
        "missed_issue_recall",
        "missed_issue_rate",
        "auroc",
    ):
        assert metrics[name].value is None, name
        assert metrics[name].low is None
        assert metrics[name].high is None
    assert metrics["theater_rate"].n == 0


def test_an_arm_without_rows_is_all_undefined():
    summary = summarise("toy", [run("cot", [], planned=5)])
    assert {estimate.value for estimate in summary.arms[0].metrics.values()} == {None}
    assert (summary.integrity[0].planned, summary.integrity[0].found, summary.integrity[0].lost) == (5, 0, 5)


def test_every_arm_meets_its_controls():
    runs = [run("cot", cot()), run("self_consistency", voting()), run("self_refine", cot())]
    runs += [
        run(f"debate{suffix}", debates(last="B" if suffix else "C"))
        for suffix in ("", "_alone", "_strangers")
    ]
    found = comparisons(summarise("toy", runs))
    assert {b for a, b in found if a == "debate"} == {
        "self_consistency@equal_calls",
        "self_consistency@equal_tokens",
        "cot",
        "debate_alone",
        "debate_strangers",
        "debate@round_0",
    }
    assert {a for a, b in found if b == "self_consistency@equal_calls"} == {
        "cot",
        "self_refine",
        "debate",
        "debate_alone",
        "debate_strangers",
    }
    assert found["debate", "debate_alone"].difference == -1
    assert found["debate", "debate@round_0"].difference == -1
    assert found["debate", "cot"].p < 0.2


def test_the_sentence_is_on_the_debate():
    summary = summarise(
        "toy", [run("cot", cot(20)), run("self_consistency", voting(20)), run("debate", debates(20))]
    )
    assert summary.verdict.startswith(
        "Answers are less often right with debate than self-consistency at its own equal calls"
    )
    alone = summarise("toy", [run("cot", cot())])
    assert alone.verdict.startswith("No verdict")


def test_the_sentence_does_not_hide_that_episodes_failed():
    broken = [*debates(17), *(failed(of=sample(f"q{i}")) for i in range(17, 20))]
    summary = summarise("toy", [run("self_consistency", voting(20)), run("debate", broken)])
    assert summary.verdict.endswith("). Failed, and counted as wrong: 3 of 20 episodes of debate.")
    whole = summarise("toy", [run("self_consistency", voting(20)), run("debate", debates(20))])
    assert "Failed" not in whole.verdict


def test_what_does_not_fit_the_context_is_noted():
    def notes(ending):
        records = [*debates(17), *(failed(sample(f"q{i}"), ending) for i in range(17, 20))]
        return [note for note in summarise("toy", [run("debate", records)]).notes if "fit" in note]

    assert notes(Ending.CONTEXT) == [
        "debate: 3 of 20 episodes did not fit the model's context, and have no answer."
    ]
    assert notes(Ending.RETRY) == []


def test_an_engine_is_not_blamed_where_every_episode_failed():
    summary = summarise("toy", [run("debate", [failed(of=sample(f"q{i}")) for i in range(3)])])
    assert not any("token probabilities" in note for note in summary.notes)


def test_p_values_are_adjusted_among_arms_with_one_kind_of_control():
    runs = [run("self_consistency", voting(8)), run("debate", debates(8)), run("other", debates(8))]
    found = comparisons(summarise("toy", runs))
    raw = comparisons(summarise("toy", runs[:2]))["debate", "self_consistency@equal_calls"].p
    assert found["debate", "self_consistency@equal_calls"].p == pytest.approx(2 * raw)


def test_seeds_are_pooled_over_clusters_of_samples():
    runs = [run("debate", debates(last="C" if seed else "B"), seed=seed) for seed in (0, 1)]
    runs += [run("self_consistency", voting(), seed=seed) for seed in (0, 1)]
    summary = summarise("toy", runs)
    assert [(arm.arm, arm.seed) for arm in summary.arms] == [
        ("debate", 0),
        ("debate", 1),
        ("debate", None),
        ("self_consistency", 0),
        ("self_consistency", 1),
        ("self_consistency", None),
    ]
    pooled = summary.arms[2].metrics["accuracy"]
    assert (pooled.value, pooled.n) == (0.5, 6)
    against = comparisons(summary)["debate", "self_consistency@equal_calls"]
    assert (against.difference, against.n) == (-0.5, 6)
    assert any("only 6 clusters" in note for note in summary.notes)
    assert summary.integrity[0].planned == 12


def test_arms_that_lack_samples_are_not_compared_and_said_to_be_so():
    summary = summarise(
        "toy", [run("cot", cot(5)), run("self_consistency", voting(6)), run("debate", debates(6))]
    )
    against = comparisons(summary)["cot", "self_consistency@equal_calls"]
    assert (against.difference, against.p, against.n) == (None, None, 0)
    assert any("cot and self_consistency@equal_calls were not compared" in note for note in summary.notes)
    assert comparisons(summary)["debate", "self_consistency@equal_calls"].difference == -1


def test_only_equal_tasks_and_casts_are_compared_and_names_stay_unique():
    runs = [
        run(arm, records, task=task)
        for task in ("sums", "letters")
        for arm, records in (("cot", cot()), ("debate", debates()))
    ]
    summary = summarise("toy", runs)
    assert [arm.arm for arm in summary.arms] == ["sums/cot", "sums/debate", "letters/cot", "letters/debate"]
    assert ("sums/debate", "letters/cot") not in comparisons(summary)
    assert ("sums/debate", "sums/cot") in comparisons(summary)


def test_sessions_are_the_clusters_of_a_protocol_that_remembers():
    placed = [
        replace(each, place=Place(index // 4, index % 4, ""), scores={"correct": float(index < 4)})
        for index, each in enumerate(cot(8))
    ]
    found = arm_metrics(tabulate(map(measure, placed)))
    independent = arm_metrics(tabulate(map(measure, [replace(each, place=None) for each in placed])))
    assert (
        found["accuracy"].high - found["accuracy"].low
        > independent["accuracy"].high - independent["accuracy"].low
    )
    assert [found[f"accuracy_position_{place}"].value for place in range(4)] == [0.5] * 4
    note = "only 2 clusters"
    assert any(note in text for text in summarise("toy", [run("critic_profile", placed)]).notes)


def test_integrity_counts_rows():
    rows = [*cot(3), failed(sample("q3")), record(None, [[None]], of=sample("q4"))]
    leaking = replace(rows[0], scores={"correct": 1.0, "channel_leaks": 2.0, "quoted": 1.0})
    found = summarise("toy", [run("debate", [leaking, *rows[1:]], planned=7)]).integrity[0]
    assert (found.planned, found.found, found.lost) == (7, 5, 2)
    assert (found.errored, found.unparsed, found.leaks, found.quoted) == (1, 1, 2, 1)


def test_dead_debates_ties_and_short_pools_are_noted():
    notes = summarise(
        "toy",
        [
            run("self_consistency", [votes(["B", "C"], charged=2, of=sample(f"q{i}")) for i in range(6)]),
            run(
                "debate",
                [debate([[("Say B", "B"), ("Say C", "C")]] * 2, of=sample(f"q{i}")) for i in range(6)],
            ),
        ],
    ).notes
    assert any("dead debates" in note for note in notes)
    assert any("6 of 6 votes were tied" in note for note in notes)
    assert any("could buy more votes than the pool holds on 6 samples" in note for note in notes)


def test_an_early_stop_keeps_its_majority():
    stopped = record("B", [["B", "B"]], of=sample("q0"))
    went_on = record("C", [["B", "C"], ["C", "C"]], of=sample("q1"))
    found = arm_metrics(tabulate(map(measure, [stopped, went_on])))
    assert [found[f"accuracy_round_{index}"].value for index in (0, 1)] == [0.75, 0.5]


@pytest.mark.parametrize(
    ("counts", "precision", "recall"),
    [((0, 0, 3), None, 0), ((0, 2, 0), 0, None), ((0, 0, 0), None, None), ((0, 2, 3), 0, 0)],
)
def test_nothing_over_nothing_is_undefined(counts, precision, recall):
    matched, unmatched, missed = counts
    numbers = {"matched:final": matched, "unmatched:final": unmatched, "known": matched + missed}
    found = arm_metrics(tabulate([Measured(RowId("a"), "a", numbers)]))
    assert found["precision"].value == precision
    assert found["missed_issue_recall"].value == recall
    assert found["missed_issue_rate"].value == (None if recall is None else 1 - recall)


def test_the_pull_of_a_hint_is_paired_by_question():
    def twins(index, alone, misled):
        kinds = (("neutral", "", alone), ("misleading", "C", misled))
        return [
            record(
                said,
                [[said]],
                of=sample(f"q{index}-{twin}", cluster="all", twin=twin, twin_of=f"q{index}", hint=hint),
            )
            for twin, hint, said in kinds
        ]

    rows = [
        row
        for i, pair in enumerate([("B", "C"), ("B", "C"), ("C", "C"), ("B", "B")])
        for row in twins(i, *pair)
    ]
    found = arm_metrics(tabulate(map(measure, rows)))["hint_shift_misleading"]
    assert (found.value, found.n) == (0.5, 4)
    assert -1 <= found.low < found.value < found.high <= 1
    assert "hint_shift_misleading" not in arm_metrics(tabulate(map(measure, cot())))


def test_the_pull_of_hints_is_compared_between_arms_and_only_there():
    def arm(misled):
        return [
            record(said, [[said]], of=sample(f"q{index}-{twin}", twin=twin, twin_of=f"q{index}", hint="C"))
            for index in range(8)
            for twin, said in (("neutral", "B"), ("misleading", misled))
        ]

    runs = [run("judged", arm("B")), run("judged_raw", arm("C")), run("self_consistency", voting(8))]
    summary = summarise("toy", runs)
    found = {(c.a, c.b, c.metric): c for c in summary.comparisons}
    pull = found["judged", "judged_raw", "hint_shift_misleading"]
    assert (pull.difference, pull.n) == (-1, 8)
    assert found["judged", "judged_raw", "accuracy"].difference == 0.5
    assert summary.arms[1].metrics["accuracy_twin_misleading"].value == 0


def test_equal_flops_need_the_models_shape():
    runs = [run("self_consistency", voting(6)), run("debate", debates(6))]
    found = {c.b for c in summarise("toy", runs, shapes={"small": Shape(1e6, 2, 8)}).comparisons}
    assert "self_consistency@equal_flops" in found
    without = summarise("toy", runs)
    assert "self_consistency@equal_flops" not in {c.b for c in without.comparisons}
    assert "small: no comparison at equal FLOPs, as the shape of its model is not known." in without.notes
