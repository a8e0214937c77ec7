"""Several asks at once."""

from __future__ import annotations

from asyncio import gather
from collections.abc import Awaitable
from typing import TypeVar

T = TypeVar("T")


async def together(*asks: Awaitable[T]) -> list[T]:
    """The results of all asks, in order.

    Waits for every one even when some fail, so that whatever was generated is in the record; then raises
    the first failure, in the order of the asks.
    """
    results = await gather(*asks, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return [result for result in results if not isinstance(result, BaseException)]
