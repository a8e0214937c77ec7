"""How faithful a restatement is: what it keeps of a text, what it weakens, what it puts in.

A claim is a sentence with content. A claim of the original is *found* in the restatement if at least half of its
content words and all of its numbers occur there, and the sentence there that shares most with it denies as
often (an odd or an even number of times). A found claim is *softened* if that sentence hedges and the original
does not, else *kept*; the rest is lost. A claim of the restatement that is not found in the original is *added*.
Deterministic and cheap; synonyms count as losses, so compare arms, not absolute values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean

from madbench.protocols.claims import Claim, claims

HALF = 0.5


@dataclass(frozen=True, slots=True)
class Fidelity:
    """Shares in [0, 1]: of the original's claims `kept` and `softened`, of the restatement's `added`.

    None where there was no claim to keep, or none that could have been added.
    """

    kept: float | None
    softened: float | None
    added: float | None


def fidelity(original: str, restated: str) -> Fidelity:
    """Compare a restatement with what it restates."""
    before, after = claims(original), claims(restated)
    pairs = [(claim, _closest(claim, after)) for claim in before if _found(claim, after)]
    softened = sum(there.hedged and not claim.hedged for claim, there in pairs)
    added = sum(not _found(claim, before) for claim in after)
    return Fidelity(
        (len(pairs) - softened) / len(before) if before else None,
        softened / len(before) if before else None,
        added / len(after) if after else None,
    )


def average(values: Sequence[float | None]) -> float | None:
    """The mean of the defined values; None if there are none."""
    defined = [value for value in values if value is not None]
    return mean(defined) if defined else None


def _found(claim: Claim, others: Sequence[Claim]) -> bool:
    units = frozenset[str]().union(*(other.units for other in others))
    numbers = frozenset[str]().union(*(other.numbers for other in others))
    if not others or len(claim.units & units) < HALF * len(claim.units) or claim.numbers - numbers:
        return False
    return _closest(claim, others).negated == claim.negated


def _closest(claim: Claim, others: Sequence[Claim]) -> Claim:
    """The sentence that shares most with a claim, the earliest of equals."""
    return max(others, key=lambda other: len(claim.units & other.units))
