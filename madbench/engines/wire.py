"""OpenAI's chat completions on the wire: a request as JSON, a completion out of JSON."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator, Sequence
from typing import Annotated

from pydantic import BaseModel, Field, JsonValue, ValidationError

from madbench.engines.server_settings import ServerSettings
from madbench.types import Capability, Completion, EngineError, InputError, Request

SEEDS = 2**31 - 1
"""Seeds are sent modulo this: some servers hold 32 bits, and read the largest as none."""


class Usage(BaseModel):
    prompt_tokens: int = Field(ge=0)
    completion_tokens: int = Field(ge=0)


class Said(BaseModel):
    content: str | None = None
    refusal: str | None = None


Byte = Annotated[int, Field(ge=0, le=255)]


class Token(BaseModel):
    token: str
    logprob: float | None = None
    bytes: list[Byte] | None = None


class Logprobs(BaseModel):
    content: list[Token] | None = None


class Choice(BaseModel):
    message: Said
    finish_reason: str | None = None
    logprobs: Logprobs | None = None


class Answer(BaseModel):
    """A chat completion, as far as it is read here: servers add fields of their own."""

    choices: list[Choice] = Field(min_length=1)
    usage: Usage | None = None
    model: str | None = None
    system_fingerprint: str | None = None


def body_of(request: Request, settings: ServerSettings) -> dict[str, JsonValue]:
    """The body of a request: sampling and seed of its own, schema and log-probabilities where they are declared."""
    sampling, serving = request.sampling, settings.serving
    body: dict[str, JsonValue] = {
        **serving.extra,
        "model": settings.model,
        "messages": [{"role": message.role, "content": message.text} for message in request.messages],
        "temperature": sampling.temperature,
        serving.limit_field: sampling.max_tokens,
    }
    if sampling.temperature:
        body["top_p"] = sampling.top_p
        if Capability.SEEDED in serving.features:
            body["seed"] = request.seed % SEEDS
    if Capability.LOGPROBS in serving.features:
        body["logprobs"] = True
    if request.schema is not None:
        schema: JsonValue = json.loads(request.schema)
        form: JsonValue = {"name": "reply", "strict": True, "schema": schema}
        body["response_format"] = {"type": "json_schema", "json_schema": form}
    return body


def answer_in(text: str) -> Answer:
    """What a server answered. Raises EngineError where that is no chat completion."""
    try:
        return Answer.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the answer"
        raise EngineError(f"no chat completion: {where}: {first['msg']}; it begins {text[:120]!r}") from None


def completion_of(answer: Answer) -> Completion:
    """Raises InputError where the server counts no tokens, EngineError where it ended for a reason unknown here."""
    choice, usage = answer.choices[0], answer.usage
    if usage is None:
        raise InputError(
            "it says nothing of the tokens it used (no `usage`), and what a call cost cannot be told without; "
            "switch usage on in the server, or choose another"
        )
    finish, text = choice.finish_reason, choice.message.content or choice.message.refusal or ""
    if finish not in ("stop", "length", "content_filter"):
        raise EngineError(f"a reply that ended by {finish!r}; wanted stop or length")
    tokens = (choice.logprobs and choice.logprobs.content) or []
    return Completion(
        text,
        "length" if finish == "length" else "stop",
        usage.prompt_tokens,
        usage.completion_tokens,
        pieces_of(tokens, text),
    )


def pieces_of(tokens: Sequence[Token], text: str) -> tuple[tuple[str, float], ...]:
    """Each token's text and log-probability; none at all where they do not spell the text.

    Whatever follows the text (the token that ended it) is left out.
    """
    pieces, place = list[tuple[str, float]](), 0
    for piece, token in zip(spelled(tokens), tokens, strict=True):
        if place == len(text) or token.logprob is None or not text.startswith(piece, place):
            break
        pieces.append((piece, min(token.logprob, 0.0)))
        place += len(piece)
    return tuple(pieces) if place == len(text) else ()


def spelled(tokens: Sequence[Token]) -> Iterator[str]:
    """The text of each token; a character in several belongs to the last of them."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    for token in tokens:
        yield token.token if token.bytes is None else decoder.decode(bytes(token.bytes))
