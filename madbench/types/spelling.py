"""Text that shows every control character, for wherever somebody else's text is printed."""

from __future__ import annotations

import sys
import unicodedata
from functools import cache

HIDDEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Categories of characters that show nothing, or change how others show."""
JOINERS = "\u200c\u200d"
"""Format characters that ordinary writing needs: Persian and Indic spelling, joined emoji."""


def plain(text: str, keep: str = "") -> str:
    r"""The text with every control, format (bidi among them) and lone surrogate character spelled out.

    An escape sequence becomes `\x1b[31m`, a right-to-left override `\u202e`; characters in `keep` stay.
    """
    return text.translate(_spellings(keep))


@cache
def _spellings(keep: str) -> dict[int, str]:
    """How every hidden character is spelled."""
    kept = keep + JOINERS
    every = map(chr, range(sys.maxunicode + 1))
    return {
        ord(char): _spelled(char)
        for char in every
        if unicodedata.category(char) in HIDDEN and char not in kept
    }


def _spelled(char: str) -> str:
    code = ord(char)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
