"""Reviews in the report: their tables, and the page with artifact, claims and what became of them."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
from metrics.reviewing import Script, argued, finding, review
from report.test_page import HOSTILE, SPELLED, browser, dom, visible

from madbench.metrics import MeasuredRun, measure, summarise, tabulate
from madbench.records.layout import RunFolder
from madbench.records.tables import write_tables
from madbench.report import terminal_table, write_report
from madbench.report.definitions import printed_definitions
from madbench.report.episodes import episode_data
from madbench.report.plots import looks_of
from madbench.report.reliability import Reliability
from madbench.report.review_plots import recall_and_precision
from madbench.report.sheet import WIDTH
from madbench.report.tables import counted_table, debate_tables, detail_tables, shown
from madbench.report.text import summary_markdown
from madbench.report.texts import Texts
from madbench.report.verdicts import is_whole, pipeline_verdict, protocol_verdicts
from madbench.tasks.answers.findings import FindingsReader
from madbench.types import Artifact, Document, Estimate

CODE = Artifact((Document("a.py", "\n".join(f"row {n}" for n in range(1, 13))),))
FACTS = {"documents": [["a.py", CODE.documents[0].text]]}


def real(record):
    """The record with a reader that files can hold, and its documents."""
    sample = record.sample
    problem = replace(sample.problem, reader=FindingsReader(CODE))
    target = replace(sample.target, facts={**sample.target.facts, **FACTS})
    return replace(record, sample=replace(sample, problem=problem, target=target))


def script(fault=""):
    """Side A gives up a false claim and keeps a true one against an objection; B's is accepted."""
    debate = Script().claim("A/1", 3, sure=0.9).claim("A/2", 5, sure=0.4).claim("B/1", 7, sure=0.8)
    debate.object("A/1", 1).object("A/2", 2).accept("B/1")
    debate.move("A/1", "B/1/1", "REBUTTED", fault).move("A/2", "B/1/2", "CONCEDED").drop("A/1", "B/1/1")
    return debate


def run(arm, records, cast="small"):
    return MeasuredRun(arm, "reviews", arm, cast, 0, len(records), tabulate(map(measure, records)))


def records(count=8):
    return [real(argued(script(), name=f"a{number}")) for number in range(count)]


def summary(casts=("small",)):
    runs = [run("adversarial_review", records(), cast) for cast in casts]
    clean = [real(review([finding(4)], name=f"a{n}", lines=() if n % 2 else (3, 7))) for n in range(8)]
    return summarise("reviews", [*runs, *(run("cot", clean, cast) for cast in casts)])


def row(sheet, *start):
    return next(row for row in sheet.rows if row[: len(start)] == start)


def test_the_arm_table_of_reviews_fits_and_holds_what_it_should():
    text = terminal_table(summary())
    assert max(map(len, text.splitlines())) <= WIDTH
    head = text.splitlines()[1:3]
    for part in ("recall", "precision", "false", "thea-", "conv.", "calls", "tokens"):
        assert any(part in line for line in head)
    line = next(line for line in text.splitlines() if line.startswith("cot"))
    assert line.split()[:2] == ["cot", "0.0"]
    assert "accuracy" not in text


def test_every_view_has_a_row():
    views = detail_tables(summary())[0]
    assert [cells[1] for cells in views.rows if cells[0] == "adversarial_review"] == [
        "final", "reviewer_0", "reviewer_1", "union",
    ]  # fmt: skip
    assert [cells[1] for cells in views.rows if cells[0] == "cot"] == ["final"]
    assert row(views, "adversarial_review", "union")[4].startswith("66.7")
    assert row(views, "adversarial_review", "final")[4].startswith("100.0")
    assert row(views, "cot", "final")[6] == "1.0"


def test_the_four_rules_of_theater_stand_side_by_side():
    real_debate, moves, rounds = debate_tables(summary())
    assert row(real_debate, "adversarial_review")[1:5] == ("0.0 [0.0, 32.4]", "0.0", "0.0", "0.0")
    assert row(real_debate, "adversarial_review")[5:9] == ("66.7", "33.3", "33.3", "33.3")
    assert row(moves, "adversarial_review")[1:4] == ("3.0", "2.0", "100.0")
    assert row(rounds, "adversarial_review")[1:4] == ("66.7", "1.0", "100.0")
    assert not [cells for sheet in (real_debate, moves, rounds) for cells in sheet.rows if cells[0] == "cot"]


def test_pairs_of_models_are_set_side_by_side():
    assert not detail_tables(summary())[2:]
    (pairs,) = detail_tables(summary(("one_kind", "two_kinds")))[2:]
    assert [cells[0] for cells in pairs.rows] == ["one_kind", "two_kinds"]
    assert row(pairs, "two_kinds")[1:6] == ("50.0", "50.0", "100.0", "100.0", "100.0")


