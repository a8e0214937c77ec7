"""Metrics of arguing: theater by four rules, convergence, capitulation, and what was done with objections."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from madbench.metrics.estimates import Floats, mean, rate
from madbench.metrics.kinds import Measure, Metric, column_of, mean_of, rate_of, share_of
from madbench.metrics.rows import Rows
from madbench.types import Estimate


def _share_of_claims(*columns: str) -> Measure:
    """Of every debate's claims a share, mean over debates."""

    def of(rows: Rows) -> Estimate:
        claims = rows.column("claims")
        values = np.sum([rows.column(column) for column in columns], axis=0) / claims
        return rate(values, rows.clusters, rows.counted(values))

    return of


def _settled(rows: Rows) -> Floats:
    """Of every debate's claims the share that was conceded or accepted."""
    return (rows.column("conceded") + rows.column("accepted")) / rows.column("claims")


def _convergence(rows: Rows) -> Estimate:
    settled = _settled(rows)
    values = np.where(np.isnan(settled), rows.column("convergence"), settled)
    return rate(values, rows.clusters, rows.counted(values))


def arguing(rows: Rows) -> dict[str, Floats]:
    """What arms that debate claims are compared by, debate by debate: theater by every rule, and convergence."""
    rules = ("no_concession", "no_valid_answer", "no_state_change")
    found = {f"theater_{rule}": rows.column(f"theater_{rule}") for rule in rules}
    return {"theater_rate": rows.column("theater"), **found, "convergence": _settled(rows)}


def _open(rows: Rows) -> Estimate:
    gone = [rows.column(state) for state in ("conceded", "accepted", "defaulted")]
    values = (rows.column("claims") - np.sum(gone, axis=0)) / rows.column("claims")
    return rate(values, rows.clusters, rows.counted(values))


def _markers(rows: Rows) -> Estimate:
    """Of objections where the ledger has them, else of replies."""
    contested = not np.isnan(rows.column("unaddressed")).all()
    above, below = ("unaddressed", "objections") if contested else ("status:missing", "calls")
    return share_of(above, column_of(below))(rows)


def _capitulated(rows: Rows) -> Estimate:
    """All sides pooled; a debate's sides are one cluster with it."""
    sides = list(rows.named("capitulated").values())
    met = np.sum([~np.isnan(side) for side in sides], axis=0) if sides else np.zeros(len(rows))
    yielded = np.nansum(sides, axis=0) if sides else np.zeros(len(rows))
    values = np.divide(yielded, met, out=np.full(len(rows), np.nan), where=met > 0)
    return rate(values, rows.clusters, rows.counted(values))


THEATER = (
    Metric(
        "theater_rate",
        "Share of debates without an answered objection (one that a parsed move names, whatever the move); on "
        "questions, in which no seat changed its answer or took up content of a peer's. Undefined without "
        "interaction, or without claims.",
        rate_of("theater"),
    ),
    Metric(
        "theater_no_state_change",
        "Share of debates in which nothing changed: no answer; no claim conceded or accepted, no objection dropped.",
        rate_of("theater_no_state_change"),
    ),
    Metric(
        "theater_no_valid_answer",
        "Share of debates with a ledger without an answer to an objection that is valid by the strict contract, which "
        "judges in every arm: a specific reason, and evidence that exists.",
        rate_of("theater_no_valid_answer"),
    ),
    Metric(
        "theater_no_concession",
        "Share of debates with a ledger in which nobody conceded (stubborn debate counts as theater).",
        rate_of("theater_no_concession"),
    ),
    Metric(
        "zero_claim_rate",
        "Share of debates with a ledger in which there was nothing to debate: no claim, or of a critic no objection.",
        rate_of("zero_claims"),
    ),
    Metric(
        "uptake_rate",
        "Share of replies to peers that use content which a peer brought in.",
        share_of("took_up", column_of("heard")),
    ),
    Metric(
        "convergence",
        "Agreeing pairs of final answers over pairs of seats (of reviews: findings that touch a line of the other's); "
        "in debates about claims those settled over claims, mean over debates: conceded by their owner or accepted by "
        "an opponent; of a critic, objections resolved over objections. Undefined for one seat, or without claims.",
        _convergence,
    ),
)

