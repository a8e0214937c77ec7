"""Dead debates are announced, live ones are not."""

from metrics.build import debate, record, sample, turn

from madbench.metrics.guard import Fault, watch
from madbench.types import ParseStatus

TOPICS = ("apples fall", "birds migrate", "clouds gather", "drums echo", "engines hum", "forests grow")


def lively(index):
    one, two = TOPICS[index], TOPICS[(index + 1) % len(TOPICS)]
    return debate(
        [
            [(f"I reason that {one} today. Answer: B", "B"), (f"It seems that {two} now. Answer: C", "C")],
            [(f"Since {two}, I change. Answer: C", "C"), (f"Given that {one}, I change. Answer: B", "B")],
        ],
        of=sample(f"q{index}"),
    )


def dead(index):
    said = [(f"Case {index}: I am sure of it. Answer: B", "B"), (f"Case {index}: so am I. Answer: C", "C")]
    return debate([said, said], of=sample(f"q{index}"))


def faults(records):
    return {alarm.fault for alarm in watch(records)}


def test_a_live_debate_raises_nothing():
    assert watch([lively(index) for index in range(6)]) == []


def test_a_dead_debate_names_a_transcript_to_read():
    alarms = {alarm.fault: alarm for alarm in watch([dead(index) for index in range(6)])}
    assert set(alarms) == {Fault.MOVEMENT, Fault.REPLAYED}
    assert (alarms[Fault.MOVEMENT].share, alarms[Fault.MOVEMENT].read.sample) == (1, "q0")
    assert str(alarms[Fault.MOVEMENT]) == "no movement: 100% of disputed debates; read q0, epoch 0"


def agreed(index):
    said = [(f"Case {index}: it is B. Answer: B", "B"), (f"Case {index}: B, surely. Answer: B", "B")]
    again = [(f"As I said before in {index}. Answer: B", "B"), (f"I too stay by my {index}. Answer: B", "B")]
    return debate([said, again], of=sample(f"q{index}"))


def test_seats_that_agree_from_the_start_are_not_dead():
    assert faults([agreed(index) for index in range(6)]) == set()
    assert faults([*(agreed(index) for index in range(5)), dead(5)]) == set()
    assert faults([*(agreed(index) for index in range(4)), *(dead(index) for index in range(4, 8))]) == {
        Fault.MOVEMENT
    }


def test_missing_markers():
    records = [
        record(
            None,
            [[None]],
            [turn(f"I would rather not say, case {index}.", status=ParseStatus.MISSING)],
            of=sample(f"q{index}"),
        )
        for index in range(6)
    ]
    assert faults(records) == {Fault.MARKERS}


def test_constant_text():
    records = [
        record("B", [["B"]], [turn("As an expert I can say: Answer: B", "B")], of=sample(f"q{i}"))
        for i in range(6)
    ]
    assert faults(records) == {Fault.CONSTANT}
    short = [record("B", [["B"]], [turn("Answer: B", "B")], of=sample(f"q{i}")) for i in range(6)]
    assert faults(short) == set()


def test_the_same_sample_again_is_no_constant_text():
    records = [
        record("B", [["B"]], [turn("As an expert I can say: Answer: B", "B")], of=sample("q"), epoch=epoch)
        for epoch in range(6)
    ]
    assert faults(records) == set()


def test_half_is_not_most_and_few_episodes_prove_nothing():
    assert faults([dead(0), dead(1), lively(2), lively(3)]) == set()
    assert faults([dead(0), dead(1), dead(2)]) == set()


def test_spare_turns_are_not_the_arms():
    spare = [turn("As an expert I can say: Answer: B", "B", seat=3, spare=True, status=ParseStatus.MISSING)]
    records = [
        record("B", [["B"]], [turn(f"It is {index}", "B"), *spare], of=sample(f"q{index}"))
        for index in range(6)
    ]
    assert faults(records) == set()
