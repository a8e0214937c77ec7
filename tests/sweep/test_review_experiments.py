"""The experiments on reviews, whole, on simulated reviewers: what they print, and what they set beside it."""

import json
import shutil

import pytest
from sweep.command import madbench

from madbench.sweep.app import run

SMALL = ("task=synthetic_reviews", "task.n=16", "limit=16", "tracking=none")


def played(folder, experiment, *given):
    """The summary of an experiment, what it printed, and its folder, from the command line."""
    process = madbench(folder, f"+experiment={experiment}", *SMALL, *given, f"name={experiment}")
    assert process.returncode == 0, process.err
    home = folder / "out" / experiment
    return json.loads((home / "summary.json").read_text()), process.out, home


def values(summary, metric):
    return {arm["arm"]: arm["metrics"][metric]["value"] for arm in summary["arms"]}


@pytest.fixture(scope="module")
def hatch(tmp_path_factory):
    return played(tmp_path_factory.mktemp("hatch"), "escape_hatch", "model@cast.default=simulated_reviewer")


@pytest.fixture(scope="module")
def missed(tmp_path_factory):
    return played(tmp_path_factory.mktemp("missed"), "missed_issues", "model@cast.default=simulated_pair")


def test_both_contracts_by_both_rules_on_the_same_reviews(hatch):
    summary, *_ = hatch
    old, new = values(summary, "theater_no_concession"), values(summary, "theater_rate")
    assert set(old) == {
        f"adversarial_review_{arm}"
        for arm in ("quick", "quick_permissive", "quick_stored", "legacy", "legacy_strict", "legacy_stored")
    }
    live = [arm for arm in old if not arm.endswith("stored")]
    assert all(old[arm] > new[arm] for arm in live)  # stubborn debate is debate
    for kind in ("quick", "legacy"):
        recalls = {
            values(summary, "missed_issue_recall_union")[arm] for arm in old if arm.split("_")[2] == kind
        }
        assert len(recalls) == 1


def test_stored_reviews_are_theater_by_both_rules_and_are_called_dead(hatch):
    summary, printed, _ = hatch
    for rule in ("theater_rate", "theater_no_concession", "theater_no_valid_answer"):
        rates = values(summary, rule)
        assert rates["adversarial_review_quick_stored"] == rates["adversarial_review_legacy_stored"] == 1.0
    for arm in ("quick_stored", "legacy_stored"):
        said = f"adversarial_review_{arm}: dead debates; no objection was answered in any episode."
        assert said in " ".join(printed.split())


def test_a_demand_for_reasons_closes_the_hatch(hatch):
    """Simulated reviewers carry without a reason in six of ten permissive answers, in one of ten strict ones."""
    cheap = values(hatch[0], "cheap_move_share")
    for kind in ("quick", "legacy"):
        arms = sorted(arm for arm in cheap if arm.split("_")[2] == kind and not arm.endswith("stored"))
        shares = dict(zip(arms, (cheap[arm] for arm in arms), strict=True))
        strict = "adversarial_review_quick" if kind == "quick" else "adversarial_review_legacy_strict"
        (permissive,) = set(arms) - {strict}
        assert shares[permissive] > shares[strict] + 0.15


def test_rounds_are_told_apart(hatch):
    concessions = [values(hatch[0], f"concessions_round_{number}") for number in (1, 2)]
    assert all(rounds["adversarial_review_quick"] is not None for rounds in concessions)


def test_printed_values_stand_beside_ours(hatch):
    rows = {(row["arm"], row["metric"]): row for row in hatch[0]["published"]}
    before = rows["adversarial_review_quick_permissive", "theater_rate"]
    assert (before["printed"]["value"], before["our_metric"]) == (0.8889, "theater_no_concession")
    after = rows["adversarial_review_legacy_strict", "mean_convergence_score"]
    assert after["ours"]["value"] is not None
    assert after["our_metric"] == "legacy_convergence"


def test_a_report_written_anew_sets_the_same_values_beside_ours(hatch, tmp_path):
    summary, _, home = hatch
    folder = shutil.copytree(home, tmp_path / "escape_hatch")
    assert run(["report", str(folder)]) == 0
    assert json.loads((folder / "summary.json").read_text()) == summary
    assert len(summary["published"]) > 10


def test_whole_pipelines(hatch, missed):
    for _, printed, _ in (hatch, missed):
        assert "The pipeline is whole" in printed
        assert "no leaks" in printed


def test_two_see_more_than_one_and_arguing_costs_some_of_it(missed):
    summary, printed, _ = missed
    arm = "adversarial_review_quick"
    one, two, union, final = (
        values(summary, f"missed_issue_recall{view}")[arm]
        for view in ("_reviewer_0", "_reviewer_1", "_union", "")
    )
    loud, quiet = (values(summary, f"findings_per_artifact_reviewer_{seat}")[arm] for seat in (0, 1))
    assert loud > quiet  # each side is played by its own model
    assert union >= max(one, two)
    assert final <= union
    assert values(summary, "recall_lost")[arm] == pytest.approx(union - final)
    assert "simulated_pair" in printed


def test_arms_are_set_against_as_many_reviews_as_they_made_calls(missed):
    found = {
        (row["a"], row["metric"])
        for row in missed[0]["comparisons"]
        if row["b"] == "self_consistency_9@equal_calls" and row["difference"] is not None
    }
    for arm in ("cot_sampled", "debate", "adversarial_review_quick", "adversarial_review_quick_permissive"):
        assert {(arm, "missed_issue_recall"), (arm, "precision")} <= found


@pytest.mark.parametrize("experiment", ["escape_hatch", "missed_issues"])
def test_they_can_be_rehearsed(experiment, tmp_path, capsys):
    given = [*SMALL, "model@cast.default=simulated_reviewer", f"output_root={tmp_path}"]
    assert run([f"+experiment={experiment}", *given, "dry_run=true"]) == 0
    shown = capsys.readouterr().out
    assert "first prompt of defender" in shown
    assert "first prompt of objector, Rejoining" in shown
    assert not list(tmp_path.rglob("runs"))


def test_an_unknown_table_is_refused_before_anything_runs(tmp_path):
    process = madbench(tmp_path, "published=[{table:nobody2020/table_1,arm:cot}]")
    assert process.returncode == 2
    assert "no paper 'nobody2020'; there are adversarial_debate" in process.err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("protocol", ["cot", "self_consistency", "self_refine", "debate", "critic_profile"])
def test_protocols_for_questions_are_rehearsed_on_reviews(protocol, tmp_path, capsys):
    given = [*SMALL, "model@cast.default=simulated_reviewer", f"output_root={tmp_path}"]
    assert run([f"protocol={protocol}", *given, "dry_run=true"]) == 0
    shown = capsys.readouterr().out
    assert "row 1 holds" in shown
    assert "at most 8 findings" in shown or protocol == "critic_profile"
    assert not list(tmp_path.rglob("runs"))
