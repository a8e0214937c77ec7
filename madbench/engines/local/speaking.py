"""What of a model is known without its weights: how it is spoken to, where it ends, how much it takes in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from transformers import (
    AutoConfig,
    AutoTokenizer,
    GenerationConfig,
    PretrainedConfig,
    PreTrainedTokenizerBase,
)

from madbench.engines.chat import Chat, ChatFormat
from madbench.engines.language import Language

if TYPE_CHECKING:
    from madbench.engines.weights import Place, Weights


class Spoken(Protocol):
    """Settings of a model that can be spoken to."""

    @property
    def name(self) -> str: ...

    @property
    def weights(self) -> Weights: ...

    @property
    def chat(self) -> Chat: ...

    def fingerprint(self) -> str: ...


def language(settings: Spoken, place: Place, *, at_most: int | None = None) -> Language:
    """What of the model needs no weights, from its tokenizer and configs; `at_most` bounds its context.

    Raises InputError for a tokenizer that cannot serve.
    """
    options, chat = options_of(settings, place), chat_of(settings, place)
    config = AutoConfig.from_pretrained(place.folder, **options).get_text_config()
    try:
        owners = GenerationConfig.from_pretrained(place.folder)
    except OSError:  # it has none
        owners = None
    context = min(config.max_position_embeddings, at_most or config.max_position_embeddings)
    return Language(
        settings.fingerprint(), chat, context=context, ends=ends_of(chat.tokenizer, config, owners)
    )


def chat_of(settings: Spoken, place: Place) -> ChatFormat:
    tokenizer = AutoTokenizer.from_pretrained(place.folder, **options_of(settings, place))
    return ChatFormat(tokenizer, settings.chat, settings.name)


def options_of(settings: Spoken, place: Place) -> dict[str, bool | str]:
    """What reading anything from a place takes."""
    source: dict[str, bool | str] = {"gguf_file": place.gguf} if place.gguf else {}
    return {"trust_remote_code": settings.weights.trust_remote_code, **source}


def ends_of(
    tokenizer: PreTrainedTokenizerBase, config: PretrainedConfig, owners: GenerationConfig | None
) -> frozenset[int]:
    """Every token that the tokenizer, the config or the owner's generation config names as an end."""
    named = [tokenizer.eos_token_id, config.eos_token_id, getattr(owners, "eos_token_id", None)]
    flat = [token for entry in named for token in (entry if isinstance(entry, list) else [entry])]
    return frozenset(token for token in flat if token is not None)
