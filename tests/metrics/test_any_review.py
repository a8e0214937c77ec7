"""Whatever a review holds, its numbers are finite or None, shares are shares, and intervals hold their value."""

import json
import math
from dataclasses import asdict, replace

from hypothesis import given, settings
from hypothesis import strategies as st
from metrics.reviewing import finding, review

from madbench.metrics import MeasuredRun, measure, summarise, tabulate, watch
from madbench.types import (
    Accepted,
    Answered,
    Claimed,
    Ending,
    Event,
    Maintained,
    Objected,
    StopReason,
    Unaddressed,
    Withdrawn,
)
from madbench.types import Fault as Breach

SIDES = st.sampled_from("AB")
ROUNDS = st.integers(0, 3)
CLAIMS = st.sampled_from(["A/1", "A/2", "B/1", "C/9"])
OBJECTIONS = st.sampled_from(["B/1/1", "A/1/1", "B/2/1", "Z/9/9"])
LINES = st.integers(1, 9)
HEAD = {"by": SIDES, "round": ROUNDS}


@st.composite
def claimed(draw):
    one = finding(draw(LINES), draw(CLAIMS), sure=draw(st.none() | st.floats(0, 1)))
    missing = draw(st.lists(st.just("a.py:99"), max_size=1))
    return Claimed(by=draw(SIDES), round=0, finding=one, unresolved=tuple(missing))


ENTRIES = st.one_of(
    claimed(),
    st.builds(Objected, objection=OBJECTIONS, claim=CLAIMS, text=st.just("why"), **HEAD),
    st.builds(
        Answered,
        objection=OBJECTIONS,
        claim=CLAIMS,
        move=st.sampled_from(["CONCEDED", "REBUTTED", "CARRIED"]),
        reason=st.just("so"),
        fault=st.sampled_from(["", "no reason"]),
        **HEAD,
    ),
    st.builds(Unaddressed, objection=OBJECTIONS, claim=CLAIMS, **HEAD),
    st.builds(Withdrawn, objection=OBJECTIONS, claim=CLAIMS, **HEAD),
    st.builds(Maintained, objection=OBJECTIONS, claim=CLAIMS, **HEAD),
    st.builds(Accepted, claim=CLAIMS, **HEAD),
    st.builds(Breach, what=st.just("unknown_id"), **HEAD),
)


@st.composite
def records(draw, index):
    def found():
        return [
            finding(line, sure=draw(st.none() | st.floats(0, 1)))
            for line in draw(st.lists(LINES, max_size=3))
        ]

    lines = draw(st.lists(LINES, max_size=3, unique=True))
    first = [found() if draw(st.booleans()) else None for _ in range(draw(st.integers(1, 3)))]
    made = review(
        found() if draw(st.booleans()) else None,
        first,
        name=f"a{index}",
        cluster=f"c{index // 2}",
        lines=lines,
        ledger=draw(st.lists(ENTRIES, max_size=8)),
        stop=draw(st.sampled_from(StopReason)),
        facts=draw(st.sampled_from([{}, {"claims": 0}, {"legacy_theater": True}])),
    )
    if draw(st.booleans()):
        made = replace(made, outcome=replace(made.outcome, ledger=(Event("odd", "?", 0, "", {"x": [1]}),)))
    if draw(st.booleans()):
        made = replace(made, outcome=None, scores={}, error="it failed")
    return replace(made, ending=draw(st.sampled_from(Ending)))


@settings(max_examples=25, deadline=None)
@given(st.data(), st.integers(1, 5))
def test_numbers_of_reviews(data, count):
    arms = [[data.draw(records(index)) for index in range(count)] for _ in range(2)]
    names = ("adversarial_review", "adversarial_review_permissive")
    runs = [
        MeasuredRun(name, "toy", "any", "cast", 0, count, tabulate(map(measure, rows)))
        for name, rows in zip(names, arms, strict=True)
    ]
    summary = summarise("any", runs)
    json.dumps(asdict(summary), allow_nan=False)
    for arm in summary.arms:
        assert arm.metrics["accuracy"].value is None
        for name, found in arm.metrics.items():
            if name.endswith(("_rate", "_share")) or name.startswith(
                ("precision", "missed_issue", "theater", "f1")
            ):
                assert found.value is None or -1 <= found.value <= 1, name
            if found.low is not None and found.high is not None:
                assert found.low - 1e-9 <= found.value <= found.high + 1e-9, name
                assert math.isfinite(found.low + found.high), name
    for found in summary.comparisons:
        assert found.low is None or found.low - 1e-9 <= found.difference <= found.high + 1e-9
        assert found.p is None or 0 < found.p <= 1
    for rows in arms:
        watch(rows)
