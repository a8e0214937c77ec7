"""Holding a reply to a JSON schema while it is decoded, by llguidance."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Protocol

from madbench.types import InputError

if TYPE_CHECKING:
    from llguidance import LLMatcher, LLTokenizer
    from transformers import PreTrainedTokenizerBase


class Matcher(Protocol):
    """Where one row stands in its grammar."""

    def mask(self) -> bytes:
        """One bit a token, lowest first: may it come next?"""

    def accept(self, token: int) -> bool:
        """Move on by one token; True when nothing may follow."""

    def forced(self, limit: int) -> list[int]:
        """Of the text that alone can come next, whatever is wanted, the tokens, at most so many, in which the tokenizer
        itself writes it; moves on past them.

        The last token of a reply is not among them.
        """


class JsonMatcher:
    """Where one row stands in a schema. Raises RuntimeError if a token breaks it."""

    def __init__(self, matcher: LLMatcher) -> None:
        self._matcher = matcher

    def mask(self) -> bytes:
        bits: bytes = self._matcher.compute_bitmask()
        self._sound()
        return bits

    def accept(self, token: int) -> bool:
        self._matcher.consume_token(token)
        self._sound()
        stopped: bool = self._matcher.is_stopped()
        return stopped

    def forced(self, limit: int) -> list[int]:
        taken = list[int]()
        for token in self._matcher.compute_ff_tokens()[:limit]:
            if self.accept(token):
                self._matcher.rollback(1)
                break
            taken.append(token)
        return taken

    def _sound(self) -> None:
        if self._matcher.is_error():
            raise RuntimeError(f"grammar: {self._matcher.get_error()}")


class Grammars:
    """Compiles schemas for one tokenizer, each once. JSON is written compactly, without free whitespace.

    A tokenizer that cannot spell every printable ASCII character by itself is refused with an InputError as
    soon as a schema is asked for, since a reply could run into a dead end.
    """

    def __init__(
        self, tokenizer: PreTrainedTokenizerBase, vocabulary: int, ends: frozenset[int], name: str
    ) -> None:
        self._tokenizer, self._vocabulary, self._ends, self._name = tokenizer, vocabulary, ends, name
        self._compiled = lru_cache(maxsize=256)(self._compile)

    def matcher(self, schema: str) -> Matcher:
        """The start of a schema's grammar. Raises InputError for a schema that cannot be held."""
        return JsonMatcher(self._compiled(schema).deep_copy())

    @cached_property
    def _words(self) -> LLTokenizer:
        from llguidance import hf

        letters = (chr(code) for code in range(0x20, 0x7F))
        mute = [
            letter for letter in letters if self._tokenizer.decode(_alone(self._tokenizer, letter)) != letter
        ]
        if mute:
            raise InputError(
                f"model {self._name}: its tokenizer cannot write {''.join(mute[:12])!r}, so no JSON grammar can "
                "be enforced on it; choose contract.enforcement=prompt or repair, or another model"
            )
        return hf.from_tokenizer(self._tokenizer, n_vocab=self._vocabulary, eos_token=sorted(self._ends))

    def _compile(self, schema: str) -> LLMatcher:
        from llguidance import LLMatcher

        try:
            grammar = LLMatcher.grammar_from_json_schema(schema, overrides={"whitespace_flexible": False})
        except ValueError as error:
            raise InputError(f"grammar: not a JSON schema: {error}; found {schema[:200]!r}") from error
        if problem := LLMatcher.validate_grammar(grammar, self._words):
            raise InputError(f"grammar: model {self._name} cannot be held to {schema[:200]!r}: {problem}")
        return LLMatcher(self._words, grammar, log_level=0)


def _alone(tokenizer: PreTrainedTokenizerBase, letter: str) -> list[int]:
    ids: list[int] = tokenizer(letter, add_special_tokens=False)["input_ids"]
    return ids
