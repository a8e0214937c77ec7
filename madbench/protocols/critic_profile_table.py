"""Who sits at the table for one question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from madbench.agents import Agent, Episode, Memory
from madbench.protocols.critic_profile_forms import Criticism, Rephrased
from madbench.protocols.critic_profile_seen import Answerer, Critic, Judge, Opening, Question, Restated
from madbench.protocols.critic_profile_state import Forms, State
from madbench.protocols.replies import Statement


@dataclass(frozen=True, slots=True)
class Seating:
    """Who plays: the forms all speak in, the roles that mediate and that rule (one and the same, or two), critics."""

    forms: Forms
    judges: tuple[str, str]
    critics: tuple[Critic, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """The answerer remembers the session. A judge's jobs share one seat, so that their draws differ, and no
    memory, so that the arbiter has not heard what the mediator was shown.
    """

    answerer: Agent[Opening, Statement]
    mediator: Agent[Question, Rephrased]
    arbiter: Agent[Question, Rephrased]
    critics: Sequence[Agent[Restated, Criticism]]


def seated(episode: Episode, question: str, state: State, seating: Seating) -> Table:
    """Open everybody; `question` is in the user's own words."""
    forms, who = seating.forms, Judge(earlier=state.earlier(question))
    judges = [
        episode.agent(role, sees=Question, says=forms.rephrased, system=who, memory=Memory(keep="nothing"))
        for role in dict.fromkeys(seating.judges)
    ]
    critics = [
        episode.agent(
            "critic", sees=Restated, says=forms.criticism, seat=seat, system=who, memory=state.critic(seat)
        )
        for seat, who in enumerate(seating.critics)
    ]
    answerer = episode.agent(
        "answerer", sees=Opening, says=Statement, system=Answerer(), memory=state.answerer
    )
    return Table(answerer, judges[0], judges[-1], critics)
