"""From a completion to a typed reply: what was read, how well, and how sure the model was of it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import ValidationError

from madbench.types import Completion, Extraction, FormatError, ParseStatus, Problem, Reading, Reply

SaidT = TypeVar("SaidT", bound=Reply)


@dataclass(frozen=True, slots=True)
class Read(Generic[SaidT]):
    """`said` is None where the reply could not be read; `complete` is False where a repair could help."""

    said: SaidT | None
    reading: Reading

    @property
    def complete(self) -> bool:
        return self.reading.status in (ParseStatus.OK, ParseStatus.REPAIRED, ParseStatus.AMBIGUOUS)


def read(
    says: type[SaidT],
    completion: Completion,
    problem: Problem,
    *,
    repaired: bool,
    earlier: SaidT | None = None,
) -> Read[SaidT]:
    """Never raises: an unreadable reply is a reading too. What an `earlier` try gave in part is kept."""
    cut = completion.finish == "length"
    try:
        said = says.read(completion.text, problem, cut=cut)
    except (FormatError, ValidationError) as error:
        status = ParseStatus.TRUNCATED if cut else ParseStatus.MISSING
        kept = earlier if earlier is not None and earlier.missing() else None
        return Read(kept, Reading(status, says.__name__, note=_wanting(error)))
    if earlier is not None:
        said = said.joined(earlier)
    return Read(said, _reading(said, completion, repaired=repaired))


def _wanting(error: FormatError | ValidationError) -> str:
    """What a reply lacks, as a repair tells it: a prompt says the same under every version of pydantic."""
    if isinstance(error, FormatError):
        return str(error)
    first = error.errors()[0]
    return f"{'.'.join(map(str, first['loc'])) or 'reply'}: {first['msg']}"


def _reading(said: Reply, completion: Completion, *, repaired: bool) -> Reading:
    found, cut = said.extraction(), completion.finish == "length"
    wanting = said.missing()
    status = ParseStatus.OK if found is None else found.status
    if wanting:
        status = ParseStatus.TRUNCATED if cut else ParseStatus.MISSING
    if found is not None and found.answer is None:
        wanting = "no answer found" + (", cut short" if cut else "")
    if repaired and status is ParseStatus.OK:
        status = ParseStatus.REPAIRED
    return Reading(
        status,
        type(said).__name__,
        rule=found.rule if found else "form",
        answer=found.answer if found else None,
        probability=probability(completion, found),
        reply=said.model_dump(mode="json", exclude={"found"}),
        note=wanting,
    )


def probability(completion: Completion, found: Extraction | None) -> float | None:
    """Product of the probabilities of the tokens that spell the answer; None where they are not known."""
    if found is None or found.span is None:
        return None
    start, end = found.span
    logprobs, place = [], 0
    for piece, logprob in completion.pieces:
        if place < end and place + len(piece) > start:
            logprobs.append(logprob)
        place += len(piece)
    return math.exp(min(sum(logprobs), 0.0)) if logprobs else None
