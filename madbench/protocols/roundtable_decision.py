"""What a round table decides: one proposal, and a vote of all on it."""

from __future__ import annotations

from functools import partial

from madbench.protocols.answering import spelled
from madbench.protocols.roundtable_chair import Hearing
from madbench.protocols.roundtable_forms import ADVERSARIES, Proposal, Vote
from madbench.protocols.roundtable_seen import Ballot, Draft
from madbench.protocols.roundtable_table import Table


async def propose(table: Table) -> Proposal | None:
    """The first persona drafts what the table is to sign; None where no draft passed the gates."""
    name, data = next(iter(table.seats)), table.data
    seen = Draft(
        me=name,
        sight=table.sight(name, "proposal"),
        said=table.said,
        answer=table.problem.reader.schema(),
        bars=table.gates.quality.bars(data),
    )
    drafter = table.seats[name].also(sees=Draft, says=table.forms.proposal)
    gate = partial(table.gates.draft, question=data, nothing=table.nothing)
    heard = Hearing((name, table.round), drafter, seen, gate)
    await table.chair.hear(heard)
    table.log.add(heard.events)
    if heard.said is not None:
        table.log.proposed(name, table.round, heard.said)
    return heard.said


async def vote(table: Table, proposal: Proposal) -> list[Vote | None]:
    """All at once, so that nobody knows how another votes; None for a vote that passed no gate."""
    hearings = [_ballot(table, name, proposal) for name in table.seats]
    await table.chair.hear(*hearings)
    for name, heard in zip(table.seats, hearings, strict=True):
        table.log.add(heard.events)
        table.log.voted(name, table.round, heard.said)
    votes = [heard.said for heard in hearings]
    table.log.took_sides(proposal, votes)
    return votes


def _ballot(table: Table, name: str, proposal: Proposal) -> Hearing[Ballot, Vote]:
    data, objections = table.data, table.log.objections(name)
    told = ("vote", "concerns") if name in ADVERSARIES else ("concerns",)
    seen = Ballot(
        me=name,
        sight=table.sight(name, *told),
        said=table.said,
        insight=proposal.insight,
        answer=spelled(proposal.answer),
        evidence=proposal.evidence,
        confidence=proposal.confidence,
        objections=objections,
        bars=table.gates.quality.bars(data),
    )
    voter = table.seats[name].also(sees=Ballot, says=table.forms.vote)
    unbacked = table.gates.evidence(proposal, data, table.nothing)
    gate = partial(table.gates.ballot, me=name, unbacked=unbacked, objected=bool(objections))
    return Hearing((name, table.round), voter, seen, gate)
