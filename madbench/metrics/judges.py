"""Judges are models too: how far their rulings agree with the gold, by what was shown first and by who argued."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import JsonValue

from madbench.metrics.movement import Right
from madbench.types import Outcome


def ruled(outcome: Outcome, right: Right) -> dict[str, float]:
    """Shares of an episode's rulings (`facts["rulings"]`: `answer`, the option `shown` first, and of a consultancy the
    one `argued` for) that are right; one that could not be read is wrong. Nothing without rulings, or of such.
    """
    rulings = outcome.facts.get("rulings")
    if not isinstance(rulings, list):
        return {}
    given = [Given(one) for one in rulings if isinstance(one, dict)]
    shares = {
        "": _right(given, right),
        "_right_shown_first": _right((one for one in given if right(one.of("shown"))), right),
        "_right_shown_last": _right((one for one in given if not right(one.of("shown"))), right),
        "_right_argued": _right(
            (one for one in given if one.of("argued") and right(one.of("argued"))), right
        ),
        "_wrong_argued": _right(
            (one for one in given if one.of("argued") and not right(one.of("argued"))), right
        ),
    }
    return {f"fact:judge_agreement{name}": share for name, share in shares.items() if share is not None}


class Given(dict[str, JsonValue]):
    """A ruling as a protocol wrote it down."""

    def of(self, name: str) -> str | None:
        found = self.get(name)
        return found if isinstance(found, str) else None


def _right(rulings: Iterable[Given], right: Right) -> float | None:
    given = [right(one.of("answer")) for one in rulings]
    return sum(given) / len(given) if given else None
