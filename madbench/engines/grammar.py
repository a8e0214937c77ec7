"""Holding a reply to a JSON schema while it is decoded."""

from __future__ import annotations

from typing import Protocol


class Matcher(Protocol):
    """Where one row stands in its grammar."""

    def accept(self, token: int) -> bool:
        """Move on by one token; True when nothing can follow."""
