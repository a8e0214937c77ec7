"""Tribunal: who reads what and when, how rankings are counted, who is out, and who decides."""

import asyncio
import json
import re
from dataclasses import replace
from itertools import permutations, product
from pathlib import Path

import pytest
from canary import check_channels
from hydra import compose, initialize_config_dir
from hydra.utils import instantiate
from stage import SUM, Scripted, play, stage

from madbench.metrics.arguing import argued
from madbench.protocols.tribunal import SequentialTribunal, Tribunal
from madbench.protocols.tribunal_bench import Reading
from madbench.protocols.tribunal_policy import OneMoreRound, Proceed, Veto
from madbench.protocols.tribunal_tally import copeland, tally
from madbench.types import (
    Contract,
    Edge,
    Effort,
    Ending,
    InputError,
    Record,
    RoleSettings,
    RowId,
    Sample,
    StopReason,
    Target,
)

CONF = Path(__file__).parents[2] / "conf"
NAMES = ("architect", "security", "cto")
MEMBERS = {name: f"the view of {name}" for name in NAMES}


def who(request):
    """The seat that a request is for, by the view in its system message."""
    return next(seat for seat, name in enumerate(NAMES) if f"view of {name}" in request.messages[0].text)


def proposing(request):
    return "Propose how to settle it" in request.messages[-1].text


def proposal(seat, answer=None):
    return json.dumps(
        {
            "approach": f"<approach-{seat}> in so many words",
            "answer": answer or f"a{seat}",
            "pros": [f"pro {seat}"],
            "cons": [],
            "complexity": "low",
            "risks": [f"risk {seat}"],
        }
    )


def critique(ranking, stance="stick", target=None, blocking=(), answer="new"):
    concerns = [{"against": against, "concern": f"concern about {against}"} for against in blocking]
    return json.dumps(
        {
            "reasons": "So it seems.",
            "answer": answer,
            "ranking": " > ".join(ranking),
            "stance": stance,
            "target": target or ranking[0],
            "blocking": concerns,
        }
    )


def panel(*critiques, proposals=None):
    """Every seat proposes its own answer (None: says nothing readable), then says its critique."""

    def script(request):
        seat = who(request)
        if proposing(request):
            said = proposal(seat) if proposals is None else proposals[seat]
            return said or "I have no idea."
        said = critiques[seat]
        return said if isinstance(said, str) else said(request)

    return script


def labels(request):
    """The labels of a bench, in the order in which they are read."""
    return re.findall(
        r"^(architect|security|cto|proposal \d)(?: \(yours\))?:$", request.messages[-1].text, re.M
    )


def approaches(text):
    return [int(seat) for seat in re.findall(r"<approach-(\d)>", text)]


AGREED = critique(["cto", "security", "architect"])


def tribunal(*critiques, kind=Tribunal, proposals=None, **settings):
    return play(stage(kind(members=MEMBERS, **settings), panel(*critiques, proposals=proposals)))


def events(played, kind):
    return [event for event in played.outcome.ledger if event.kind == kind]


def test_everybody_proposes_on_the_same_words_before_anybody_reads_a_proposal():
    played = tribunal(AGREED, AGREED, AGREED)
    briefs = [played.asked("member", seat, 0) for seat in range(3)]
    assert briefs[0] == briefs[1] == briefs[2]
    assert SUM.question in briefs[0]
    assert approaches(briefs[0]) == []
    assert [turn.speaker.round for turn in played.turns] == [0, 0, 0, 1, 1, 1]


def test_everybody_critiques_on_all_proposals():
    played = tribunal(AGREED, AGREED, AGREED)
    for seat in range(3):
        shown = played.asked("member", seat, 1)
        assert approaches(shown) == [0, 1, 2]
        assert SUM.question in shown
        assert f"{NAMES[seat]} (yours):" in shown


