"""Recorded completions in place of a model: published or own debates played again, read and scored."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from madbench.engines.hashes import content_of, digest, request_identity
from madbench.engines.names import ModelName
from madbench.records.layout import RunFolder
from madbench.run.recordings import Heard, Recordings
from madbench.run.scoring import source
from madbench.run.transcripts import Transcripts
from madbench.types import Capability, Completion, InputError, Record, Request, Strict


class Runs(Strict):
    """What models said in runs of ours. `path` is a run's folder, or an experiment's, which means all its runs.

    With `match: request` a turn is given back to an equal request alone, with `seed` to whoever it is that asks
    (sample, role, seat, turn), whatever the prompt says by now.
    """

    source: Literal["runs"] = "runs"
    path: str
    match: Literal["request", "seed"] = "request"

    @property
    def features(self) -> frozenset[Capability]:
        held = {Capability.GRAMMAR} if self.match == "request" else set()
        return frozenset({Capability.SEEDED, Capability.LOGPROBS, *held})

    def folders(self) -> list[RunFolder]:
        """Raises InputError where no run is."""
        place = Path(self.path)
        found = [place] if (place / "plan.json").exists() else sorted((place / "runs").glob("*/plan.json"))
        if not found:
            raise InputError(f"{place}: no run in it; wanted a run's folder, or an experiment's")
        return [RunFolder(path if path.is_dir() else path.parent) for path in found]

    def check(self) -> None:
        self.folders()

    def identity(self) -> str:
        """Over all that was recorded."""
        files = [
            path for folder in self.folders() for path in (*folder.shards(), folder.turns) if path.exists()
        ]
        return digest([self.match, *sorted(content_of(path) for path in files)])

    def read(self) -> Recordings:
        """Raises InputError where two runs recorded different completions of equal requests."""
        recordings = Recordings()
        for folder in self.folders():
            for record in source(folder):
                _keep(record, recordings, folder)
        return recordings


Recorded = Annotated[Runs | Transcripts, Field(discriminator="source")]


class RecordedModel(Strict):
    """Says what was recorded; a turn that was not is an EngineError, so that its row waits."""

    name: ModelName
    recorded: Recorded

    @property
    def capabilities(self) -> frozenset[Capability]:
        return self.recorded.features

    def fingerprint(self) -> str:
        return self.recorded.identity()

    def check(self) -> None:
        """Raise InputError where nothing is recorded, or what is cannot be read."""
        self.recorded.check()

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[RecordedEngine]:
        """Read everything. Raises InputError as `check`."""
        yield RecordedEngine(self, await asyncio.to_thread(self.recorded.read))


class RecordedEngine:
    """Answers from recordings; whatever they hold fits."""

    def __init__(self, model: RecordedModel, recordings: Recordings) -> None:
        self._fingerprint, self._recordings = model.fingerprint(), recordings
        self._exact = model.recorded.match == "request"

    async def generate(self, request: Request) -> Completion:
        """What was recorded. Raises UnrecordedError, an EngineError, naming the turn that was not."""
        await asyncio.sleep(0)
        find = self._recordings.equal if self._exact else self._recordings.likely
        return find(request_identity("", request), request)

    def excess(self, request: Request) -> int:
        return 0

    def identity(self, request: Request) -> str:
        """As all engines', save that the seed counts for greedy requests too where it says who speaks."""
        return request_identity(f"{self._fingerprint}{'' if self._exact else request.seed}", request)


def _keep(record: Record, recordings: Recordings, folder: RunFolder) -> None:
    for turn in record.turns:
        who = f"{turn.speaker.role}/{turn.speaker.seat}, turn {turn.speaker.turn} of {record.id.sample}"
        heard = Heard(who, request_identity("", turn.request), turn.completion)
        if twin := recordings.add(turn.request.seed, heard):
            raise InputError(
                f"{folder.path}: {who}: another completion of an equal request than {twin.who} has; "
                "were they two models'? name one run's folder"
            )
