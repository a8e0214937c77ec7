"""The verbs beside running: thin commands over records, metrics and reports."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from madbench.sweep.endings import DONE
from madbench.types import InputError

TRUST = "trust"

OFFLINE = "--offline"
"""Asks `upload` to write W&B's own offline files, for `wandb sync`."""


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

    folders, options = _options(arguments, VERBS["report"])
    (home,) = _exactly(folders, VERBS["report"])
    return report_again(Path(home).absolute(), _trusted(options))


def score(arguments: Sequence[str]) -> int:
    """Score the records of an experiment's last sweep again, without a model, and report."""
    from madbench.sweep.judging import judged_by, matcher_named
    from madbench.sweep.retelling import score_again

    folders, options = _options(arguments, VERBS["score"])
    home = Path(_exactly(folders, VERBS["score"])[0]).absolute()
    matcher, trusted = matcher_named(options["matcher"]) if "matcher" in options else None, _trusted(options)
    if "judge" in options:
        matcher = judged_by(Path(options["judge"]).absolute(), home, trusted)
    by = ", ".join(f"{key}={value}" for key, value in options.items() if key != TRUST)
    return score_again(home, reader=options.get("reader"), matcher=matcher, by=by, trusted=trusted)


def pairs(arguments: Sequence[str]) -> int:
    """Write down the pairs of findings and issues that a judge is to be asked about."""
    from madbench.sweep.judging import write_pairs

    folders, options = _options(arguments, VERBS["pairs"])
    (home,) = _exactly(folders, VERBS["pairs"])
    print(f"pairs: {write_pairs(Path(home).absolute(), _trusted(options))}")
    return DONE


def compare(arguments: Sequence[str]) -> int:
    """Print the paired difference of two arms."""
    from madbench.sweep.comparing import compare, sentence
    from madbench.sweep.kept import jobs_in

    words, options = _options(arguments, VERBS["compare"])
    home, first, second = _exactly(words, VERBS["compare"])
    for found in compare(jobs_in(Path(home).absolute(), _trusted(options)), first, second):
        print(sentence(found))
    return DONE


def prefetch(arguments: Sequence[str]) -> int:
    """Bring the models and data of an experiment to this machine, and check that its jobs could start."""
    return _instead_of_running(arguments, "PrefetchLauncher")


def doctor(arguments: Sequence[str]) -> int:
    """Prove that an experiment could run here, and say what to do where it could not."""
    return _instead_of_running(arguments, "DoctorLauncher")


def _instead_of_running(arguments: Sequence[str], launcher: str) -> int:
    """Compose a sweep as it would be run, and give it to another launcher, which keeps the settings of its own."""
    from madbench.sweep.hydra_app import compose_and_launch
    from madbench.sweep.launcher import NAMESPACE

    compose_and_launch([*arguments, f"hydra.launcher._target_={NAMESPACE}.{launcher}", "hydra.mode=MULTIRUN"])
    return DONE


def upload(arguments: Sequence[str]) -> int:
    """Send an experiment's runs, or one run, to their tracker: those that could not be sent, or were not to be."""
    from madbench.sweep.uploading import upload

    words, options = _options(arguments, VERBS["upload"])
    (folder,) = _exactly([word for word in words if word != OFFLINE], VERBS["upload"])
    return upload(Path(folder).absolute(), offline=OFFLINE in words, trusted=_trusted(options))


def _options(arguments: Sequence[str], verb: Verb) -> tuple[Sequence[str], Mapping[str, str]]:
    """Arguments apart from those of the form `key=value` that the verb's usage names, and `trust`."""
    optional = (word.strip("[]").partition("=")[0] for word in verb.usage.split() if word.startswith("["))
    named = (TRUST, *optional)
    given = {
        key: value
        for key, mark, value in (word.partition("=") for word in arguments)
        if mark and key in named
    }
    return [word for word in arguments if word.partition("=")[0] not in given], given


def _trusted(options: Mapping[str, str]) -> frozenset[str]:
    """The packages of which a folder's configs may name classes, beside ours: whoever names one runs its code."""
    return frozenset(filter(None, options.get(TRUST, "").split(",")))


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
            "score FOLDER [reader=NAME] [matcher=NAME] [judge=FOLDER]",
            "score again without a model, read or matched otherwise",
            score,
        ),
        "pairs": Verb(
            "pairs FOLDER", "write what a judge is to be asked: findings beside known issues", pairs
        ),
        "compare": Verb("compare FOLDER ARM ARM", "paired difference of two arms", compare),
        "upload": Verb(
            f"upload FOLDER [{OFFLINE}]", "send an experiment, or one run of it, to its tracker later", upload
        ),
        "prefetch": Verb("prefetch +experiment=NAME", "bring its models and data to this machine", prefetch),
        "doctor": Verb("doctor +experiment=NAME", "prove that it could run here; generates nothing", doctor),
    }
)
