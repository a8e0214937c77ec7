"""The printed table, summary.md and summary.json."""

import json
import math

import pytest

from madbench.report import terminal_table
from madbench.report.cells import amount, decimals, p_value, percent, plain
from madbench.report.payload import summary_json
from madbench.report.sheet import WIDTH, mark
from madbench.report.tables import metric_table
from madbench.report.text import summary_markdown
from madbench.report.verdicts import pipeline_verdict, protocol_verdicts
from madbench.types import Comparison, Estimate, Integrity

HOSTILE = "\x1b[31mred\x07 \u202egnp.\u2066 \x9b0m \ud800 a|b <img src=x onerror=alert(1)>"


def line_of(text, start):
    return next(line for line in text.splitlines() if line.startswith(start))


@pytest.mark.parametrize(
    ("cell", "printed"),
    [
        (percent(0.4791666), "47.9"),
        (percent(None), "–"),
        (percent(float("nan")), "–"),
        (percent(-0.0001, sign=True), "0.0"),
        (percent(0.05, sign=True), "+5.0"),
        (decimals(0.0812), ".081"),
        (decimals(1.0), "1.000"),
        (decimals(None), "–"),
        (p_value(0.0004), "<.001"),
        (p_value(0.04999), ".050"),
        (p_value(None), "–"),
        (amount(7.25), "7.2"),
        (amount(99.97), "100"),
        (amount(12345.6), "12,346"),
        (amount(float("inf")), "–"),
    ],
)
def test_numbers_are_printed_as_in_a_paper(cell, printed):
    assert cell == printed


def test_control_characters_are_spelled_out():
    assert plain("\x1b[31m\x07\u202e\u2066\x9b\ud800\ufeff") == r"\x1b[31m\x07\u202e\u2066\x9b\ud800\ufeff"
    assert plain("a\nb\tc", keep="\n\t") == "a\nb\tc"
    assert plain("naïve 数 \U0001f468\u200d\U0001f469") == "naïve 数 \U0001f468\u200d\U0001f469"


def test_the_table_fits_and_holds_every_number(summary):
    text = terminal_table(summary())
    assert max(map(len, text.splitlines())) <= WIDTH
    assert line_of(text, "debate ").split() == [
        "debate", "27.1", "[13.1,41.1]", "48", "0.0", "12.5", "60.4", ".310", "6.0", "2,270", "8,383", "-20.8",
        "[-33.3,-8.3]", ".004",
    ]  # fmt: skip
    assert line_of(text, "cot ").split()[4:] == ["0.0", "–", "–", "–", "1.0", "270", "565", "–", "–"]


def test_long_names_wrap_without_loss(summary, arm):
    name = "debate_with_a_rather_long_name_and_a_model_of_some_other_family/medqa"
    text = terminal_table(summary(arms=(arm(name, Estimate(0.5, 0.4, 0.6, 20_000)),)))
    table = text.split("\n\n")[0].splitlines()
    assert max(map(len, table)) <= WIDTH
    start = 1 + next(place for place, line in enumerate(table) if line.startswith("---"))
    assert "".join(line.split("  ")[0].strip() for line in table[start:]) == name


def test_pooled_rows_replace_their_seeds(summary, arm):
    half = Estimate(0.5, 0.4, 0.6, 96)
    seeds = (arm("debate", half, seed=0), arm("debate", half, seed=1))
    apart = terminal_table(summary(arms=seeds))
    pooled = terminal_table(summary(arms=(*seeds, arm("debate", half))))
    assert line_of(apart, "debate seed 0")
    assert line_of(apart, "debate seed 1")
    assert "seed" not in pooled.split("\n\n")[0]
    assert [entry["seed"] for entry in json.loads(summary_json(summary(arms=seeds)))["arms"]] == [0, 1]


def test_every_printed_column_is_defined(summary):
    text = summary_markdown(summary()).replace("**", "")
    for name in (
        "accuracy",
        "theater_rate",
        "convergence",
        "ece",
        "tokens_per_right_answer",
        "to equal calls",
        "p",
    ):
        assert f"\n- {name}: " in text


def test_a_terminal_shows_what_a_newcomer_needs_and_the_file_the_rest(summary):
    short, long = terminal_table(summary()), summary_markdown(summary())
    assert len(short.splitlines()) <= 24
    for words in ("debate - debate_no_peers", "Prompt and output tokens an episode", "Integrity", "quoted"):
        assert words not in short
        assert words in long
    assert "The pipeline is whole: 288 of 288 planned rows found" in short
    assert short.splitlines()[-1].startswith("Debate was worse")


def test_a_terminal_shows_the_integrity_table_where_something_is_amiss(summary):
    short = terminal_table(summary(integrity=(Integrity("debate", 48, 46, 0, 0, 2, 0, 5),)))
    assert ["debate", "48", "46", "0", "0", "2", "0", "5"] in [line.split() for line in short.splitlines()]
    assert "NOT whole" in short


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("47.9 [34.5, 61.7]", "47.9 [34.5, 61.7]"),
        ("<.001", "<.001"),
        ("<img src=x>", r"\<img src=x>"),
        ("</td><!-- x", r"\</td>\<!-- x"),
        ("[a](http://b)", r"[a\](http://b)"),
        ("[a]: http://b", r"[a\]: http://b"),
        ("a|b `c` *d* \\e", r"a\|b \`c\` \*d\* \\e"),
    ],
)
def test_markdown_shows_text_as_it_stands(text, marked):
    assert mark(text) == marked


