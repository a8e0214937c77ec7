"""The presets that ship: what each costs and asks for, and that each says how its paper counts."""

from dataclasses import replace
from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from hydra.utils import instantiate
from stage import play, stage

from madbench.metrics.votes import majority
from madbench.protocols.revision import Always, Conformist, Follower

CONF = Path(__file__).parents[2] / "conf" / "protocol"
DEBATES = sorted(
    path.stem
    for path in CONF.glob("*.yaml")
    if path.stem.startswith(("debate", "du", "choi", "conformist", "follower", "self_refine"))
)


def preset(name, *overrides):
    with initialize_config_dir(str(CONF.parent), version_base=None):
        group = compose(f"protocol/{name}", list(overrides))
    return instantiate(group["protocol"], _convert_="all")


def words(request):
    return f"Reply {request.seed:016x} settles it.\nAnswer: {request.seed}"


def advice(request):
    return '{"advice": "Look again.", "verdict": "revise"}'


def played(name):
    return play(stage(preset(name), {"solver": words, "critic": advice, "summariser": words}))


@pytest.mark.parametrize(
    ("name", "calls", "spare", "rounds"),
    [
        ("cot", 1, 0, 1),
        ("cot_sampled", 1, 0, 1),
        ("self_consistency", 6, 10, 1),
        ("self_consistency_40", 40, 0, 1),
        ("self_refine", 5, 0, 3),
        ("self_refine_asserting", 5, 0, 3),
        ("debate", 6, 0, 2),
        ("du2023", 6, 0, 2),
        ("debate_alone", 6, 0, 2),
        ("debate_strangers", 6, 3, 2),
        ("debate_sequential", 6, 0, 2),
        ("debate_personas", 6, 0, 2),
        ("debate_summarised", 9, 0, 2),
        ("choi_decentralized", 15, 0, 3),
        ("choi_sparse", 15, 0, 3),
        ("choi_centralized", 15, 0, 3),
        ("choi_centralized_all", 15, 0, 3),
        ("conformist", 15, 0, 3),
        ("follower", 15, 0, 3),
    ],
)
def test_what_a_preset_costs(name, calls, spare, rounds):
    """On a model that never agrees with anybody, so that no rule saves a call."""
    episode = played(name)
    assert len(episode.own) == calls
    assert len(episode.turns) == calls + spare
    assert len(episode.outcome.positions) == rounds


@pytest.mark.parametrize("name", DEBATES)
def test_a_preset_says_how_its_paper_counts(name):
    header = (CONF / f"{name}.yaml").read_text().partition("\n_target_")[0].partition("\ndefaults")[0]
    assert all(line.startswith("#") for line in header.splitlines())
    assert "ounting" in header


def test_equal_calls_are_the_default_of_self_consistency():
    assert preset("self_consistency").votes == len(played("debate").own)


@pytest.mark.parametrize(
    ("name", "topology", "memory", "decides", "rule"),
    [
        ("du2023", "all", "full_history", "all", Always()),
        ("choi_decentralized", "all", "last_only", "all", Always()),
        ("choi_sparse", "ring", "last_only", "all", Always()),
        ("choi_centralized", "star", "last_only", "first", Always()),
        ("choi_centralized_all", "star", "last_only", "all", Always()),
        ("conformist", "all", "last_only", "all", Conformist()),
        ("follower", "all", "last_only", "all", Follower(p=0.3)),
    ],
)
def test_what_a_paper_varies(name, topology, memory, decides, rule):
    debate = preset(name)
    assert (debate.hearing.topology, debate.hearing.memory) == (topology, memory)
    assert (debate.decides, debate.revision) == (decides, rule)
    assert debate.peers == "real"


def test_control_arms_differ_from_the_debate_in_peers_alone():
    base = preset("debate")
    assert preset("debate_alone") == replace(base, peers="none")
    assert preset("debate_strangers") == replace(base, peers="other_question")


def test_published_ties_go_to_the_earliest():
    debate = preset("du2023")
    assert debate.tie == "first"
    assert majority(("b", "a"), seed=0, tie=debate.tie).answer == "b"


def test_settings_can_be_changed_one_by_one():
    debate = preset("choi_sparse", "protocol.hearing.topology=all", "protocol.debate_rounds=5")
    assert (debate.hearing.topology, debate.debate_rounds, debate.agents) == ("all", 5, 5)


def test_greedy_and_sampled_chains_of_thought():
    assert played("cot").turns[0].request.sampling.temperature == 0
    assert played("cot_sampled").turns[0].request.sampling.temperature > 0
    assert played("choi_sparse").turns[0].request.sampling.top_p == 0.9


def test_the_critics_form_fits_its_room():
    """Written out to its bounds, one token a character, the form is shorter than what the critic may write."""
    turn = played("self_refine").turn("critic", 0, 1)
    assert turn.request.schema is not None
    longest = len('{"advice":"","verdict":"revise"}') + 240
    assert longest <= turn.request.sampling.max_tokens
