"""What a round table decides: one proposal, and a vote of all on it."""

from __future__ import annotations

from madbench.agents import together
from madbench.protocols.answering import spelled
from madbench.protocols.roundtable_chair import Heard
from madbench.protocols.roundtable_forms import ADVERSARIES, Proposal, Vote
from madbench.protocols.roundtable_seen import Ballot, Draft
from madbench.protocols.roundtable_table import Table


async def propose(table: Table) -> Proposal | None:
    """The first persona drafts what the table is to sign; None where no draft passed the gates."""
    name, question = next(iter(table.seats)), table.problem.question
    seen = Draft(
        me=name,
        sight=table.sight(name, "proposal"),
        said=table.said,
        answer=table.problem.reader.schema(),
        bars=table.gates.quality.bars(question),
    )
    drafter = table.seats[name].also(sees=Draft, says=table.forms.proposal)
    heard = await table.chair.hear(
        (name, table.round), drafter, seen, lambda said: table.gates.draft(said, question, table.nothing)
    )
    table.log.add(heard.events)
    if heard.said is not None:
        table.log.proposed(name, table.round, heard.said)
    return heard.said


async def vote(table: Table, proposal: Proposal) -> list[Vote | None]:
    """All at once, so that nobody knows how another votes; None for a vote that passed no gate."""
    heard = await together(*(_cast(table, name, proposal) for name in table.seats))
    for name, each in zip(table.seats, heard, strict=True):
        table.log.add(each.events)
        table.log.voted(name, table.round, each.said)
    votes = [each.said for each in heard]
    table.log.took_sides(proposal, votes)
    return votes


async def _cast(table: Table, name: str, proposal: Proposal) -> Heard[Vote]:
    question, objections = table.problem.question, table.log.objections(name)
    unbacked = table.gates.evidence(proposal, question, table.nothing)
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
        bars=table.gates.quality.bars(question),
    )
    voter = table.seats[name].also(sees=Ballot, says=table.forms.vote)
    return await table.chair.hear(
        (name, table.round),
        voter,
        seen,
        lambda said: table.gates.ballot(said, name, unbacked, bool(objections)),
    )
