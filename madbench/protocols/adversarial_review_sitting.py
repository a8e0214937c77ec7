"""One debate's sitting: who is asked what, stage by stage. All sides of a stage speak at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from madbench.agents import Episode, together
from madbench.protocols.adversarial_review_claims import SIDES, entries_of
from madbench.protocols.adversarial_review_forms import Defence
from madbench.protocols.adversarial_review_gate import Gate
from madbench.protocols.adversarial_review_items import artifact_of
from madbench.protocols.adversarial_review_ledger import Ledger
from madbench.protocols.adversarial_review_report import outcome, report, standing_of
from madbench.protocols.adversarial_review_shown import Put, Showing
from madbench.protocols.adversarial_review_table import Table
from madbench.protocols.adversarial_review_terms import Terms
from madbench.protocols.adversarial_review_turns import answered, objected, rejoined
from madbench.protocols.replies import Statement
from madbench.protocols.solver import Asked
from madbench.types import Answers, BudgetError, ContextError, Fault, Outcome, Problem, StopReason


class Sitting:
    """`ledger` holds all that happened."""

    def __init__(self, problem: Problem, episode: Episode, sides: int, terms: Terms) -> None:
        self.ledger, self.sides = Ledger(concedes=terms.on_invalid == "concede"), SIDES[:sides]
        self.artifact = artifact_of(problem)
        self.reviews: dict[str, Statement] = {}
        self._showing = Showing(problem.question, self.ledger, terms)
        self.problem, self._episode, self._terms = problem, episode, terms
        self._table = Table(episode, self.sides, self.ledger, terms)

    async def review(self) -> None:
        """Every side by itself; then the gate opens."""
        gate = Gate(len(self.sides))
        self._terms.afford(self._episode.spent, len(self.sides))
        solvers = self._episode.agents("solver", len(self.sides), sees=Asked, says=Statement)

        async def alone(seat: int) -> None:
            gate.commit(seat, await solvers[seat].ask(Asked(prompt=self.problem.prompt), round=0))

        await together(*map(alone, range(len(self.sides))))
        self.reviews = dict(zip(self.sides, gate.reveal(), strict=True))
        for side, review in self.reviews.items():
            self.ledger.add(*entries_of(side, review, self.artifact, self._terms.claims))

    async def object(self, round: int) -> None:
        """Every side on the claims of others on which it has taken no stand yet."""
        puts = {side: self._showing.claims(side) for side in self.sides if self.ledger.untouched(side)}
        for side, said in (await self._table.ask("object", puts, round)).items():
            self.ledger.add(*objected(side, round, said, self.artifact))

    async def answer(self, round: int) -> None:
        """Every side on what is open against its own claims."""
        open_to = {side: each for side in self.sides if (each := self.ledger.open_against(side))}
        puts = {side: self._showing.objections(side, each) for side, each in open_to.items()}
        for side, said in (await self.defences(puts, round)).items():
            self.ledger.add(*answered(side, round, said, open_to[side], self.artifact))

    async def defences(self, puts: Mapping[str, Put[Defence]], round: int) -> dict[str, Defence]:
        return await self._table.ask("answer", puts, round)

    async def rejoin(self, round: int) -> None:
        """Every objector on the answers of this round."""
        answers = {side: each for side in self.sides if (each := self.ledger.answered_to(side, round))}
        puts = {side: self._showing.answers(side, each) for side, each in answers.items()}
        for side, said in (await self._table.ask("rejoin", puts, round)).items():
            self.ledger.add(*rejoined(side, round, said, answers[side]))

    async def settle(self, round: int) -> dict[str, str]:
        """What would resolve each open point, by objection, in the words of a model."""
        puts = {side: self._showing.points() for side in self.sides[:1] if self.ledger.open()}
        try:
            said = await self._table.ask("settle", puts, round)
        except (BudgetError, ContextError) as reached:
            self.broke_off(reached, round)
            return {}
        return {row.id: row.would_resolve_if for sheet in said.values() for row in sheet.rows}

    def broke_off(self, why: BudgetError | ContextError, round: int) -> StopReason:
        """Note which cap was reached, the budget's or the model's context."""
        self.ledger.add(Fault(by="engine", round=round, what="over_cap", text=str(why)))
        return StopReason.BUDGET if isinstance(why, BudgetError) else StopReason.CONTEXT

    @property
    def standing(self) -> Answers:
        return standing_of(self.ledger, self.sides)

    def outcome(
        self, positions: Sequence[Answers], stop: StopReason, resolutions: Mapping[str, str]
    ) -> Outcome:
        asks: dict[str, JsonValue] = {"review": len(self.sides), **self._table.asks}
        facts = {**report(self.ledger, self.sides, resolutions), "asks": asks}
        return outcome(self.ledger, positions, stop, facts)
