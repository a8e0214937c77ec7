"""Reviewers by script: an artifact, what each side says on each turn, and one call that plays their debate."""

import asyncio
import json
from collections import defaultdict
from dataclasses import dataclass, field

from stage import Played, Scripted

from madbench.agents import Cast, Episode, Scene
from madbench.protocols.adversarial_review import AdversarialReview
from madbench.protocols.adversarial_review_terms import Terms
from madbench.tasks.answers import FindingsReader
from madbench.tasks.review_samples import question_of
from madbench.types import (
    Answered,
    Artifact,
    Document,
    Fault,
    Problem,
    Request,
    RoleSettings,
    Unaddressed,
    entry_of,
    findings_of,
)

LINES = [f"value_{number} = compute_{number}(queue)" for number in range(1, 31)]
ARTIFACT = Artifact(
    (Document("app.py", "\n".join(LINES)), Document("lib/util.py", "\n".join(LINES[:10]))),
    "Computes thirty values out of one queue.",
)
PROBLEM = Problem(
    "app", "app", question_of(ARTIFACT), FindingsReader(ARTIFACT, cap=40, longest=400, evidence=4)
)
FORMS = {
    "Claims of others:": "object",
    "Others object to claims of yours.": "answer",
    "You objected to claims of others": "rejoin",
    "could not settle it": "settle",
}
"""What tells each kind of ask from the others, for a script that sees messages alone; others are reviews."""


def review(*lines, severity="medium", document="app.py", **more):
    """A review with one finding a line; a line may come with its own text."""
    rows = [
        line if isinstance(line, tuple) else (line, f"Line {line} reads the queue without a lock")
        for line in lines
    ]
    return json.dumps(
        {
            "findings": [
                {
                    "document": document,
                    "line_start": at,
                    "line_end": at,
                    "text": text,
                    "severity": severity,
                    **more,
                }
                for at, text in rows
            ]
        }
    )


def stands(**by_claim):
    """A reply to claims: `A1=("OBJECTED", "why", "app.py:3")`, or the stance alone."""
    return json.dumps(
        {"claims": {_id(key): _record("argument", "stance", value) for key, value in by_claim.items()}}
    )


def answers(**by_objection):
    """A reply to objections: `B_1_1=("REBUTTED", "why", "app.py:3")`, or the move alone."""
    rows = {_id(key): _record("reason", "move", value) for key, value in by_objection.items()}
    return json.dumps({"answers": rows})


def decides(**by_objection):
    rows = {_id(key): _record("reason", "decision", value) for key, value in by_objection.items()}
    return json.dumps(
        {"decisions": {key: {k: v for k, v in row.items() if k != "evidence"} for key, row in rows.items()}}
    )


def settles(**by_objection):
    return json.dumps(
        {"points": {_id(key): {"would_resolve_if": text} for key, text in by_objection.items()}}
    )


def _id(key):
    return key.replace("_", "/") if "_" in key else f"{key[0]}/{key[1:]}"


def _record(words, choice, value):
    choice_made, said, *evidence = (value, "") if isinstance(value, str) else value
    return {words: said, "evidence": evidence, choice: choice_made}


OBJECTION = ("OBJECTED", "The scheduler hands every worker a private copy beforehand", "app.py:2")
REBUTTAL = ("REBUTTED", "Both workers receive the identical instance from the constructor", "app.py:5")
CARRY = ("CARRIED", "Whether copies happen depends on a deployment flag outside these files")


@dataclass
class Side:
    """What one side says: on every kind of ask one text, or one after the other (the last repeats), or a function."""

    review: object = field(default_factory=lambda: review(3))
    object: object = '{"claims": {}}'
    answer: object = '{"answers": {}}'
    rejoin: object = '{"decisions": {}}'
    settle: object = '{"points": {}}'
    asked: dict = field(default_factory=lambda: defaultdict(int))

    def __call__(self, request: Request) -> str:
        kind = kind_of(request)
        said, turn = getattr(self, kind), self.asked[kind]
        self.asked[kind] += 1
        if callable(said):
            return said(request)
        return said if isinstance(said, str) else said[min(turn, len(said) - 1)]


def kind_of(request: Request) -> str:
    shown = [message.text for message in request.messages if message.role == "user"]
    return next((kind for cue, kind in FORMS.items() if cue in shown[0]), "review")


@dataclass(frozen=True)
class Debated(Played):
    """One debate: how it ended, its turns, and its ledger as typed entries."""

    @property
    def ledger(self):
        entries = [entry_of(event) for event in self.outcome.ledger]
        assert None not in entries
        return entries

    def of(self, kind):
        return [entry for entry in self.ledger if isinstance(entry, kind)]

    @property
    def moves(self):
        """The parsed moves, by objection; None where there was none."""
        made = {each.objection: None for each in self.of(Unaddressed)}
        return made | {each.objection: each.move for each in self.of(Answered)}

    @property
    def faults(self):
        return [(each.what, each.by) for each in self.of(Fault)]

    @property
    def last(self):
        """The ids of each side's claims that stand at the end."""
        return [[finding.id for finding in findings_of(answer)] for answer in self.outcome.positions[-1]]

    def prompts(self, role, side=None):
        seat = None if side is None else "ABC".index(side)
        return [
            turn.request.messages[-1].text if turn.speaker.attempt == 0 else turn.request.messages[0].text
            for turn in self.turns
            if turn.speaker.role == role and seat in (None, turn.speaker.seat)
        ]

    def repairs(self, role):
        """What repairs asked for."""
        return [
            turn.request.messages[-1].text
            for turn in self.turns
            if turn.speaker.role == role and turn.speaker.attempt
        ]


def scene(*sides, protocol=None, problem=PROBLEM, context=1_000_000, enforcement="prompt", **changes):
    """A scene with one scripted engine a side; `changes` are terms, `enforcement` that of all roles but the solver."""
    roles = {
        role: {"contract": {"enforcement": enforcement, "repairs": 2}}
        for role in ("objector", "defender", "synthesiser")
    }
    rounds = changes.pop("rounds", 2)
    protocol = protocol or AdversarialReview(
        reviewers=len(sides), debate_rounds=rounds, terms=Terms(**changes), roles=roles
    )
    cast = Cast({"default": [Scripted(side, context) for side in sides]})
    return Scene(problem, None, cast, protocol, RoleSettings(), seed=0)


def played(setting) -> Debated:
    turns = []
    outcome = asyncio.run(setting.protocol(setting.problem, Episode(setting, turns.append)))
    return Debated(outcome, tuple(turns))


def debate(*sides, **options) -> Debated:
    return played(scene(*sides, **options))
