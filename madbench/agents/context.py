"""A prompt on its way to a model, and what is cut from it, visibly, where it does not fit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

from madbench.agents.prompts import render
from madbench.types import ContextError, ContextPolicy, Message, Observation, Request, RoleSettings


@dataclass(frozen=True)
class Prompt:
    """A conversation's opening, what was said since, and what is shown now (with repair exchanges after it)."""

    opening: tuple[Message, ...]
    past: tuple[Message, ...]
    seen: Observation
    settings: RoleSettings
    repairs: tuple[Message, ...] = ()
    cuts: tuple[str, ...] = ()

    @cached_property
    def shown(self) -> Message:
        return Message("user", render(self.seen, self.settings))

    @property
    def messages(self) -> tuple[Message, ...]:
        return (*self.opening, *self.past, self.shown, *self.repairs)


Asking = Callable[[tuple[Message, ...]], Request]
"""What makes a request of messages."""


def fit(prompt: Prompt, asking: Asking, excess: Callable[[Request], int]) -> tuple[Prompt, Request]:
    """The prompt as it is if its request fits (`excess`: tokens beyond the model's context), else cut by its role's
    policy; with its request. Raises ContextError where that fails.
    """
    shrink, request = POLICIES[prompt.settings.context], asking(prompt.messages)
    while (over := excess(request)) > 0:
        smaller = shrink(prompt)
        if smaller is None:
            raise ContextError(
                f"prompt exceeds the context by {over} tokens (policy {prompt.settings.context})"
            )
        prompt, request = smaller, asking(smaller.messages)
    return prompt, request


def _refuse(prompt: Prompt) -> Prompt | None:
    return None


def _drop_oldest(prompt: Prompt) -> Prompt | None:
    """Without the oldest exchange (what was shown, what was replied)."""
    if len(prompt.past) < 2:
        return None
    return replace(prompt, past=prompt.past[2:], cuts=(*prompt.cuts, "oldest exchange dropped"))


def _cut_peers(prompt: Prompt) -> Prompt | None:
    """With the longest texts among the observation's lists cut to three quarters of their length, evenly."""
    lists = {
        k: v
        for k, v in vars(prompt.seen).items()
        if isinstance(v, tuple) and all(isinstance(x, str) for x in v)
    }
    longest = max((len(text) for texts in lists.values() for text in texts), default=0)
    if longest < 16:
        return None
    bound = longest * 3 // 4
    cut = {name: tuple(text[:bound] for text in texts) for name, texts in lists.items()}
    note = f"peers cut to {bound} characters"
    return replace(prompt, seen=prompt.seen.model_copy(update=cut), cuts=(*prompt.cuts, note))


POLICIES: dict[ContextPolicy, Callable[[Prompt], Prompt | None]] = {
    "refuse": _refuse,
    "drop_oldest": _drop_oldest,
    "cut_peers": _cut_peers,
}
