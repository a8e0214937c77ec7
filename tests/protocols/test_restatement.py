"""How faithful a restatement is: kept, softened, lost, added."""

import pytest
from hypothesis import given
from hypothesis import strategies as some

from madbench.protocols.claims import claims, content, tokens
from madbench.protocols.restatement import Fidelity, average, fidelity

RAW = "Seven minus two is five. Five plus four is nine. The answer cannot be negative."


@pytest.mark.parametrize(
    ("original", "restated", "expected"),
    [
        (RAW, RAW, (1, 0, 0)),
        (RAW, "9 is 5 plus 4, and 5 is 7 minus 2. It cannot be negative.", (1, 0, 0)),
        (RAW, "Seven minus two is five. The answer cannot be negative.", (2 / 3, 0, 0)),
        (RAW, "Seven minus two is five.", (1 / 3, 0, 0)),
        (RAW, "Possibly seven minus two is five.", (0, 1 / 3, 0)),
        (RAW, "Seven minus two is five. The answer can be negative.", (1 / 3, 0, 1 / 2)),
        (RAW, "Pigs fly at night.", (0, 0, 1)),
        ("The total is 1,200.50.", "The total is 1200.5.", (1, 0, 0)),
        ("The total is 12.", "The total is 120.", (0, 0, 1)),
        ("It may rain tomorrow.", "Rain tomorrow is possible.", (1, 0, 0)),  # hedged before and after
        ("Doors open slowly.", "Doors don't open slowly.", (0, 0, 1)),
        ("Doors don't open slowly.", "Doors do not open slowly.", (1, 0, 0)),
        ("The author generalises from examples.", "The author generalizes from an example.", (1, 0, 0)),
    ],
)
def test_what_a_restatement_keeps_softens_and_adds(original, restated, expected):
    found = fidelity(original, restated)
    assert (found.kept, found.softened, found.added) == pytest.approx(expected)


def test_shares_without_claims_are_undefined():
    assert fidelity("", "Nine.") == Fidelity(None, None, 1)
    assert fidelity("Nine.", "") == Fidelity(0, 0, None)
    assert fidelity("…", "") == Fidelity(None, None, None)


def test_the_mean_leaves_the_undefined_out():
    assert average([1, None, 0]) == 0.5
    assert average([None]) is None
    assert average([]) is None


@given(some.text(max_size=80), some.text(max_size=80))
def test_shares_are_shares_for_any_text(original, restated):
    found = fidelity(original, restated)
    for share in (found.kept, found.softened, found.added):
        assert share is None or 0 <= share <= 1
    assert (found.kept or 0) + (found.softened or 0) <= 1


@given(some.text(max_size=80))
def test_a_text_keeps_itself(text):
    found = fidelity(text, text)
    assert found.softened in (None, 0)
    assert found.added in (None, 0)
    assert found.kept in (None, 1)


@pytest.mark.parametrize(
    ("text", "stems"),
    [
        ("over-relies", content(tokens("excessively relies"))),
        ("overrelies", content(tokens("excessively relies"))),
        ("overlooks", ["overlook"]),
        ("adding adds", ["ad", "ad"]),
        ("skipping", ["skip"]),
        ("three 3 3.0", ["3", "3", "3"]),
        ("is this the", []),
        ("1.2.3", ["1.2.3"]),
        ("Größe", ["größ"]),
    ],
)
def test_stems(text, stems):
    assert content(tokens(text)) == stems


def test_claims_are_sentences_with_content():
    assert len(claims("One is odd. … And so?\nTwo is even; three is not.")) == 3
    assert [claim.negated for claim in claims("It is not so bad. It isn't not bad.")] == [True, False]
