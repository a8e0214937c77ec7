"""Tit for tat (Liang et al., 2023): one side answers, another disagrees, a moderator ends it once a side has won."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from pydantic import JsonValue

from madbench.agents import Agent, Episode
from madbench.protocols.replies import Statement
from madbench.protocols.tit_for_tat_seen import (
    Arguments,
    Case,
    Debater,
    Decision,
    Moderator,
    Opening,
    Opposing,
    Rejoinder,
    Ruling,
)
from madbench.protocols.tit_for_tat_sides import choices, sided
from madbench.types import Edge, FormatError, InputError, Outcome, Problem, ProtocolSettings, StopReason


@dataclass(frozen=True, kw_only=True)
class TitForTat(ProtocolSettings):
    """`debate_rounds` counts rounds as the paper does: both sides speak in each, the first included.

    After each round the moderator may settle on an answer. If it has not by the end, a judge who was not there
    decides on what `judge_sees` of each side: its first argument, its last, or all. `agreement` tells the
    negative side how often to agree, from 0 (never) to 10 (always); None tells it that it disagrees.
    """

    debate_rounds: int = 3
    judge_sees: Literal["first", "last", "all"] = "all"
    agreement: int | None = None
    plays = ("affirmative", "negative", "moderator", "judge")
    edges = tuple(
        Edge("moderator", deaf) for deaf in ("affirmative/Rejoinder", "negative/Rejoinder", "judge")
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.debate_rounds < 1 or self.agreement not in (None, *range(11)):
            raise InputError(
                f"protocol: debate_rounds={self.debate_rounds} agreement={self.agreement}; least 1, and 0 to 10"
            )

    async def __call__(self, problem: Problem, episode: Episode) -> Outcome:
        affirmative = episode.agent("affirmative", sees=Opening, says=Statement, system=Debater())
        negative = episode.agent("negative", sees=Opposing, says=Statement, system=Debater())
        moderator = episode.agent("moderator", sees=Arguments, says=Decision, system=Moderator())

        async def rejoin(side: Agent[Rejoinder, Statement], other: Statement, level: int | None) -> Statement:
            seen = Rejoinder(other=other.text, instruction=problem.reader.instruction, level=level)
            return await side.ask(seen)

        async def settled() -> str | None:
            with suppress(FormatError):  # a decision that cannot be read settles nothing
                return (await moderator.ask(Arguments.of(problem, pro, con))).final
            return None

        pro = [await affirmative.ask(Opening(prompt=problem.prompt))]
        con = [await negative.ask(Opposing(prompt=problem.prompt, other=pro[0].text, level=self.agreement))]
        answer = await settled()
        while answer is None and len(pro) < self.debate_rounds:
            pro.append(await rejoin(affirmative.also(sees=Rejoinder, says=Statement), con[-1], None))
            con.append(await rejoin(negative.also(sees=Rejoinder, says=Statement), pro[-1], self.agreement))
            answer = await settled()
        stop = StopReason.MAX_ROUNDS if answer is None else StopReason.JUDGE
        if answer is None:
            kept = {"first": slice(0, 1), "last": slice(-1, None), "all": slice(None)}[self.judge_sees]
            judge = episode.agent("judge", sees=Case, says=Ruling)
            answer = (
                await judge.ask(Case.of(problem, pro[kept], con[kept]), round=len(pro) - 1)
            ).found.answer
        positions = tuple((ours.answer, theirs.answer) for ours, theirs in zip(pro, con, strict=True))
        facts: dict[str, JsonValue] = {
            "adaptive_stop": float(stop is StopReason.JUDGE),
            "rounds": len(pro),
            "sided_with_affirmative": sided(answer, *positions[-1]),
            "choices": choices(stop, answer, *positions[-1]),
        }
        return Outcome(answer, positions, stop, facts=facts)
