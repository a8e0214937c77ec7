"""Printed values of others: all of them are there, they are converted by their units, and shown beside ours."""

import json
import os
from collections import Counter
from pathlib import Path

import pytest
import yaml

from madbench.report.baselines import paper, papers, published_by
from madbench.report.page import report_html
from madbench.report.payload import summary_json
from madbench.report.published import differences, pairs
from madbench.report.text import summary_markdown
from madbench.types import Estimate, InputError, Reference

DATA = os.environ.get("MADBENCH_DATA")
BEFORE = Reference(
    table="adversarial_debate/before_after",
    arm="permissive",
    where={"config": "permissive prompt"},
    ours={"theater_rate": "theater_no_concession"},
)


def values():
    """Every value of every table, in long form."""
    for name in papers():
        for table in paper(name).tables.values():
            for row in table.rows:
                setting = (row.protocol, row.task, row.model, row.n, row.config, row.note)
                for metric, value in row.values.items():
                    yield (*setting, metric, value), row.spread.get(metric), table.tag


def test_no_table_lost_a_value():
    assert sum(1 for _ in values()) == 624
    assert len(papers()) == 16


@pytest.mark.skipif(not DATA, reason="MADBENCH_DATA names no folder")
def test_all_values_are_those_of_the_collection():
    file = Path(DATA).parent / "published_results.yaml"
    if not file.is_file():
        pytest.skip(f"no {file}")
    expected = [
        (
            *(row[key] for key in ("protocol", "task", "model", "n")),
            row.get("config", ""),
            row.get("note", ""),
            row["metric"],
            row["value"],
        )
        for row in yaml.safe_load(file.read_text())["results"]
    ]
    assert Counter(row for row, *_ in values()) == Counter(expected)


@pytest.mark.parametrize(
    ("table", "where", "printed"),
    [
        (
            "wang2022/table_2",
            {"task": "SVAMP", "protocol": "self_consistency"},
            Estimate(0.868, None, None, 0),
        ),
        (
            "du2023/table_1",
            {"task": "GSM8K", "protocol": "mad_du"},
            Estimate(0.85, (85 - 1.96 * 3.5) / 100, (85 + 1.96 * 3.5) / 100, 100),
        ),
        ("adversarial_debate/v0_2_0", {"model": "GPT+Mistral"}, Estimate(0.536, 0.498, 0.575, 150)),
        ("adversarial_debate/v0_1_0", {"model": "DeepSeek+Mistral"}, Estimate(2352 / 68, None, None, 68)),
        ("adversarial_debate/missed_v0_2_1", {"model": "reviewer 2"}, Estimate(1 / 59, None, None, 59)),
    ],
)
def test_values_come_on_the_scale_of_ours(table, where, printed):
    found = published_by([Reference(table=table, arm="debate", where=where)])
    assert any(
        value.printed.n == printed.n
        and value.printed.value == pytest.approx(printed.value)
        and (value.printed.low, value.printed.high) == pytest.approx((printed.low, printed.high))
        for value in found
    )


@pytest.mark.parametrize(
    ("reference", "words"),
    [
        ({"table": "nobody2020/table_1"}, "no paper 'nobody2020'; there are adversarial_debate"),
        ({"table": "du2023/table_9"}, "du2023 has no table 'table_9'; it has table_1, table_2"),
        ({"table": "du2023/table_1", "where": {"task": "GSM9K"}}, "GSM9K"),
    ],
)
def test_a_reference_to_nothing_is_refused(reference, words):
    with pytest.raises(InputError, match=words):
        published_by([Reference(arm="debate", **reference)])


def test_a_reference_by_an_unknown_field_is_refused():
    with pytest.raises(ValueError, match="colour"):
        Reference(table="du2023/table_1", arm="debate", where={"colour": "red"})


@pytest.fixture
def beside(summary, arm):
    """A summary with one arm of that name, and with a printed value for an arm that was not run."""
    absent = Reference(table="adversarial_debate/v0_2_1", arm="strict")
    theater = Estimate(0.25, 0.1, 0.45, 20)
    arms = (arm("permissive", Estimate(None, None, None, 0), theater_no_concession=theater),)
    return summary(arms=arms, comparisons=(), published=published_by([BEFORE, absent]))


def test_theirs_and_ours_stand_side_by_side(beside):
    rows = json.loads(summary_json(beside))["published"]
    (theater,) = (row for row in rows if (row["arm"], row["metric"]) == ("permissive", "theater_rate"))
    assert theater["printed"] == {"value": 0.8889, "low": None, "high": None, "n": 9}
    assert theater["our_metric"] == "theater_no_concession"
    assert theater["ours"] == {"value": 0.25, "low": 0.1, "high": 0.45, "n": 20}
    assert theater["cast"] == "smollm2_135m"
    assert "model: 3 pairs x 3 PRs, ours smollm2_135m" in theater["differs"]
    assert "n: 9, ours 20" in theater["differs"]
    assert [said.partition(":")[0] for said in theater["differs"]] == [
        "n", "model", "task", "prompts", "extraction",
    ]  # fmt: skip
    assert any("CARRIED" in note for note in theater["notes"])


def test_an_arm_that_was_not_run_has_no_value_of_ours(beside):
    strict = [(value, arm) for value, arm in pairs(beside) if value.arm == "strict"]
    assert strict
    assert all(arm is None for _, arm in strict)
    assert any("strict was not run" in line for line in differences(beside))


def test_the_page_and_the_text_show_them(beside):
    from madbench.report.material import Material

    page = report_html(beside, Material({}, [], [], 0), {})
    for shown in (page, summary_markdown(beside)):
        assert "Beside what others printed" in shown
        assert "0.25 [0.1, 0.45]" in shown
        assert "0.889" in shown
        assert "model: 3 pairs x 3 PRs, ours smollm2\\_135m" in shown.replace("2_", "2\\_")


def test_without_references_nothing_is_said(summary):
    assert "others printed" not in summary_markdown(summary())
    assert json.loads(summary_json(summary()))["published"] == []
