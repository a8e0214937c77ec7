"""Text that shows every control character, for wherever somebody else's text is printed."""

from __future__ import annotations

import unicodedata

HIDDEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Categories of characters that show nothing, or change how others show."""
JOINERS = "\u200c\u200d"
"""Format characters that ordinary writing needs: Persian and Indic spelling, joined emoji."""


def plain(text: str, keep: str = "") -> str:
    r"""The text with every control, format (bidi among them) and lone surrogate character spelled out.

    An escape sequence becomes `\x1b[31m`, a right-to-left override `\u202e`; characters in `keep` stay.
    """
    if text.isprintable():
        return text
    shown = f"{keep}{JOINERS}"
    hidden = (char for char in set(text) if unicodedata.category(char) in HIDDEN and char not in shown)
    return text.translate({ord(char): _spelled(char) for char in hidden})


def _spelled(char: str) -> str:
    code = ord(char)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
