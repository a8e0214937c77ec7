"""Recorded turns in place of a model: own runs come out as they were, and others' debates are read and scored."""

import asyncio
import json

import pytest
from engines.taped import write
from jobs import DEBATE, finish, job_at, run
from sweep.command import madbench, rows, run_of

from madbench.engines.simulated import SimulatedModel
from madbench.protocols.debate import Debate
from madbench.protocols.self_consistency import SelfConsistency
from madbench.records.tables import read_records
from madbench.run.recorded import RecordedModel, Runs
from madbench.run.transcripts import Columns, Transcripts
from madbench.tasks.synthetic import Synthetic
from madbench.types import Completion, Ending, InputError, Message, Request, RoleSettings, Sampling

TASK = Synthetic(8)


def played(folder, *, model=None, **changes):
    """A finished run's records."""
    job = job_at(folder, task=TASK, **{"protocol": DEBATE, **changes})
    run(job, model=model or SimulatedModel(0.6, 0.5))
    return finish(job)


def again(folder, recorded, *, journal=None, **changes):
    """The records of the same job with recordings in place of a model."""
    job = job_at(folder, task=TASK, **{"protocol": DEBATE, **changes})
    run(job, model=RecordedModel(name="replay", recorded=recorded), journal=journal)
    return finish(job)


def unready(folder, recorded, **changes):
    """The rows of a job whose recordings do not suffice."""
    job = job_at(folder, task=TASK, **{"protocol": DEBATE, **changes})
    status, _ = run(job, model=RecordedModel(name="replay", recorded=recorded))
    assert status.state == "incomplete"
    finish(job)
    return list(read_records(job.folder))


@pytest.mark.parametrize("match", ["request", "seed"])
@pytest.mark.parametrize("journaled", [True, False])
def test_a_run_comes_out_as_it_was(tmp_path, match, journaled):
    before = played(tmp_path / "first")
    recorded = Runs(path=str(tmp_path / "first"), match=match)
    journal = tmp_path / "journal" if journaled else None
    assert again(tmp_path / "second", recorded, journal=journal) == before


def test_a_run_whose_shards_are_gone_is_read_from_its_tables(tmp_path):
    before = played(tmp_path / "first")
    for shard in (tmp_path / "first" / "shards").iterdir():
        shard.unlink()
    assert again(tmp_path / "second", Runs(path=str(tmp_path / "first"))) == before


def test_another_arm_hears_what_it_shares(tmp_path):
    """Round 0 of a debate among five is five votes."""
    votes = played(tmp_path / "votes", protocol=SelfConsistency(votes=5, pool=5))
    played(tmp_path / "home" / "runs" / "debate", protocol=Debate(agents=5, debate_rounds=1))
    recorded = Runs(path=str(tmp_path / "home"))
    heard = again(tmp_path / "replayed", recorded, protocol=SelfConsistency(votes=5, pool=5))
    assert [one.outcome.answer for one in heard] == [one.outcome.answer for one in votes]


def test_a_turn_that_was_not_recorded_is_named(tmp_path):
    played(tmp_path / "short", protocol=Debate(agents=3, debate_rounds=1))
    longer = Debate(agents=3, debate_rounds=2)
    for match in ("request", "seed"):
        recorded = Runs(path=str(tmp_path / "short"), match=match)
        for row in unready(tmp_path / match, recorded, protocol=longer):
            assert row.ending is Ending.RETRY
            assert row.error.startswith("UnrecordedError: a turn was never recorded; the prompt ends")
            assert len(row.turns) >= 3


def test_other_words_are_another_request_but_the_same_speaker(tmp_path):
    prompts = tmp_path / "prompts" / "solver"
    prompts.mkdir(parents=True)
    (prompts / "Asked.j2").write_text("Well: {{ prompt }}")
    reworded = RoleSettings(templates=str(tmp_path / "prompts"))
    votes = SelfConsistency(votes=3, pool=3)
    before = played(tmp_path / "first", protocol=votes)
    exact = unready(tmp_path / "a", Runs(path=str(tmp_path / "first")), protocol=votes, defaults=reworded)
    assert {row.ending for row in exact} == {Ending.RETRY}
    for row in exact:
        assert f"solver/0, turn 0 of {row.id.sample}: recorded after another prompt only" in row.error
        assert "Well: " not in row.error or len(row.error) < 300
    by_seed = Runs(path=str(tmp_path / "first"), match="seed")
    heard = again(tmp_path / "b", by_seed, protocol=votes, defaults=reworded)
    assert [one.outcome for one in heard] == [one.outcome for one in before]
    assert all(turn.request.messages[-1].text.startswith("Well: ") for one in heard for turn in one.turns)


