import pytest

from madbench.records.seams import check_seam
from madbench.types import SeamError

ROWS = [("q1", 0), ("q1", 1), ("q2", 0)]


def test_order_does_not_matter():
    check_seam("here", ROWS, reversed(ROWS))
    check_seam("here", [], [])


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (ROWS[:2], r"planned 3 rows, found 2; 1 missing \[\('q2', 0\)\], 0 unplanned"),
        ([*ROWS, ROWS[0]], r"found 4; 0 missing \[\], 1 unplanned or doubled \[\('q1', 0\)\]"),
        (
            [*ROWS[:2], ("q3", 0)],
            r"found 3; 1 missing \[\('q2', 0\)\], 1 unplanned or doubled \[\('q3', 0\)\]",
        ),
        ([ROWS[0], ROWS[0], ROWS[1]], r"1 missing \[\('q2', 0\)\], 1 unplanned or doubled \[\('q1', 0\)\]"),
    ],
)
def test_what_differs_is_counted_and_named(found, words):
    with pytest.raises(SeamError, match="^here: .*" + words):
        check_seam("here", ROWS, found)


def test_only_the_first_ids_are_shown():
    with pytest.raises(SeamError) as caught:
        check_seam("here", ((f"q{n}", 0) for n in range(1000)), [])
    assert "1000 missing" in str(caught.value)
    assert len(str(caught.value)) < 300
