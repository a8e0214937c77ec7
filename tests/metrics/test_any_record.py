"""Whatever records hold, numbers are finite or None, and intervals hold their value."""

import json
import math
from dataclasses import asdict, replace

from hypothesis import given, settings
from hypothesis import strategies as st
from metrics.build import record, sample, turn

from madbench.metrics import MeasuredRun, measure, summarise, tabulate, watch
from madbench.types import Ending, ParseStatus, Place, StopReason

ANSWERS = st.sampled_from([None, "A", "B", "C"])
NUMBERS = st.one_of(st.none(), st.floats(), st.booleans(), st.text(max_size=3))


@st.composite
def turns(draw):
    return turn(
        draw(st.sampled_from(["", "Answer: B", "Seven ducks. Answer: B", "Eight geese 12. Answer: C"])),
        draw(ANSWERS),
        seat=draw(st.integers(0, 3)),
        round=draw(st.integers(0, 2)),
        role=draw(st.sampled_from(["solver", "judge"])),
        spare=draw(st.booleans()),
        attempt=draw(st.integers(0, 1)),
        probability=draw(st.one_of(st.none(), st.floats(0, 1))),
        status=draw(st.sampled_from(ParseStatus)),
        tokens=(draw(st.integers(0, 50)), draw(st.integers(0, 50))),
    )


@st.composite
def records(draw, index):
    made = record(
        draw(ANSWERS),
        draw(st.lists(st.lists(ANSWERS, max_size=4), max_size=3)),
        draw(st.lists(turns(), max_size=6)),
        of=sample(f"q{index}", cluster=f"c{index // 2}"),
        scores=draw(st.dictionaries(st.sampled_from(["correct", "quoted"]), st.sampled_from([0.0, 1.0]))),
        stop=draw(st.sampled_from(StopReason)),
        facts=draw(st.dictionaries(st.sampled_from(["kept", "tied"]), NUMBERS)),
        confidence=draw(
            st.dictionaries(
                st.sampled_from(["vote_share", "stated_label"]), st.sampled_from([0.0, 0.3, 1.0, "low"])
            )
        ),
    )
    place = draw(st.one_of(st.none(), st.just(Place(index // 3, index % 3, ""))))
    return replace(made, place=place, ending=draw(st.sampled_from(Ending)))


@settings(max_examples=20, deadline=None)
@given(st.data(), st.integers(1, 6))
def test_numbers_are_finite_or_none(data, count):
    arms = [[data.draw(records(index)) for index in range(count)] for _ in range(2)]
    runs = [
        MeasuredRun(f"arm{number}", "toy", "any", "cast", 0, count, tabulate(map(measure, rows)))
        for number, rows in enumerate(arms)
    ]
    summary = summarise("any", runs)
    json.dumps(asdict(summary), allow_nan=False)
    for arm in summary.arms:
        for name, found in arm.metrics.items():
            if found.low is not None and found.high is not None:
                assert found.low - 1e-9 <= found.value <= found.high + 1e-9, name
                assert math.isfinite(found.low + found.high), name
    for found in summary.comparisons:
        assert found.low is None or found.low - 1e-9 <= found.difference <= found.high + 1e-9
        assert found.p is None or 0 < found.p <= 1
    for rows in arms:
        watch(rows)
