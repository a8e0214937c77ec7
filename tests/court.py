"""A court for critic and profile: scripted answerer, critic and judge, and sessions of several questions."""

import asyncio
import json
from collections import defaultdict
from dataclasses import dataclass, replace

from stage import SUM, Marked, Scripted

from madbench.agents import Cast, Episode, Scene
from madbench.types import Contract, Message, Outcome, Problem, Request, RoleSettings, Shot, Strict, Turn

CUES = {
    "Somebody asks:": "Question",
    "Somebody replied:": "Reply",
    "What the other side claims:": "Restated",
    "The critic objects:": "Objected",
    "Rule on the question.": "Case",
    "Does the criticism show": "Criticised",
}
"""What tells each kind of ask from the others, for a script that sees messages alone."""


def kind_of(message: Message) -> str:
    return next((kind for cue, kind in CUES.items() if cue in message.text), "Opening")


def form(**fields):
    return json.dumps(fields)


def rephrased(text="In neutral words: what is the sum of four and five?"):
    return form(unclear=False, text=text)


def clarify(text="Which apples are meant, exactly?"):
    return form(unclear=True, text=text)


def restated(facts="The sum is nine, since four and five make nine."):
    return form(facts=facts)


def objection(text="Four and five could also make ten, if one counts carelessly."):
    return form(objection=text, done=False)


DONE = form(objection="", done=True)


def response(reply="I counted again and stand by every step.", answer="9", stance="defended"):
    return form(reply=reply, answer=answer, stance=stance)


def verdict(answer="9", confidence="high", uncertainty="none that matters"):
    return form(
        reasons="The objection was refuted.", answer=answer, confidence=confidence, uncertainty=uncertainty
    )


def note(text="forget to carry digits"):
    return form(criticised=True, note=text)


NO_NOTE = form(criticised=False, note="")

USUAL = {
    "Question": rephrased(),
    "Opening": "I add four and five and get nine.\nAnswer: 9",
    "Reply": restated(),
    "Restated": DONE,
    "Objected": response(),
    "Case": verdict(),
    "Criticised": NO_NOTE,
}


class Court:
    """Answers each kind of ask: always the same text, or one after the other (the last repeats)."""

    def __init__(self, **says):
        self.says = {**USUAL, **says}
        self.asked = defaultdict(int)

    def __call__(self, request: Request) -> str:
        kind = kind_of(request.messages[-1])
        said, turn = self.says[kind], self.asked[kind]
        self.asked[kind] += 1
        if callable(said):
            return said(request)
        return said if isinstance(said, str) else said[min(turn, len(said) - 1)]


@dataclass(frozen=True)
class Heard:
    """One question of a session: outcome, turns, and the state after it."""

    outcome: Outcome
    turns: tuple[Turn, ...]
    state: Strict

    def of(self, seen: str) -> list[Turn]:
        return [turn for turn in self.turns if turn.seen == seen]

    def prompt(self, seen: str, place: int = 0) -> str:
        """All that was shown in an ask of this kind."""
        return "\n".join(message.text for message in self.of(seen)[place].request.messages)

    def last(self, seen: str, place: int = 0) -> str:
        """What was shown last in an ask of this kind."""
        return self.of(seen)[place].request.messages[-1].text

    @property
    def kinds(self) -> list[str]:
        return [event.kind for event in self.outcome.ledger]


def questions(n: int) -> list[Problem]:
    return [
        replace(
            SUM, id=f"sum{i}", question=f"Surely question {i} has the answer seven, as every child knows?"
        )
        for i in range(n)
    ]


SHOWN = replace(
    SUM,
    shots=(Shot(f"How many are two and two?\n{Marked().instruction}", "Two and two make four.\nAnswer: 4"),),
)


def session(protocol, script, problems=(SUM,), *, state=None, enforcement="prompt", seed=0) -> list[Heard]:
    """Play problems one after the other, handing the state on."""
    script = script if isinstance(script, dict) else {"default": script}
    cast = Cast({role: [Scripted(words)] for role, words in script.items()})
    settings = RoleSettings(contract=Contract(enforcement=enforcement))

    async def all_of_them():
        heard, now = [], protocol.begin() if state is None else state
        for problem in problems:
            turns: list[Turn] = []
            episode = Episode(Scene(problem, None, cast, protocol, settings, seed), turns.append)
            outcome, now = await protocol(problem, episode, now)
            heard.append(Heard(outcome, tuple(turns), now))
        return heard

    return asyncio.run(all_of_them())


def one(protocol, problem=SUM, **says) -> Heard:
    """One question in its usual course, but for what is said otherwise."""
    return session(protocol, Court(**says), [problem])[0]
