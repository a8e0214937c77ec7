"""Transcripts that others recorded: a JSON line a turn, its keys named by a small adapter."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import Field, JsonValue

from madbench.engines.hashes import content_of, digest
from madbench.run.recordings import Heard, Recordings
from madbench.types import Capability, Completion, InputError, Strict, ask_seed, episode_seed


class Columns(Strict):
    """Under which key a turn's line holds what. Without `turn` the lines of a speaker are its turns in order,
    without `epoch` there is one, without `finish` no reply was cut short.
    """

    sample: str = "sample"
    speaker: str = "speaker"
    text: str = "text"
    turn: str | None = None
    epoch: str | None = None
    finish: str | None = None
    prompt_tokens: str | None = None
    output_tokens: str | None = None


class Line(NamedTuple):
    """One line, and where it stands."""

    where: str
    row: Mapping[str, JsonValue]


class Spoken(NamedTuple):
    """Whose turn a line is."""

    sample: str
    epoch: int
    role: str
    seat: int
    turn: int

    def seed(self, seed: int) -> int:
        return ask_seed(episode_seed(seed, self.epoch, self.sample), self.role, self.seat, turn=self.turn)

    def __str__(self) -> str:
        return f"{self.role}/{self.seat}, turn {self.turn} of {self.sample}"


class Transcripts(Strict):
    """A JSONL file of turns. `seed` is the run's own; `speakers` gives each speaker there its role and seat here
    (`{alice: solver/0, bob: solver/1}`); names that are not among them are taken as they are, seat 0 unless named.

    Counts of tokens come from their columns; without, `bytes_per_token` says how to estimate a reply's from its
    text (the prompt's then count as none, since nobody knows the prompts).
    """

    source: Literal["transcripts"] = "transcripts"
    path: str
    seed: int = 0
    columns: Columns = Columns()
    speakers: Mapping[str, str] = Field(default_factory=dict)
    bytes_per_token: float | None = Field(default=None, gt=0)
    match: Literal["seed"] = "seed"

    @property
    def features(self) -> frozenset[Capability]:
        return frozenset({Capability.SEEDED})

    def check(self) -> None:
        """Raise InputError naming the line at fault."""
        self.read()

    def identity(self) -> str:
        """Over the file's content and how it is read."""
        if not Path(self.path).is_file():
            raise InputError(f"recorded.path: no file {self.path}")
        plain = self.model_dump(mode="json", exclude={"path"})
        return digest([content_of(Path(self.path)), plain])

    def read(self) -> Recordings:
        """Raises InputError naming the line and key at fault, or a turn that is there twice."""
        recordings, said = Recordings(), Counter[Spoken]()
        for line in self._lines():
            who = self._spoken(line, said)
            seed = who.seed(self.seed)
            if seed in recordings.by_seed:
                raise InputError(f"{line.where}: {who} is there twice")
            recordings.add(seed, Heard(str(who), "", self._completion(line)))
            after = who._replace(turn=who.turn + 1)
            recordings.expected[after.seed(self.seed)] = str(after)
        return recordings

    def _lines(self) -> Iterator[Line]:
        try:
            text = Path(self.path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"recorded.path: cannot read {self.path}: {error}") from error
        for number, line in enumerate(text.split("\n"), 1):
            if not line.strip():
                continue
            where = f"{self.path}, line {number}"
            try:
                row = json.loads(line)
            except ValueError as error:
                raise InputError(f"{where}: not JSON: {error}") from error
            if not isinstance(row, dict):
                raise InputError(f"{where}: wanted an object, found {line[:80]!r}")
            yield Line(where, row)

    def _spoken(self, line: Line, said: Counter[Spoken]) -> Spoken:
        """Whose turn a line is; counts the turns of each speaker."""
        columns = self.columns
        named = text_of(line, columns.speaker)
        role, _, seat = self.speakers.get(named, named).partition("/")
        if not role or not (seat or "0").isdecimal():
            raise InputError(f"{line.where}: speaker {named!r} is no role and seat, as in solver/0")
        epoch = count_of(line, columns.epoch) if columns.epoch else 0
        first = Spoken(text_of(line, columns.sample), epoch, role, int(seat or 0), 0)
        said[first] += 1
        turn = count_of(line, columns.turn) if columns.turn else said[first] - 1
        return first._replace(turn=turn)

    def _completion(self, line: Line) -> Completion:
        columns, text = self.columns, text_of(line, self.columns.text)
        if columns.output_tokens is not None:
            prompt = count_of(line, columns.prompt_tokens) if columns.prompt_tokens else 0
            output = count_of(line, columns.output_tokens)
        elif self.bytes_per_token is not None:
            prompt, output = 0, int(-(-len(text.encode(errors="replace")) // self.bytes_per_token))
        else:
            raise InputError(
                "recorded: nothing says how many tokens a turn took; name columns.output_tokens (and prompt_tokens), "
                "or have replies estimated with bytes_per_token (about 4 for English)"
            )
        cut = columns.finish is not None and text_of(line, columns.finish) == "length"
        return Completion(text, "length" if cut else "stop", prompt, output)


def text_of(line: Line, key: str) -> str:
    """A text, or a number as one. Raises InputError where a line lacks it."""
    value = line.row.get(key)
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise InputError(
            f"{line.where}: {key}: wanted text, found {value!r}; its keys are {sorted(line.row)}"
        )
    return str(value)


def count_of(line: Line, key: str) -> int:
    """A whole number from 0. Raises InputError where a line lacks it."""
    value = line.row.get(key)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise InputError(
            f"{line.where}: {key}: wanted a whole number from 0, found {value!r}; its keys are {sorted(line.row)}"
        )
    return value
