"""Restatement shares stand beside the scores of every arm that restates, and nowhere else."""

from madbench.report.fidelity import fidelity_table
from madbench.report.text import summary_markdown, terminal_table
from madbench.types import Estimate


def test_shares_of_restatements_stand_beside_the_score(summary, arm):
    shares = {
        "restatement_kept": Estimate(0.5, 0.4, 0.6, 40),
        "restatement_softened": Estimate(0.25, 0.2, 0.3, 40),
        "restatement_added": Estimate(None, None, None, 0),
    }
    judged = arm("critic_profile", Estimate(0.3, 0.2, 0.4, 48), **shares)
    whole = summary(arms=(arm("cot", Estimate(0.4, 0.3, 0.5, 48)), judged))
    (row,) = fidelity_table(whole).rows
    assert row == ("critic_profile", "30.0 [20.0, 40.0]", "50.0 [40.0, 60.0]", "25.0 [20.0, 30.0]", "–", "40")
    for text in (summary_markdown(whole), terminal_table(whole)):
        assert "Restatements: of a reply" in text


def test_without_restatements_there_is_no_table(summary, arm):
    whole = summary(arms=(arm("cot", Estimate(0.4, 0.3, 0.5, 48)),))
    assert fidelity_table(whole).rows == ()
    assert "Restatements" not in summary_markdown(whole)
