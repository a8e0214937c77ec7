"""The tables of reviews: arms, every view of them, whether their arguing was real, casts, findings counted."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count, takewhile

from madbench.metrics.review_metrics import name_of
from madbench.metrics.reviews import FINAL
from madbench.report.cells import amount, decimals, figures, interval, p_value, percent, share, whole
from madbench.report.sheet import Row, Sheet
from madbench.types import Arm, Comparison, Estimate

NOTHING = Estimate(None, None, None, 0)
RECALL, PRECISION = "missed_issue_recall", "precision"
CONTROL = "@equal_calls"

REVIEWS: Row = (
    "arm", "recall %\n[95 %]", "precision %\n[95 %]", "n", "unpar-\nsed %", "false\nalarms", "thea-\nter %",
    "conv.\n%", "calls", "tokens", "recall to equal\ncalls, points", "p",
)  # fmt: skip
VIEWS: Row = (
    "arm", "view", "recall %\n[95 %]", "missed %", "precision %\n[95 %]", "F1 %", "false alarms\n/ clean",
    "duplicates %", "noise:\nrecall %", "noise:\nprecision %",
)  # fmt: skip
ARGUING: Row = (
    "arm", "theater %\n[95 %]", "no con-\ncession %", "no valid\nanswer %", "no state\nchange %", "conver-\ngence %",
    "with-\ndrawn %", "accep-\nted %", "open %", "minds\nchanged %", "no\nclaims %", "n",
)  # fmt: skip
ARGUED = (
    "theater_no_concession", "theater_no_valid_answer", "theater_no_state_change", "convergence", "withdrawn_share",
    "accepted_share", "open_share", "changed_mind_rate", "zero_claim_rate",
)  # fmt: skip
MOVES: Row = (
    "arm", "claims", "objec-\ntions", "engage-\nment %", "REBUTTED\n%", "CARRIED\n%", "cheap\nmoves %",
    "markers\nmissed %", "evidence\nexists %", "conces-\nsions", "capitu-\nlation %", "conceded\nand true %",
)  # fmt: skip
MOVED = (
    "engagement", "rebutted_share", "carried_share", "cheap_move_share", "marker_miss_rate", "evidence_resolves_rate",
)  # fmt: skip
SURENESS: Row = (
    "arm", "stated\nconfidence %", "above what\nmatched, points [95 %]", "ECE\n[95 %]", "Brier", "AUROC\n[95 %]", "n",
)  # fmt: skip
COUNTED: Row = ("arm", "view", "findings", "matched", "unmatched", "duplicates", "uncounted", "known\nissues")


def is_review(arm: Arm) -> bool:
    """Whether issues are known in what the arm reviewed."""
    return _metric(arm, "known_issues").value is not None


def review_row(name: str, arm: Arm, tokens: float | None, comparisons: Sequence[Comparison]) -> Row:
    """One arm on reviews, as `REVIEWS` heads it."""
    return (
        name,
        share(_metric(arm, RECALL)),
        share(_metric(arm, PRECISION)),
        str(_metric(arm, "coverage").n),
        _percent(arm, "unparsed_rate"),
        amount(_metric(arm, "false_alarms_per_clean").value),
        _percent(arm, "theater_rate"),
        _percent(arm, "convergence"),
        amount(_metric(arm, "calls").value),
        whole(tokens),
        *_control(arm, comparisons),
    )


def view_table(arms: Sequence[tuple[str, Arm]]) -> Sheet:
    """Every reviewer alone, their union, what survived: one row each."""
    rows = [_view(name, arm, view) for name, arm in arms if is_review(arm) for view in views_of(arm)]
    return Sheet("Every view of the reviews, against known issues", VIEWS, tuple(rows))


def views_of(arm: Arm) -> list[str]:
    """The views that the arm has numbers of, the final one first."""
    stem = "missed_issue_rate_"
    named = sorted(name.removeprefix(stem) for name in arm.metrics if name.startswith(stem))
    return [FINAL, *(view for view in named if _metric(arm, f"{stem}{view}").n)]


def _view(name: str, arm: Arm, view: str) -> Row:
    def of(metric: str) -> Estimate:
        return _metric(arm, name_of(metric, view))

    alarms = of("false_alarms_per_clean").value
    shares = [percent(of(metric).value) for metric in ("duplicates_rate", "recall_noise", "precision_noise")]
    return (
        name,
        view,
        share(of(RECALL)),
        percent(of("missed_issue_rate").value),
        share(of(PRECISION)),
        percent(of("f1").value),
        amount(alarms),
        *shares,
    )


def arguing_tables(arms: Sequence[tuple[str, Arm]]) -> list[Sheet]:
    """Of debates about claims: theater by every rule and what became of claims; how objections were met; by round."""
    debates = [(name, arm) for name, arm in arms if is_argued(arm)]
    return [
        Sheet("Was the arguing real?", ARGUING, tuple(_arguing(name, arm) for name, arm in debates)),
        Sheet("How objections were met", MOVES, tuple(_moves(name, arm) for name, arm in debates)),
        _by_round(debates),
    ]


def is_argued(arm: Arm) -> bool:
    """Whether the arm's seats debated claims."""
    return _metric(arm, "claims").value is not None


