"""A simulated round table: how often its personas object, repeat, boast, fold and obey is known, so that what a round
table comes to on tables of statistics can be enumerated.

What it does, exactly; every draw is independent, from the request's own seed.

- *A rule counts as told* if the prompt states it, or says that an earlier try was not accepted. A rule that was
  told is obeyed with probability `obeys`, drawn anew at every decision.
- *On the floor*, the contrarian and the skeptic object with probability `objects`; all others add something. What is
  said is new; but with probability `repeats` it is what was said last, unless the rule against that is obeyed. All
  speak to whoever objected last.
- *Drafting*, the strongest column of the question is proposed with probability `base.accuracy`, else one of the
  others, with its own r as evidence; at high confidence with probability `boasts`, else low. Who obeys states what
  the r allows: high from 0.5, medium from 0.3, else low.
- *Voting*, everybody agrees with probability `agrees`. Who objected before says that this was answered with
  probability `heard`. Who obeys the rule for adversaries disagrees if the r is under 0.5 at high, or under 0.3 at
  medium confidence; who obeys the rule about concerns disagrees if its own were not answered.
- *All else* is answered as `base` does.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

from madbench.engines.simulated import SimulatedEngine, SimulatedModel, prompt_tokens, rng_of
from madbench.types import Capability, Completion, ContextError, InputError, Request

COLUMN = re.compile(r"^([A-Z])\) .*\br with \w+ = (-?\d\.\d+)", re.MULTILINE)
PERSONA = re.compile(r"You are the (\w+)\.")
LAST = re.compile(r"^- The \w+ \(\w+, to \w+\): (.*)$", re.MULTILINE)
OBJECTORS = re.compile(r"^- The (\w+) \(object, ", re.MULTILINE)
PUT = re.compile(r"^Evidence: r = (-?\d\.\d+)\nConfidence: (\w+)", re.MULTILINE)
BARS = {"high": 0.5, "medium": 0.3, "low": 0.0}
REJECTED = "was not accepted"
RULES = {
    "repetition": "Do not say again",
    "proposal": "confidence needs",
    "vote": "Disagree unless all of these hold",
    "concerns": "as long as it was not",
}
"""How a prompt that states a rule can be told."""


@dataclass(frozen=True, slots=True)
class PanelModel:
    """Settings of a simulated round table; the module says what it does. All numbers are probabilities."""

    base: SimulatedModel
    objects: float = 0.6
    repeats: float = 0.0
    agrees: float = 0.8
    heard: float = 0.5
    boasts: float = 1.0
    obeys: float = 0.5

    @property
    def name(self) -> str:
        return self.base.name

    @property
    def capabilities(self) -> frozenset[Capability]:
        """Only what `base` has; the words of a panel have no probabilities."""
        return self.base.capabilities

    def fingerprint(self) -> str:
        """Over what can change a reply."""
        settings = repr((self.base.fingerprint(), repr(replace(self, base=SimulatedModel(0.0)))))
        return hashlib.sha256(settings.encode()).hexdigest()

    def check(self) -> None:
        self.base.check()
        for name in ("objects", "repeats", "agrees", "heard", "boasts", "obeys"):
            if not 0 <= getattr(self, name) <= 1:
                raise InputError(f"model.{name}: {getattr(self, name)} is no probability; wanted 0 to 1")

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[PanelEngine]:
        yield PanelEngine(self)


class PanelEngine(SimulatedEngine):
    """Speaks for personas where a schema asks for a move, a draft or a vote, and else as its base."""

    def __init__(self, model: PanelModel) -> None:
        super().__init__(model.base)
        self._panel, self._fingerprint = model, model.fingerprint()

    async def generate(self, request: Request) -> Completion:
        fields = json.loads(request.schema).get("properties", {}) if request.schema else {}
        says = {"move": floor, "evidence": draft, "vote": ballot}
        kind = next((kind for kind in says if kind in fields), None)
        if kind is None:
            return await super().generate(request)
        if (over := self.excess(request)) > 0:
            raise ContextError(f"prompt exceeds the context by {over} tokens")
        await asyncio.sleep(self._panel.base.seconds_per_call)
        text = json.dumps(says[kind](Scene.of(self._panel, request)), separators=(",", ":"))
        room = request.sampling.max_tokens * 4
        counts = prompt_tokens(request), -(-len(text[:room]) // 4)
        return Completion(text[:room], "length" if len(text) > room else "stop", *counts)


@dataclass(frozen=True, slots=True)
class Scene:
    """One decision: who takes it, on what prompt, with what chances."""

    panel: PanelModel
    me: str
    prompt: str
    columns: dict[str, str]
    rng: random.Random = field(repr=False)

    @classmethod
    def of(cls, panel: PanelModel, request: Request) -> Scene:
        prompt = request.messages[-1].text
        who = [found for message in request.messages[:-1] for found in PERSONA.findall(message.text)]
        return cls(panel, who[0] if who else "", prompt, dict(COLUMN.findall(prompt)), rng_of(request))

    @property
    def adversary(self) -> bool:
        return self.me in ("contrarian", "skeptic")

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def obeys(self, rule: str) -> bool:
        """Whether a rule keeps this persona from breaking it, now."""
        told = RULES[rule] in self.prompt or REJECTED in self.prompt
        return told and self.chance(self.panel.obeys)


def floor(scene: Scene) -> dict[str, object]:
    last = LAST.findall(scene.prompt)
    again = bool(last) and scene.chance(scene.panel.repeats) and not scene.obeys("repetition")
    objects = scene.adversary and scene.chance(scene.panel.objects)
    text = last[-1] if again else f"Point {scene.rng.getrandbits(64):016x} should be looked at"
    move = "object" if objects else "add"
    to = [name for name in OBJECTORS.findall(scene.prompt) if name != scene.me]
    return {
        "text": text,
        "answer": strongest(scene.columns),
        "move": move,
        "to": to[-1] if to else "everyone",
    }


def draft(scene: Scene) -> dict[str, object]:
    best = strongest(scene.columns)
    others = [letter for letter in scene.columns if letter != best]
    answer = best if not others or scene.chance(scene.panel.base.accuracy) else scene.rng.choice(others)
    r = scene.columns.get(answer, "0.00")
    stated = "high" if scene.chance(scene.panel.boasts) else "low"
    honest = next(level for level, bar in BARS.items() if abs(float(r)) >= bar)
    confidence = honest if scene.obeys("proposal") else stated
    insight = f"Column {answer} goes with the outcome"
    return {"insight": insight, "answer": answer, "evidence": [f"r = {r}"], "confidence": confidence}


def ballot(scene: Scene) -> dict[str, object]:
    objected = scene.me in OBJECTORS.findall(scene.prompt)
    answered = scene.chance(scene.panel.heard)
    agrees = scene.chance(scene.panel.agrees)
    if scene.adversary and unbacked(scene.prompt) and scene.obeys("vote"):
        agrees = False
    if objected and not answered and scene.obeys("concerns"):
        agrees = False
    concerns = "none" if not objected else "answered" if answered else "unanswered"
    vote, reason = "agree" if agrees else "disagree", f"Reason {scene.rng.getrandbits(32):08x}"
    return {"agent": scene.me, "concerns": concerns, "reason": reason, "vote": vote}


def strongest(columns: dict[str, str]) -> str:
    """The first column of the largest |r|; "A" where there is none."""
    return max(columns, key=lambda letter: abs(float(columns[letter])), default="A")


def unbacked(prompt: str) -> bool:
    """Whether a proposal's r is under what its confidence needs."""
    put = PUT.search(prompt)
    return put is not None and abs(float(put[1])) < BARS.get(put[2], 0.0)
