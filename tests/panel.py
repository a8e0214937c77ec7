"""A round table with a script: what every persona says at each kind of decision."""

import json
from collections import defaultdict
from dataclasses import dataclass, replace

from stage import SUM, Marked, Played, play, stage

from madbench.protocols.roundtable import Roundtable
from madbench.protocols.roundtable_chair import Manner
from madbench.protocols.roundtable_forms import PERSONAS
from madbench.protocols.roundtable_gates import Gates
from madbench.types import Contract, Request, RoleSettings


@dataclass(frozen=True)
class Listed(Marked):
    """Answers from a list."""

    def schema(self) -> dict:
        return {"type": "string", "enum": ["price", "rain", "nothing"]}


DATA = replace(
    SUM,
    id="data",
    question="Which column goes with sales?\nprice: r with sales = -0.62\nrain: r with sales = 0.12",
    reader=Listed(),
)
"""A question that gives strengths."""
POINTS = (
    "north",
    "south",
    "summer",
    "winter",
    "queue",
    "light",
    "stock",
    "noise",
    "staff",
    "lanes",
    "area",
    "rent",
)


def form(**fields):
    return json.dumps(fields)


def says(text, move="add", answer="price", to="everyone"):
    return form(text=text, answer=answer, move=move, to=to)


def drafts(answer="price", evidence=("r = -0.62",), confidence="high", insight="Price goes with sales"):
    return form(insight=insight, answer=answer, evidence=list(evidence), confidence=confidence)


def votes(agent, vote="agree", concerns="none", reason="It is well backed."):
    return form(agent=agent, concerns=concerns, reason=reason, vote=vote)


class Panel:
    """Says something new each time, drafts a sound proposal, and agrees under its own name; but for what is scripted.

    A script is by persona and decision (`skeptic_floor`, `generalist_draft`, `skeptic_ballot`): a text, or several,
    one after the other, of which the last repeats.
    """

    def __init__(self, **scripts):
        self.scripts, self.asked, self.new = scripts, defaultdict(int), 0

    def __call__(self, request: Request) -> str:
        who = request.messages[0].text.partition("You are the ")[2].partition(".")[0]
        shown = request.messages[-1].text
        kind = "floor" if "You have the floor" in shown else "draft" if "Draft the one" in shown else "ballot"
        name = f"{who}_{kind}"
        turn, self.asked[name] = self.asked[name], self.asked[name] + 1
        if (said := self.scripts.get(name)) is not None:
            return said if isinstance(said, str) else said[min(turn, len(said) - 1)]
        self.new += 1
        first, second = POINTS[self.new % 12], POINTS[self.new // 12 % 12]
        usual = {
            "floor": says(f"Consider {first} beside {second} in month {self.new}"),
            "draft": drafts(),
            "ballot": votes(who),
        }
        return usual[kind]


def table(script=None, *, gates=None, problem=DATA, manner=None, settings=None, **options) -> Played:
    """One sitting of two rounds."""
    options = {"debate_rounds": 2, **options}
    protocol = Roundtable(gates=gates or Gates(), manner=manner or Manner(), **options)
    settings = settings or RoleSettings(contract=Contract(enforcement="prompt"))
    return play(stage(protocol, script or Panel(), problem=problem, settings=settings))


def only(**switches):
    """Gates of which all are off but these."""
    return Gates(
        **{**dict.fromkeys(("repetition", "proposal", "vote", "role", "concerns"), "off"), **switches}
    )


def events(played, kind, **facts):
    """The ledger's events of a kind, with these facts."""
    return [
        event
        for event in played.outcome.ledger
        if event.kind == kind and all(event.facts.get(name) == value for name, value in facts.items())
    ]


def shown(played, seen, who=None):
    """What was shown in all decisions of a kind, one text each."""
    return [
        turn.request.messages[-1].text
        for turn in played.turns
        if turn.seen == seen and who in (None, turn.speaker.role)
    ]


ALL_AGREE = {f"{name}_ballot": votes(name) for name in PERSONAS}
