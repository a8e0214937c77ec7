"""Reasoning blocks: what a model thinks in tags is not what it says."""

from __future__ import annotations

import re

TAG = re.compile(r"<(/?)(?:think|thinking|reasoning)>", re.IGNORECASE)


def visible(text: str) -> str:
    """The text without its reasoning blocks; of a block that never closes nothing remains."""
    hidden, _ = reasoning_blocks(text)
    kept, place = [], 0
    for start, end in hidden:
        kept.append(text[place:start])
        place = end
    return "".join([*kept, text[place:]]).strip()


def masked(text: str) -> tuple[str, bool]:
    """The text with newlines in the place of reasoning, so that positions stay; and whether a block is open."""
    hidden, unclosed = reasoning_blocks(text)
    for start, end in hidden:
        text = text[:start] + "\n" * (end - start) + text[end:]
    return text, unclosed


def reasoning_blocks(text: str) -> tuple[list[tuple[int, int]], bool]:
    """Where reasoning stands, tags included, and whether its last block is open at the end.

    A closing tag that nothing opened ends a block that the chat template began.
    """
    blocks: list[tuple[int, int]] = []
    depth = opened = 0
    if "<" not in text:
        return blocks, False
    for tag in TAG.finditer(text):
        if not tag[1]:
            opened = opened if depth else tag.start()
            depth += 1
        elif depth:
            depth -= 1
            blocks += [] if depth else [(opened, tag.end())]
        else:
            blocks = [(0, tag.end())]
    if depth:
        blocks.append((opened, len(text)))
    return blocks, depth > 0
