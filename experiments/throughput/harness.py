"""How much the harness itself costs: debates on a simulated model, timed stage by stage, memory watched.

    python experiments/throughput/harness.py --debates 20000
    python experiments/throughput/harness.py --counts 10000 100000 1000000 --exchanges 1

A quarter of the debates are played in a process of their own first, so that growth per episode can be told: both
processes hold the same questions, and differ in how many of them they debate. With `--counts` every count is a process
with as many questions, and its line says what a debate took of all stages together.
"""

import argparse
import asyncio
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from madbench.agents import Cast
from madbench.engines.simulated import SimulatedModel
from madbench.metrics import MeasuredRun, summarise
from madbench.protocols.debate import Debate
from madbench.records.journal import Journal
from madbench.records.layout import RunFolder
from madbench.records.tables import read_records
from madbench.run.job import Job, RunName, run_job, samples_of
from madbench.run.journaled import JournaledEngine
from madbench.run.merging import merge, write_numbers
from madbench.sweep.worker import look_seldom_for_cycles
from madbench.tasks.synthetic import Synthetic
from madbench.types import Record, RoleSettings

AGENTS = 3
MODEL = SimulatedModel(0.6, 0.4)
NAME = RunName("throughput", "synthetic", "debate", "simulated")
Stages = dict[str, dict[str, float]]


class Clock:
    """Seconds, seconds of processor time and peak memory by stage."""

    def __init__(self) -> None:
        self.stages: Stages = {}
        self._last = now()

    def lap(self, stage: str) -> None:
        before, self._last = self._last, now()
        seconds, processor = (end - start for end, start in zip(self._last, before, strict=True))
        self.stages[stage] = {"seconds": seconds, "processor": processor, "peak": peak()}

    def skip(self) -> None:
        """Count nothing of what went before."""
        self._last = now()


def now() -> tuple[float, float]:
    return time.perf_counter(), time.process_time()


def peak() -> int:
    """Peak resident memory of this process so far, in bytes.

    Linux counts a parent's peak as its child's in getrusage, not in /proc.
    """
    status = Path("/proc/self/status")
    if status.exists():
        (kilobytes,) = (
            line.split()[1] for line in status.read_text().splitlines() if line.startswith("VmHWM")
        )
        return int(kilobytes) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


async def play(job: Job, journal: Path | None) -> None:
    async with MODEL.open() as engine:
        if journal is None:
            await run_job(job, Cast({"default": [engine]}))
            return
        with Journal(journal) as kept:
            await run_job(job, Cast({"default": [JournaledEngine(engine, kept)]}))


async def bare_calls(records: Sequence[Record]) -> None:
    """The recorded requests once more, straight to the engine."""
    async with MODEL.open() as engine:
        for record in records:
            for turn in record.turns:
                await engine.generate(turn.request)


def measure(path: Path, questions: int, debates: int, exchanges: int, *, journaled: bool) -> Stages:
    """One process's share: every stage of a run of so many debates."""
    look_seldom_for_cycles()
    clock, task = Clock(), Synthetic(questions)
    protocol = Debate(agents=AGENTS, debate_rounds=exchanges)
    job = Job(RunFolder(path / "run"), task, protocol, RoleSettings(), 0, 1, debates, NAME)
    samples_of(task)
    clock.lap("questions")
    asyncio.run(play(job, path / "journal" if journaled else None))
    clock.lap("episodes")
    merge(job.folder)
    clock.lap("tables")
    clock.stages |= in_process(["--numbers", str(path)])
    clock.skip()
    few = [record for record, _ in zip(read_records(job.folder), range(500), strict=False)]
    clock.lap("reading")
    asyncio.run(bare_calls(few))
    clock.lap("calls")
    del clock.stages["reading"]
    for unit in ("seconds", "processor"):
        clock.stages["calls"][unit] *= debates / len(few)
    return clock.stages


