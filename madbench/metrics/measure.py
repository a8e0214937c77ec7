"""One finished episode, reduced to numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from madbench.metrics.arguing import argued
from madbench.metrics.judges import ruled
from madbench.metrics.kinship import UNKNOWN, Families, favoured
from madbench.metrics.movement import Right, moved, own_positions
from madbench.metrics.pools import Ballot
from madbench.metrics.reviews import agreement, changes, is_review, placed, reviewed
from madbench.metrics.rows import Measured
from madbench.metrics.wording import repeated_pairs
from madbench.types import Ending, Outcome, ParseStatus, Record, Turn

SOLVER = "solver"
"""The role whose asks are independent first answers: what vote pools are made of."""

LARGEST = 2.0**53
"""No count or share that a protocol can mean is larger; infinities and NaN are not smaller."""

AUDIT = ("channel_leaks", "quoted", "audited")
"""What the audit of a transcript counted, in turns."""


def measure(record: Record, families: Families = UNKNOWN) -> Measured:
    """The numbers of one row, failed rows too; never raises on any record. No text of it is kept.

    Numbers that cannot be had (no outcome, one seat, no probabilities, unknown families) are absent.
    """
    charged = [turn for turn in record.turns if not turn.spare]
    numbers = {**_ending(record), **_cost(charged), **_form(charged)}
    numbers |= reviewed(record) if is_review(record) else _known_right(record)
    labels = {"ending": record.ending.value}
    if (outcome := record.outcome) is not None:
        numbers |= _facts(outcome) | _happened(record, outcome, charged)
        numbers |= {} if is_review(record) else favoured(outcome, _rightness(record, outcome), families)
        labels |= {"stop": outcome.stop.value} | ({} if is_review(record) else _words(outcome))
    if record.place is not None:
        numbers |= {"session": record.place.session, "position": record.place.position}
    labels |= _twin(record)
    return Measured(record.id, _cluster(record), numbers, labels, _pool(record))


def _cluster(record: Record) -> str:
    return record.id.sample if record.sample is None else record.sample.problem.cluster


def _happened(record: Record, outcome: Outcome, charged: Sequence[Turn]) -> dict[str, float]:
    """What was decided and how: by right and wrong on questions, by place on reviews."""
    own = own_positions(outcome.positions, charged)
    if is_review(record):
        places = placed(own)
        found = argued(record, outcome, places)
        return found if "zero_claims" in found else found | changes(places) | agreement(own)
    right = _rightness(record, outcome)
    numbers = _decision(record, outcome, charged, right)
    return numbers | moved(own, outcome, charged, right) | argued(record, outcome, own)


def _ending(record: Record) -> dict[str, float]:
    answered = record.outcome is not None and record.outcome.answer is not None
    return {
        "parsed": float(answered),
        "unparsed": float((record.outcome is not None and not answered) or record.ending is Ending.UNPARSED),
        "errored": float(record.ending in (Ending.RETRY, Ending.CONTEXT, Ending.BUDGET)),
        "outgrew": float(record.ending is Ending.CONTEXT),
        **{name: float(record.scores[name]) for name in AUDIT if name in record.scores},
    }


def _known_right(record: Record) -> dict[str, float]:
    """Whatever is not known to be right is wrong."""
    answered = record.outcome is not None and record.outcome.answer is not None
    right = float(record.scores.get("correct", 0.0)) if answered else 0.0
    return {**dict.fromkeys(("correct_strict", "correct_ties", "oracle"), 0.0), "correct": right}


def _cost(charged: Sequence[Turn]) -> dict[str, float]:
    """What the arm consumed: repairs are charged, spare turns are not among these. In all and by role.

    `attended` counts the pairs of tokens that attention looks at, for costs in FLOPs.
    """
    numbers = Counter[str]({"calls": 0, "prompt_tokens": 0, "output_tokens": 0})
    for turn in charged:
        for suffix in ("", f":{turn.speaker.role}"):
            numbers[f"calls{suffix}"] += 1
            numbers[f"prompt_tokens{suffix}"] += turn.completion.prompt_tokens
            numbers[f"output_tokens{suffix}"] += turn.completion.output_tokens
        tokens = turn.completion.prompt_tokens + turn.completion.output_tokens
        numbers["attended"] += tokens * (tokens + 1) // 2
    return dict(numbers)


def _form(charged: Sequence[Turn]) -> dict[str, float]:
    """How well the replies could be read, and how much of them was said before in the same reply."""
    if not charged:
        return {}
    statuses = Counter(turn.reading.status for turn in charged)
    return {
        **{f"status:{status.value}": float(statuses[status]) for status in ParseStatus},
        "truncated": float(sum(turn.completion.finish == "length" for turn in charged)),
        "cut": float(sum(bool(turn.cuts) for turn in charged)),
        "repetition": sum(repeated_pairs(turn.completion.text) for turn in charged) / len(charged),
    }


def _rightness(record: Record, outcome: Outcome) -> Right:
    """By the task's own score where it has one for that answer (`right:<answer>`), else by canonical equality."""
    sample, scores = record.sample, record.scores
    target = None if sample is None else sample.target.answer
    gold = target if sample is None or target is None else (sample.problem.reader.canonical(target) or target)

    def right(answer: str | None) -> float:
        if answer is None:
            return 0.0
        if answer == outcome.answer and "correct" in scores:
            return float(scores["correct"])
        return float(scores.get(f"right:{answer}", answer == gold))

    return right