def test_the_common_first_choice_is_a_consensus_and_its_answer_is_chosen():
    played = tribunal(AGREED, AGREED, critique(["architect", "cto", "security"]))
    assert (played.outcome.answer, played.outcome.stop) == ("a2", StopReason.CONSENSUS)
    (decided,) = events(played, "decided")
    assert decided.text == "cto"
    assert decided.facts["order"] == ["cto", "architect", "security"]
    assert (decided.facts["policy"], decided.facts["decided_by"]) == ("Proceed", "first_choices")
    assert played.outcome.facts["ranked_itself_first"] == 0.0


def test_nobody_is_asked_to_decide():
    played = tribunal(AGREED, AGREED, AGREED)
    assert {turn.speaker.role for turn in played.turns} == {"member"}
    assert len(played.turns) == 6


@pytest.mark.parametrize(("stance", "position"), [("stick", "a0"), ("switch", "a1"), ("hybrid", "new")])
def test_the_stance_says_where_a_member_stands_whatever_answer_it_adds(stance, position):
    mine = critique(["cto", "security", "architect"], stance=stance, target="security")
    played = tribunal(mine, AGREED, AGREED)
    assert played.outcome.positions == (("a0", "a1", "a2"), (position, "a1", "a2"))
    assert played.outcome.facts[f"stance_{stance}"] >= 1 / 3


def test_a_proposal_that_cannot_be_read_is_out_and_is_not_asked_for_again():
    gone = critique(["cto", "security"])
    played = tribunal(AGREED, gone, gone, proposals=[None, proposal(1), proposal(2)])
    assert [event.by for event in events(played, "dropped")] == ["architect"]
    assert [turn.speaker.seat for turn in played.turns] == [0, 1, 2, 1, 2]
    assert approaches(played.asked("member", 1, 1)) == [1, 2]
    assert played.outcome.positions[0] == (None, "a1", "a2")
    assert played.outcome.answer == "a2"


@pytest.mark.parametrize(
    "change",
    [*({part: None} for part in json.loads(proposal(0))), {"complexity": "rather low"}, {"more": "a part"}],
)
def test_a_proposal_has_all_its_parts_and_no_other_or_is_out(change):
    parts = {part: said for part, said in (json.loads(proposal(0)) | change).items() if said is not None}
    two = critique(["cto", "security"])
    played = tribunal(AGREED, two, two, proposals=[json.dumps(parts), proposal(1), proposal(2)])
    assert [event.by for event in events(played, "dropped")] == ["architect"]


@pytest.mark.parametrize("left", [0, 1])
def test_fewer_than_two_proposals_are_no_debate_and_the_ledger_says_so(left):
    played = tribunal(AGREED, AGREED, AGREED, proposals=[None, None, proposal(2) if left else None])
    assert len(played.turns) == 3
    assert [event.text for event in events(played, "skipped")] == [f"{left} of 3 proposals"]
    assert played.outcome.answer == ("a2" if left else None)
    assert played.outcome.facts["skipped"] == 1


def test_without_members_one_proposal_goes_through_and_no_debate_takes_place():
    script = lambda request: proposal(0)  # noqa: E731
    played = play(stage(Tribunal(members={}), script))
    assert [turn.speaker.role for turn in played.turns] == ["member"]
    assert (played.outcome.answer, played.outcome.facts["skipped"]) == ("a0", 1)


@pytest.mark.parametrize(
    "said",
    [
        "architect first, then the others",
        critique(["cto", "security"]),
        critique(["cto", "security", "security"]),
        critique(["cto", "security", "nobody"]),
        critique(["cto", "security", "architect"], target="nobody"),
        critique(["cto", "security", "architect"], blocking=["nobody"]),
    ],
)
def test_a_critique_that_cannot_be_read_leaves_a_gap_in_the_count(said):
    played = tribunal(said, AGREED, critique(["security", "cto", "architect"]))
    assert [event.by for event in events(played, "gap")] == ["architect"]
    assert len(played.turns) == 6
    assert played.outcome.positions[1][0] == "a0"
    assert played.outcome.stop is StopReason.MAX_ROUNDS


