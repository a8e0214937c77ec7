"""Faults of published debate code that touch protocols and votes, each with its smallest input.

Readers' faults have their table in the tests of tasks; here the real readers meet the real votes.
"""

from itertools import permutations

import pytest
from stage import SUM, play, stage

from madbench.metrics.votes import majority
from madbench.protocols.debate import Debate
from madbench.protocols.self_consistency import SelfConsistency
from madbench.tasks.answers import ChoiceReader, NumberReader
from madbench.tasks.scoring import exact
from madbench.types import Problem, Target

NUMBERS = Problem("n", "n", "How many apples are there in the two baskets together?", NumberReader())
LETTERS = Problem("l", "l", "Which vitamin is it?\nA) C\nB) D\nC) A", ChoiceReader("ABC"))


def vote(problem, *replies):
    left = iter(replies)
    protocol = SelfConsistency(votes=len(replies), pool=len(replies))
    return play(stage(protocol, lambda request: next(left), problem=problem)).outcome


def debate(problem, *replies, agents=3, **settings):
    left = iter(replies)
    return play(stage(Debate(agents=agents, **settings), lambda request: next(left), problem=problem)).outcome


def test_a_seat_never_hears_what_is_said_in_its_own_round():
    """A published `society of mind` let the second agent read the first one's new answer."""
    said = []

    def script(request):
        said.append(f"Utterance number {len(said)} of all.")
        return said[-1]

    played = play(stage(Debate(debate_rounds=2), script))
    for turn in played.turns:
        heard = [text for text in said if any(text in message.text for message in turn.request.messages)]
        rounds = [said.index(text) // 3 for text in heard]
        assert all(round < turn.speaker.round for round in rounds)


def test_unread_votes_never_win():
    """Two unread votes beat one read vote."""
    outcome = vote(LETTERS, "I do not know.", "Hard to say.", "Answer: B")
    assert outcome.answer == "B"
    assert outcome.confidence["vote_share"] == 1.0


def test_nothing_read_is_wrong():
    """All replies unreadable counted as right; so did two of three."""
    for replies in (["Well.", "Hm.", "Oh."], ["Well.", "Hm.", "Answer: 5"]):
        assert exact(vote(NUMBERS, *replies), Target("9"))["correct"] == 0
        assert exact(debate(NUMBERS, *replies, *replies), Target("9"))["correct"] == 0


def test_a_right_majority_with_an_unread_vote_is_right_in_any_order():
    """The score depended on which of the agents could not be read."""
    for replies in permutations(["Answer: A", "Answer: A", "I cannot tell (s)."]):
        assert exact(debate(LETTERS, *replies, *replies), Target("A"))["correct"] == 1


@pytest.mark.parametrize(
    ("replies", "answer", "gold"),
    [
        (["\\boxed{1,234}", "Answer: 1234", "Answer: 7"], "1234", "1234"),
        (["\\boxed{-5}", "Answer: -5", "Answer: 5"], "-5", "-5"),
        (["Answer: $18", "Answer: 18.0", "Answer: 20"], "18", "18"),
    ],
)
def test_equal_numbers_are_one_vote_and_score_as_the_target_does(replies, answer, gold):
    outcome = vote(NUMBERS, *replies)
    assert outcome.answer == answer
    assert exact(outcome, Target(gold))["correct"] == 1


def test_votes_and_denominators():
    """Five agents, two pairs and an abstention: a flagged tie that favours nobody's seat."""
    outcome = vote(NUMBERS, "Answer: 18", "Answer: 18.0", "Answer: $20", "Answer: 20", "Well.")
    assert outcome.facts["tied"] == ["18", "20"]
    assert outcome.confidence["vote_share"] == 0.5
    drawn = [majority(outcome.positions[0], seed=seed).answer for seed in range(400)]
    assert 140 < drawn.count("18") < 260


def test_two_of_four_and_one_of_two_are_no_majority():
    """They counted as consensus in published code; here they are ties, or the commonest of several."""
    assert majority(("a", "a", "b", "b"), seed=0, tie="abstain").answer is None
    assert majority(("a", "b"), seed=0, tie="abstain").answer is None
    assert majority(("a", "a", "b", "c"), seed=0, tie="abstain").answer == "a"


def test_who_changed_is_kept_round_by_round():
    """Wrong, right, wrong: both flips stand in the record, and neither is read off the last round alone."""
    script = [
        "Answer: 8",
        "Answer: 9",
        "Answer: 8",
        "Answer: 9",
        "Answer: 8",
        "Answer: 8",
        "Answer: 8",
        "Answer: 8",
        "Answer: 8",
    ]
    outcome = debate(NUMBERS, *script, debate_rounds=2)
    assert [answers[0] for answers in outcome.positions] == ["8", "9", "8"]
    assert outcome.positions[0][1] == "9"


def test_every_round_is_scored_from_one_run():
    """The round-0 majority of the same run stands beside the debate's."""
    outcome = debate(NUMBERS, *["Answer: 9"] * 3, *["Answer: 8"] * 3)
    assert majority(outcome.positions[0], seed=0).answer == "9"
    assert outcome.answer == "8"


def test_one_seats_answer_is_not_taken_for_the_votes():
    """A published topology was scored by agent 0 alone; that is a setting here, and off by default."""
    replies = ["Answer: 9"] * 3 + ["Answer: 8", "Answer: 9", "Answer: 9"]
    assert debate(NUMBERS, *replies).answer == "9"
    assert debate(NUMBERS, *replies, decides="first").answer == "8"


def test_words_of_a_reply_are_data():
    hostile = "{{ 7 * 7 }} {% for x in y %} __import__('os').system('true')\nAnswer: 9"
    played = play(stage(Debate(), lambda request: hostile, problem=NUMBERS))
    assert hostile in played.asked("solver", 0, 1)
    assert played.outcome.answer == "9"
    assert SUM.question not in played.asked("solver", 0, 1)
