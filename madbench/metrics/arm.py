"""Every metric of an arm: its name, what it means, and how it follows from the rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from madbench.metrics import sureness
from madbench.metrics.clusters import by_session
from madbench.metrics.estimates import Floats, mean, rate, ratio, share, undefined
from madbench.metrics.rows import Rows
from madbench.metrics.shift import framed
from madbench.types import Estimate, StopReason

Measure = Callable[[Rows], Estimate]


@dataclass(frozen=True, slots=True)
class Metric:
    """One number of an arm, what it means in one line, and how it is had from a table of rows."""

    name: str
    meaning: str
    of: Measure


def arm_metrics(rows: Rows) -> dict[str, Estimate]:
    """All metrics of one arm's rows, the undefined among them; rounds, roles and positions add names of their own."""
    rows = by_session(rows)
    fixed = {metric.name: metric.of(rows) if len(rows) else undefined() for metric in METRICS}
    return fixed | sureness.sureness(rows) | _rounds(rows) | _positions(rows) | _roles(rows) | framed(rows)


def definitions(names: Iterable[str] = ()) -> dict[str, str]:
    """What every metric means, one line each; `names` adds those that came with rows (`accuracy_round_2`, …)."""
    known = {metric.name: metric.meaning for metric in METRICS} | sureness.meanings()
    return known | {name: _family(name) for name in names if name not in known}


def _family(name: str) -> str:
    """The meaning of a name that came with rows."""
    stem = next((stem for stem in sorted(FAMILIES, key=len, reverse=True) if name.startswith(stem)), None)
    return "" if stem is None else FAMILIES[stem].format(name[len(stem) :])


def _rate(column: str) -> Measure:
    def of(rows: Rows) -> Estimate:
        values = rows.column(column)
        return rate(values, rows.clusters, rows.counted(values))

    return of


def _mean(column: str) -> Measure:
    def of(rows: Rows) -> Estimate:
        values = rows.column(column)
        return mean(values, rows.clusters, rows.counted(values))

    return of


def _share(above: str, below: Callable[[Rows], Floats]) -> Measure:
    def of(rows: Rows) -> Estimate:
        parts, wholes = rows.column(above), below(rows)
        known = ~(np.isnan(parts) | np.isnan(wholes))
        n = rows.counted(np.where(known & (wholes > 0), wholes, np.nan))
        return share(np.where(known, parts, 0.0), np.where(known, wholes, 0.0), rows.clusters, n)

    return of


def _per_right(rows: Rows) -> Estimate:
    tokens = rows.column("prompt_tokens") + rows.column("output_tokens")
    return ratio(tokens, rows.column("correct"), rows.clusters, rows.counted(tokens))


def _of(column: str) -> Callable[[Rows], Floats]:
    return lambda rows: rows.column(column)


def _wrong_first(rows: Rows) -> Floats:
    return rows.column("seats") - rows.column("right_first")


def _stopped(reason: StopReason) -> Measure:
    def of(rows: Rows) -> Estimate:
        stops = rows.label("stop")
        values = np.where(stops == "", np.nan, (stops == reason.value).astype(np.float64))
        return rate(values, rows.clusters, rows.counted(values))

    return of


def _reported(rows: Rows) -> Floats:
    return rows.column("matched") + rows.column("unmatched")


def _known(rows: Rows) -> Floats:
    return rows.column("matched") + rows.column("missed")