def test_members_may_not_be_asked_again():
    with pytest.raises(InputError, match="never asked again"):
        Tribunal(members=MEMBERS, roles={"member": {"contract": {"enforcement": "repair"}}})


@pytest.mark.parametrize(
    "settings", [{"debate_rounds": -1}, {"members": {str(seat): "a view" for seat in range(7)}}]
)
def test_bad_settings_are_refused(settings):
    with pytest.raises(InputError, match="at most 6"):
        Tribunal(**{"members": MEMBERS, **settings})


def test_anonymous_proposals_carry_no_name_and_each_reader_has_its_own_order():
    seen = {}

    def spy(request):
        seen[who(request)] = (labels(request), approaches(request.messages[-1].text))
        return critique(labels(request))

    orders, alike = set(), 0
    for identity in "abcdefgh":
        problem = replace(SUM, id=identity)
        settings = {"reading": Reading(labels="anonymous", order="shuffled")}
        script = panel(spy, spy, spy)
        played = play(stage(Tribunal(members=MEMBERS, **settings), script, problem=problem))
        for seat in range(3):
            text = played.asked("member", seat, 1)
            assert not any(name in text for name in NAMES)
            assert "yours" not in text
            assert seen[seat][0] == ["proposal 1", "proposal 2", "proposal 3"]
            orders.add(tuple(seen[seat][1]))
        alike += len({tuple(read) for _, read in seen.values()}) == 1
        # everybody ranks in the order of reading, so the first choice is whoever was read first
        firsts = [seen[seat][1][0] for seat in range(3)]
        (decided,) = events(played, "decided")
        borda = {
            NAMES[seat]: sum(2 - seen[reader][1].index(seat) for reader in range(3)) for seat in range(3)
        }
        assert decided.facts["borda"] == borda
        assert max(firsts.count(seat) for seat in firsts) == firsts.count(
            NAMES.index(decided.facts["order"][0])
        )
    assert len(orders) > 2
    assert alike < 4


def test_who_may_not_rank_its_own_proposal_ranks_the_others():
    asked = []

    def others(request):
        mine = NAMES[who(request)]
        asked.append(
            f"rank {', '.join(name for name in NAMES if name != mine)} from best" in request.messages[-1].text
        )
        return critique([name for name in ("cto", "security", "architect") if name != mine])

    played = tribunal(others, others, others, reading=Reading(own_vote=False))
    assert asked == [True] * 3
    assert played.outcome.answer == "a2"
    full = tribunal(AGREED, others, others, reading=Reading(own_vote=False))
    assert [event.by for event in events(full, "gap")] == ["architect"]


def test_sharing_one_by_one_shows_each_all_proposals_before_it():
    played = tribunal(AGREED, AGREED, AGREED, kind=SequentialTribunal)
    assert [approaches(played.asked("member", seat, 0)) for seat in range(3)] == [[], [0], [0, 1]]


@pytest.mark.parametrize(
    ("answers", "echoed"), [(("x", "x", "x"), 1.0), (("x", "y", "x"), 0.5), (("x", "y", "z"), 0.0)]
)
def test_echoing_the_first_proposal_is_counted(answers, echoed):
    proposals = [proposal(seat, answer) for seat, answer in enumerate(answers)]
    assert tribunal(AGREED, AGREED, AGREED, proposals=proposals).outcome.facts["echoed_the_first"] == echoed


def test_blocking_concerns_are_noted_and_a_veto_heeds_them():
    blocked = critique(["cto", "security", "architect"], blocking=["cto"])
    plain = tribunal(AGREED, AGREED, blocked)
    assert [(event.by, event.text, event.facts) for event in events(plain, "blocked")] == [
        ("cto", "concern about cto", {"proposal": "cto"})
    ]
    assert plain.outcome.answer == "a2"
    assert tribunal(AGREED, AGREED, blocked, policy=Veto()).outcome.answer == "a1"
    everything = critique(["cto", "security", "architect"], blocking=["cto", "security"])
    third = critique(["cto", "security", "architect"], blocking=["architect"])
    assert tribunal(AGREED, everything, third, policy=Veto()).outcome.answer == "a2"


