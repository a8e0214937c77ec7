"""Arms of critic and profile that open a channel, divide the judge, or restore the published faults."""

from collections.abc import Sequence
from dataclasses import dataclass

from madbench.protocols.critic_profile import CriticProfile
from madbench.protocols.critic_profile_forms import Criticism, Heard
from madbench.protocols.critic_profile_seen import Exchange
from madbench.protocols.critic_profile_sitting import Said, Sitting
from madbench.protocols.critic_profile_state import bottleneck
from madbench.types import FormatError


class Unfiltered(Heard):
    """A reply as it stands, in the place of its restatement."""

    words: str

    @property
    def text(self) -> str:
        return self.words


@dataclass(frozen=True, kw_only=True)
class NoRephrase(CriticProfile):
    """The user's own words go to everybody."""

    edges = bottleneck(asked=False)

    async def rephrase(self, sitting: Sitting) -> bool:
        sitting.question = sitting.problem.question
        return True


@dataclass(frozen=True, kw_only=True)
class NoBottleneck(CriticProfile):
    """The critic reads replies as they stand; all else, and the number of calls, stays."""

    edges = bottleneck(critic=False)

    def to_critic(self, said: Said, heard: Heard) -> Heard:
        return Unfiltered(words=said.text)


@dataclass(frozen=True, kw_only=True)
class RawArbiter(CriticProfile):
    """The arbiter reads replies as they stand; the critic still reads restatements."""

    edges = bottleneck(ruled=False)

    def to_arbiter(self, said: Said, heard: Heard) -> Heard:
        return Unfiltered(words=said.text)


@dataclass(frozen=True, kw_only=True)
class SplitJudge(CriticProfile):
    """One mediates (rephrases, restates), another rules (verdict, profile): two roles, two models if wanted."""

    plays = ("answerer", "critic", "mediator", "arbiter")
    edges = bottleneck("arbiter")
    judges = ("mediator", "arbiter")


@dataclass(frozen=True, kw_only=True)
class AsPublished(RawArbiter):
    """The published code's flow (madcap, Python 0.1.0; the raw fallback is of its .NET successor), faults included.

    The arbiter reads raw responses; the last is never restated; a critic's parting words count as an objection
    that nobody answered; where a restatement fails, the reply itself passes.
    """

    edges = bottleneck(critic=False, ruled=False)

    async def restate(self, sitting: Sitting, said: Said) -> Heard:
        if 0 < sitting.round == self.debate_rounds:
            return Unfiltered(words=said.text)
        try:
            return await sitting.restate(said)
        except FormatError:
            return Unfiltered(words=said.text)

    def parting(self, criticisms: Sequence[Criticism]) -> list[Exchange]:
        return [Exchange(objections=tuple(each.objection for each in criticisms), response=None)]
