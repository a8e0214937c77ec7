"""Judges and their own family, a cast a row: what both seatings come to together."""

from madbench.report.judges import kin_tables
from madbench.types import Arm, Estimate


def arm(cast, own, other, preference, protocol="judged_debate"):
    values = {"picked_own_family": own, "picked_other_family": other, "family_preference": preference}
    metrics = {name: Estimate(value, value, value, 8) for name, value in values.items() if value is not None}
    return Arm(f"{protocol}/{cast}", "passages", protocol, cast, 0, metrics)


def test_a_row_a_cast_and_their_mean():
    (sheet,) = kin_tables([arm("ours_first", 0.75, 0.25, 0.5), arm("ours_second", 0.25, 0.75, -0.25)])
    assert sheet.title == "Judges and their own family: judged_debate"
    assert sheet.rows == (
        ("ours_first", "75.0", "25.0", "+50.0 [+50.0, +50.0]", "8"),
        ("ours_second", "25.0", "75.0", "-25.0 [-25.0, -25.0]", "8"),
        ("mean of 2 casts", "50.0", "50.0", "+12.5", "–"),
    )


def test_debates_are_not_averaged_over_and_who_has_no_family_has_no_row():
    sheets = kin_tables(
        [arm("a", 0.5, 0.5, 0.0), arm("a", 1.0, 0.0, 1.0, "tribunal"), arm("b", None, None, None)]
    )
    assert [(sheet.title.split(": ")[1], len(sheet.rows)) for sheet in sheets] == [
        ("judged_debate", 1),
        ("tribunal", 1),
    ]
