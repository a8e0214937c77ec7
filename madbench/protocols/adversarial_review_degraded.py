"""Replies that are none: empty, the same words over and over, or a refusal. Judged on the whole message."""

from __future__ import annotations

import re

from madbench.metrics.wording import repeated_pairs

LEAST = 6
"""Fewer words repeat by chance."""
MOST = 0.5
"""A message is repetitive if at least this share of its neighbouring word pairs stood in it before."""
REFUSAL = re.compile(
    r"""\W*(?:(?:i'?m|i\ am)\ (?:very\ )?sorry|sorry|i\ apologi[sz]e|as\ an\ (?:ai|assistant|language\ model)|
    (?:i|we)\ (?:cannot|can'?t|can\ not|won'?t|will\ not|refuse\ to|(?:am|'m|are)\ (?:not\ able|unable)\ to)
    \b[^.!?]{0,40}\b(?:review|continue|participate|comply|help|assist|answer|respond|take\ part|do\ (?:this|that)))""",
    re.IGNORECASE | re.VERBOSE,
)


def degraded(text: str, *, read: bool) -> str:
    """`empty`, `repetition`, `refusal`, or nothing. What was `read` as a reply is no refusal."""
    if not text.strip():
        return "empty"
    plain = re.sub(r"[^\w\s]", " ", text)
    if len(plain.split()) >= LEAST and repeated_pairs(plain) >= MOST:
        return "repetition"
    return "refusal" if not read and REFUSAL.match(text.replace("’", "'")) else ""
