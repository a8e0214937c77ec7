"""Forbidden channels stay shut, and each would be caught if it were opened."""

from canary import check_channels
from stage import stage

from madbench.protocols.cot import ChainOfThought
from madbench.protocols.debate import Debate
from madbench.protocols.hearing import Hearing
from madbench.protocols.self_consistency import SelfConsistency
from madbench.protocols.self_refine import SelfRefine
from madbench.types import Edge


def words(request):
    return f"Reply {request.seed:016x} settles this matter for me.\nAnswer: {request.seed % 3}"


def advice(request):
    return f'{{"advice": "Step {request.seed:016x} deserves a closer look.", "verdict": "revise"}}'


def test_round_zero_of_a_debate_is_blind(tmp_path):
    assert Debate.edges == (Edge("solver", "solver/Asked"),)
    for hearing in (Hearing(), Hearing(schedule="sequential", memory="last_only")):
        honest = check_channels(stage(Debate(debate_rounds=2, hearing=hearing), words), tmp_path)
        assert len(honest.turns) == 9


def test_protocols_without_hidden_channels_play_as_they_are(tmp_path):
    for protocol in (ChainOfThought(), SelfConsistency(votes=2, pool=2)):
        check_channels(stage(protocol, words), tmp_path)
    check_channels(stage(SelfRefine(refinements=2), {"solver": words, "critic": advice}), tmp_path)