METRICS = (
    Metric("accuracy", "Right over all samples; unparsed and errored ones are wrong.", _rate("correct")),
    Metric(
        "accuracy_strict",
        "The same, answers guessed from unmarked text being wrong too.",
        _rate("correct_strict"),
    ),
    Metric("accuracy_ties", "Accuracy expected over all ways to break ties.", _rate("correct_ties")),
    Metric("coverage", "Share of samples that have an answer.", _rate("parsed")),
    Metric(
        "unparsed_rate",
        "Share of episodes that ended without an answer that could be read.",
        _rate("unparsed"),
    ),
    Metric(
        "error_rate", "Share of episodes that failed (context, budget, infrastructure).", _rate("errored")
    ),
    Metric("tie_rate", "Share of votes that were tied and drawn by seed.", _rate("tie")),
    Metric("oracle_any", "Share of samples on which any seat was right in any round.", _rate("oracle")),
    Metric(
        "theater_rate",
        "Share of debates without an answered objection; on questions, in which no seat changed its answer or took "
        "up content of a peer's. Undefined without interaction.",
        _rate("theater"),
    ),
    Metric(
        "theater_no_state_change",
        "Share of debates in which nothing changed: no answer, and no objection was resolved.",
        _rate("theater_no_state_change"),
    ),
    Metric(
        "theater_no_valid_answer",
        "Share of debates with a ledger without an answer to an objection that gives a specific reason.",
        _rate("theater_no_valid_answer"),
    ),
    Metric(
        "theater_no_concession",
        "Share of debates with a ledger in which nobody conceded (stubborn debate counts as theater).",
        _rate("theater_no_concession"),
    ),
    Metric("zero_claim_rate", "Share of debates with a ledger without any objection.", _rate("zero_claims")),
    Metric(
        "uptake_rate",
        "Share of replies to peers that use content which a peer brought in.",
        _share("took_up", _of("heard")),
    ),
    Metric(
        "convergence",
        "Agreeing pairs of final answers over pairs of seats; with a ledger, objections resolved over objections. "
        "Undefined for one seat, or without objections.",
        _rate("convergence"),
    ),
    Metric(
        "changed_rate",
        "Share of seats whose last answer is not their first.",
        _share("changed", _of("seats")),
    ),
    Metric(
        "flips_right_to_wrong",
        "Share of seats that went from right to wrong, first round to last.",
        _share("right_to_wrong", _of("seats")),
    ),
    Metric(
        "flips_wrong_to_right",
        "Share of seats that went from wrong to right, first round to last.",
        _share("wrong_to_right", _of("seats")),
    ),
    Metric(
        "fold_rate",
        "Of the seats right at first, the share wrong at last.",
        _share("right_to_wrong", _of("right_first")),
    ),
    Metric(
        "rescue_rate",
        "Of the seats wrong at first, the share right at last.",
        _share("wrong_to_right", _wrong_first),
    ),
    Metric(
        "cheap_move_share",
        "Share of moves that were the cheapest: an unchanged answer on being asked again, or stopping at once.",
        _share("cheap_moves", _of("moves")),
    ),
    Metric(
        "repetition",
        "Share of neighbouring word pairs said before in the same reply, mean over replies.",
        _rate("repetition"),
    ),
    Metric("truncated_rate", "Share of replies that the token limit cut.", _share("truncated", _of("calls"))),
    Metric(
        "marker_miss_rate", "Share of replies that could not be read.", _share("status:missing", _of("calls"))
    ),
    Metric(
        "ambiguous_rate",
        "Share of replies with several different answers (the last counts).",
        _share("status:ambiguous", _of("calls")),
    ),
    Metric(
        "repaired_rate",
        "Share of replies that were read after a repair.",
        _share("status:repaired", _of("calls")),
    ),
    Metric("cut_rate", "Share of prompts that were cut to fit the context.", _share("cut", _of("calls"))),
    Metric("calls", "Model calls an episode, repairs included, spare votes not.", _mean("calls")),
    Metric("prompt_tokens", "Prompt tokens an episode, padding excluded.", _mean("prompt_tokens")),
    Metric("output_tokens", "Generated tokens an episode.", _mean("output_tokens")),
    Metric(
        "tokens_per_right_answer", "Prompt and output tokens of all episodes over right answers.", _per_right
    ),
    Metric(
        "channel_leaks",
        "Texts shown to a role that its protocol hides from it, an episode; must be 0.",
        _mean("channel_leaks"),
    ),
    Metric(
        "quoted",
        "Turns that were shown hidden text because a model quoted it of its own accord, an episode.",
        _mean("quoted"),
    ),
    Metric(
        "precision",
        "Findings that match a known issue over findings. Undefined for questions.",
        _share("matched", _reported),
    ),
    Metric(
        "missed_issue_recall",
        "Known issues found over known issues. Undefined for questions.",
        _share("matched", _known),
    ),
    Metric(
        "missed_issue_rate", "1 - missed_issue_recall. Undefined for questions.", _share("missed", _known)
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
        "accuracy_round_": "Majority accuracy of round {}, expected over ties; a stopped episode keeps its last.",
        "accuracy_position_": "Accuracy of the samples at position {} of their session.",
        "calls_": "Model calls an episode of the role {}.",
        "prompt_tokens_": "Prompt tokens an episode of the role {}.",
        "output_tokens_": "Generated tokens an episode of the role {}.",
        "hint_shift_": "Share of answers equal to the hint of {} twins, minus that share among their neutral twins.",
        "accuracy_twin_": "Accuracy on the {} twins.",
        "right_share_": "Share right among the answers stated with the confidence {}.",
        "": "Measured by the protocol itself: {}, mean an episode.",
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
    facts = {
        name: mean(values, rows.clusters, rows.counted(values)) for name, values in rows.named("fact").items()
    }
    labels, right = rows.label("stated_label"), rows.column("correct")
    shares = {
        f"right_share_{label}": rate(right[labels == label], rows.clusters[labels == label])
        for label in np.unique(labels[labels != ""])
    }
    return found | facts | shares
