"""Records made by hand, said in as few words as a test needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from madbench.types import (
    Completion,
    Effort,
    Ending,
    Extraction,
    Message,
    Outcome,
    ParseStatus,
    Problem,
    Reading,
    Record,
    Request,
    RowId,
    Sample,
    Sampling,
    Speaker,
    StopReason,
    Target,
    Turn,
)


@dataclass(frozen=True)
class Plain:
    """Reads the last word; numbers lose a final `.0`."""

    instruction: str = "End with the answer."

    def read(self, text: str, *, cut: bool = False) -> Extraction:
        return Extraction(self.canonical(text.split()[-1]), ParseStatus.OK, "last")

    def canonical(self, answer: str) -> str | None:
        return answer.removesuffix(".0")

    def schema(self) -> dict[str, object]:
        return {"type": "string"}


def sample(
    name: str = "q0", gold: str = "B", *, cluster: str = "", question: str = "Which one?", **facts: str
) -> Sample:
    return Sample(Problem(name, cluster or name, question, Plain()), Target(gold, facts))


def turn(
    text: str,
    answer: str | None = None,
    *,
    seat: int = 0,
    round: int = 0,
    role: str = "solver",
    told: Sequence[Message] = (Message("user", "Which one?\nEnd with the answer."),),
    tokens: tuple[int, int] = (100, 10),
    spare: bool = False,
    attempt: int = 0,
    rule: str = "marker",
    probability: float | None = None,
    status: ParseStatus = ParseStatus.OK,
    finish: str = "stop",
) -> Turn:
    reading = Reading(status, "Statement", rule, answer, probability, {"text": text})
    request = Request(tuple(told), Sampling(), 0)
    completion = Completion(text, finish, *tokens)
    return Turn(Speaker(role, seat, round, round, attempt), "Asked", request, completion, reading, (), spare)


def record(
    answer: str | None,
    positions: Sequence[Sequence[str | None]] = (),
    turns: Sequence[Turn] = (),
    *,
    of: Sample | None = None,
    epoch: int = 0,
    scores: Mapping[str, float] | None = None,
    stop: StopReason = StopReason.MAX_ROUNDS,
    **outcome: object,
) -> Record:
    of = of or sample()
    scored = {"correct": float(answer == of.target.answer)} if scores is None else scores
    return Record(
        RowId(of.problem.id, epoch),
        of,
        Ending.UNPARSED if answer is None else Ending.DONE,
        Outcome(answer, tuple(tuple(answers) for answers in positions), stop, **outcome),
        tuple(turns),
        scored,
        None,
        Effort(0.0, "here"),
    )


def failed(of: Sample, ending: Ending = Ending.CONTEXT, turns: Sequence[Turn] = ()) -> Record:
    return Record(
        RowId(of.problem.id), of, ending, None, tuple(turns), {}, None, Effort(0.0, "here"), "it failed"
    )


def debate(
    rounds: Sequence[Sequence[tuple[str, str | None]]], *, of: Sample | None = None, deaf: bool = False
) -> Record:
    """A debate by (text, answer) of every seat and round; everybody hears all others' last words unless deaf."""
    of = of or sample()
    turns: list[Turn] = []
    for number, said in enumerate(rounds):
        for seat, (text, answer) in enumerate(said):
            told = [Message("user", of.problem.prompt)]
            for past in range(number):
                told.append(Message("assistant", rounds[past][seat][0]))
                others = [text for other, (text, _) in enumerate(rounds[past]) if other != seat]
                heard = "Other agents wrote:\n\n" + "\n\n".join(others) if not deaf else "Please think again."
                told.append(Message("user", heard + "\nUsing these, reply again."))
            turns.append(turn(text, answer, seat=seat, round=number, told=told))
    positions = [[answer for _, answer in said] for said in rounds]
    final = [answer for answer in positions[-1] if answer is not None]
    return record(max(final, key=final.count) if final else None, positions, turns, of=of)


def votes(
    answers: Sequence[str | None],
    *,
    charged: int,
    of: Sample | None = None,
    tokens: tuple[int, int] = (100, 10),
) -> Record:
    """Self-consistency: the first `charged` votes count, the others are spare."""
    turns = [
        turn(f"It is {a}", a, seat=seat, tokens=tokens, spare=seat >= charged)
        for seat, a in enumerate(answers)
    ]
    given = [answer for answer in answers[:charged] if answer is not None]
    best = max(map(given.count, given), default=0)
    tied = sorted({answer for answer in given if given.count(answer) == best})
    facts = {"tied": list(tied) if len(tied) > 1 else []}
    return record(tied[0] if tied else None, [answers], turns, of=of, facts=facts)
