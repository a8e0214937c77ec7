"""Every metric of an arm: its name, what it means, and how it follows from the rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

import numpy as np

from madbench.metrics import sureness
from madbench.metrics.approvals import FAMILIES as PANEL_FAMILIES
from madbench.metrics.claim_metrics import CLAIMS, THEATER, by_side_and_round
from madbench.metrics.claim_metrics import FAMILIES as CLAIM_FAMILIES
from madbench.metrics.clusters import by_session
from madbench.metrics.estimates import Floats, mean, rate, ratio, undefined
from madbench.metrics.finding_confidence import finding_confidence, meanings
from madbench.metrics.kinds import Measure, Metric, column_of, mean_of, rate_of, share_of
from madbench.metrics.kinship import preference
from madbench.metrics.review_metrics import COSTS, MEANINGS, meaning, review_metrics
from madbench.metrics.rows import Rows
from madbench.metrics.shift import framed
from madbench.metrics.told import TOLD
from madbench.types import Estimate, StopReason


def arm_metrics(rows: Rows) -> dict[str, Estimate]:
    """All metrics of one arm's rows, the undefined among them; rounds, roles and positions add names of their own."""
    rows = by_session(rows)
    fixed = {metric.name: metric.of(rows) if len(rows) else undefined() for metric in METRICS}
    found = fixed | sureness.sureness(rows) | _rounds(rows) | _positions(rows) | _roles(rows) | framed(rows)
    found |= preference(rows)
    return found | review_metrics(rows) | finding_confidence(rows) | by_side_and_round(rows) | fixed


def definitions(names: Iterable[str] = ()) -> dict[str, str]:
    """What every metric means, one line each; `names` adds those that came with rows (`accuracy_round_2`, …)."""
    known = {metric.name: metric.meaning for metric in METRICS} | sureness.meanings()
    known |= meanings() | {name: meaning(name) or "" for name in (*MEANINGS, *COSTS)}
    return known | {name: meaning(name) or _family(name) for name in names if name not in known}


def is_defined(name: str) -> bool:
    """Whether a metric of ours may be called so; what others measure has any name."""
    return name in definitions() or bool(meaning(name)) or name in TOLD or _stem(name) != ""


def _family(name: str) -> str:
    """The meaning of a name that came with rows."""
    stem = _stem(name)
    return TOLD[name] if name in TOLD else FAMILIES[stem].format(name[len(stem) :])


def _stem(name: str) -> str:
    """How the names of its family begin; nothing for one of no family."""
    return next(stem for stem in sorted(FAMILIES, key=len, reverse=True) if name.startswith(stem))


def _per_right(rows: Rows) -> Estimate:
    tokens = rows.column("prompt_tokens") + rows.column("output_tokens")
    return ratio(tokens, rows.column("correct"), rows.clusters, rows.counted(tokens))


def _wrong_first(rows: Rows) -> Floats:
    return rows.column("seats") - rows.column("right_first")


def _stopped(reason: StopReason) -> Measure:
    def of(rows: Rows) -> Estimate:
        stops = rows.label("stop")
        values = np.where(stops == "", np.nan, (stops == reason.value).astype(np.float64))
        return rate(values, rows.clusters, rows.counted(values))

    return of