def _arguing(name: str, arm: Arm) -> Row:
    theater = _metric(arm, "theater_rate")
    return name, share(theater), *(_percent(arm, metric) for metric in ARGUED), str(theater.n)


def _moves(name: str, arm: Arm) -> Row:
    counts = [amount(_metric(arm, metric).value) for metric in ("claims", "objections")]
    ends = [_percent(arm, metric) for metric in ("capitulation_rate", "harmful_capitulation")]
    shares = [_percent(arm, metric) for metric in MOVED]
    return name, *counts, *shares, amount(_metric(arm, "concessions").value), *ends


def _by_round(debates: Sequence[tuple[str, Arm]]) -> Sheet:
    rounds = max((len(_rounds(arm)) for _, arm in debates), default=0)
    heads = [(f"settled\nto {n} %", f"conceded\nin {n}", f"answered\nin {n} %") for n in range(1, rounds + 1)]
    rows = [(name, *(cell for n in range(1, rounds + 1) for cell in _round(arm, n))) for name, arm in debates]
    title = "By round: claims settled so far, claims conceded, open objections with a valid answer"
    return Sheet(title, ("arm", *(head for three in heads for head in three)), tuple(rows) if rounds else ())


def _rounds(arm: Arm) -> list[Estimate]:
    found = (_metric(arm, f"convergence_round_{n}") for n in count(1))
    return list(takewhile(lambda point: point.value is not None, found))


def _round(arm: Arm, number: int) -> Row:
    conceded = amount(_metric(arm, f"concessions_round_{number}").value)
    settled, answered = (f"{stem}_round_{number}" for stem in ("convergence", "engagement"))
    return _percent(arm, settled), conceded, _percent(arm, answered)


def sureness_table(arms: Sequence[tuple[str, Arm]]) -> Sheet:
    """Stated confidence of findings against their matching a known issue."""
    stating = [(name, arm) for name, arm in arms if _metric(arm, "confidence_finding").value is not None]
    title = "How sure reviewers were of their findings, and how many of these match a known issue"
    return Sheet(title, SURENESS, tuple(_sure(name, arm) for name, arm in stating))


def _sure(name: str, arm: Arm) -> Row:
    sure, over, ece, brier, auroc = (
        _metric(arm, f"{metric}_finding")
        for metric in ("confidence", "overconfidence", "ece", "brier", "auroc")
    )
    excess = interval(over.value, over.low, over.high, sign=True)
    return name, percent(sure.value), excess, figures(ece), decimals(brier.value), figures(auroc), str(sure.n)


def findings_table(arms: Sequence[tuple[str, Arm]]) -> Sheet:
    """Findings = matched + unmatched + duplicates, of every view; anything else were lost on the way."""
    rows = [_counted(name, arm, view) for name, arm in arms if is_review(arm) for view in views_of(arm)]
    return Sheet("Findings, counted", COUNTED, tuple(rows))


def _counted(name: str, arm: Arm, view: str) -> Row:
    parts = ("matched", "unmatched", "duplicates")
    counts = [_metric(arm, name_of(f"findings_{part}", view)).value for part in parts]
    total = None if None in counts else sum(value or 0.0 for value in counts)
    ends = (_metric(arm, metric).value for metric in ("findings_uncounted", "known_issues"))
    return name, view, *(whole(value) for value in (total, *counts, *ends))


def _control(arm: Arm, comparisons: Sequence[Comparison]) -> Row:
    """The paired difference in recall to the votes that the arm's own calls would have bought."""
    for c in comparisons:
        if (c.a, c.metric) == (arm.arm, RECALL) and c.b.endswith(CONTROL):
            return interval(c.difference, c.low, c.high, sign=True), p_value(c.p)
    return interval(None, None, None), p_value(None)


def _metric(arm: Arm, name: str) -> Estimate:
    return arm.metrics.get(name, NOTHING)


def _percent(arm: Arm, name: str) -> str:
    return percent(_metric(arm, name).value)
