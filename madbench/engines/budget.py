"""A budget of calls and tokens that binds, however many calls are under way."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

from pydantic import Field

from madbench.types import Completion, EngineError, Strict


class Budget(Strict):
    """What one start may spend on a model: completed `calls`, and `tokens` of prompts and replies; None: no bound."""

    calls: int | None = Field(default=None, ge=0)
    tokens: int | None = Field(default=None, ge=0)


class Purse:
    """What is left of a budget. A call sets aside the most that it may cost, and pays what it did cost.

    Where the rest might be too little, a call waits for those under way to settle; once none is, it is refused.
    A call that failed costs nothing, as far as its server says.
    """

    def __init__(self, budget: Budget, name: str) -> None:
        self.calls, self.tokens = 0, 0
        self._budget, self._name = budget, name
        self._held: list[int] = []
        self._settled = asyncio.Condition()

    @asynccontextmanager
    async def holding(self, most: int) -> AsyncGenerator[Callable[[Completion], None]]:
        """Set `most` tokens aside for one call. Raises EngineError where they would exceed the budget.

        It is no BudgetError, which ends an episode for good: with a larger budget the row can still be played.
        """
        async with self._settled:
            while over := self._over(most):
                if not self._held:
                    raise EngineError(f"model {self._name}: {over}; raise it and run the same command again")
                await self._settled.wait()
            self._held.append(most)
        try:
            yield self._pay
        finally:
            self._held.remove(most)
            async with self._settled:
                self._settled.notify_all()

    def _pay(self, completion: Completion) -> None:
        self.calls += 1
        self.tokens += completion.prompt_tokens + completion.output_tokens

    def _over(self, most: int) -> str:
        """What one more call might exceed; nothing if it fits."""
        calls, tokens = self._budget.calls, self._budget.tokens
        if calls is not None and self.calls + len(self._held) >= calls:
            return f"budget.calls: {self.calls} of {calls} are made"
        if tokens is not None and self.tokens + sum(self._held) + most > tokens:
            return f"budget.tokens: {self.tokens} of {tokens} are spent, and a call may take {most} more"
        return ""
