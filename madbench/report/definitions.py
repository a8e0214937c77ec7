"""What every printed number means: the metrics' own definitions, and those of the columns beside them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from madbench.metrics.arm import definitions
from madbench.report.review_tables import is_argued, is_review
from madbench.types import Summary

COLUMNS: Mapping[str, str] = MappingProxyType(
    {
        "tokens": "Prompt and output tokens an episode.",
        "to equal calls": (
            "The arm's accuracy minus that of self-consistency with as many votes as the arm made calls on the same "
            "sample, in percentage points; paired on the same samples."
        ),
        "recall to equal calls": (
            "The arm's missed-issue recall minus that of self-consistency with as many reviews as the arm made calls "
            "on the same artifact (what more than half of them report), in percentage points; paired by artifact."
        ),
        "views": (
            "Sets of findings that are scored apart: each reviewer alone, the union of all first reviews, what "
            "survived (final), and what a protocol adds."
        ),
        "[95 %]": "95 % interval, clustered by sample (or session).",
        "p": "Two-sided p of the paired test; Holm-adjusted where several comparisons are made.",
        "errored": "Rows that ended in an error.",
        "lost": "Planned rows that are missing after some stage of the pipeline; must be 0.",
        "leaks": "Texts shown to a role that its protocol hides from it; must be 0.",
        "quoted": "Turns that were shown hidden text because a model quoted it of its own accord: a rate, not a fault.",
    }
)
PRINTED = (
    "accuracy", "unparsed_rate", "theater_rate", "convergence", "ece", "calls", "tokens", "tokens_per_right_answer",
    "to equal calls",
)  # fmt: skip
"""What the printed tables of questions hold, in their order."""
REVIEWED = (
    "missed_issue_recall", "precision", "unparsed_rate", "false_alarms_per_clean", "theater_rate", "convergence",
    "calls", "tokens", "recall to equal calls", "views", "missed_issue_rate", "f1", "duplicates_rate", "recall_noise",
    "precision_noise", "confidence_finding", "overconfidence_finding", "ece_finding", "brier_finding", "auroc_finding",
)  # fmt: skip
"""Those of reviews."""
ARGUED = (
    "theater_rate", "theater_no_concession", "theater_no_valid_answer", "theater_no_state_change", "convergence",
    "withdrawn_share", "accepted_share", "open_share", "changed_mind_rate", "zero_claim_rate", "claims", "objections",
    "engagement", "rebutted_share", "carried_share", "cheap_move_share", "marker_miss_rate", "evidence_resolves_rate",
    "concessions", "capitulation_rate", "harmful_capitulation",
)  # fmt: skip
"""Those of debates about claims."""
ALWAYS = ("[95 %]", "p", "errored", "lost", "leaks", "quoted")


def printed_definitions(summary: Summary) -> dict[str, str]:
    """Every column of the summary's printed tables."""
    known = {**definitions(), **COLUMNS}
    questions = PRINTED if not all(map(is_review, summary.arms)) else ()
    reviews = REVIEWED if any(map(is_review, summary.arms)) else ()
    debates = ARGUED if any(map(is_argued, summary.arms)) else ()
    return {name: known[name] for name in (*questions, *reviews, *debates, *ALWAYS)}


def definitions_of(names: Iterable[str]) -> dict[str, str]:
    """These metrics' definitions, sorted by name."""
    wanted = sorted(set(names))
    known = definitions(wanted)
    return {name: known[name] for name in wanted}
