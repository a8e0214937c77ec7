"""Which kills a sweep is given: drawn by a seed, and told by whom they struck."""

import random
from collections import Counter
from dataclasses import dataclass

PHASES = {"slurm": 0.2, "merge": 0.2, "report": 0.1, "wandb": 0.2}
"""What share of the kills each gets; the others fall while a pool plays episodes, those of `slurm` while jobs do."""
WHO = {
    "playing": ("driver", "worker", "both"),
    "slurm": ("driver", "job", "slurmd", "slurmctld"),
    "merge": ("driver",),
    "report": ("driver",),
    "wandb": ("driver", "sender", "both"),
}
LONGEST = {"merge": 0.6, "report": 0.6, "wandb": 3.0}
"""Seconds after a phase began within which its kill comes, drawn evenly."""


@dataclass(frozen=True)
class Kill:
    """`point` is where in its phase it falls: a share of all rows' bytes while playing, else of that phase's time."""

    phase: str
    who: str
    point: float


def drawn(count, seed, slurm=True):
    """So many kills, those while episodes are played in order of time, the others in any. A round of those of jobs is
    not interrupted, so that a driver finds what a killed one left.
    """
    draws = random.Random(seed)
    shares = {phase: round(share * count) for phase, share in PHASES.items()}
    jobs = shares.pop("slurm") * slurm
    kills = [
        Kill(*one, draws.random()) for phase, share in shares.items() for one in dealt(draws, phase, share)
    ]
    draws.shuffle(kills)
    rounds, size = dealt(draws, "slurm", jobs), len(WHO["slurm"])
    blocks = [rounds[first : first + size] for first in range(0, jobs, size)]
    blocks += [[one] for one in dealt(draws, "playing", count - len(kills) - jobs)]
    draws.shuffle(blocks)
    played = [one for block in blocks for one in block]
    points = sorted(draws.random() for _ in played)
    return [Kill(*one, point) for one, point in zip(played, points, strict=True)] + kills


def dealt(draws, phase, count):
    """Whom a phase's kills strike: in rounds, each of which has everyone once, so that few kills leave nobody out."""
    rounds = [(phase, who) for _ in range(count) for who in draws.sample(WHO[phase], len(WHO[phase]))]
    return rounds[:count]


def told(struck):
    """Kills by phase, and by phase and whom."""
    phases = Counter()
    for (phase, _), count in struck.items():
        phases[phase] += count
    by_whom = ", ".join(f"{phase} of the {who} {count}" for (phase, who), count in sorted(struck.items()))
    return f"{dict(phases)} ({by_whom})"
