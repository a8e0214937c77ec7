"""Isolation: nobody reads another's review before all have committed, or ever what was not said to them."""

import asyncio
from dataclasses import replace

import pytest
from canary import check_channels, with_template
from reviewers import (
    CARRY,
    OBJECTION,
    PROBLEM,
    REBUTTAL,
    Side,
    answers,
    debate,
    decides,
    played,
    review,
    scene,
    settles,
    stands,
)

from madbench.agents import Episode, audit
from madbench.protocols.adversarial_review import AdversarialReview
from madbench.protocols.adversarial_review_gate import Gate
from madbench.protocols.adversarial_review_sitting import Sitting
from madbench.protocols.replies import Statement
from madbench.protocols.solver import Asked
from madbench.types import LeakError


def full():
    """Both sides claim, object, answer and decide, over two rounds; B takes up one claim in the second alone."""
    return (
        Side(
            review=review(3, 4),
            object=stands(B1=OBJECTION),
            answer=answers(B_1_1=REBUTTAL, B_2_1=CARRY),
            rejoin=decides(A_1_1=("MAINTAINED", "Nothing in the answer touches the copies")),
            settle=settles(
                A_1_1="A trace of both workers", B_1_1="A run under load", B_2_1="The deployment flag"
            ),
        ),
        Side(
            review=review(7),
            object=[
                stands(A1=OBJECTION),
                stands(A2=("OBJECTED", "Line 4 runs long before any worker is started", "app.py:4")),
            ],
            answer=answers(A_1_1=CARRY),
            rejoin=decides(B_1_1=("MAINTAINED", "The constructor proves nothing at all"), B_2_1="MAINTAINED"),
        ),
    )


def test_every_forbidden_channel_would_be_caught(tmp_path):
    honest = check_channels(scene(*full()), tmp_path)
    assert {turn.seen for turn in honest.turns} == {
        "Asked",
        "Objecting",
        "Defending",
        "Rejoining",
        "Settling",
    }


def test_an_objector_that_is_shown_an_objection_is_stopped_at_run_time(tmp_path):
    """In the second round the first's objections have been said, and no template of an objector's may show them."""
    canary = "{% endraw %}{% if claims[0].id == 'A/2' %}" + OBJECTION[1] + "{% endif %}{% raw %}"
    broken = with_template(scene(*full()), "objector", "Objecting", canary, tmp_path)
    with pytest.raises(LeakError, match="objector/Objections -> objector/Objecting"):
        played(broken)


class Peeking(Sitting):
    """Asks one side after the other and slips each the reviews before its own."""

    async def review(self):
        before = ""
        for seat in range(len(self.sides)):
            solver = self._episode.agent("solver", sees=Asked, says=Statement, seat=seat)
            before += (await solver.ask(Asked(prompt=f"{before}\n{self.problem.prompt}"), round=0)).text


class Hasty(Sitting):
    """Opens the gate when the first review is in."""

    async def review(self):
        gate = Gate(len(self.sides))
        solver = self._episode.agent("solver", sees=Asked, says=Statement)
        gate.commit(0, await solver.ask(Asked(prompt=self.problem.prompt), round=0))
        gate.reveal()


@pytest.mark.parametrize(
    ("kind", "message"), [(Peeking, "solver -> solver"), (Hasty, r"sides \[1\] have not committed")]
)
def test_a_protocol_that_breaks_isolation_is_stopped_at_run_time(kind, message):
    setting = scene(*full())

    class Broken(AdversarialReview):
        def sitting(self, problem, episode):
            return kind(problem, episode, self.reviewers, self.terms)

    with pytest.raises(LeakError, match=message):
        played(replace(setting, protocol=Broken(roles=setting.protocol.roles)))


def statement(text="{}"):
    return Statement.read(text, PROBLEM, cut=False)


def test_the_gate_opens_for_all_or_for_nobody():
    gate = Gate(3)
    for side in (2, 0):
        gate.commit(side, statement())
        with pytest.raises(LeakError, match="have not committed"):
            gate.reveal()
    gate.commit(1, statement("[]"))
    assert [each.text for each in gate.reveal()] == ["{}", "[]", "{}"]


def test_a_side_commits_once_and_only_for_itself():
    gate = Gate(2)
    gate.commit(0, statement())
    with pytest.raises(LeakError, match="committed its review already"):
        gate.commit(0, statement())
    with pytest.raises(LeakError, match="no side 2"):
        gate.commit(2, statement())


def test_nothing_is_there_to_be_shown_before_the_gate_opens():
    setting = scene(*full())
    sitting = Sitting(PROBLEM, Episode(setting, lambda turn: None), 2, setting.protocol.terms)
    asyncio.run(sitting.object(1))
    assert sitting.ledger.entries == ()
    assert not sitting.ledger.claims()


CANARIES = {
    kind: f"canary-{kind}-5b1c0de, for my own notes alone"
    for kind in ("review", "object", "answer", "rejoin", "settle")
}


def test_what_is_said_around_a_form_reaches_nobody():
    """Thoughts and prose around the JSON go to the record alone."""
    sides = full()
    for side in sides:
        for kind, canary in CANARIES.items():
            said = getattr(side, kind)
            texts = said if isinstance(said, list) else [said]
            setattr(side, kind, [f"<think>{canary}</think>\n{canary}\n{text}\n{canary}" for text in texts])
    heard = debate(*sides)
    assert len(heard.turns) == len(debate(*full()).turns)
    for canary in CANARIES.values():
        assert any(canary in turn.completion.text for turn in heard.turns)
        assert not any(canary in message.text for turn in heard.turns for message in turn.request.messages)
    assert audit(PROBLEM, heard.turns, AdversarialReview.edges).leaks == ()


def test_a_side_s_own_template_is_private_to_it(tmp_path):
    """A canary in what one role is told stays in that role's prompts."""
    secret = "canary-7f3a, which the defenders alone are told"
    heard = played(with_template(scene(*full()), "defender", "Defending", secret, tmp_path))
    told = {
        turn.speaker.role
        for turn in heard.turns
        for message in turn.request.messages
        if secret in message.text
    }
    assert told == {"defender"}


def test_reviews_are_asked_for_at_once_and_alike():
    heard = debate(*full())
    first, second = (turn.request for turn in heard.turns[:2])
    assert first.messages == second.messages
    assert first.seed != second.seed


def test_three_objectors_do_not_read_one_another():
    marks = {side: f"Objector {side} holds that the scheduler copies everything beforehand" for side in "ABC"}
    sides = [
        Side(
            review=review(line),
            object=stands(
                **{f"{other}1": ("OBJECTED", marks[side], "app.py:2") for other in "ABC" if other != side}
            ),
        )
        for side, line in zip("ABC", (3, 7, 9), strict=True)
    ]
    heard = debate(*sides, rounds=1)
    for side in "ABC":
        assert all(
            marks[other] not in text
            for text in heard.prompts("objector", side)
            for other in "ABC"
            if other != side
        )
        assert sum(marks[other] in heard.prompts("defender", side)[0] for other in "ABC") == 2
