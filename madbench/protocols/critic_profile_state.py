"""The ways to speak in critic and profile, and what of a question outlives it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from madbench.agents import Memory
from madbench.protocols import critic_profile_brief as brief
from madbench.protocols import critic_profile_forms as full
from madbench.protocols import critic_profile_marked as marked
from madbench.protocols import critic_profile_structured as structured
from madbench.protocols.critic_profile_facts import same_words
from madbench.protocols.critic_profile_seen import Manner
from madbench.protocols.profile import Profile
from madbench.types import Edge, Strict


class State(Strict):
    """What outlives a question: the answerer's memory, earlier questions as rephrased, the profile.

    `critics` stays empty unless critics are made to remember.
    """

    answerer: Memory = Memory()
    critics: tuple[Memory, ...] = ()
    questions: tuple[str, ...] = ()
    profile: Profile = Profile()

    def earlier(self, question: str) -> tuple[str, ...]:
        """What came before, but for what says the user's own words now (a twin's question, say)."""
        return tuple(before for before in self.questions if not same_words(question, before))

    def critic(self, seat: int) -> Memory:
        return self.critics[seat] if seat < len(self.critics) else Memory()


DEFAULT = Manner()


@dataclass(frozen=True, slots=True)
class Forms:
    """The reply classes of one way to speak, and how they are asked for."""

    rephrased: type[full.Rephrased] = full.Rephrased
    restatement: type[full.Heard] = full.Restatement
    criticism: type[full.Criticism] = full.Criticism
    response: type[full.Response] = full.Response
    verdict: type[full.Verdict] = full.Verdict
    note: type[full.ProfileNote] = full.ProfileNote
    manner: Manner = DEFAULT


FORMS: Mapping[str, Forms] = MappingProxyType(
    {
        "full": Forms(),
        "brief": Forms(
            brief.Rephrased,
            brief.Restatement,
            brief.Criticism,
            brief.Response,
            brief.Verdict,
            brief.ProfileNote,
            Manner(words=8, forms="brief"),
        ),
        "structured": Forms(restatement=structured.Restatement, manner=Manner(forms="structured")),
        "marked": Forms(
            marked.Rephrased,
            marked.Restatement,
            marked.Criticism,
            marked.Response,
            marked.Verdict,
            marked.ProfileNote,
            Manner(forms="marked"),
        ),
    }
)


def bottleneck(
    judge: str = "judge", *, asked: bool = True, critic: bool = True, ruled: bool = True
) -> tuple[Edge, ...]:
    """The channels that the protocol forbids, but for those that an arm opens; `judge` is the role that rules.

    The user's own words reach nobody but as rephrased; the answerer's reach critic and arbiter but as restated.
    """
    question = [Edge("problem", sink, via="Rephrased") for sink in ("answerer", "critic", f"{judge}/Case")]
    rulings = [Edge("answerer", f"{judge}/{sink}", via="Restatement") for sink in ("Case", "Criticised")]
    return (
        *(question if asked else ()),
        *((Edge("answerer", "critic", via="Restatement"),) if critic else ()),
        *(rulings if ruled else ()),
    )