def test_one_more_round_is_had_once_and_only_where_there_is_no_consensus():
    split = [critique([name, *(n for n in NAMES if n != name)], blocking=["cto"]) for name in NAMES]
    played = tribunal(*split, policy=OneMoreRound())
    assert [turn.speaker.round for turn in played.turns] == [0] * 3 + [1] * 3 + [2] * 3
    assert played.outcome.facts["critique_rounds"] == 2
    assert "concern about cto" in played.asked("member", 0, 2)
    assert "concern about cto" not in played.asked("member", 0, 1)
    assert len(tribunal(AGREED, AGREED, AGREED, policy=OneMoreRound()).turns) == 6


def test_proposals_alone_are_drawn_by_seed_and_the_rule_is_named():
    played = tribunal(AGREED, AGREED, AGREED, debate_rounds=0)
    (decided,) = events(played, "decided")
    assert decided.facts["decided_by"] == "seed"
    assert played.outcome.stop is StopReason.MAX_ROUNDS
    assert len(played.turns) == 3


def test_the_design_document_is_kept_in_the_ledger_and_costs_one_call():
    def author(request):
        assert approaches(request.messages[-1].text) == [2, 1]
        return json.dumps({"goal": "Settle it.", "steps": ["Begin.", "End."], "risks": ["None known."]})

    scripts = {"member": panel(AGREED, AGREED, AGREED), "author": author}
    played = play(stage(Tribunal(members=MEMBERS, document=True), scripts))
    (document,) = events(played, "document")
    assert document.text == "Settle it.\n1. Begin.\n2. End.\nRisk: None known."
    assert [turn.speaker.round for turn in played.turns] == [0, 0, 0, 1, 1, 1, 1]


def test_the_author_s_words_count_for_nobody_s_uptake():
    """It begins with words that stood in every prompt, and goes on with a word that a member said before it."""
    alone = critique(["cto", "security", "architect"]).replace("So it seems", "An abacus would do")
    goal = json.dumps({"goal": f"{SUM.question} Take an abacus.", "steps": ["Begin."], "risks": []})
    scripts = {"member": panel(alone, AGREED, AGREED), "author": lambda request: goal}
    played = play(stage(Tribunal(members=MEMBERS, document=True), scripts))
    sample = Sample(SUM, Target("9"))
    record = Record(
        RowId("sum", 0), sample, Ending.DONE, played.outcome, played.turns, {}, None, Effort(0, "here")
    )
    found = argued(record, played.outcome, played.outcome.positions)
    assert (found["heard"], found["took_up"]) == (3, 0)


def test_a_document_that_cannot_be_read_takes_no_answer_away():
    scripts = {"member": panel(AGREED, AGREED, AGREED), "author": lambda request: "Let us begin."}
    outcome = play(stage(Tribunal(members=MEMBERS, document=True), scripts)).outcome
    assert (outcome.answer, outcome.ledger[-1].kind) == ("a2", "no_document")


@pytest.mark.parametrize("name", ["one > two", "a>b", " "])
def test_names_that_a_ranking_could_not_tell_apart_are_refused(name):
    with pytest.raises(InputError, match=r"protocol\.members"):
        Tribunal(members={name: "a view", "other": "another"})


def test_no_channel_is_open_before_all_proposals_are_in(tmp_path):
    protocol = Tribunal(members=MEMBERS)
    check_channels(stage(protocol, panel(AGREED, AGREED, AGREED)), tmp_path)
    assert protocol.edges == (Edge("member/Proposal", "member/Brief"),)
    assert SequentialTribunal.edges == ()


# --- the count ---


def by_hand(rankings, seats, concerns):
    """Every order of the seats that the rules allow before the draw, best first."""
    firsts = {seat: sum(ranking[0] == seat for ranking in rankings) for seat in seats}
    points = {seat: sum(len(seats) - 1 - ranking.index(seat) for ranking in rankings) for seat in seats}

    def better(one, other):
        ours, theirs = ((firsts[seat], points[seat], -concerns.get(seat, 0)) for seat in (one, other))
        return ours > theirs

    return [
        order
        for order in permutations(seats)
        if not any(better(later, earlier) for at, earlier in enumerate(order) for later in order[at + 1 :])
    ]