def test_every_defined_metric_is_in_one_table(summary):
    sheet = metric_table(summary())
    rows = {row[0]: dict(zip(sheet.head[1:], row[1:], strict=True)) for row in sheet.rows}
    assert rows["theater_rate"]["debate"] == "0.125 [0.059, 0.247]"
    assert rows["theater_rate"]["cot"] == "–"
    assert "accuracy_round_1" in rows
    assert "brier" not in rows


def test_hostile_text_reaches_no_terminal(summary, arm):
    hostile = summary(
        name=HOSTILE, verdict=HOSTILE, notes=(HOSTILE,), arms=(arm(HOSTILE, Estimate(0.5, 0.4, 0.6, 9)),),
        integrity=(Integrity(HOSTILE, 9, 8, 0, 0, 1, 0, 0),),
        comparisons=(Comparison(HOSTILE, HOSTILE, "accuracy", 0.0, 0.0, 0.0, 1.0, 9),),
    )  # fmt: skip
    for text in (terminal_table(hostile), summary_markdown(hostile)):
        assert plain(text, keep="\n") == text
        text.encode()
    assert "<img" not in summary_markdown(hostile).replace("\\<", "")


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (Integrity("debate", 48, 48, 0, 7, 0, 0, 3), "is whole: 48 of 48"),
        (
            Integrity("debate", 48, 46, 0, 0, 2, 0, 0),
            "NOT whole (46 of 48 planned rows found): debate 2 missing; debate 2 lost",
        ),
        (Integrity("debate", 48, 49, 0, 0, 0, 0, 0), "debate 1 more than planned"),
        (Integrity("debate", 48, 48, 1, 0, 0, 0, 0), "debate 1 errored"),
        (Integrity("debate", 48, 48, 0, 0, 0, 3, 0), "debate 3 leaks"),
    ],
)
def test_the_pipeline_is_whole_or_says_what_is_amiss(summary, row, said):
    assert said in pipeline_verdict(summary(integrity=(row,)))


def test_without_rows_nothing_is_claimed_whole(summary):
    assert "not audited" in pipeline_verdict(summary(integrity=()))


@pytest.mark.parametrize(
    ("rate", "said"),
    [
        (Estimate(0.8, 0.7, 0.9, 48), "mostly theater"),
        (Estimate(0.1, 0.05, 0.2, 48), "was real"),
        (Estimate(0.5, 0.2, 0.8, 8), "too few"),
        (Estimate(1.0, None, None, 1), "too few"),
    ],
)
def test_whether_a_protocol_argues_is_said_apart(summary, arm, rate, said):
    (line,) = protocol_verdicts(
        summary(arms=(arm("debate", Estimate(0.5, 0.4, 0.6, 48), theater_rate=rate),))
    )
    assert line.startswith("debate: ")
    assert said in line
    assert rate.value is None or f"on {rate.n} samples" in line


def test_no_claim_without_interaction(summary, arm):
    assert protocol_verdicts(summary(arms=(arm("cot", Estimate(0.5, 0.4, 0.6, 48)),))) == []


def test_summary_json_has_the_promised_names(summary):
    data = json.loads(summary_json(summary()))
    debate = next(entry for entry in data["arms"] if entry["arm"] == "debate")
    assert set(debate) == {"arm", "task", "protocol", "cast", "seed", "metrics"}
    assert debate["seed"] is None
    assert debate["metrics"]["theater_rate"] == {"value": 0.125, "low": 0.059, "high": 0.247, "n": 48}
    assert data["arms"][0]["metrics"]["theater_rate"] == {"value": None, "low": None, "high": None, "n": 0}
    assert data["comparisons"][0] == {
        "a": "debate", "b": "self_consistency@equal_calls", "metric": "accuracy", "difference": -0.2083, "low": -0.3333,
        "high": -0.0833, "p": 0.0042, "n": 48,
    }  # fmt: skip
    assert set(data["definitions"]) == set(debate["metrics"]) | set(data["arms"][0]["metrics"])
    assert all(data["definitions"].values())
    assert data["spent"] == {"calls": 1530.0, "seconds": 412.25}


def test_numbers_that_are_none_are_null_in_json(summary, arm):
    odd = Estimate(math.nan, -math.inf, math.inf, 3)
    data = summary(
        arms=(arm("cot", odd),),
        comparisons=(Comparison("cot", "x", "accuracy", math.nan, None, math.inf, math.nan, 3),),
        spent={"seconds": math.nan},
    )
    text = summary_json(data)
    assert "NaN" not in text
    assert "Infinity" not in text
    assert json.loads(text)["arms"][0]["metrics"]["accuracy"] == {
        "value": None,
        "low": None,
        "high": None,
        "n": 3,
    }
    assert json.loads(text)["comparisons"][0]["difference"] is None


def test_equal_summaries_are_equal_bytes(summary, arm):
    half = Estimate(0.5, 0.4, 0.6, 48)
    one = arm("cot", half, ece=half, brier=half)
    other = arm("cot", half, brier=half, ece=half)
    assert summary_json(summary(arms=(one,))) == summary_json(summary(arms=(other,)))
