"""The hall of a tribunal: its members, and what each is shown when asked."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from typing import TypeVar

from madbench.agents import Episode, together
from madbench.protocols.tribunal_bench import Judgement, Reading, concerns_of
from madbench.protocols.tribunal_forms import Document, Proposal, critique_of
from madbench.protocols.tribunal_seen import Bench, Brief, Chosen, Member
from madbench.protocols.tribunal_tally import Tally, tally
from madbench.types import FormatError, Problem

T = TypeVar("T")
Proposals = dict[int, Proposal]
"""What was proposed, by seat; who could not be read is not in it."""


class Hall:
    """One problem before its members (names to views). Nobody who cannot be read is asked again."""

    def __init__(
        self, problem: Problem, episode: Episode, members: Mapping[str, str], reading: Reading
    ) -> None:
        self._problem, self._episode, self._reading, self._round = problem, episode, reading, 0
        self.names = list(members) or ["alone"]
        views: list[Member | None] = [Member(view=view) for view in members.values()]
        self._members = [
            episode.agent("member", sees=Brief, says=reading.forms.proposal, seat=seat, system=view)
            for seat, view in enumerate(views or [None])
        ]

    async def propose_apart(self) -> Proposals:
        """All at once, on the same words; nobody reads another's proposal before all are in."""
        brief = Brief.of(self._problem, (), brief=self._reading.brief)
        said = await together(*(readable(member.ask(brief)) for member in self._members))
        return {seat: proposal for seat, proposal in enumerate(said) if proposal is not None}

    async def propose_in_turn(self) -> Proposals:
        """One after another, each on all proposals before it."""
        proposals: Proposals = {}
        for seat, member in enumerate(self._members):
            said = await readable(
                member.ask(Brief.of(self._problem, tuple(proposals.values()), brief=self._reading.brief))
            )
            proposals |= {} if said is None else {seat: said}
        return proposals

    async def critique(self, proposals: Proposals, last: Sequence[Judgement]) -> list[Judgement]:
        """All at once, every proposer on all proposals, under its own labels and in its own order."""
        self._round, names = self._round + 1, {seat: self.names[seat] for seat in proposals}
        said = await together(*(self._judge(seat, names, proposals, last) for seat in proposals))
        return [judgement for judgement in said if judgement is not None]

    async def _judge(
        self, seat: int, names: Mapping[int, str], proposals: Proposals, last: Sequence[Judgement]
    ) -> Judgement | None:
        labels = self._reading.labels_for(seat, names, self._episode.tie_seed)
        bench = self._reading.bench(self._problem, seat, labels, proposals, last)
        critic = self._members[seat].also(
            sees=Bench, says=critique_of(tuple(labels), bench.rankable, self._reading.forms)
        )
        said = await readable(critic.ask(bench))
        return None if said is None else Judgement.of(seat, said, labels)

    def count(self, proposals: Proposals, last: Sequence[Judgement]) -> Tally:
        rankings = [judgement.ranking for judgement in last]
        return tally(rankings, list(proposals), concerns=concerns_of(last), seed=self._episode.tie_seed)

    async def document(
        self, chosen: int, proposals: Proposals, count: Tally, last: Sequence[Judgement]
    ) -> str | None:
        """The chosen proposal, worked out; None where what the author wrote cannot be read."""
        other = next(seat for seat in count.order if seat != chosen)
        seen = Chosen(
            prompt=self._problem.question,
            top=proposals[chosen],
            runner_up=proposals[other],
            concerns=tuple(text for judgement in last for _, text in judgement.blocked),
        )
        author = self._episode.agent("author", sees=Chosen, says=Document)
        said = await readable(author.ask(seen, round=self._round))
        return None if said is None else said.text


async def readable(ask: Awaitable[T]) -> T | None:
    """What was said; None where it cannot be read."""
    try:
        return await ask
    except FormatError:
        return None
