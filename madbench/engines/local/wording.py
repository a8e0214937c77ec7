"""What a decoder knows of a model's language: its end tokens, its text, its grammars."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from madbench.engines.grammar import Grammars, Matcher

_TAIL = 12
"""Tokens looked back at for a stop text."""


@dataclass(frozen=True, slots=True)
class Wording:
    """`decode` leaves special tokens out. Any of `ends` ends a row, and so does a text of `stops`."""

    decode: Callable[[Sequence[int]], str]
    ends: frozenset[int]
    stops: tuple[str, ...]
    grammars: Grammars

    def check(self, schema: str) -> None:
        """Raise InputError for a schema that cannot be held."""
        self.matcher(schema)

    def matcher(self, schema: str) -> Matcher:
        """The start of a grammar. Raises InputError as `check`."""
        return self.grammars.matcher(schema)

    def allowed(self, matchers: Sequence[Matcher | None], vocabulary: int) -> Tensor | None:
        """(rows, vocabulary), True where a row's grammar lets a token follow; None where no row has one."""
        held = [(i, matcher) for i, matcher in enumerate(matchers) if matcher is not None]
        if not held:
            return None
        allowed = torch.ones(len(matchers), vocabulary, dtype=torch.bool)
        for row, matcher in held:
            words = torch.frombuffer(bytearray(matcher.mask()), dtype=torch.uint8)
            bits = (words[:, None] >> torch.arange(8, dtype=torch.uint8)) & 1
            allowed[row] = _fitted(bits.flatten().bool(), vocabulary)
        return allowed

    def stopped(self, tokens: Sequence[int]) -> bool:
        """Whether a stop text stands at the end."""
        return bool(self.stops) and self._cut(self.decode(tokens[-_TAIL:])) is not None

    def pieces(self, tokens: Sequence[int]) -> list[str]:
        """Each token's share of the text, without the end token or a stop text and what follows it."""
        shown = tokens[:-1] if tokens[-1] in self.ends else tokens
        texts = split(shown, self.decode)
        cut = self._cut("".join(texts)) if self.stops else None
        if cut is None:
            return texts
        kept: list[str] = []
        for text in texts:
            kept.append(text[: max(0, cut)])
            cut -= len(text)
        return kept

    def _cut(self, text: str) -> int | None:
        places = [text.find(stop) for stop in self.stops if stop in text]
        return min(places, default=None)


def split(tokens: Sequence[int], decode: Callable[[Sequence[int]], str]) -> list[str]:
    """Each token's share of the text; a token that ends inside a character has an empty one."""
    texts: list[str] = []
    start = shown = 0
    for stop in range(1, len(tokens) + 1):
        before, now = decode(tokens[start:shown]), decode(tokens[start:stop])
        if now.endswith("�") and stop < len(tokens):
            texts.append("")
            continue
        texts.append(now[len(before) :])
        start, shown = shown, stop
    return texts


def _fitted(bits: Tensor, size: int) -> Tensor:
    """Cut, or filled up with False, to a size."""
    if len(bits) >= size:
        return bits[:size]
    return torch.cat([bits, bits.new_zeros(size - len(bits))])
