"""All checks of an experiment, in the order in which a run would meet what they look at."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from madbench.sweep.building import build
from madbench.sweep.configs import JobConfig
from madbench.sweep.doctor import asking, data, outside, places
from madbench.sweep.doctor.findings import Finding, guarded, table
from madbench.sweep.doctor.models import Weighed, models_of
from madbench.sweep.dry import Rehearsed, dearest
from madbench.sweep.endings import BAD_INPUT, DONE
from madbench.sweep.planning import Planned, plan
from madbench.sweep.tokens import Languages


def doctor(jobs: Sequence[JobConfig], choice: str, launcher: Mapping[str, object]) -> int:
    """Print what was found; 2 where anything makes a run impossible. `launcher` is the chosen one, with settings."""
    findings = examine(jobs, choice, launcher)
    print(table(findings), flush=True)
    return BAD_INPUT if any(one.level == "fail" for one in findings) else DONE


def examine(jobs: Sequence[JobConfig], choice: str, launcher: Mapping[str, object]) -> list[Finding]:
    """One part's failure hides no other's, as far as they can be told apart."""
    built, weighed = [build(job) for job in jobs], Weighed()
    findings = list[Finding]()
    for task in data.tasks_of([job.task for job in built]):
        findings += guarded("data", task.name, partial(data.whole, task))
    findings += [one for model in models_of(built) for one in weighed.look(model)]
    runs: list[Planned] = []
    findings += guarded("plan", f"{len(jobs)} runs", partial(_plan, jobs, runs))
    fits = partial(
        asking.fits,
        weighed=weighed,
        resident=str(launcher.get("resident", "all")),
        elsewhere=choice != "pool",
    )
    findings += _played(runs, fits)
    home = jobs[0].home
    findings += guarded("folder", str(home), partial(places.folders, home, hub="hub" in str(jobs)))
    findings += guarded("launcher", choice, partial(outside.launcher, choice, launcher))
    for tracking in {json.dumps(job.parts.tracking, sort_keys=True) for job in jobs}:
        findings += guarded("tracking", "", partial(outside.tracker, json.loads(tracking)))
    return findings


def _plan(jobs: Sequence[JobConfig], runs: list[Planned]) -> Iterator[Finding]:
    """All that a start refuses before it loads anything."""
    runs += plan(jobs)
    episodes = sum(run.episodes for run in runs)
    yield Finding(
        "ok", "plan", f"{len(runs)} runs", f"{episodes} episodes; every role is played and can be held"
    )


def _played(
    runs: Sequence[Planned], fits: Callable[[Sequence[Rehearsed]], Iterator[Finding]]
) -> list[Finding]:
    """What an episode of every run would ask."""
    languages, rehearsed, findings = Languages(), list[Rehearsed](), list[Finding]()
    for run in runs:
        findings += guarded("prompts", run.name.arm, partial(_rehearse, run, languages, rehearsed))
    for one in rehearsed:
        findings += guarded("grammar", one.run.name.arm, partial(asking.grammars, one))
    if rehearsed:
        home = rehearsed[0].run.config.home
        findings += guarded("memory", "", partial(fits, rehearsed))
        findings += guarded("disk", str(home), lambda: [places.room(home, places.estimate(rehearsed))])
    return findings


def _rehearse(run: Planned, languages: Languages, rehearsed: list[Rehearsed]) -> Iterator[Finding]:
    one = dearest(run, languages)
    rehearsed.append(one)
    yield from asking.prompts(one, languages)
