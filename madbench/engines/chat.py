"""From messages to the token ids that a model reads, and back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from pydantic import JsonValue

from madbench.types import InputError, Message, Strict

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

_PROBE = "\u25c7probe\u25c7"


class Chat(Strict):
    """How a conversation is written for a model.

    `format`: `template` is the tokenizer's own; `plain` is for base models and writes each message as its
    speaker's name, a colon and the text. `thinking` switches a thinking model's reasoning on or off
    (None: the template's own default).
    """

    format: Literal["template", "plain"] = "template"
    thinking: bool | None = None


@dataclass(frozen=True, slots=True)
class ChatFacts:
    """What the template of a tokenizer needed; goes to the manifest.

    `system`: `kept`, or `folded` into the first user turn. `turns`: `kept`, or `merged` where two of one
    role follow each other. `bos`: whether prompts begin with the tokenizer's BOS.
    """

    system: Literal["kept", "folded"]
    turns: Literal["kept", "merged"]
    bos: bool


@dataclass(slots=True)
class ChatFormat:
    """One tokenizer's way of writing conversations. Raises InputError at once where it has none."""

    tokenizer: PreTrainedTokenizerBase
    settings: Chat
    name: str
    facts: ChatFacts = field(init=False)

    def __post_init__(self) -> None:
        if self.settings.format == "template" and not self.tokenizer.chat_template:
            raise InputError(
                f"model {self.name}: its tokenizer has no chat template (a base model?); "
                "choose chat.format=plain, or a model that was tuned for chat"
            )
        self.facts = self._probe()

    @property
    def stops(self) -> tuple[str, ...]:
        """Texts that end a reply: in the plain format, the next speaker's name."""
        return ("\nUser:", "\nSystem:", "\nAssistant:") if self.settings.format == "plain" else ()

    def ids(self, messages: Sequence[Message]) -> tuple[int, ...]:
        """Token ids of a conversation up to where the assistant's next turn begins, with at most one BOS."""
        text = self._write(self._repaired(messages))
        ids: list[int] = self.tokenizer(text, add_special_tokens=False)["input_ids"]
        bos = self.tokenizer.bos_token_id
        if bos is None:
            return tuple(ids)
        start = next((i for i, token in enumerate(ids) if token != bos), len(ids))
        head = (bos,) if start or self.facts.bos else ()
        return (*head, *ids[start:])

    def size(self, text: str) -> int:
        """How many tokens a text takes on its own, nothing written around it."""
        ids: list[int] = self.tokenizer(text, add_special_tokens=False)["input_ids"]
        return len(ids)

    def text(self, ids: Sequence[int]) -> str:
        """The text of output tokens, special tokens left out."""
        text: str = self.tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)
        return text

    def _repaired(self, messages: Sequence[Message]) -> tuple[Message, ...]:
        if self.facts.system == "folded":
            messages = fold_system(messages)
        return merge_turns(messages) if self.facts.turns == "merged" else tuple(messages)

    def _write(self, messages: Sequence[Message]) -> str:
        if self.settings.format == "plain":
            return plain(messages)
        options: dict[str, JsonValue] = {}
        if self.settings.thinking is not None:
            options["enable_thinking"] = self.settings.thinking
        text: str = self.tokenizer.apply_chat_template(
            [{"role": message.role, "content": message.text} for message in messages],
            tokenize=False,
            add_generation_prompt=True,
            **options,
        )
        return text

    def _probe(self) -> ChatFacts:
        """Try the template with a system message, and with two turns in a row."""
        said = Message("user", "a")
        return ChatFacts(
            system="kept" if self._shows(Message("system", _PROBE), said) else "folded",
            turns="kept" if self._shows(said, Message("user", _PROBE)) else "merged",
            bos=self._adds_bos(),
        )

    def _shows(self, *messages: Message) -> bool:
        from jinja2 import TemplateError

        try:
            return _PROBE in self._write(messages)
        except TemplateError:
            return False

    def _adds_bos(self) -> bool:
        """Whether the tokenizer puts BOS in front of text of its own accord."""
        ids: list[int] = self.tokenizer("a")["input_ids"]
        return bool(ids) and ids[0] == self.tokenizer.bos_token_id


def plain(messages: Sequence[Message]) -> str:
    """A conversation for a base model: `Speaker: text` paragraphs, ending where the assistant speaks next."""
    names = {"system": "System", "user": "User", "assistant": "Assistant"}
    turns = [f"{names[message.role]}: {message.text.strip()}" for message in messages]
    return "\n\n".join([*turns, "Assistant:"])


def fold_system(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The system texts put in front of the first user turn, in order."""
    system = [message.text for message in messages if message.role == "system"]
    others = [message for message in messages if message.role != "system"]
    if not system:
        return tuple(others)
    first = next((i for i, message in enumerate(others) if message.role == "user"), None)
    if first is None:
        return (Message("user", "\n\n".join(system)), *others)
    others[first] = Message("user", "\n\n".join([*system, others[first].text]))
    return tuple(others)


def merge_turns(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Consecutive messages of one role as one message, texts a blank line apart."""
    merged: list[Message] = []
    for message in messages:
        if merged and merged[-1].role == message.role:
            merged[-1] = Message(message.role, f"{merged[-1].text}\n\n{message.text}")
        else:
            merged.append(message)
    return tuple(merged)
