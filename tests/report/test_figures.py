"""Figures: what is drawn, in which look."""

import pytest

from madbench.report.figures import draw_figures
from madbench.report.plots import accuracy_against_tokens, accuracy_by_round, looks_of, reliability_diagrams
from madbench.report.reliability import Reliability
from madbench.types import Estimate

HALF = Estimate(0.5, 0.4, 0.7, 48)


@pytest.fixture
def tally(record, script):
    found = Reliability()
    for number, confidence in enumerate((0.31, 0.35, 1.0)):
        found.add(record(f"s{number}", script([[("Answer: 7", "7")]], confidence={"vote_share": confidence})))
    return found


def test_accuracy_stands_over_tokens_with_its_interval(arm):
    arms = [
        arm(
            "cot",
            HALF,
            prompt_tokens=Estimate(90.0, None, None, 48),
            output_tokens=Estimate(10.0, None, None, 48),
        )
    ]
    (axes,) = accuracy_against_tokens(arms, looks_of(arms)).axes
    (points,) = axes.containers
    assert (points.lines[0].get_xdata()[0], points.lines[0].get_ydata()[0]) == (100.0, 50.0)
    ((below, above),) = (bar.get_segments()[0][:, 1] for bar in points.lines[2])
    assert (below, above) == (pytest.approx(40.0), pytest.approx(70.0))
    assert axes.get_xscale() == "log"


def test_only_arms_with_rounds_have_a_curve(arm):
    rounds = {"accuracy_round_0": HALF, "accuracy_round_1": Estimate(0.25, 0.1, 0.4, 48)}
    arms = [arm("cot", HALF, accuracy_round_0=HALF), arm("debate", HALF, **rounds)]
    (axes,) = accuracy_by_round(arms, looks_of(arms)).axes
    (curve,) = axes.containers
    assert curve.get_label() == "debate"
    assert list(curve.lines[0].get_ydata()) == [50.0, 25.0]


def test_every_bin_has_its_n_and_sources_their_own_panel(tally):
    figure = reliability_diagrams({"debate": tally, "cot": Reliability()}, {})
    (axes,) = figure.axes
    assert (
        axes.get_title(loc="left") == "debate\nvote_share, n = 3"
        or axes.get_title() == "debate\nvote_share, n = 3"
    )
    assert [text.get_text() for text in axes.texts] == ["2", "1"]
    assert list(axes.lines[1].get_xdata()) == [pytest.approx(0.33), 1.0]
    assert list(axes.lines[1].get_ydata()) == [1.0, 1.0]


def test_an_arm_looks_the_same_in_every_figure(arm, tally):
    arms = [arm("cot", HALF), arm("cot_long", HALF), arm("debate", HALF)]
    looks = looks_of(arms)
    assert len(set(looks.values())) == 3
    figure = reliability_diagrams({"debate/seed 1": tally, "cot_long/tiny/seed 0": tally}, looks)
    assert [axes.lines[1].get_color() for axes in figure.axes] == [looks["debate"][0], looks["cot_long"][0]]


def test_many_panels_are_cut_and_say_so(tally):
    figure = reliability_diagrams({f"arm {number}": tally for number in range(50)}, {})
    assert sum(axes.get_visible() for axes in figure.axes) == 36
    assert "the first 36 of 50 panels" in figure.get_supxlabel()


def test_nothing_to_show_draws_nothing(summary, arm):
    assert draw_figures(summary(arms=(arm("cot", Estimate(None, None, None, 0)),)), {}) == {}


def test_a_name_is_no_formula_and_no_page(arm):
    arms = [arm("$x$" + "long " * 100, HALF)]
    figure = accuracy_against_tokens(arms, looks_of(arms))
    (text,) = figure.legends[0].get_texts()
    assert text.get_text().startswith(r"\$x\$long")
    assert len(text.get_text()) < 50
