"""The terms of a debate: caps that bind, and what becomes of a move that is not valid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from madbench.agents import Spent
from madbench.protocols.adversarial_review_rows import Bounds
from madbench.protocols.adversarial_review_seen import Manner
from madbench.types import BudgetError, InputError, check_settings


@dataclass(frozen=True, kw_only=True)
class Terms:
    """`claims` a side; `calls` and `tokens` an episode (None: as many as it takes), reviews and repairs included.

    `insists`: what a repair asks for, valid moves (reasons) or any move (moves). `on_invalid`: an objection without a
    valid answer stays open (unaddressed), or counts as conceded (concede). `forms`: records at length (full), or of at
    most a sentence for small models under a grammar (brief).
    """

    claims: int = 20
    calls: int | None = None
    tokens: int | None = None
    insists: Literal["reasons", "moves"] = "reasons"
    on_invalid: Literal["unaddressed", "concede"] = "unaddressed"
    forms: Literal["full", "brief"] = "full"

    def __post_init__(self) -> None:
        check_settings(self, "protocol.terms")
        caps = {"claims": self.claims, "calls": self.calls, "tokens": self.tokens}
        for name, cap in caps.items():
            if cap is not None and cap < 1:
                raise InputError(f"protocol.terms.{name}: {cap}; wanted 1 or more, or null for no cap")

    @property
    def bounds(self) -> Bounds:
        return Bounds() if self.forms == "full" else Bounds(text=80, evidence=1)

    @property
    def manner(self) -> Manner:
        return Manner() if self.forms == "full" else Manner(words=12, described=False)

    def afford(self, spent: Spent, asks: int) -> None:
        """Raise BudgetError unless there is room for so many asks more (repairs of theirs may exceed it)."""
        if self.calls is not None and spent.calls + asks > self.calls:
            raise BudgetError(f"{spent.calls} calls of {self.calls} made, {asks} more wanted")
        if self.tokens is not None and spent.tokens >= self.tokens:
            raise BudgetError(f"{spent.tokens} tokens of {self.tokens} used")
