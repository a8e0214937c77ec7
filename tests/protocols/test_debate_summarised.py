"""A debate in which nobody reads another: what passes through the summaries, what they cost, and when it is theater."""

import math
import re
from collections import defaultdict
from itertools import product

import pytest
from canary import check_channels
from metrics.build import record, sample, turn
from protocols.test_theory import SAMPLES, conform, episodes
from stage import play, stage

from madbench.metrics.measure import measure
from madbench.protocols.debate import Debate
from madbench.protocols.debate_summarised import SummarisedDebate
from madbench.protocols.hearing import Hearing
from madbench.types import Edge, InputError, Message


def words(request):
    return f"Reply <{request.seed:016x}> settles it for me.\nAnswer: {request.seed % 3}"


def summary(request):
    return f"Summary <{request.seed:016x}> of {len(marks(request.messages[-1].text))} replies."


def marks(text):
    return re.findall(r"<([0-9a-f]{16})>", text)


def played(**settings):
    scripts = {"solver": words, "summariser": summary}
    return play(stage(SummarisedDebate(**settings), scripts))


def mark(played, role, seat, round):
    [found] = marks(played.turn(role, seat, round).completion.text)
    return found


@pytest.mark.parametrize("topology", ["all", "ring", "star"])
def test_the_summariser_reads_the_peers_and_the_seat_reads_the_summary_alone(topology):
    hearing = Hearing(topology=topology)
    episode = played(agents=4, debate_rounds=2, hearing=hearing)
    for round, seat in product((1, 2), range(4)):
        heard = [mark(episode, "solver", peer, round - 1) for peer in hearing.heard_by(seat, 4)]
        between = episode.turn("summariser", seat, round)
        assert marks(between.request.messages[-1].text) == heard
        assert [message.role for message in between.request.messages] == ["user"]
        assert marks(episode.asked("solver", seat, round)) == [mark(episode, "summariser", seat, round)]


def test_seats_that_come_later_are_told_of_what_was_just_said():
    episode = played(hearing=Hearing(schedule="sequential"))
    just = [mark(episode, "solver", 0, 1), mark(episode, "solver", 1, 1)]
    assert marks(episode.asked("summariser", 2, 1)) == just


def test_a_summary_for_each_that_revises_is_charged():
    for agents, exchanges in ((3, 1), (3, 2), (5, 1)):
        own = played(agents=agents, debate_rounds=exchanges).own
        asked = [turn.speaker.role for turn in own]
        assert asked.count("summariser") == agents * exchanges
        assert asked.count("solver") == agents * (1 + exchanges)
        seeds = [turn.request.seed for turn in own]
        assert len(set(seeds)) == len(seeds)


def test_controls_are_those_of_the_debate():
    alone, plain = played(peers="none"), play(stage(Debate(peers="none"), words))
    assert [turn.request for turn in alone.turns] == [turn.request for turn in plain.turns]
    strange = played(peers="other_question", debate_rounds=2)
    spare = [turn.speaker.role for turn in strange.turns if turn.spare]
    assert (spare.count("solver"), spare.count("summariser")) == (6, 3)
    assert len(strange.own) == len(played(debate_rounds=2).own)
    heard = marks(strange.asked("summariser", 0, 2))
    said = [
        m for one in strange.turns if one.spare and one.speaker.round == 1 for m in marks(one.completion.text)
    ]
    assert set(heard) <= set(said)


def test_no_seat_is_shown_what_another_said(tmp_path):
    assert Edge("solver", "solver/Summarised", via="Summary") in SummarisedDebate.edges
    scene = stage(SummarisedDebate(debate_rounds=2), {"solver": words, "summariser": summary})
    assert len(check_channels(scene, tmp_path).turns) == 15


def test_seats_without_memory_are_refused():
    with pytest.raises(InputError, match=r"hearing\.memory: .* needs full_history"):
        SummarisedDebate(hearing=Hearing(memory="last_only"))


def after_summaries(accuracy, conformity, seats=3):
    """How likely each number of seats is right after one exchange, the summaries' own mistakes included."""
    found = defaultdict(float)
    for state in product((0, 1), repeat=seats):
        chance = accuracy ** sum(state) * (1 - accuracy) ** (seats - sum(state))
        majority = [conform_to(state, seat) for seat in range(seats)]
        told = [conformity * m + (1 - conformity) * accuracy for m in majority]
        right = [conformity * t + (1 - conformity) * own for t, own in zip(told, state, strict=True)]
        for new in product((0, 1), repeat=seats):
            found[sum(new)] += chance * math.prod(
                p if now else 1 - p for p, now in zip(right, new, strict=True)
            )
    return found


def conform_to(state, seat):
    """How likely what a conformist at `seat` hears is right."""
    return sum(p for new, p in conform(state, Hearing()).items() if new[seat])


@pytest.mark.parametrize("conformity", [1.0, 0.5])
def test_what_passes_through_summaries_comes_out_as_enumerated(conformity):
    outcomes = episodes(SummarisedDebate(), accuracy=0.7, conformity=conformity)
    truths = [sample.target.answer for sample in SAMPLES]
    counts = [outcome.positions[-1].count(truth) for outcome, truth in zip(outcomes, truths, strict=True)]
    chances = after_summaries(0.7, conformity)
    assert sum(chances.values()) == pytest.approx(1)
    for count, chance in chances.items():
        spread = math.sqrt(chance * (1 - chance) / len(counts))
        assert abs(counts.count(count) / len(counts) - chance) < 4 * spread


FIRST = ("Seventeen apples remain. Answer: B", "Ducks have feathers and bills. Answer: C")
TOLD = "One counts feathers. The matter is controversial."


def summarised(*last, told=TOLD):
    """Two seats, the second's words told to the first (and the other way round) in the same summary; what both say."""
    seats = [turn(text, text[-1], seat=seat) for seat, text in enumerate(FIRST)]
    between = [
        turn(told, None, seat=s, round=1, role="summariser", told=[Message("user", f"Say:\n{FIRST[1 - s]}")])
        for s in (0, 1)
    ]
    heard = [Message("user", f"Others, summed up:\n{told}\nReply again.")]
    again = [turn(text, text[-1], seat=seat, round=1, told=heard) for seat, text in enumerate(last)]
    facts = {"go_between": "summariser"}
    return measure(
        record("B", [["B", "C"]] * 2, [*seats, *between, *again], of=sample(), facts=facts)
    ).numbers


@pytest.mark.parametrize(
    ("last", "took_up"),
    [
        (("Feathers, true. Answer: B", "Ducks. Answer: C"), 1),
        (("It is controversial. Answer: B", "Ducks. Answer: C"), 0),
        (("It is said that bills. Answer: B", "Ducks. Answer: C"), 0),
    ],
    ids=["a peer's content", "the summary's own words", "what the summary left out"],
)
def test_theater_is_told_by_what_came_through_the_summary(last, took_up):
    found = summarised(*last)
    assert (found["heard"], found["took_up"], found["theater"]) == (2, took_up, 1 - took_up)
