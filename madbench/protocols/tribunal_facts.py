"""What a tribunal measures of itself, as numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from pydantic import JsonValue

from madbench.metrics.kinship import choice
from madbench.protocols.tribunal_bench import Judgement
from madbench.protocols.tribunal_tally import Tally
from madbench.types import Answers, Event


def facts_of(
    events: Sequence[Event], first: Answers, count: Tally, last: Sequence[Judgement]
) -> dict[str, JsonValue]:
    """Numbers that become metrics: means over episodes."""
    kinds = Counter(event.kind for event in events)
    given = [answer for answer in first if answer is not None]
    stances = Counter(judgement.said.stance for judgement in last)
    best = max(count.copeland.values())
    return {
        "skipped": 0,
        "consensus": int(count.consensus),
        "ranked_itself_first": _share(judgement.ranking[0] == judgement.seat for judgement in last),
        "echoed_the_first": _share(answer == given[0] for answer in given[1:]),
        "copeland_agrees": int(count.copeland[count.top] == best),
        **{kind: kinds[kind] for kind in ("dropped", "gap", "blocked")},
        **{f"stance_{stance}": stances[stance] / max(len(last), 1) for stance in ("stick", "switch", "hybrid")},
        "choices": [chosen for judgement in last for chosen in _choice(judgement, first)],
    }  # fmt: skip


def _choice(judgement: Judgement, answers: Answers) -> list[JsonValue]:
    """How high a ranking puts each of the others' proposals: 1 for the first of these, 0 for the last."""
    others = [seat for seat in judgement.ranking if seat != judgement.seat]
    if len(others) < 2:
        return []
    sides = [
        (f"member/{seat}", answers[seat], 1 - place / (len(others) - 1)) for place, seat in enumerate(others)
    ]
    return [choice(f"member/{judgement.seat}", *sides)]


def _share(hits: Iterable[bool]) -> float | None:
    counted = list(hits)
    return sum(counted) / len(counted) if counted else None
