"""Scoring again from records: the same bytes with the same reader, other numbers with another."""

import json
import shutil
from dataclasses import dataclass, replace

import pyarrow.parquet as pq
import pytest
from jobs import Once, Remembers, ask, finish, job_at, run

from madbench.engines.simulated import SimulatedModel
from madbench.protocols.debate import Debate
from madbench.protocols.replies import Statement
from madbench.protocols.self_consistency import SelfConsistency
from madbench.protocols.solver import Asked
from madbench.records.tables import read_records, write_tables
from madbench.run.job import finish_job
from madbench.run.scoring import score
from madbench.tasks.answers import ChoiceReader
from madbench.tasks.synthetic import Synthetic
from madbench.types import (
    ContextError,
    Ending,
    EngineError,
    Extraction,
    FormatError,
    InputError,
    Outcome,
    ParseStatus,
    StopReason,
)

FILES = ("records.parquet", "turns.parquet", "events.parquet", "metrics.json")


def everything(folder):
    return {name: (folder.path / name).read_bytes() for name in FILES}


@dataclass(frozen=True)
class Shifted(ChoiceReader):
    """Reads B where A stands, C where B stands, and so on round: what it changes can be predicted."""

    def read(self, text, *, cut=False):
        found = ChoiceReader.read(self, text, cut=cut)
        return replace(
            found, answer=found.answer and self.letters[(self.letters.index(found.answer) + 1) % 4]
        )


@dataclass(frozen=True)
class Blind(ChoiceReader):
    """Finds nothing."""

    def read(self, text, *, cut=False):
        return Extraction(None, ParseStatus.MISSING, "blind")


@pytest.fixture
def job(tmp_path):
    job = job_at(tmp_path / "run", task=Synthetic(40))
    run(job)
    finish_job(job)
    return job


def test_the_same_bytes_after_deleting_all_scores_and_metrics(job):
    before = everything(job.folder)
    write_tables(job.folder, [replace(record, scores={}) for record in read_records(job.folder)])
    job.folder.metrics.unlink()
    lines = [json.loads(line) for line in job.folder.shard().read_text().splitlines()]
    job.folder.shard().write_text("".join(json.dumps(line | {"scores": {}}) + "\n" for line in lines))
    assert score(job.folder, job.task, job.protocol) == 0
    assert everything(job.folder) == before


def test_failed_rows_too_have_the_same_bytes(tmp_path):
    async def step(problem, episode):
        for number, error in enumerate(
            [FormatError("x"), ContextError("x"), EngineError("x"), KeyError("x")]
        ):
            if problem.question.startswith(f"Question {number + 5}:"):
                raise error
        return await ask(problem, episode)

    job = job_at(tmp_path, task=Synthetic(16), protocol=Remembers(step=step))
    run(job)
    finish_job(job)
    before = everything(job.folder)
    assert {record.ending for record in read_records(job.folder)} == set(Ending) - {Ending.BUDGET}
    lines = [json.loads(line) for line in job.folder.shard().read_text().splitlines()]
    job.folder.shard().write_text("".join(json.dumps(line | {"scores": {}}) + "\n" for line in lines))
    score(job.folder, job.task, job.protocol)
    assert everything(job.folder) == before


@pytest.mark.parametrize("name", FILES)
def test_any_derived_file_may_be_missing(job, name):
    before = everything(job.folder)
    (job.folder.path / name).unlink()
    score(job.folder, job.task, job.protocol)
    assert everything(job.folder) == before


def test_tables_alone_are_enough(job):
    before = everything(job.folder)
    shutil.rmtree(job.folder.path / "shards")
    score(job.folder, job.task, job.protocol)
    assert everything(job.folder) == before


def test_nothing_to_score_is_bad_input(tmp_path):
    with pytest.raises(InputError, match="no plan"):
        score(job_at(tmp_path).folder, Synthetic(3), Debate(), reread=lambda _: ChoiceReader("ABCD"))
    with pytest.raises(InputError, match="no records"):
        score(job_at(tmp_path).folder, Synthetic(3), Debate())


