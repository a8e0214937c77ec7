"""Completions that were given once, found again by who asked for them and how."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from madbench.types import Completion, EngineError, Request

SHOWN = 120
"""Characters of a prompt that an error shows."""


class UnrecordedError(EngineError):
    """A turn that was never recorded."""


class Heard(NamedTuple):
    """One recorded completion; `identity` is its request's, empty where only who spoke is known."""

    who: str
    identity: str
    completion: Completion


@dataclass(slots=True)
class Recordings:
    """What was heard, by request identity and by seed; a seed stands for run, sample, role, seat and turn.

    `expected` names turns that might be asked for and are not there, by seed.
    """

    by_identity: dict[str, Heard] = field(default_factory=dict)
    by_seed: dict[int, list[Heard]] = field(default_factory=dict)
    expected: dict[int, str] = field(default_factory=dict)

    def add(self, seed: int, heard: Heard) -> Heard | None:
        """Keep one more. Returns another completion of an equal request, if one is there already."""
        twin = self.by_identity.setdefault(heard.identity, heard) if heard.identity else heard
        if twin.completion != heard.completion:
            return twin
        same = self.by_seed.setdefault(seed, [])
        if heard not in same:
            same.append(heard)
        return None

    def equal(self, identity: str, request: Request) -> Completion:
        """What was said to an equal request. Raises UnrecordedError naming who asks."""
        if (heard := self.by_identity.get(identity)) is None:
            others = self.by_seed.get(request.seed, [])
            raise UnrecordedError(self._missing(request, others, "recorded after another prompt only"))
        return heard.completion

    def likely(self, identity: str, request: Request) -> Completion:
        """What was said to an equal request, else the one thing that was said by who asks now.

        Raises UnrecordedError where there is none, or several that an opened-anew role said one after the other.
        """
        if identity in self.by_identity:
            return self.by_identity[identity].completion
        same = self.by_seed.get(request.seed, [])
        if len(same) != 1:
            raise UnrecordedError(self._missing(request, same, f"{len(same)} turns fit, none to the word"))
        return same[0].completion

    def _missing(self, request: Request, same: Sequence[Heard], why: str) -> str:
        who = same[0].who if same else self.expected.get(request.seed, "")
        named = f"{who}: {why}" if same else f"{who or 'a turn'} was never recorded"
        return f"{named}; the prompt ends {request.messages[-1].text[-SHOWN:]!r}"