def test_findings_are_counted_and_losses_are_told():
    counted = counted_table(summary())
    assert row(counted, "adversarial_review", "union")[2:] == ("24", "16", "8", "0", "0", "16")
    assert is_whole(summary())
    lost = records()
    lost[0] = replace(lost[0], scores={**lost[0].scores, "view:union:findings": 5.0})
    short = summarise("reviews", [run("adversarial_review", lost)])
    assert not is_whole(short)
    assert "adversarial_review 2 findings uncounted" in pipeline_verdict(short)


def test_the_verdict_says_whether_anyone_changed_their_mind():
    (line,) = protocol_verdicts(summary())
    assert line.endswith("somebody gave up a claim or an objection in 100.0 % of debates.")


def test_markdown_defines_what_it_prints():
    text = summary_markdown(summary())
    for name in ("missed_issue_recall", "theater_no_valid_answer", "capitulation_rate", "auroc_finding"):
        assert f"**{name}**" in text
    assert "**accuracy**" not in text
    assert all(printed_definitions(summary()).values())


def test_the_viewers_data():
    texts = Texts()
    data = episode_data("arm", records(1)[0], texts)
    assert data["tally"] == [2, 0, 2]
    assert data["answer"] == "a.py:3; a.py:7"
    document = data["artifact"][0]
    assert [issue[:2] for issue in document["issues"]] == [[3, 3], [7, 7]]
    assert [(one[2], one[4], one[5]) for one in document["findings"]] == [
        ("A/1", 0, True), ("A/2", -1, False), ("B/1", 1, True),
    ]  # fmt: skip
    claims = {claim["id"]: claim for claim in data["claims"]}
    assert {name: claim["state"] for name, claim in claims.items()} == {
        "A/1": "open", "A/2": "conceded", "B/1": "accepted",
    }  # fmt: skip
    (objection,) = claims["A/1"]["objections"]
    assert [said[0] for said in objection["said"]] == ["REBUTTED", "withdrawn"]
    assert objection["said"][0][4] == ""
    json.dumps(data, allow_nan=False)


def test_questions_have_none_of_it(record, script):
    data = episode_data("arm", record("s0", script([[("Answer: 7", "7")]])), Texts())
    assert (data["review"], data["artifact"], data["claims"], data["tally"]) == (False, None, [], None)


def test_the_figure_of_reviews_leads_from_the_union_to_what_survived():
    arms = shown(summary().arms)
    (axes,) = recall_and_precision(arms, looks_of(arms)).axes
    paths = [
        [round(float(value), 1) for value in (*line.get_xdata(), *line.get_ydata())]
        for line in axes.lines
        if len(line.get_xdata()) == 2
    ]
    assert paths == [[100.0, 100.0, 66.7, 100.0]], (
        "recall stayed, precision rose; one reviewer alone has no union"
    )


def test_questions_have_no_figure_of_reviews(arm):
    arms = [arm("cot", Estimate(0.5, 0.4, 0.6, 9))]
    assert recall_and_precision(arms, looks_of(arms)) is None


def test_findings_are_tallied_by_their_confidence():
    tally = Reliability()
    for one in records(3):
        tally.add(one)
    bins = tally.sources["stated with findings"]
    filled = {
        place: (here.n, round(here.confidence, 6), here.right) for place, here in enumerate(bins) if here.n
    }
    assert filled == {4: (3, 1.2, 0), 8: (3, 2.4, 3), 9: (3, 2.7, 3)}


@pytest.fixture
def page(tmp_path):
    """Every text that a model can write is hostile."""
    debate = script(fault=HOSTILE)
    for number, entry in enumerate(debate.entries):
        change = {"text": HOSTILE} if hasattr(entry, "text") else {"reason": HOSTILE}
        if hasattr(entry, "finding"):
            change = {"finding": entry.finding.model_copy(update={"text": f"{HOSTILE}{number}"})}
        elif not hasattr(entry, "text") and not hasattr(entry, "reason"):
            change = {}
        debate.entries[number] = entry.model_copy(update=change)
    folder = tmp_path / "debate"
    folder.mkdir()
    write_tables(RunFolder(folder), [real(argued(debate, name="a0")), *records(3)[1:]])
    return write_report(summary(), tmp_path / "out", {"adversarial_review": folder})


@browser
def test_the_page_shows_artifact_and_claims_as_text(page, tmp_path):
    shown = dom(page, tmp_path, address="#episode/adversarial_review/a0/0")
    article = re.search(r'<article id="episode".*?</article>', shown, re.DOTALL).group()
    assert "<img" not in visible(shown)
    assert article.count("known issue") >= 2
    for part in (
        "✓ issue 1",
        "✗ unmatched",
        ">conceded<",
        ">accepted<",
        "not valid: ",
        ">withdrawn<",
        "B objects, round 1",
    ):
        assert part in article, part
    assert article.count(SPELLED.replace("<", "&lt;").replace(">", "&gt;")) >= 6
    assert "side A</th>" in article
    assert "2 of 2 known issues found, 0 findings unmatched" in article
    assert "no answer" not in article
