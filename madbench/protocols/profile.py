"""A profile: notes about how somebody tends to go wrong, kept short by rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from madbench.protocols.notes import same_tendency, stylistic
from madbench.types import InputError, Strict


class Noted(Strict):
    """A tendency, and how often it was noted."""

    text: str
    count: int = 1


class Profile(Strict):
    """Notes, oldest first. Those noted often enough are active, the others wait."""

    notes: tuple[Noted, ...] = ()


@dataclass(frozen=True, slots=True)
class Change:
    """What became of a note, or of one that had to make room for it."""

    kind: Literal["note_proposed", "note_rejected", "note_merged", "note_surfaced", "note_evicted"]
    text: str


@dataclass(frozen=True, kw_only=True)
class Rules:
    """How notes are kept: `surface` notings make one active; beyond `capacity` the oldest that was noted once goes.

    Notes whose words overlap by `overlap` (Jaccard index) or more are one. `planted` is an active note from the start.
    """

    surface: int = 2
    capacity: int = 10
    overlap: float = 0.5
    planted: str = ""
    keeps: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.surface < 1 or self.capacity < 1 or not 0 < self.overlap <= 1:
            raise InputError(f"protocol.rules: {self}; wanted surface >= 1, capacity >= 1, 0 < overlap <= 1")

    def fresh(self) -> Profile:
        return Profile(notes=(Noted(text=self.planted, count=self.surface),) if self.planted else ())

    def active(self, profile: Profile) -> tuple[str, ...]:
        """The tendencies that a critic is told to probe."""
        return tuple(note.text for note in profile.notes if note.count >= self.surface)

    def add(self, profile: Profile, text: str) -> tuple[Profile, tuple[Change, ...]]:
        """The profile after one more note, and what happened on the way."""
        proposed = Change("note_proposed", text)
        if self.stylistic(text):
            return profile, (proposed, Change("note_rejected", text))
        for place, known in enumerate(profile.notes):
            if self.same(known.text, text):
                again = known.model_copy(update={"count": known.count + 1})
                notes = (*profile.notes[:place], again, *profile.notes[place + 1 :])
                return Profile(notes=notes), (proposed, Change("note_merged", text), *self._surfaced(again))
        new = Noted(text=text)
        profile, gone = self._make_room(profile, new)
        return profile, (proposed, *(() if new in gone else self._surfaced(new)), *_evicted(gone))

    def stylistic(self, text: str) -> bool:
        """Whether a note is about manner rather than reasoning."""
        return stylistic(text)

    def same(self, one: str, other: str) -> bool:
        return same_tendency(one, other, self.overlap)

    def victim(self, notes: tuple[Noted, ...]) -> int | None:
        """Which note makes room; None if all are confirmed, and confirmed notes stay."""
        return next((place for place, note in enumerate(notes) if note.count < self.surface), None)

    def _surfaced(self, note: Noted) -> tuple[Change, ...]:
        return (Change("note_surfaced", note.text),) if note.count == self.surface else ()

    def _make_room(self, profile: Profile, new: Noted) -> tuple[Profile, tuple[Noted, ...]]:
        """The profile with the note in it and whoever had to go, which may be the note itself."""
        notes = profile.notes
        if len(notes) < self.capacity:
            return Profile(notes=(*notes, new)), ()
        place = self.victim(notes)
        if place is None:
            return profile, (new,)
        return Profile(notes=(*notes[:place], *notes[place + 1 :], new)), (notes[place],)


class NoNotes(Rules):
    """Nothing is noted, and nobody is asked to."""

    keeps = False


def _evicted(gone: tuple[Noted, ...]) -> tuple[Change, ...]:
    return tuple(Change("note_evicted", note.text) for note in gone)
