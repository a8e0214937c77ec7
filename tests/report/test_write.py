"""A report on disk: every file, each whole."""

import json
import tracemalloc

import pytest

from madbench.records.layout import RunFolder
from madbench.records.tables import read_records, write_tables
from madbench.report import write_report
from madbench.report.material import gather
from madbench.report.reliability import Reliability

FILES = {
    "summary.json", "summary.md", "report.html", "figures/accuracy_against_tokens.png", "figures/accuracy_by_round.pdf",
    "figures/reliability.png",
}  # fmt: skip


def made(folder, records):
    folder.mkdir(parents=True, exist_ok=True)
    write_tables(RunFolder(folder), records)
    return folder


@pytest.fixture
def bare(summary):
    """A summary without arms, so that nothing is drawn."""
    return lambda **changes: summary(**({"arms": (), "comparisons": ()} | changes))


@pytest.fixture
def debate(record, script):
    """Records of a debate in which a seat went from wrong to right."""
    rounds = [[("Answer: 8", "8"), ("Answer: 7", "7")], [("Answer: 7", "7"), ("Answer: 7", "7")]]

    def records(n, **confidence):
        return [record(f"s{number}", script(rounds, confidence=confidence)) for number in range(n)]

    return records


def tree(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_every_file_is_there_and_kept(summary, debate, tmp_path):
    out = tmp_path / "quick"
    page = write_report(
        summary(), out, {"debate": made(tmp_path / "runs" / "debate", debate(5, vote_share=1.0))}
    )
    assert page == out / "report.html"
    found = tree(out)
    assert set(found) >= FILES
    (kept,) = (out / "summaries").iterdir()
    assert {name: content for name, content in found.items() if "summaries" not in name} == tree(kept)
    assert json.loads(found["summary.json"])["name"] == "quickstart"


def test_a_second_report_replaces_the_first_and_keeps_it(bare, debate, tmp_path):
    out, runs = tmp_path / "quick", {"debate": made(tmp_path / "debate", debate(3))}
    write_report(bare(), out, runs)
    first = (out / "summary.json").read_bytes()
    write_report(bare(verdict="Another sentence."), out, runs)
    kept = sorted(path.read_bytes() for path in (out / "summaries").glob("*/summary.json"))
    assert kept == sorted([first, (out / "summary.json").read_bytes()])
    assert first != (out / "summary.json").read_bytes()


def test_equal_sweeps_make_equal_files(summary, debate, tmp_path):
    runs = {"debate": made(tmp_path / "debate", debate(3))}
    for name in ("one", "two"):
        write_report(summary(), tmp_path / name, runs)
    one, two = (
        {name: data for name, data in tree(tmp_path / which).items() if "summaries" not in name}
        for which in ("one", "two")
    )
    assert one == two


def test_a_run_without_tables_is_named_and_costs_nothing(bare, debate, tmp_path):
    runs = {"debate": made(tmp_path / "debate", debate(3)), "cot": tmp_path / "nowhere"}
    page = write_report(bare(), tmp_path / "out", runs)
    assert "All 3 episodes can be opened. Without tables: cot." in page.read_text()


def test_no_runs_and_no_arms_still_make_a_report(summary, tmp_path):
    page = write_report(summary(arms=(), comparisons=(), integrity=()), tmp_path / "out", {})
    assert "All 0 episodes" in page.read_text()
    assert not (tmp_path / "out" / "figures").exists()


def test_large_runs_show_the_same_samples_of_every_arm(debate, tmp_path):
    runs = {name: made(tmp_path / name, debate(300)) for name in ("debate", "alone")}
    shown = gather(runs, read_records, episodes=40)
    by_arm = {name: [entry["sample"] for entry in shown.episodes if entry["arm"] == name] for name in runs}
    assert by_arm["debate"] == by_arm["alone"]
    assert (len(by_arm["debate"]), shown.total) == (20, 600)
    assert by_arm["debate"] != [f"s{number}" for number in range(20)]
    assert shown.statement.startswith("40 of 600 episodes can be opened: a seeded choice")


def test_much_text_is_cut_by_episodes_evenly(record, script, tmp_path):
    def records(arm):
        return [record(f"s{n}", script([[(f"{arm} {n} " + "x" * 5000, "7")]])) for n in range(20)]

    runs = {name: made(tmp_path / name, records(name)) for name in ("a", "b")}
    shown = gather(runs, read_records, characters=50_000)
    counts = [sum(entry["arm"] == name for entry in shown.episodes) for name in runs]
    assert abs(counts[0] - counts[1]) <= 1
    assert 1 < min(counts) < 8


def test_memory_does_not_grow_with_the_run(record, script, tmp_path):
    (tmp_path / "records.parquet").touch()

    def peak(n):
        tracemalloc.start()
        gather(
            {"a": tmp_path},
            lambda _: (record(f"s{k}", script([[(f"reply {k} " * 20, "7")]])) for k in range(n)),
            episodes=50,
        )
        _, highest = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return highest

    peak(100)
    assert peak(1000) - peak(250) < 750 * 100


def test_reliability_bins_hold_every_confidence(record, script):
    tally = Reliability()
    for number, confidence in enumerate((0.0, 0.05, 0.95, 1.0, 1.0)):
        tally.add(
            record(
                f"s{number}",
                script(
                    [[("Answer: 7", "7" if number > 2 else "8")]],
                    confidence={"vote_share": confidence, "stated_label": "high"},
                ),
            )
        )
    bins = tally.sources["vote_share"]
    assert set(tally.sources) == {"vote_share"}
    assert [here.n for here in bins] == [2, 0, 0, 0, 0, 0, 0, 0, 0, 3]
    assert (bins[-1].confidence, bins[-1].right) == (pytest.approx(2.95), 2.0)