METRICS = (
    Metric("accuracy", "Right over all samples; unparsed and errored ones are wrong.", rate_of("correct")),
    Metric(
        "accuracy_strict",
        "The same, answers guessed from unmarked text being wrong too.",
        rate_of("correct_strict"),
    ),
    Metric("accuracy_ties", "Accuracy expected over all ways to break ties.", rate_of("correct_ties")),
    Metric("coverage", "Share of samples that have an answer.", rate_of("parsed")),
    Metric(
        "unparsed_rate",
        "Share of episodes that ended without an answer that could be read.",
        rate_of("unparsed"),
    ),
    Metric(
        "error_rate", "Share of episodes that failed (context, budget, infrastructure).", rate_of("errored")
    ),
    Metric("tie_rate", "Share of votes that were tied and drawn by seed.", rate_of("tie")),
    Metric("oracle_any", "Share of samples on which any seat was right in any round.", rate_of("oracle")),
    *THEATER,
    Metric(
        "changed_rate",
        "Share of seats whose last answer is not their first.",
        share_of("changed", column_of("seats")),
    ),
    Metric(
        "flips_right_to_wrong",
        "Share of seats that went from right to wrong, first round to last.",
        share_of("right_to_wrong", column_of("seats")),
    ),
    Metric(
        "flips_wrong_to_right",
        "Share of seats that went from wrong to right, first round to last.",
        share_of("wrong_to_right", column_of("seats")),
    ),
    Metric(
        "fold_rate",
        "Of the seats right at first, the share wrong at last.",
        share_of("right_to_wrong", column_of("right_first")),
    ),
    Metric(
        "rescue_rate",
        "Of the seats wrong at first, the share right at last.",
        share_of("wrong_to_right", _wrong_first),
    ),
    *CLAIMS,
    Metric(
        "repetition",
        "Share of neighbouring word pairs said before in the same reply, mean over replies.",
        rate_of("repetition"),
    ),
    Metric(
        "truncated_rate",
        "Share of replies that the token limit cut.",
        share_of("truncated", column_of("calls")),
    ),
    Metric(
        "ambiguous_rate",
        "Share of replies with several different answers (the last counts).",
        share_of("status:ambiguous", column_of("calls")),
    ),
    Metric(
        "repaired_rate",
        "Share of replies that were read after a repair.",
        share_of("status:repaired", column_of("calls")),
    ),
    Metric(
        "cut_rate", "Share of prompts that were cut to fit the context.", share_of("cut", column_of("calls"))
    ),
    Metric("calls", "Model calls an episode, repairs included, spare votes not.", mean_of("calls")),
    Metric("prompt_tokens", "Prompt tokens an episode, padding excluded.", mean_of("prompt_tokens")),
    Metric("output_tokens", "Generated tokens an episode.", mean_of("output_tokens")),
    Metric(
        "tokens_per_right_answer", "Prompt and output tokens of all episodes over right answers.", _per_right
    ),
    Metric(
        "channel_leaks",
        "Texts shown to a role that its protocol hides from it, an episode; must be 0.",
        mean_of("channel_leaks"),
    ),
    Metric(
        "quoted",
        "Turns that were shown hidden text because a model quoted it of its own accord, an episode.",
        mean_of("quoted"),
    ),
    Metric(
        "quoted_rate",
        "Share of turns at the end of a forbidden channel that were shown hidden text because a model quoted it.",
        share_of("quoted", column_of("audited")),
    ),
    *(
        Metric(
            f"stop_{reason.value}",
            f"Share of episodes that stopped for this reason: {reason.value}.",
            _stopped(reason),
        )
        for reason in StopReason
    ),
)

FAMILIES: Mapping[str, str] = MappingProxyType(
    {
        **CLAIM_FAMILIES,
        **PANEL_FAMILIES,
        "accuracy_round_": "Majority accuracy of round {}, expected over ties; a stopped episode keeps its last.",
        "accuracy_position_": "Accuracy of the samples at position {} of their session.",
        "calls_": "Model calls an episode of the role {}.",
        "prompt_tokens_": "Prompt tokens an episode of the role {}.",
        "output_tokens_": "Generated tokens an episode of the role {}.",
        "hint_shift_": "Share of answers equal to the hint of {} twins, minus that share among their neutral twins.",
        "accuracy_twin_": "Accuracy on the {} twins.",
        "right_share_": "Share right among the answers stated with the confidence {}.",
        "": "Measured by the protocol or the task itself: {}, mean an episode.",
    }
)


def _rounds(rows: Rows) -> dict[str, Estimate]:
    """Accuracy by round; an early stop carries its last majority on, an episode without positions is wrong."""
    found = rows.named("majority_round")
    values, estimates = np.zeros(len(rows)), dict[str, Estimate]()
    for index in range(len(found)):
        values = np.where(np.isnan(found[str(index)]), values, found[str(index)])
        estimates[f"accuracy_round_{index}"] = rate(values, rows.clusters, rows.counted(values))
    return estimates


def _positions(rows: Rows) -> dict[str, Estimate]:
    places, right = rows.column("position"), rows.column("correct")
    found = dict[str, Estimate]()
    for place in np.unique(places[~np.isnan(places)]):
        at = places == place
        found[f"accuracy_position_{int(place)}"] = rate(
            right[at], rows.clusters[at], len(np.unique(rows.samples[at]))
        )
    return found


def _roles(rows: Rows) -> dict[str, Estimate]:
    """Costs by role, what protocols measured themselves, and right-shares of stated labels."""
    found = {
        f"{cost}_{role}": mean(np.nan_to_num(values), rows.clusters, rows.counted(np.nan_to_num(values)))
        for cost in ("calls", "prompt_tokens", "output_tokens")
        for role, values in rows.named(cost).items()
    }
    facts = {name: _fact(values, rows) for name, values in rows.named("fact").items()}
    labels, right = rows.label("stated_label"), rows.column("correct")
    shares = {
        f"right_share_{label}": rate(right[labels == label], rows.clusters[labels == label])
        for label in np.unique(labels[labels != ""])
    }
    return found | facts | shares


def _fact(values: Floats, rows: Rows) -> Estimate:
    """What a protocol measured itself: a share's interval stays within 0 and 1, any other number's is a mean's."""
    known = values[~np.isnan(values)]
    estimate = rate if np.all((known >= 0) & (known <= 1)) else mean
    return estimate(values, rows.clusters, rows.counted(values))