def test_two_models_in_one_experiment_are_told_apart(tmp_path):
    for name, accuracy in (("weak", 0.1), ("strong", 0.9)):
        played(tmp_path / "runs" / name, model=SimulatedModel(accuracy))
    with pytest.raises(InputError, match=r"another completion of an equal request .* name one run"):
        again(tmp_path / "replayed", Runs(path=str(tmp_path)))


def test_two_turns_of_one_seed_are_told_apart_by_their_words(tmp_path):
    def asked(text):
        return Request((Message("user", text),), Sampling(), 5)

    heard = [(asked("one"), Completion("1", "stop", 1, 1)), (asked("two"), Completion("2", "stop", 1, 1))]
    write(tmp_path, heard)
    recordings = Runs(path=str(tmp_path), match="seed").read()
    model = RecordedModel(name="replay", recorded=Runs(path=str(tmp_path), match="seed"))
    assert len(recordings.by_seed[5]) == 2

    async def ask(engine, text):
        return (await engine.generate(asked(text))).text

    assert engine_says(model, ask, "two") == "2"
    with pytest.raises(Exception, match=r"solver/0, turn 0 of sample0: 2 turns fit, none to the word"):
        engine_says(model, ask, "three")


def engine_says(model, ask, text):
    async def opened():
        async with model.open() as engine:
            return await ask(engine, text)

    return asyncio.run(opened())


SAID = {
    "ann": ["I say B.\nAnswer: B", "Still.\nAnswer: B"],
    "ben": ["Hm.\nAnswer: A", "You win.\nAnswer: B"],
    "cyd": ["Answer: C", "No idea."],
}
SPEAKERS = {"ann": "solver/0", "ben": "solver/1", "cyd": "solver/2"}
SPOKEN = Columns(sample="question", speaker="name", text="said")


def transcript(path, *, drop=lambda row: False, **more):
    """Everybody says in every debate what SAID has; returns settings that read it."""
    lines = [
        {"question": sample.problem.id, "name": name, "said": texts[at], **more}
        for sample in TASK.samples()
        for at in range(2)
        for name, texts in SAID.items()
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines if not drop(line)))
    return Transcripts(path=str(path), columns=SPOKEN, speakers=SPEAKERS, bytes_per_token=4)


@pytest.mark.parametrize("temperature", [0.0, 0.7])
def test_a_stranger_s_debate_is_read_and_scored(tmp_path, temperature):
    """Also where requests are greedy and all alike: each seat has words of its own, journal or not."""
    recorded = transcript(tmp_path / "turns.jsonl")
    greedy = RoleSettings(sampling=Sampling(temperature=temperature))
    debate = Debate(agents=3, debate_rounds=1)
    records = again(
        tmp_path / "run", recorded, protocol=debate, defaults=greedy, journal=tmp_path / "journal"
    )
    for record, sample in zip(records, TASK.samples(), strict=True):
        assert record.outcome.positions == (("B", "A", "C"), ("B", "B", None))
        assert record.outcome.answer == "B"
        assert record.scores["correct"] == float(sample.target.answer == "B")
        assert [turn.completion.output_tokens for turn in record.turns] == [5, 4, 3, 4, 5, 2]


