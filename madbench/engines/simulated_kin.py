"""Simulated debaters and judges of which it is known how far a judge favours its own family.

What it does, exactly; draws come from the request's own seed.

- *Whatever it says at length* (free text, an argument, an approach) is signed with its family: `⟦by=gemma⟧`.
- *Shown signed words for different answers*, and asked for an answer, it gives its own family's answer with
  probability `prefers`; else it decides as `base` does. Where its own family speaks for no answer, or for several,
  `base` decides.
- *All else* is answered as `base` does.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from madbench.engines.names import family_of
from madbench.engines.simulated import ANSWER, WIDTH, SimulatedEngine, SimulatedModel
from madbench.types import Capability, Completion, InputError, Request, seed_of

BLOCK = re.compile(r'(?:for "([^"]+)":\n)?"""\n(.*?)\n"""', re.DOTALL)
SIGN = re.compile(r"⟦by=(\w+)⟧")
OPTION = re.compile(r"^([A-Z])\) (.+)$", re.MULTILINE)
LONG = ("argument", "approach")


@dataclass(frozen=True, slots=True)
class KinModel:
    """Settings of such a model; the module says what it does. Its family is what `base`'s name tells."""

    base: SimulatedModel
    prefers: float = 0.0

    @property
    def name(self) -> str:
        return self.base.name

    @property
    def family(self) -> str:
        return family_of(self.base.name)

    @property
    def capabilities(self) -> frozenset[Capability]:
        """What is signed has no probabilities."""
        return self.base.capabilities - {Capability.LOGPROBS}

    def fingerprint(self) -> str:
        """Over what can change a reply, the family among it."""
        plain = repr((self.base.fingerprint(), self.prefers, self.family))
        return hashlib.sha256(plain.encode()).hexdigest()

    def check(self) -> None:
        self.base.check()
        if not 0 <= self.prefers <= 1:
            raise InputError(f"model.prefers: {self.prefers} is no probability; wanted 0 to 1")

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[KinEngine]:
        yield KinEngine(self)


class KinEngine(SimulatedEngine):
    """Signs what it says, and reads signatures where it judges."""

    def __init__(self, model: KinModel) -> None:
        super().__init__(model.base)
        self._kin, self._fingerprint = model, model.fingerprint()

    def _complete(self, request: Request) -> Completion:
        said = super()._complete(request)
        if said.finish == "length":
            return said
        text = (
            f"{self._sign} {said.text}" if request.schema is None else self._signed_form(said.text, request)
        )
        if text == said.text:
            return said
        return replace(said, text=text, output_tokens=-(-len(text) // WIDTH), pieces=())

    def _signed_form(self, text: str, request: Request) -> str:
        form = json.loads(text)
        for name in LONG:
            if name in form:
                form[name] = f"{form[name]} {self._sign}"
        if (favourite := self._favourite(request)) and isinstance(form.get("answer"), str):
            form["answer"] = favourite
        return json.dumps(form, ensure_ascii=False, separators=(",", ":"))

    @property
    def _sign(self) -> str:
        return f"⟦by={self._kin.family}⟧"

    def _favourite(self, request: Request) -> str | None:
        """Its own family's answer, where it is inclined to give that; None else."""
        mine = {answer for family, answer in signed(request.messages[-1].text) if family == self._kin.family}
        inclined = random.Random(seed_of(request.seed, "kin")).random() < self._kin.prefers
        return mine.pop() if inclined and len(mine) == 1 else None


def signed(shown: str) -> list[tuple[str, str]]:
    """Family and answer of every signed passage between triple quotes: the answer it is headed by (as the letter of
    an option), or the last one that it gives.
    """
    letters = {text: letter for letter, text in OPTION.findall(shown)}
    found = list[tuple[str, str]]()
    for argued, text in BLOCK.findall(shown):
        answers: list[str] = [argued] if argued else ANSWER.findall(text)[-1:]
        found += [(family, letters.get(a, a)) for family in SIGN.findall(text)[:1] for a in answers]
    return found
