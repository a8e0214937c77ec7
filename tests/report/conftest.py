"""A sweep made by hand: no engine, no files."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from madbench.tasks.answers import NumberReader
from madbench.types import (
    Arm,
    Comparison,
    Completion,
    Effort,
    Ending,
    Estimate,
    Event,
    Integrity,
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
    Summary,
    Target,
    Turn,
)

CONTROL = "self_consistency@equal_calls"
NAMES = ("unparsed_rate", "theater_rate", "convergence", "ece", "calls", "prompt_tokens", "output_tokens")
NONE = Estimate(None, None, None, 0)


@dataclass
class Script:
    """What seats said, round by round: a text and the answer read from it. The last `spare` seats are spare."""

    rounds: list[list[tuple[str, str | None]]]
    target: str = "7"
    question: str = "What is 3 + 4?"
    confidence: dict[str, float | str] = field(default_factory=dict)
    ledger: tuple[Event, ...] = ()
    spare: int = 0


def make_record(sample: str, script: Script, *, epoch: int = 0) -> Record:
    turns, heard = [], ()
    for number, replies in enumerate(script.rounds):
        messages = (Message("user", script.question), *heard)
        for seat, (text, answer) in enumerate(replies):
            spare = seat >= len(replies) - script.spare
            turns.append(
                make_turn(Speaker("solver", seat, number, number), messages, text, answer, spare=spare)
            )
        heard = tuple(Message("user", f"Another solver says: {text}") for text, _ in replies)
    positions = tuple(tuple(answer for _, answer in replies) for replies in script.rounds)
    final = positions[-1][0]
    problem = Problem(sample, sample, script.question, NumberReader())
    return Record(
        RowId(sample, epoch), Sample(problem, Target(script.target)), Ending.DONE if final else Ending.UNPARSED,
        Outcome(final, positions, StopReason.MAX_ROUNDS, script.confidence, script.ledger), tuple(turns),
        {"correct": float(final == script.target)}, None, Effort(1.5, "host"),
    )  # fmt: skip


def make_turn(speaker, messages, text, answer, *, spare=False) -> Turn:
    status = ParseStatus.OK if answer else ParseStatus.MISSING
    reading = Reading(status, "Statement", "marked" if answer else "", answer, reply={"text": text})
    return Turn(
        speaker,
        "Asked",
        Request(messages, Sampling(), 1),
        Completion(text, "stop", 40, 12),
        reading,
        spare=spare,
    )


def around(value: float, reach: float = 0.14, n: int = 48) -> Estimate:
    """An estimate with a made-up interval."""
    return Estimate(value, max(value - reach, 0.0), value + reach, n)


def make_arm(name: str, accuracy: Estimate, *, seed: int | None = None, **metrics: Estimate) -> Arm:
    flat = {"calls": around(1.0), "prompt_tokens": around(210.0), "output_tokens": around(60.5)}
    found = dict.fromkeys(NAMES, NONE) | flat | {"unparsed_rate": around(0.0), "accuracy": accuracy} | metrics
    spent = found["prompt_tokens"].value + found["output_tokens"].value
    per_right = around(spent / accuracy.value) if accuracy.value else NONE
    return Arm(
        name, "one_digit_sums", name, "smollm2_135m", seed, {"tokens_per_right_answer": per_right} | found
    )


def make_summary(**changes) -> Summary:
    debate = {
        "theater_rate": Estimate(0.125, 0.059, 0.247, 48),
        "convergence": around(0.604),
        "ece": around(0.31),
    }
    rounds = {"accuracy_round_0": around(0.46), "accuracy_round_1": around(0.27)}
    critic = {"theater_rate": around(0.8, 0.1), "unparsed_rate": around(0.104), "calls": around(7.25)}
    arms = (
        make_arm("cot", around(23 / 48)),
        make_arm(
            "self_consistency",
            around(0.5),
            calls=around(6.0),
            ece=around(0.0812),
            prompt_tokens=around(1260.0),
        ),
        make_arm("self_refine", around(0.375), calls=around(3.02), prompt_tokens=around(900.0)),
        make_arm(
            "debate", around(13 / 48), calls=around(6.0), prompt_tokens=around(2210.0), **debate, **rounds
        ),
        make_arm("debate_no_peers", around(0.417), calls=around(6.0), prompt_tokens=around(1610.0), **rounds),
        make_arm("critic_profile", around(0.229), prompt_tokens=around(2700.0), **critic),
    )
    values = {
        "name": "quickstart",
        "arms": arms,
        "comparisons": (
            Comparison("debate", CONTROL, "accuracy", -0.2083, -0.3333, -0.0833, 0.0042, 48),
            Comparison("self_refine", CONTROL, "accuracy", -0.0833, -0.2083, 0.0417, 0.21, 48),
            Comparison("critic_profile", CONTROL, "accuracy", -0.2708, -0.3958, -0.1458, 0.0004, 48),
            Comparison("debate", "debate_no_peers", "accuracy", -0.1458, -0.2917, 0.0, 0.0923, 48),
        ),
        "integrity": tuple(Integrity(arm.arm, 48, 48, 0, 0, 0, 0, 0) for arm in arms),
        "verdict": "Debate was worse than self-consistency at its own calls: -20.8 points [-33.3, -8.3], n = 48.",
        "notes": ("n = 48 samples: differences below 20 points are likely to be missed.",),
        "spent": {"calls": 1530.0, "seconds": 412.25},
    }
    return Summary(**(values | changes))


@pytest.fixture
def record():
    return make_record


@pytest.fixture
def script():
    return Script


@pytest.fixture
def summary():
    return make_summary


@pytest.fixture
def arm():
    return make_arm
