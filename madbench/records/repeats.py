"""Long texts that come several times in plain data, each stored once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

SHORT = 80
"""Characters up to which a text may stand as often as it likes."""
TEXT, PLAIN = "$text", "$plain"


def folded(value: Any) -> tuple[Any, list[str]]:
    """Plain data in which `{"$text": n}` stands for the n-th of the texts beside it, and these texts.

    `{"$plain": …}` keeps data that looks like such a reference apart from one.
    """
    counts = Counter(text for text in _texts(value) if len(text) > SHORT)
    texts = {text: at for at, text in enumerate(text for text, count in counts.items() if count > 1)}
    return _fold(value, texts), list(texts)


def unfolded(value: Any, texts: list[str]) -> Any:
    """What `folded` was given."""
    if isinstance(value, list):
        return [unfolded(item, texts) for item in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {TEXT}:
        return texts[value[TEXT]]
    inner = value[PLAIN] if value.keys() == {PLAIN} else value
    return {key: unfolded(item, texts) for key, item in inner.items()}


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for item in (
        value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    ):
        yield from _texts(item)


def _fold(value: Any, texts: dict[str, int]) -> Any:
    if isinstance(value, str):
        return {TEXT: texts[value]} if value in texts else value
    if isinstance(value, list | tuple):
        return [_fold(item, texts) for item in value]
    if not isinstance(value, dict):
        return value
    inner = {key: _fold(item, texts) for key, item in value.items()}
    return {PLAIN: inner} if value.keys() in ({TEXT}, {PLAIN}) else inner
