"""Replies read again by other rules: each sample by its own reader's, and the numbers that one predicts."""

import json
import re
from collections import Counter
from dataclasses import dataclass, replace

import pytest
from jobs import finish, job_at, run

from madbench.engines.simulated import SimulatedEngine, SimulatedModel
from madbench.protocols.debate import Debate
from madbench.protocols.self_consistency import SelfConsistency
from madbench.records.tables import read_records
from madbench.run.scoring import score
from madbench.sweep.rereading import reread_named
from madbench.tasks.answers import BoolReader, ChoiceReader, NumberReader, TextReader
from madbench.tasks.synthetic import Synthetic
from madbench.types import InputError

COLOURS = ("red", "green", "blue", "black")


def words_of(number):
    """A question's options, A to D: every question has them in another order."""
    return COLOURS[number % 4 :] + COLOURS[: number % 4]


def letter_of(answer, number):
    return answer if answer in "ABCD" else "ABCD"[words_of(number).index(answer)]


@dataclass(frozen=True)
class Coloured(Synthetic):
    """Every question's reader knows its own options' words."""

    def samples(self):
        return [
            replace(sample, problem=replace(sample.problem, reader=ChoiceReader("ABCD", words_of(number))))
            for number, sample in enumerate(super().samples())
        ]


@dataclass(frozen=True)
class Mumbling:
    """Says a third of its answers by marked letter, a third by marked words, a third unmarked."""

    engine: SimulatedEngine

    async def generate(self, request):
        said = await self.engine.generate(request)
        number = int(re.search(r"Question (\d+):", request.messages[0].text)[1])
        letter = letter_of(said.text.rpartition(" ")[2], number)
        word = words_of(number)["ABCD".index(letter)]
        ways = (f"Answer: {letter}", f"Answer: {word}", f"({letter}), as it seems to me.")
        return replace(said, text=f"Thought {request.seed}.\n{ways[request.seed % 3]}")

    def excess(self, request):
        return self.engine.excess(request)

    def identity(self, request):
        return self.engine.identity(request)


def predicted(record, *, strict):
    """The letter of every reply, round by round, from its words alone; unmarked ones are none where strict."""
    number = int(re.search(r"Question (\d+):", record.sample.problem.question)[1])
    rounds = {}
    for turn in record.turns:
        said = turn.completion.text.partition("\n")[2]
        marked = said.removeprefix("Answer: ") if said.startswith("Answer") else None
        answer = letter_of(marked, number) if marked else None if strict else said[1]
        rounds.setdefault(turn.speaker.round, []).append(answer)
    return tuple(map(tuple, rounds.values()))


def first_majority(answers):
    counts = Counter(answer for answer in answers if answer)
    return counts.most_common(1)[0][0] if counts else None


@pytest.mark.parametrize(
    "protocol",
    [Debate(agents=3, debate_rounds=1, tie="first"), SelfConsistency(votes=3, pool=3, tie="first")],
    ids=lambda protocol: type(protocol).__name__,
)
def test_strict_numbers_are_those_of_the_marked_answers(tmp_path, protocol):
    job = job_at(tmp_path, task=Coloured(120), protocol=protocol)
    run(job, engine=Mumbling(SimulatedEngine(SimulatedModel(0.6, 0.5))))
    finish(job)
    for reader, strict in (("strict", True), ("choice", False), (None, False)):
        reread = reader and reread_named(reader)
        assert score(job.folder, job.task, protocol, reread=reread) == 0
        right = unanswered = 0
        for record in read_records(job.folder):
            positions = predicted(record, strict=strict)
            answer = first_majority(positions[-1])
            assert (record.outcome.positions, record.outcome.answer) == (positions, answer)
            right += answer == record.sample.target.answer
            unanswered += answer is None
        metrics = json.loads(job.folder.metrics.read_text())["metrics"]
        assert metrics["accuracy"]["value"] == pytest.approx(right / 120)
        assert metrics["unparsed_rate"]["value"] == pytest.approx(unanswered / 120)
        assert (unanswered > 0) == strict


def test_a_reader_of_the_sample_s_own_kind_keeps_what_it_knows():
    own = ChoiceReader("ABC", ("red", "green", "blue"))
    assert reread_named("choice")(own) == own
    assert reread_named("choice:XYZ")(own) == replace(own, letters="XYZ")
    assert reread_named("choice:AB")(own) == ChoiceReader("AB")
    assert reread_named("choice")(NumberReader()) == ChoiceReader("ABCD")
    assert reread_named("bool")(BoolReader("valid", "invalid")) == BoolReader("valid", "invalid")
    assert reread_named("number")(own) == NumberReader()
    assert reread_named("strict")(TextReader(case=True)) == TextReader(case=True, strict=True)


@pytest.mark.parametrize("name", ["nix", "", "number:AB", "strict:AB"])
def test_other_names_are_refused_with_those_there_are(name):
    with pytest.raises(InputError, match="there are strict, number, choice, bool, text"):
        reread_named(name)
