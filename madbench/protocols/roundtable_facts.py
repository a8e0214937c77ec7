"""The numbers of one round table that are read off its ledger."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import JsonValue

from madbench.types import Event

GATES = ("repetition", "proposal", "vote", "role", "concerns")
COUNTED = {
    "contributions": "contributed", "passes": "passed", "objections_raised": "objected",
    "answers_to_objections": "answered", "rejections": "rejected", "retries": "retried", "given_up": "gave_up",
    "unread": "unread",
}  # fmt: skip
"""How often each kind of event happened, by the name of the number."""


def facts(ledger: Sequence[Event], personas: Sequence[str], *, approved: bool) -> dict[str, JsonValue]:
    """Counts of events; rejections and retries by gate, persona and round; how the vote went, and who folded.

    `rejection_rate_<gate>` and `breach_rate_<gate>` are shares of the replies that the gate looked at: rejected, or
    let pass although they break the rule (where it is off, or only asked for). None where it looked at none.
    """
    counts: dict[str, JsonValue] = {name: _count(ledger, kind) for name, kind in COUNTED.items()}
    return (
        counts
        | _gates(ledger)
        | _places(ledger, personas)
        | _vote(ledger, len(personas), approved)
        | _folds(ledger)
    )


def _gates(ledger: Sequence[Event]) -> dict[str, JsonValue]:
    found: dict[str, JsonValue] = {}
    seen = next((event.facts for event in ledger if event.kind == "looked"), {})
    for gate in GATES:
        mine = [event for event in ledger if event.facts.get("gate") == gate]
        rejected, breached = (_count(mine, kind) for kind in ("rejected", "breached"))
        looked = int(str(seen.get(gate, 0)))
        found[f"rejections_{gate}"] = rejected
        found[f"rejection_rate_{gate}"] = rejected / looked if looked else None
        found[f"breach_rate_{gate}"] = breached / looked if looked else None
    return found


def _places(ledger: Sequence[Event], personas: Sequence[str]) -> dict[str, JsonValue]:
    """Rejections and retries of every persona, and in every round (the last is that of proposal and vote)."""
    rounds = range(max((event.round for event in ledger), default=-1) + 1)
    by = {f"of_{name}": [event for event in ledger if event.by == name] for name in personas}
    by |= {f"round_{number}": [event for event in ledger if event.round == number] for number in rounds}
    return {
        f"{what}_{place}": _count(events, kind)
        for what, kind in (("rejections", "rejected"), ("retries", "retried"))
        for place, events in by.items()
    }


def _vote(ledger: Sequence[Event], seats: int, approved: bool) -> dict[str, JsonValue]:
    """`proposal` is what was put to the vote: its answer, and how sure it was said to be."""
    drafts = [event for event in ledger if event.kind == "proposed"]
    votes = [event.facts["vote"] for event in ledger if event.kind == "voted"]
    agreeing = votes.count("agree")
    found: dict[str, JsonValue] = {"approved": int(approved), "proposed": len(drafts), "seats": seats}
    if drafts:
        proposal = {name: drafts[-1].facts[name] for name in ("answer", "confidence")}
        found |= {"proposal": proposal, "votes_for": agreeing, "votes_void": votes.count("void")}
        found |= {"vote_tied": int(2 * agreeing == seats), "unanimous": int(agreeing == seats)}
    return found


def _folds(ledger: Sequence[Event]) -> dict[str, JsonValue]:
    """Of the adversaries who objected in the discussion, the share that agreed in the vote; None if none objected."""
    objecting = [
        e.facts["vote"] for e in ledger if e.kind == "voted" and e.facts["adversary"] and e.facts["objected"]
    ]
    folded = objecting.count("agree")
    return {
        "adversaries_objecting": len(objecting),
        "adversary_fold_rate": folded / len(objecting) if objecting else None,
    }


def _count(ledger: Sequence[Event], kind: str) -> int:
    return sum(event.kind == kind for event in ledger)
