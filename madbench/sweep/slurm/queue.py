"""What SLURM says of jobs, and the few things it is told. All through its own commands."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from madbench.types import InputError, MadbenchError

SECONDS = 60.0
"""A command that takes longer is taken for one that failed."""
PREEMPTED = "PREEMPTED"
"""What a job has become whose place another took; for good, where the site says `PreemptMode=CANCEL`."""
ENDED = frozenset(
    (
        *(
            "COMPLETED",
            "FAILED",
            "CANCELLED",
            "TIMEOUT",
            "NODE_FAIL",
            PREEMPTED,
            "OUT_OF_MEMORY",
            "BOOT_FAIL",
        ),
        *("DEADLINE", "REVOKED"),
    )
)
"""States that a job does not leave, but for a requeue that follows at once."""
HOPELESS = (
    *("launch failed requeued held", "launch failure limit exceeded", "JobHoldMaxRequeue"),
    *("DependencyNeverSatisfied", "BadConstraints"),
)
"""Reasons for waiting that waiting does not end."""
Place = tuple[str, int]
"""A batch's name and a task's number in it: what a job is called before and after SLURM gave it an id."""


class QueueError(MadbenchError):
    """SLURM could not be asked."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A job as the queue shows it."""

    id: str
    state: str
    reason: str

    @property
    def over(self) -> bool:
        return self.state in ENDED

    @property
    def hopeless(self) -> bool:
        return self.state == "PENDING" and self.reason.startswith(HOPELESS)


def look(names: Iterable[str]) -> dict[Place, Seen]:
    """All tasks of these arrays that the queue knows, ended ones among them for some minutes.

    Raises QueueError where it cannot be asked.
    """
    wanted = f"--name={','.join(names)}"
    text = _asked(["squeue", "--me", "--noheader", "--array", "--states=all", wanted, "--format=%j|%i|%T|%r"])
    found: dict[Place, Seen] = {}
    for line in text.splitlines():
        name, id, state, reason = line.strip().split("|", 3)
        if (number := id.rpartition("_")[2]).isdigit():
            found[name, int(number)] = Seen(id, state, reason)
    return found


SACCT = ("sacct", "--allocations", "--noheader", "--parsable2", "--format=State,ExitCode,NodeList")


def cause(id: str) -> str:
    """What ended a job, as far as SLURM still knows and tells."""
    accounting = "there is no sacct to ask"
    for command in (("scontrol", "--oneliner", "show", "job", id), (*SACCT, "--jobs", id)):
        try:
            text = _asked(command)
        except QueueError:
            continue
        if told := _told(text):
            return told
        if command[0] == "sacct":
            accounting = "sacct does not know it"
    return f"the queue no longer knows it, and {accounting}"


def _told(text: str) -> str:
    """`FAILED, exit code 0:9, on n1`, from either command's words; nothing from none."""
    fields = dict(re.findall(r"(\w+)=(\S*)", text))
    if "JobState" in fields:
        state, code, nodes = fields["JobState"], fields.get("ExitCode", ""), fields.get("NodeList", "")
    elif text.count("|") >= 2:
        state, code, nodes = text.splitlines()[0].split("|", 2)
    else:
        return ""
    return f"{state}, exit code {code}" + (
        f", on {nodes}" if nodes not in ("", "(null)", "None assigned") else ""
    )


def cancel(ids: Sequence[str]) -> None:
    """Ask SLURM to end jobs. Raises QueueError where it could not be asked."""
    if ids:
        _asked(["scancel", *ids])


def max_array() -> int:
    """How many tasks an array may have at this site. Raises QueueError where it does not say, InputError where it has
    no arrays.
    """
    found = re.search(r"^MaxArraySize\s*=\s*(\d+)", _asked(["scontrol", "show", "config"]), re.MULTILINE)
    if found is None:
        raise QueueError("scontrol show config names no MaxArraySize")
    if not int(found[1]):
        raise InputError(
            "hydra/launcher=slurm: this site has switched job arrays off (MaxArraySize=0), and a sweep's jobs are one; "
            "have that changed, or run hydra/launcher=pool inside of a job of your own"
        )
    return int(found[1])


def together(ids: Iterable[str]) -> list[str]:
    """Ids of tasks in SLURM's short form: `12_[0-3,5]`."""
    arrays: dict[str, list[int]] = {}
    for id in ids:
        array, _, number = id.rpartition("_")
        arrays.setdefault(array, []).append(int(number))
    return [f"{array}_[{_ranges(sorted(numbers))}]" for array, numbers in sorted(arrays.items())]


def _ranges(numbers: Sequence[int]) -> str:
    spans: list[list[int]] = []
    for number in numbers:
        if spans and spans[-1][1] == number - 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in spans)


def counts(jobs: Iterable[Seen]) -> str:
    """`2 RUNNING, 1 PENDING`."""
    states = [job.state for job in jobs]
    return ", ".join(f"{states.count(state)} {state}" for state in dict.fromkeys(states))


def unfiltered(variables: Mapping[str, str]) -> dict[str, str]:
    """An environment without a user's own filters (`SQUEUE_PARTITION`, …), under which jobs seem to be gone."""
    return {
        name: value
        for name, value in variables.items()
        if not name.startswith(("SQUEUE_", "SCANCEL_", "SCONTROL_", "SACCT_")) and name != "SLURM_CLUSTERS"
    }


def _asked(command: Sequence[str]) -> str:
    try:
        done = subprocess.run(
            command, env=unfiltered(os.environ), capture_output=True, text=True, timeout=SECONDS, check=True
        )
    except FileNotFoundError as error:
        raise QueueError(f"no {command[0]} on this machine") from error
    except subprocess.CalledProcessError as error:
        raise QueueError(
            f"{command[0]}: {error.stderr.strip() or f'exit code {error.returncode}'}"
        ) from error
    except subprocess.TimeoutExpired as error:
        raise QueueError(f"{command[0]}: no answer in {SECONDS:.0f} s") from error
    return done.stdout