def test_counts_and_cut_replies_come_from_their_columns(tmp_path):
    columns = SPOKEN.model_copy(
        update={"prompt_tokens": "in", "output_tokens": "out", "finish": "why", "turn": "at", "epoch": "run"}
    )
    rows = [
        {"question": "q", "name": "x", "said": "b", "in": 7, "out": 3, "why": "length", "at": 1, "run": 2},
        {"question": "q", "name": "x", "said": "a", "in": 5, "out": 2, "why": "eos", "at": 0, "run": 2},
    ]
    path = tmp_path / "turns.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    read = Transcripts(path=str(path), columns=columns, speakers={"x": "judge"}, seed=3).read()
    heard = {one.who: one.completion for [one] in read.by_seed.values()}
    assert heard == {
        "judge/0, turn 1 of q": Completion("b", "length", 7, 3),
        "judge/0, turn 0 of q": Completion("a", "stop", 5, 2),
    }


def test_a_line_that_is_missing_is_named(tmp_path):
    gone = TASK.samples()[2].problem.id
    recorded = transcript(
        tmp_path / "turns.jsonl",
        drop=lambda line: line["question"] == gone and line["said"] == "No idea.",
    )
    records = unready(tmp_path / "run", recorded, protocol=Debate(agents=3, debate_rounds=1))
    [bad] = [record for record in records if record.ending is Ending.RETRY]
    assert bad.id.sample == gone
    assert bad.error.startswith(
        f"UnrecordedError: solver/2, turn 1 of {gone} was never recorded; the prompt ends"
    )


GOOD = '{"question": "q", "name": "x", "said": "a"}'
BAD = {
    "no JSON": ("{", r"line 1: not JSON"),
    "no object": ("[1]", r"line 1: wanted an object, found '\[1\]'"),
    "no key": (f'{GOOD}\n{{"question": "q", "said": "a"}}', r"line 2: name: wanted text, found None.*keys are"),
    "no text": ('{"question": "q", "name": "x", "said": [1]}', r"line 1: said: wanted text, found \[1\]"),
    "no seat": ('{"question": "q", "name": "solver/a", "said": "a"}', r"speaker 'solver/a' is no role and seat"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "said"), BAD.values(), ids=BAD)
def test_bad_lines_are_named(tmp_path, text, said):
    path = tmp_path / "turns.jsonl"
    path.write_text(text)
    with pytest.raises(InputError, match=said):
        Transcripts(path=str(path), columns=SPOKEN, bytes_per_token=4).check()


def test_a_turn_twice_is_named(tmp_path):
    path = tmp_path / "turns.jsonl"
    path.write_text('{"sample": 1, "speaker": "x", "text": "a", "at": 0}\n' * 2)
    columns = Columns(turn="at")
    with pytest.raises(InputError, match=r"line 2: x/0, turn 0 of 1 is there twice"):
        Transcripts(path=str(path), columns=columns, bytes_per_token=4).check()


def test_uncounted_tokens_are_no_zeros(tmp_path):
    recorded = transcript(tmp_path / "turns.jsonl").model_copy(update={"bytes_per_token": None})
    with pytest.raises(InputError, match=r"nothing says how many tokens.*bytes_per_token"):
        recorded.check()


@pytest.mark.parametrize(
    "recorded", [Runs(path="/no/where"), Transcripts(path="/no/where", bytes_per_token=4)]
)
def test_nothing_recorded(recorded):
    with pytest.raises(InputError, match="/no/where"):
        RecordedModel(name="replay", recorded=recorded).check()


def test_a_recording_is_known_by_its_content(tmp_path):
    first, second = transcript(tmp_path / "a.jsonl"), transcript(tmp_path / "b.jsonl")
    assert first.identity() == second.identity()
    others = [
        first.model_copy(update={"seed": 1}),
        first.model_copy(update={"speakers": {}}),
        transcript(tmp_path / "c.jsonl", note="x"),
    ]
    assert len({one.identity() for one in (first, *others)}) == 4


def test_from_the_command_line(tmp_path):
    given = ["protocol=debate", "seed=3"]
    assert madbench(tmp_path, *given, "name=trial").returncode == 0
    before = rows(run_of(tmp_path, "debate"))
    again = madbench(
        tmp_path, *given, "name=second", "model@cast.default=replay",
        f"cast.default.recorded.path={tmp_path}/out/trial",
    )  # fmt: skip
    assert again.returncode == 0, again.stdout + again.stderr
    [folder] = (tmp_path / "out" / "second" / "runs").iterdir()
    assert [row["outcome"] for row in rows(folder)] == [row["outcome"] for row in before]