@pytest.mark.parametrize("concerns", [{}, {0: 1}, {1: 2, 2: 1}])
def test_every_count_of_three_rankings_keeps_to_the_rules(concerns):
    seats = (0, 1, 2)
    for rankings in product(permutations(seats), repeat=3):
        allowed = by_hand(rankings, seats, concerns)
        counted = tally(rankings, seats, concerns=concerns, seed=7)
        assert counted.order in allowed
        firsts = [ranking[0] for ranking in rankings]
        assert counted.consensus is (firsts.count(counted.top) >= 2)
        assert (counted.level == "seed") is any(order[0] != counted.top for order in allowed)


def test_ties_are_drawn_evenly_by_seed_alone():
    rankings = [(0, 1, 2), (1, 2, 0), (2, 0, 1)]
    tops = [tally(rankings, (0, 1, 2), concerns={}, seed=seed).top for seed in range(600)]
    assert all(150 < tops.count(seat) < 250 for seat in range(3))
    assert tops == [tally(rankings, (0, 1, 2), concerns={}, seed=seed).top for seed in range(600)]


def test_copeland_counts_pairs_that_were_both_ranked():
    assert copeland([(0, 1, 2), (0, 2, 1), (1, 0, 2)], (0, 1, 2)) == {0: 2, 1: 0, 2: -2}
    assert copeland([(1, 2), (2, 0), (0, 1)], (0, 1, 2)) == {0: 0, 1: 0, 2: 0}
    assert copeland([(1, 2), (1, 2)], (0, 1, 2)) == {0: 0, 1: 1, 2: -1}


def test_what_a_ranking_leaves_out_gets_the_mean():
    counted = tally([(1, 2), (2, 0), (1, 0)], (0, 1, 2), concerns={}, seed=0)
    assert counted.borda == {0: 1 + 1 + 1, 1: 2 + 1 + 2, 2: 1 + 2 + 1}


# --- the files that ship ---


@pytest.mark.parametrize(
    ("name", "calls", "policy"),
    [
        ("tribunal", 6, Proceed),
        ("tribunal_anonymous", 6, Proceed),
        ("tribunal_no_own_vote", 6, Proceed),
        ("tribunal_veto", 6, Veto),
        ("tribunal_extra_round", 6, OneMoreRound),
        ("tribunal_sequential", 6, Proceed),
    ],
)
def test_every_preset_plays(name, calls, policy):
    with initialize_config_dir(str(CONF), version_base=None):
        preset = instantiate(compose(f"protocol/{name}")["protocol"], _convert_="all")
    assert type(preset.policy) is policy
    assert tuple(preset.members) == NAMES
    heard = Scripted(lambda request: proposal(0) if proposing(request) else best(request))
    scene = stage(preset, lambda request: "")
    scene = replace(scene, cast=replace(scene.cast, engines={"default": [heard]}))
    played = play(scene)
    assert len(played.turns) == calls
    assert played.outcome.facts["gap"] == 0


def best(request):
    """Ranks whatever it may, the last first, by the form that its request holds it to."""
    form = json.loads(request.schema)["properties"]
    return critique(form["ranking"]["enum"][-1].split(" > "), target=form["target"]["enum"][0])


def test_one_engine_a_seat():
    engines = [Scripted(panel(AGREED, AGREED, AGREED)) for _ in NAMES]
    scene = stage(Tribunal(members=MEMBERS), lambda request: "", settings=RoleSettings(contract=Contract()))
    play(replace(scene, cast=replace(scene.cast, engines={"member": engines})))
    assert [{who(request) for request in engine.heard} for engine in engines] == [{0}, {1}, {2}]
    assert asyncio.run(engines[0].generate(engines[0].heard[0])).finish == "stop"
