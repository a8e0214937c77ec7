"""Records in replies without JSON: an id, and a marker behind it on the same or the next line that holds text.

`B/1/1: REBUTTED, since …`, `### B/1/1 (A/1)` and `**CONCEDED**` below it, several on one line, a marker alone on the
line above an id. A denied marker (NOT CONCEDED, …) and a list to choose from (CONCEDED/REBUTTED/CARRIED) are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from madbench.protocols.adversarial_review_items import ID
from madbench.protocols.adversarial_review_json import Given
from madbench.protocols.adversarial_review_rows import Row

HEAD = re.compile(r"[\W_\d]*(?:(?:on|re|objection|claim|point|answer)\b[\W_]*)?(?:\d+\W+)?", re.IGNORECASE)
"""What may stand before an id that opens a line: bullets, numbers, marks of emphasis, the word objection."""
INTRODUCED = re.compile(r"[*_`)\]}\s]*(?::|->|=>?|[-–—]\s)")
"""What must follow an id in the middle of a line, if it is to open a record."""
DENIED = re.compile(
    r"(?:\b(?:not|never|neither|nor|no|cannot|unlike|without|rather than|instead of)|n't)"
    r"(?:\s+(?!but\b|so\b)\w+){0,2}[\s*_\"'`]*$",
    re.IGNORECASE,
)
LATE = re.compile(r"^\W*(?:new|another|additional) (?:claim|finding|issue)\b.*", re.IGNORECASE | re.MULTILINE)
Markers = Mapping[str, str]


def said_late(text: str) -> tuple[str, ...]:
    """Lines that put forward a new claim."""
    return tuple(LATE.findall(text))


def spoken(text: str, row: type[Row]) -> list[Given]:
    """All records of a text, in order."""
    said = _spoken(text, row.markers)
    return [
        Given(name, {row.prose: words} | ({row.choice: marker} if marker else {}))
        for name, marker, words in said
    ]


def _spoken(text: str, markers: Markers) -> list[tuple[str, str, str]]:
    """Ids as they were written, markers, and all words but these."""
    found: list[tuple[str, str, str]] = []
    places = [match for match in ID.finditer(text) if _opens(match)]
    ends = [*(match.start() for match in places[1:]), len(text)][: len(places)]
    for match, end in zip(places, ends, strict=True):
        segment, above = text[match.end() : end], _alone(_line_above(match))
        record = _record(match[0], segment, markers) or _record(match[0], f" {above}\n{segment}", markers)
        if record is not None:
            found.append(record)
        elif found:  # no record of its own: the words go on from the one before
            name, marker, words = found[-1]
            found[-1] = (name, marker, f"{words} {match[0]}{segment}".strip())
    return found


def _opens(match: re.Match[str]) -> bool:
    before = match.string[: match.start()].rpartition("\n")[2]
    return bool(HEAD.fullmatch(before) or INTRODUCED.match(match.string, match.end()))


def _line_above(match: re.Match[str]) -> str:
    lines = [line for line in match.string[: match.start()].split("\n")[:-1] if line.strip()]
    return lines[-1] if lines else ""


def _alone(line: str) -> str:
    """A line that is one word, as a marker above an id is."""
    return line if re.fullmatch(r"\W*\w+\W*", line) else ""


def _record(name: str, segment: str, markers: Markers) -> tuple[str, str, str] | None:
    if not markers:
        return name, "", _trimmed(segment)
    own, *rest = segment.split("\n")
    following = next((line for line in rest if line.strip(" \t*_#>-")), "")
    for line in (own, following):
        for found, marker in _said(line, markers):
            at = segment.find(line) + found.start()
            return name, marker, _trimmed(segment[at + len(found[0]) :]) or _trimmed(segment[:at])
    return None


def _trimmed(words: str) -> str:
    return words.strip(" \t\n:;,.*_`'\"-–—")


def _said(line: str, markers: Markers) -> Iterator[tuple[re.Match[str], str]]:
    """The markers of a line: as they are spelled in the contract, then in any other form."""
    word = "|".join(f"(?:{pattern})" for pattern in markers.values())
    menu = re.compile(
        rf"\b(?:{word})(?:\s*(?:/|\||,\s*(?=[^,/|]*\b(?:or|and)\b)|,?\s*\bor\b)\s*(?:{word})\b)+", re.I
    )
    plain = menu.sub(lambda match: " " * len(match[0]), line)
    for exact in (True, False):
        for found in re.finditer(rf"\b(?:{word})\b", plain, re.IGNORECASE):
            marker = next(name for name, pattern in markers.items() if re.fullmatch(pattern, found[0], re.I))
            if (found[0] == marker) >= exact and not DENIED.search(plain[: found.start()]):
                yield found, marker
