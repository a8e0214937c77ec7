"""What panels signed stands in a table of its own, and nowhere without panels."""

from madbench.report import write_report
from madbench.report.approvals import approvals_table
from madbench.report.text import summary_markdown, terminal_table
from madbench.types import Estimate


def test_approvals_stand_beside_one_another_by_arm(summary, arm, tmp_path):
    numbers = {
        "approved": Estimate(0.75, 0.6, 0.9, 40),
        "weak_approval": Estimate(0.5, 0.4, 0.6, 40),
        "unanimous_weak_approval": Estimate(0.25, 0.2, 0.3, 30),
        "sound_approval": Estimate(0.25, 0.2, 0.3, 40),
        "fold_rate_on_weak": Estimate(None, None, None, 0),
    }
    voted = arm("roundtable", Estimate(0.3, 0.2, 0.4, 48), **numbers)
    whole = summary(arms=(arm("cot", Estimate(0.4, 0.3, 0.5, 48)), voted))
    (row,) = approvals_table(whole).rows
    shares = ("75.0 [60.0, 90.0]", "50.0 [40.0, 60.0]", "25.0 [20.0, 30.0]", "25.0 [20.0, 30.0]", "–")
    assert row == ("roundtable", *shares, "40")
    for text in (summary_markdown(whole), terminal_table(whole)):
        assert "Proposals approved, weak and sound" in text
    page = write_report(whole, tmp_path, {})
    assert "Proposals approved, weak and sound" in page.read_text(encoding="utf-8")


def test_without_a_vote_there_is_no_table(summary, arm):
    whole = summary(arms=(arm("cot", Estimate(0.4, 0.3, 0.5, 48)),))
    assert approvals_table(whole).rows == ()
    assert "Proposals approved" not in summary_markdown(whole)