CLAIMS = (
    Metric("claims", "Claims a debate.", mean_of("claims")),
    Metric(
        "withdrawn_share",
        "Claims conceded by their owner over claims, mean over debates.",
        _share_of_claims("conceded"),
    ),
    Metric(
        "accepted_share",
        "Claims accepted by an opponent in a move of its own over claims, mean over debates.",
        _share_of_claims("accepted"),
    ),
    Metric(
        "defaulted_share",
        "Claims that fell though nobody conceded them (on_invalid: concede) over claims, mean over debates; a rule of "
        "the game settled them, so that convergence, concessions and theater count them as nothing.",
        _share_of_claims("defaulted"),
    ),
    Metric(
        "open_share",
        "Claims that stand, and that no opponent accepted, over claims, mean over debates.",
        _open,
    ),
    Metric("objections", "Objections a debate.", mean_of("objections")),
    Metric("concessions", "Claims conceded a debate.", mean_of("conceded")),
    Metric(
        "changed_mind_rate",
        "Share of debates in which a side gave up a claim of its own or dropped an objection of its own.",
        rate_of("changed_mind"),
    ),
    Metric(
        "dropped_objection_share",
        "Objections that their author dropped over objections.",
        share_of("withdrawn", column_of("objections")),
    ),
    Metric(
        "engagement",
        "Objections with an answer that is valid by the strict contract over objections.",
        share_of("engaged", column_of("objections")),
    ),
    Metric(
        "valid_move_share",
        "Moves that are valid by the strict contract over moves that could be read.",
        share_of("valid_moves", column_of("moves")),
    ),
    Metric("rebutted_share", "Moves REBUTTED over moves.", share_of("rebutted", column_of("moves"))),
    Metric("carried_share", "Moves CARRIED over moves.", share_of("carried", column_of("moves"))),
    Metric(
        "cheap_move_share",
        "Share of moves that were the cheapest: an unchanged answer on being asked again, stopping at once, or CARRIED "
        "without a valid reason.",
        share_of("cheap_moves", column_of("moves")),
    ),
    Metric(
        "marker_miss_rate",
        "Share of replies that could not be read; in debates about claims, objections that no move answered, repairs "
        "included, over objections.",
        _markers,
    ),
    Metric(
        "evidence_resolves_rate",
        "Places that exist over places named: by claims (their own among them), objections and answers.",
        share_of("resolved", column_of("references")),
    ),
    Metric(
        "capitulation_rate",
        "Share of sides that conceded at least 80 % of their first round's objections and validly rebutted none, mean "
        "over debates.",
        _capitulated,
    ),
    Metric(
        "harmful_capitulation",
        "Conceded claims that match a known issue over conceded claims: true findings given away.",
        share_of("conceded_known", column_of("conceded_judged")),
    ),
    Metric(
        "integrity_events",
        "Entries that the form forbids (unknown or duplicate ids, claims over the cap, late claims) a debate.",
        mean_of("breaches"),
    ),
)

FAMILIES: Mapping[str, str] = MappingProxyType(
    {
        "legacy_": "As the published package counts it: {}, mean an episode.",
        "capitulation_side_": "Share of debates in which side {} capitulated, of those in which it met objections.",
        "convergence_round_": "Claims settled up to round {} over claims, mean over debates.",
        "concessions_round_": "Claims conceded in round {} a debate; a debate that had stopped conceded none.",
        "engagement_round_": "Objections validly answered in round {} over those put to their owners in it.",
    }
)


def by_side_and_round(rows: Rows) -> dict[str, Estimate]:
    """Capitulation of every side, and how claims were settled round by round."""
    sides = {
        f"capitulation_side_{side}": rate(values, rows.clusters, rows.counted(values))
        for side, values in rows.named("capitulated").items()
    }
    rounds, claims = rows.named("settled_round"), rows.column("claims")
    settled, found = np.zeros(len(rows)), dict[str, Estimate]()
    for number in sorted(rounds, key=int):
        settled = settled + np.nan_to_num(rounds[number])
        share = settled / claims
        found[f"convergence_round_{number}"] = rate(share, rows.clusters, rows.counted(share))
        conceded = np.where(np.isnan(claims), np.nan, np.nan_to_num(rows.column(f"conceded_round:{number}")))
        found[f"concessions_round_{number}"] = mean(conceded, rows.clusters, rows.counted(conceded))
        made = column_of(f"asked_round:{number}")
        found[f"engagement_round_{number}"] = share_of(f"engaged_round:{number}", made)(rows)
    return sides | found
