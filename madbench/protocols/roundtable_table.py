"""The table: who sits there, what was said, and how each decision is put."""

from __future__ import annotations

from collections.abc import Sequence

from madbench.agents import Agent, Episode, Memory
from madbench.protocols.roundtable_brief import BRIEF
from madbench.protocols.roundtable_chair import Chair, Manner
from madbench.protocols.roundtable_forms import FULL, Contribution
from madbench.protocols.roundtable_gates import Gates
from madbench.protocols.roundtable_log import Log
from madbench.protocols.roundtable_seen import Floor, Seated, Sight
from madbench.types import Problem, reads_findings


class Table:
    """Every persona is a role of its own; it remembers who it is, and is shown the discussion. Rounds count from 0;
    the proposal and the vote are those after the last. `nothing` is the answer that reports nothing, None where the
    task does not list it.
    """

    def __init__(
        self,
        problem: Problem,
        episode: Episode,
        *,
        personas: Sequence[str],
        gates: Gates,
        manner: Manner,
        nothing: str,
    ) -> None:
        self.problem, self.gates, self.manner = problem, gates, manner
        self.nothing = _listed(problem, nothing)
        self.forms, self.chair = FULL if manner.forms == "full" else BRIEF, Chair(gates, manner.retries)
        self.log, self.round, self.lines = Log(personas), 0, list[tuple[str, Contribution]]()
        says, forgets = self.forms.contribution, Memory(keep="nothing")
        self.seats: dict[str, Agent[Floor, Contribution]] = {
            name: episode.agent(
                name, sees=Floor, says=says, system=Seated(me=name, personas=tuple(personas)), memory=forgets
            )
            for name in personas
        }

    def sight(self, name: str, *gates: str) -> Sight:
        """What a persona knows whatever is said; it is told of these gates, where they are asked for."""
        rules = self.gates.asked("role", *gates)
        return Sight(question=self.problem.question, rules=rules, forms=self.manner.forms)

    @property
    def said(self) -> tuple[str, ...]:
        """The last contributions as everybody reads them; who passed said nothing."""
        spoken = [(who, said) for who, said in self.lines if said.move != "pass"]
        latest = spoken[-self.manner.window :] if self.manner.window else spoken
        return tuple(f"The {who} ({said.move}, to {said.to}): {said.text}" for who, said in latest)

    @property
    def data(self) -> str:
        """What the figures of a proposal are held to: the question's. Of an artifact under review it is only that it
        has lines to name: a correlation there is its code's or its author's, and none that a finding has to give.
        """
        reader = self.problem.reader
        if reads_findings(reader):
            return f"{sum(len(document.lines) for document in reader.artifact.documents)} lines"
        return self.problem.question

    def words(self, who: str, *, own: bool) -> list[str]:
        """What a persona said so far, or what all others did."""
        return [said.words for name, said in self.lines if (name == who) is own]


def _listed(problem: Problem, words: str) -> str | None:
    """An answer by its words, if it is one of those that the task lists."""
    answer, options = problem.reader.canonical(words), problem.reader.schema().get("enum")
    return answer if isinstance(options, list) and answer in options else None
