"""Findings in plain prose: a line that begins with a place and says something about it.

`app.py:12-14: text`, `app.py, lines 12-14: text`, `Line 12: text`, of a trace of reasoning `Step 3 - text`, behind
a bullet, a number or in bold. Headings and lines that only qualify a finding (`Severity: High`, `Evidence
References: …`) are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from madbench.tasks.answers.finding_rows import Rows, confidence, severity
from madbench.types import Finding

MARKS = r"[ \t]*(?:(?:[-*+•#>]{1,6}|\d{1,3}[.)])[ \t]+){0,3}[*_`\[(]{0,4}"
NUMBERS = r"(?P<first>\d{1,9})(?:[ ]?(?:-|–|—|to|and|through)[ ]?(?P<last>\d{1,9}))?"
WORD = r"(?:lines?|l|steps?)\.?[ ]?#?[ ]?"
STEP = re.compile(r"\bsteps?\b", re.IGNORECASE)
BREAK = r"[*_`\])]{0,4}[ \t]*(?::|[-–—][ ])[ \t]*[*_]{0,3}[ \t]*"
FINDING = re.compile(
    rf"^{MARKS}(?:(?P<name>[\w./+@\\-]{{1,160}}?)[*_`]{{0,3}}(?::[ ]?(?:{WORD})?|,?[ ]{WORD}|,?[ ]\({WORD})"
    rf"|(?:(?:on|at|in)[ ])?{WORD}){NUMBERS}{BREAK}(?P<text>\S.{{0,2000}})$",
    re.IGNORECASE,
)
QUALIFIER = re.compile(
    rf"^{MARKS}(?P<key>severity|confidence|category|kind|(?:evidence[ ]?)?references?|evidence)"
    r"[*_`]{0,3}[ ]?:[*_ ]{0,4}(?P<value>.{1,400}?)[*_ ]{0,4}$",
    re.IGNORECASE,
)
LEADING = re.compile(
    r"^(?:[\[(](?P<boxed>high|critical|medium|low|major|minor)[\])][ ]?[:—–-]?"
    r"|(?P<bare>high|critical|medium|low|major|minor)[ ]?[:—–-])[ ]?",
    re.IGNORECASE,
)
NOTHING = re.compile(
    r"\W{0,4}(?:(?:i|we)\s(?:found|see|have found)\s|there\s(?:are|is|were)\s)?no\s(?:\w+\s){0,2}"
    r"(?:issues?|findings?|problems?|bugs?|errors?|defects?|mistakes?|faults?)\b[^.\n]{0,60}\W{0,4}",
    re.IGNORECASE,
)
"""The whole of a reply that reports nothing."""


def findings_in(text: str, rows: Rows) -> list[Finding]:
    """All findings that lines of a text make, in order, each with the qualifiers that follow it."""
    found: list[Finding] = []
    for line in text.splitlines():
        if (match := FINDING.match(line)) and _names_lines(match, rows):
            found.append(_finding(match, rows))
        elif found and (match := QUALIFIER.match(line)):
            found[-1] = found[-1].model_copy(update=dict(_qualified(match["key"].lower(), match["value"])))
    return found


def _names_lines(match: re.Match[str], rows: Rows) -> bool:
    """Whether the number in a line is a line's: lines begin at 1, and steps are places in traces alone."""
    last = int(match["last"] or match["first"])
    return last > 0 and (rows.traces or not STEP.search(match.string, 0, match.start("first")))


def _finding(match: re.Match[str], rows: Rows) -> Finding:
    text = match["text"].strip("*_ ")
    span = rows.span(match["name"] or "", int(match["first"]), int(match["last"] or match["first"]))
    if leading := LEADING.match(text):
        return Finding(span=span, text=text[leading.end() :], severity=severity(leading[0]))
    return Finding(span=span, text=text)


def _qualified(key: str, value: str) -> Iterator[tuple[str, object]]:
    if key == "severity":
        yield key, severity(value)
    elif key == "confidence":
        yield key, confidence(value)
    elif key in ("category", "kind"):
        yield "kind", value
    else:
        yield "references", tuple(part.strip(" `") for part in value.split(",") if part.strip(" `"))