def numbers(path: Path) -> Stages:
    """The tables measured and summarised, as `score` does it, in a process that did nothing else."""
    clock, folder = Clock(), RunFolder(path / "run")
    rows = write_numbers(folder)
    clock.lap("metrics")
    summarise(NAME.arm, [MeasuredRun(NAME.arm, NAME.task, NAME.protocol, NAME.cast, 0, len(rows), rows)])
    clock.lap("summary")
    return clock.stages


def in_process(arguments: Sequence[str]) -> Stages:
    """What this script prints as stages when it is started with these arguments."""
    done = subprocess.run(
        [sys.executable, __file__, *arguments], check=True, stdout=subprocess.PIPE, text=True
    )
    stages: Stages = json.loads(done.stdout)
    return stages


def apart(arguments: argparse.Namespace, questions: int, debates: int) -> Stages:
    """The stages of so many debates about the first of these questions, measured in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["--debates", str(questions), "--only", str(debates), "--folder", folder]
        command += ["--exchanges", str(arguments.exchanges)]
        return in_process(command + ([] if arguments.journal else ["--no-journal"]))


def report(debates: int, calls: int, few: Stages, whole: Stages) -> None:
    """The printed table."""
    print(f"{debates} debates of {calls} calls, simulated model")
    print(
        f"{'stage':<10}{'seconds':>9}{'processor':>11}{'us a call':>11}{'peak MB':>9}{'bytes more an episode':>23}"
    )
    for stage, found in whole.items():
        growth = (found["peak"] - few[stage]["peak"]) / (debates - debates // 4)
        per_call = found["processor"] / debates / calls * 1e6
        print(
            f"{stage:<10}{found['seconds']:>9.1f}{found['processor']:>11.1f}{per_call:>11.1f}"
            f"{found['peak'] / 1e6:>9.0f}{growth:>23.0f}"
        )
    ours = total(whole, "processor")
    share = whole["calls"]["processor"] / ours
    print(f"{ours:.0f} s of one core, of which the calls themselves are {share:.0%} (measured alone)")


def total(stages: Stages, unit: str) -> float:
    """Of all stages but the calls that are made once more."""
    return sum(found[unit] for stage, found in stages.items() if stage != "calls")


def counted(arguments: argparse.Namespace) -> None:
    """A line for every count: what all stages together took of a debate, and the highest peak of any."""
    print(f"{'debates':>9}{'seconds':>9}{'us a debate':>13}{'processor':>11}{'peak MB':>9}", flush=True)
    for debates in arguments.counts:
        stages = apart(arguments, debates, debates)
        seconds, processor = (total(stages, unit) for unit in ("seconds", "processor"))
        peaks = (found["peak"] for stage, found in stages.items() if stage != "calls")
        print(
            f"{debates:>9}{seconds:>9.0f}{seconds / debates * 1e6:>13.0f}{processor / debates * 1e6:>11.0f}"
            f"{max(peaks) / 1e6:>9.0f}",
            flush=True,
        )
        print(json.dumps(stages), flush=True)


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--debates", type=int, default=20_000)
    parser.add_argument("--exchanges", type=int, default=2, help="after the first answers")
    parser.add_argument("--counts", type=int, nargs="+", help="whole runs of so many debates each")
    parser.add_argument("--journal", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--only", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--numbers", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> None:
    arguments = options()
    if arguments.numbers:
        print(json.dumps(numbers(arguments.numbers)))
    elif arguments.only:
        extent = arguments.debates, arguments.only, arguments.exchanges
        print(json.dumps(measure(arguments.folder, *extent, journaled=arguments.journal)))
    elif arguments.counts:
        counted(arguments)
    else:
        few, whole = (apart(arguments, arguments.debates, arguments.debates // k) for k in (4, 1))
        report(arguments.debates, AGENTS * (1 + arguments.exchanges), few, whole)


if __name__ == "__main__":
    main()
