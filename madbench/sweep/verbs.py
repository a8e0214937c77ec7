"""The verbs beside running: thin commands over records, metrics and reports."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from madbench.sweep.endings import DONE
from madbench.types import InputError


@dataclass(frozen=True, slots=True)
class Verb:
    """`usage` shows the arguments; `act` takes them and returns the exit code."""

    usage: str
    meaning: str
    act: Callable[[Sequence[str]], int]


def perform(name: str, arguments: Sequence[str]) -> int:
    """Do a verb. Raises InputError for an unknown one, naming those there are."""
    if name not in VERBS:
        raise InputError(
            f"no verb {name!r}; there are {', '.join(VERBS)} (an override has the form key=value)"
        )
    return VERBS[name].act(arguments)


def report(arguments: Sequence[str]) -> int:
    """Write the report of an experiment's last sweep anew, from its records."""
    from madbench.sweep.retelling import report_again

    (home,) = _exactly(arguments, VERBS["report"])
    report_again(Path(home).absolute())
    return DONE


def score(arguments: Sequence[str]) -> int:
    """Score the records of an experiment's last sweep again, without a model, and report."""
    from madbench.sweep.retelling import score_again

    folders = [argument for argument in arguments if not argument.startswith("reader=")]
    readers = [argument.removeprefix("reader=") for argument in arguments if argument.startswith("reader=")]
    (home,) = _exactly(folders, VERBS["score"])
    score_again(Path(home).absolute(), readers[-1] if readers else None)
    return DONE


def compare(arguments: Sequence[str]) -> int:
    """Print the paired difference of two arms."""
    from madbench.sweep.comparing import compare, sentence
    from madbench.sweep.kept import jobs_in

    home, first, second = _exactly(arguments, VERBS["compare"])
    print(sentence(compare(jobs_in(Path(home).absolute()), first, second)))
    return DONE


def prefetch(arguments: Sequence[str]) -> int:
    """Bring the models and data of an experiment to this machine, and check that its jobs could start."""
    from madbench.sweep.hydra_app import compose_and_launch

    compose_and_launch([*arguments, "hydra/launcher=prefetch", "hydra.mode=MULTIRUN"])
    return DONE


def _exactly(arguments: Sequence[str], verb: Verb) -> Sequence[str]:
    wanted = verb.usage.split()[1:]
    needed = [word for word in wanted if not word.startswith("[")]
    if len(arguments) != len(needed):
        raise InputError(
            f"expected `python -m madbench {verb.usage}`, found {' '.join(arguments) or 'nothing'}"
        )
    return arguments


VERBS: Mapping[str, Verb] = MappingProxyType(
    {
        "report": Verb("report FOLDER", "write an experiment's report anew, from its records", report),
        "score": Verb(
            "score FOLDER [reader=NAME]",
            "score its records again, without a model (reader=strict: marked answers alone)",
            score,
        ),
        "compare": Verb("compare FOLDER ARM ARM", "paired difference of two arms", compare),
        "prefetch": Verb("prefetch +experiment=NAME", "bring its models and data to this machine", prefetch),
    }
)
