"""How long the quickstart takes beside the same calls in static batches, and whether these give the same replies.

    python experiments/throughput/quickstart.py --limit 8

The quickstart is run as its users run it. Then its distinct calls are done arm by arm and wave by wave (what an arm
could ask at once), sorted by length, in batches: through `generate`, where rows that are over wait for the longest, and
through madbench's decoder without joining and without reuse, which draws the same replies in float32.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from operator import attrgetter
from pathlib import Path

import ways
from shapes import embedded
from work import Call

from madbench.engines.jobs import Job
from madbench.engines.local.loading import Loaded
from madbench.records.layout import RunFolder
from madbench.records.tables import read_records
from madbench.types import Completion, Record, Request, Turn


@dataclass(frozen=True, slots=True)
class Asked:
    """One call of an arm, in which of its waves, and what came back."""

    arm: str
    wave: int
    request: Request
    completion: Completion


def play(folder: Path, dtype: str, limit: int) -> list[RunFolder]:
    """Run the quickstart; its run folders."""
    words = (f"cast.default.dtype={dtype}", f"output_root={folder}", f"limit={limit}")
    subprocess.run([sys.executable, "-m", "madbench", "+experiment=quickstart", *words], check=True)
    return [RunFolder(path) for path in sorted((folder / "quickstart" / "runs").iterdir())]


def seconds(runs: Sequence[RunFolder]) -> float:
    """From the first episode's beginning to the last one's end, loading and tables left out."""
    lines = [line.split() for run in runs for line in run.log.read_text(encoding="utf-8").splitlines()]
    times = {
        state: [datetime.fromisoformat(words[0]) for words in lines if words[1:] == [state]]
        for state in ("running", "done")
    }
    return (max(times["done"]) - min(times["running"])).total_seconds()


def calls(runs: Sequence[RunFolder]) -> list[Asked]:
    """The distinct calls of all arms, each in the first arm that makes it."""
    found: dict[Request, Asked] = {}
    for run in runs:
        for asked in _calls(run):
            found.setdefault(asked.request, asked)
    return list(found.values())


def _calls(run: RunFolder) -> Iterator[Asked]:
    """An arm's calls; an episode of a session comes after those before it."""
    ended: dict[object, int] = {}
    for record in sorted(read_records(run), key=_position):
        session = record.place.session if record.place else record.id
        wave = ended.get(session, 0)
        for wave, turn in waves(record.turns, wave):  # noqa: B020
            yield Asked(run.path.name, wave, turn.request, turn.completion)
        ended[session] = wave + 1


def _position(record: Record) -> int:
    return record.place.position if record.place else 0


def waves(turns: Sequence[Turn], first: int) -> Iterator[tuple[int, Turn]]:
    """Turns with the number of their wave: seats of one role that are asked for the same turn are asked at once."""
    number = first
    for before, turn in zip([None, *turns], turns, strict=False):
        number += before is not None and not _together(before, turn)
        yield number, turn


def _together(before: Turn, turn: Turn) -> bool:
    one, other = before.speaker, turn.speaker
    same = (one.role, one.turn, one.attempt) == (other.role, other.turn, other.attempt)
    return same and one.seat < other.seat


def batches(asked: Sequence[Asked], loaded: Loaded, rows: int) -> list[list[tuple[Asked, Call]]]:
    """Static batches: of one arm and wave, sorted by the length of their prompts."""
    found = []
    for _, wave in groupby(sorted(asked, key=attrgetter("arm", "wave")), attrgetter("arm", "wave")):
        pairs = [(one, _call(one, loaded)) for one in wave]
        pairs.sort(key=lambda pair: len(pair[1].ids))
        found += [pairs[start : start + rows] for start in range(0, len(pairs), rows)]
    return found


def _call(asked: Asked, loaded: Loaded) -> Call:
    return Call(0, asked.wave, tuple(loaded.chat.ids(asked.request.messages)), asked.completion.output_tokens)


def decoded(loaded: Loaded, cut: Sequence[Sequence[tuple[Asked, Call]]]) -> int:
    """Run the batches through madbench's decoder; how many replies are those of the run."""
    same = 0
    for batch in cut:
        decoder = loaded.decoder(0)
        jobs = {Job(one.request, call.ids): one for one, call in batch}
        decoder.admit(list(jobs))
        while decoder.live:
            same += sum(reply.text == jobs[job].completion.text for job, reply in decoder.advance())
    return same


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--limit", type=int, default=48, help="questions of the quickstart")
    parser.add_argument("--rows", type=int, default=48, help="rows of a static batch")
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--generate", action=argparse.BooleanOptionalAction, default=True)
    return parser.parse_args()


def main() -> None:
    arguments = options()
    with tempfile.TemporaryDirectory() as folder:
        runs = play(Path(folder), arguments.dtype, arguments.limit)
        took, asked = seconds(runs), calls(runs)
    ours, plain, _ = embedded("auto", arguments.dtype, arguments.rows)
    cut = batches(asked, ours, arguments.rows)
    print(f"madbench: {took:.0f} s, {len(asked)} distinct calls; static: {len(cut)} batches", flush=True)
    start = time.perf_counter()
    same = decoded(ours, cut)
    static = time.perf_counter() - start
    print(f"madbench's decoder, static: {static:.0f} s, {same} of {len(asked)} replies equal", flush=True)
    found = {
        "madbench_s": took,
        "static_s": static,
        "ratio": static / took,
        "calls": len(asked),
        "equal": same,
    }
    if arguments.generate:
        run = ways.generated(plain.model, 0.7)
        start = time.perf_counter()
        for batch in cut:
            run([call for _, call in batch])
        waiting = time.perf_counter() - start
        found |= {"generate_s": waiting, "generate_ratio": waiting / took}
    print(json.dumps(found))


if __name__ == "__main__":
    main()
