"""From a reply to an extraction: ordered rules, the last marked answer wins, nothing is half read."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from madbench.tasks.answers.markers import Reach, Rule, boxed, braced, lines, own_part
from madbench.tasks.answers.reasoning import masked
from madbench.types import Extraction, ParseStatus


@dataclass(frozen=True, slots=True)
class Found:
    """A canonical answer and where its words stand."""

    answer: str
    start: int
    end: int

    def moved(self, by: int) -> Found:
        return Found(self.answer, self.start + by, self.end + by)


@dataclass(frozen=True, slots=True)
class Way:
    """How one kind of answer is read: `parse` a marked stretch, or `guess` from an unmarked text.

    `guess` gives candidates in order, the last one counts; `marker` is one more line marker, `reach` says how
    far an answer may stand behind a marker.
    """

    parse: Callable[[str], Found | None]
    guess: Callable[[str], list[Found]]
    guess_name: str
    marker: str = ""
    reach: Reach = "line"
    strict: bool = False


def read(text: str, way: Way, *, cut: bool) -> Extraction:
    r"""The answer in a reply. Never raises.

    Order: last `{final answer: …}`, last `\boxed{…}`, last marker line, then the guess (rule `fallback_…`).
    A reply that runs on into a new question is read up to there first. Candidates that differ under one
    rule: ambiguous, the last is kept. `cut`: an answer that touches the end is truncated, and nothing is guessed.
    """
    shown, unclosed = masked(text)
    if unclosed:
        return Extraction(None, ParseStatus.TRUNCATED, "unclosed_reasoning")
    own = own_part(shown)
    found = _read(own, way, cut=cut and len(own) == len(shown))
    if found.answer is None and len(own) < len(shown):
        return _read(shown, way, cut=cut)
    return found


def _read(text: str, way: Way, *, cut: bool) -> Extraction:
    rules: dict[str, Rule] = {
        "final_answer_braces": braced,
        "boxed": boxed,
        "marker_line": lines(way.marker, way.reach),
    }
    for name, rule in rules.items():
        hits = [found.moved(start) for start, end in rule(text) if (found := way.parse(text[start:end]))]
        if hits:
            return _settle(hits, name, text, cut=cut)
    if cut:
        return Extraction(None, ParseStatus.TRUNCATED, "cut")
    guesses = [] if way.strict else way.guess(text)
    if guesses:
        return _settle(guesses, f"fallback_{way.guess_name}", text, cut=cut)
    return Extraction(None, ParseStatus.MISSING, "none")


def _settle(hits: Iterable[Found], rule: str, text: str, *, cut: bool) -> Extraction:
    *earlier, last = hits
    if cut and not text[last.end :].strip(".,"):
        return Extraction(None, ParseStatus.TRUNCATED, rule)
    differ = any(hit.answer != last.answer for hit in earlier)
    status = ParseStatus.AMBIGUOUS if differ else ParseStatus.OK
    return Extraction(last.answer, status, rule, (last.start, last.end))
