"""Casts of one debate side by side: on questions by what became of answers; alone, no cast has a table."""

from madbench.report.pairs import pair_tables
from madbench.types import Arm, Estimate


def arm(protocol, cast, **values):
    metrics = {name: Estimate(value, None, None, 8) for name, value in values.items()}
    return Arm(f"{protocol}/{cast}", "sums", protocol, cast, 0, metrics)


def debate(cast, accuracy, theater):
    return arm("debate", cast, accuracy=accuracy, theater_rate=theater, fold_rate=0.25)


def test_every_cast_of_a_debate_has_a_row():
    (sheet,) = pair_tables([debate("twins", 0.5, 1.0), debate("strangers", 0.75, 0.0)])
    assert sheet.title == "Pairs of models: debate"
    place = {
        name: sheet.head.index(name) for name in ("accuracy %", "theater %", "right to wrong %", "uptake %")
    }
    shown = {row[0]: [row[at] for at in place.values()] for row in sheet.rows}
    assert shown == {"twins": ["50.0", "100.0", "25.0", "–"], "strangers": ["75.0", "0.0", "25.0", "–"]}


def test_nothing_is_set_beside_itself_or_beside_what_is_no_debate():
    assert pair_tables([debate("twins", 0.5, 1.0)]) == []
    votes = [arm("self_consistency", cast, accuracy=0.5) for cast in ("twins", "strangers")]
    assert pair_tables(votes) == []
    two = [debate("twins", 0.5, 1.0), arm("tribunal", "strangers", accuracy=0.5, theater_rate=0.0)]
    assert pair_tables(two) == []
