"""A reviewer of known statistics and no weights: it finds, invents, objects and concedes as often as it is told.

What it does, exactly. A document carries the mark `⟦document=main.txt issues=3,9 lines=20⟧`; the documents in
the last message that shows any count. All draws come from the request's seed alone (greedy requests: from the
prompt alone).

- *Alone*, it reports every known issue with probability `recall`, and `false_alarms` sound lines on average:
  one for each whole of it and one more with the probability of the rest, on lines drawn evenly.
- *Asked again* (it has reported in this conversation before), it repeats its own report; of the lines that
  others report in the last message and it does not, it adopts each with probability `adopts`.
- It writes JSON of the schema that it is given, fields filled by name and all others drawn; without a schema,
  a list of findings.
- *Documents without a mark*: under a schema, `false_alarms` findings are drawn from it.
- Texts in which it restates what it was shown repeat the findings there, or else the marks.
- Whatever is no review at all, the model `answering` answers.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from madbench.engines.filling import Filling, compact
from madbench.engines.forms import Instance
from madbench.engines.review_marks import repeated
from madbench.engines.reviewer_arguments import moves_in_lines
from madbench.engines.reviewer_settings import Arguing, Reviewing, check_rates
from madbench.engines.reviewer_turns import given_to
from madbench.engines.simulated import WIDTH, SimulatedEngine, SimulatedModel, request_identity, rng_of
from madbench.types import Capability, Completion, Request


@dataclass(frozen=True, slots=True)
class SimulatedReviewer:
    """Settings of a simulated reviewer; the module says what it does."""

    reviewing: Reviewing = field(default_factory=Reviewing)
    arguing: Arguing = field(default_factory=Arguing)
    answering: SimulatedModel = field(
        default_factory=lambda: SimulatedModel(0.6, 0.5, features=("seeded", "grammar"))
    )
    name: str = "simulated_reviewer"

    @property
    def capabilities(self) -> frozenset[Capability]:
        return self.answering.capabilities

    def fingerprint(self) -> str:
        """Over what can change a reply."""
        settings = f"{self.reviewing}{self.arguing}{self.answering.fingerprint()}"
        return hashlib.sha256(settings.encode()).hexdigest()

    def check(self) -> None:
        self.answering.check()
        check_rates(self.reviewing, "model.reviewing")
        check_rates(self.arguing, "model.arguing")

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[ReviewerEngine]:
        yield ReviewerEngine(self)


class ReviewerEngine:
    """Reviews and argues at once; whatever else it is asked, the model `answering` answers."""

    def __init__(self, model: SimulatedReviewer) -> None:
        self._model, self._fingerprint = model, model.fingerprint()
        self._answering = SimulatedEngine(model.answering)

    async def generate(self, request: Request) -> Completion:
        completion = await self._answering.generate(request)
        text = self._said(request)
        if text is None:
            return completion
        kept = text[: request.sampling.max_tokens * WIDTH]
        tokens, whole = -(-len(kept) // WIDTH), kept == text
        return Completion(kept, "stop" if whole else "length", completion.prompt_tokens, tokens)

    def excess(self, request: Request) -> int:
        return self._answering.excess(request)

    def identity(self, request: Request) -> str:
        return request_identity(self._fingerprint, request)

    def _said(self, request: Request) -> str | None:
        """What it says where it is asked for findings or moves; None where it is asked for anything else."""
        rng, model = rng_of(request), self._model
        form = None if request.schema is None else json.loads(request.schema)
        given = given_to(model.reviewing, model.arguing, request.messages, form, rng)
        if form is None:
            return compact(given) if given else moves_in_lines(model.arguing, request.messages, rng)
        words = repeated(request.messages)
        return Filling(Instance("", words, rng)).write(form, given) if given or words else None