def test_another_scorer_changes_what_it_should(job):
    @dataclass(frozen=True)
    class Strict(Synthetic):
        def score(self, outcome, target):
            return {"correct": float(len({a for answers in outcome.positions for a in answers}) == 1)}

    score(job.folder, Strict(40), job.protocol)
    for record in read_records(job.folder):
        assert record.scores["correct"] == (
            len({a for answers in record.outcome.positions for a in answers}) == 1
        )
    assert json.loads(job.folder.metrics.read_text())["metrics"]["accuracy"]["n"] == 40


def test_the_same_reader_played_again_changes_nothing(job):
    before = everything(job.folder)
    assert score(job.folder, job.task, job.protocol, reread=lambda _: ChoiceReader("ABCD")) == 0
    assert everything(job.folder) == before


@pytest.mark.parametrize(
    "protocol",
    [Debate(agents=3, debate_rounds=1), SelfConsistency(votes=3, pool=5), Debate(peers="other_question")],
)
def test_another_reader_has_votes_redone(tmp_path, protocol):
    job = job_at(tmp_path, task=Synthetic(30), protocol=protocol)
    run(job)
    before = finish(job)
    assert score(job.folder, job.task, protocol, reread=lambda _: Shifted("ABCD")) == 0
    after = list(read_records(job.folder))
    shift = dict(zip("ABCD", "BCDA", strict=True)) | {None: None}
    for old, new in zip(before, after, strict=True):
        votes = tuple(tuple(shift[answer] for answer in answers) for answers in old.outcome.positions)
        assert new.outcome.positions == votes
        assert [turn.completion for turn in new.turns] == [turn.completion for turn in old.turns]
        assert [turn.request for turn in new.turns] == [turn.request for turn in old.turns]
        if not old.outcome.facts["tied"]:
            assert new.outcome.answer == shift[old.outcome.answer]
            assert new.scores["correct"] == float(shift[old.outcome.answer] == old.sample.target.answer)
    score(job.folder, job.task, protocol)
    assert [
        replace(record, effort=old.effort)
        for record, old in zip(read_records(job.folder), before, strict=True)
    ] == before


def test_a_blind_reader_leaves_nothing_right(job):
    score(job.folder, job.task, job.protocol, reread=lambda _: Blind("ABCD"))
    metrics = json.loads(job.folder.metrics.read_text())["metrics"]
    assert metrics["accuracy"]["value"] == 0
    assert metrics["unparsed_rate"]["value"] == 1


def test_a_turn_that_was_never_recorded_makes_a_row_that_cannot_be_replayed(tmp_path):
    async def asks_until_a(problem, episode):
        solver = episode.agent("solver", sees=Asked, says=Statement)
        for _ in range(9):
            said = await solver.ask(Asked(prompt=problem.prompt))
            if said.answer == "A":
                return Outcome("A", (("A",),), StopReason.CONSENSUS)
        raise FormatError("never A")

    protocol = Once(step=asks_until_a)
    job = job_at(tmp_path, task=Synthetic(30), protocol=protocol)
    run(job, model=SimulatedModel(0.25, mute=0.3))
    finish_job(job)
    before = list(read_records(job.folder))
    lost = score(job.folder, job.task, protocol, reread=lambda _: Shifted("ABCD"))
    after = list(read_records(job.folder))
    elsewhere = [row for row in after if row.ending is Ending.RETRY]
    assert lost == len(elsewhere) > 0
    assert all("not replayable" in row.error and row.outcome is None and row.turns for row in elsewhere)
    assert len(after) == len(before)
    assert pq.read_metadata(job.folder.records).num_rows == 30


def test_sessions_are_played_again_with_their_memory(tmp_path):
    job = job_at(tmp_path, task=Synthetic(10), protocol=Remembers(step=ask))
    run(job)
    before = finish(job)
    assert score(job.folder, job.task, job.protocol, reread=lambda _: Shifted("ABCD")) == 0
    assert [row.place for row in read_records(job.folder)] == [row.place for row in before]