def _decision(record: Record, outcome: Outcome, charged: Sequence[Turn], right: Right) -> dict[str, float]:
    """The answer itself: how it was read, whether it was drawn from a tie, how sure its source was."""
    supporting = _supporting(outcome.answer, charged)
    tied = outcome.facts.get("tied")
    options = [option for option in tied if isinstance(option, str)] if isinstance(tied, list) else []
    numbers = (
        _confidences(outcome, supporting) | _facts(outcome) | _task_facts(record) | ruled(outcome, right)
    )
    numbers["correct_strict"] = _strict(record, outcome, supporting, right)
    if isinstance(tied, list):
        numbers["tie"] = float(len(options) > 1)
    numbers["correct_ties"] = (
        sum(map(right, options)) / len(options) if len(options) > 1 else right(outcome.answer)
    )
    return numbers


def _strict(record: Record, outcome: Outcome, supporting: Sequence[Turn], right: Right) -> float:
    """Right, and stated at least once in the form asked for rather than guessed from unmarked text."""
    if "correct_strict" in record.scores:
        return float(record.scores["correct_strict"])
    marked = any(not turn.reading.rule.startswith("fallback") for turn in supporting)
    return right(outcome.answer) if marked or not supporting else 0.0


def _supporting(answer: str | None, charged: Sequence[Turn]) -> list[Turn]:
    """The turns that gave the outcome's answer, in the last round in which any turn gave it."""
    gave = [turn for turn in charged if answer is not None and turn.reading.answer == answer]
    last = max((turn.speaker.round for turn in gave), default=0)
    return [turn for turn in gave if turn.speaker.round == last]


def _confidences(outcome: Outcome, supporting: Sequence[Turn]) -> dict[str, float]:
    """Confidence by source, never pooled. Token probability: the mean over the turns that gave the answer."""
    known = [turn.reading.probability for turn in supporting if turn.reading.probability is not None]
    numbers = {"confidence:token_probability": sum(known) / len(known)} if known else {}
    stated = {
        f"confidence:{source}": float(value)
        for source, value in outcome.confidence.items()
        if not isinstance(value, str) and 0 <= value <= 1
    }
    return numbers | stated


def _facts(outcome: Outcome) -> dict[str, float]:
    """What a protocol measured itself, where it is a number."""
    return {
        f"fact:{name}": float(value)
        for name, value in outcome.facts.items()
        if isinstance(value, int | float) and abs(value) < LARGEST
    }


def _task_facts(record: Record) -> dict[str, float]:
    """What a task measured beside right and wrong: its scores `fact:<name>`."""
    return {name: value for name, value in record.scores.items() if name.startswith("fact:")}


def _words(outcome: Outcome) -> dict[str, str]:
    label = outcome.confidence.get("stated_label")
    return {"stated_label": label} if isinstance(label, str) else {}


def _twin(record: Record) -> dict[str, str]:
    """Of a framed question: which twin it is, of what, what it hints at, and what was answered."""
    facts = {} if record.sample is None else record.sample.target.facts
    known = {name: value for name in ("twin", "twin_of", "hint") if isinstance(value := facts.get(name), str)}
    answer = None if record.outcome is None else record.outcome.answer
    return known | {"answer": answer or ""} if "twin" in known else {}


def _pool(record: Record) -> tuple[Ballot, ...]:
    """The ballots of an episode that is nothing but independent first answers; empty for all others."""
    turns, outcome = record.turns, record.outcome
    if outcome is None or not turns or len(outcome.positions) != 1:
        return ()
    if any(turn.speaker.role != SOLVER or turn.speaker.turn for turn in turns):
        return ()
    right = _rightness(record, outcome)
    seats: dict[int, list[Turn]] = {}
    for turn in turns:
        seats.setdefault(turn.speaker.seat, []).append(turn)
    return tuple(_ballot(seats[seat], right) for seat in sorted(seats))


def _ballot(asks: Sequence[Turn], right: Right) -> Ballot:
    """One seat's vote: its last attempt's answer, all its attempts' tokens."""
    answer = max(asks, key=lambda turn: turn.speaker.attempt).reading.answer
    return Ballot(
        answer,
        right(answer),
        sum(turn.completion.prompt_tokens for turn in asks),
        sum(turn.completion.output_tokens for turn in asks),
    )
