"""Generated questions: disjoint seeds, reserved examples, scorers that cannot be talked into anything."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hydra.utils import instantiate
from omegaconf import OmegaConf

from madbench.tasks.gym_kinds import OURS, UNSTABLE, WITHOUT_ANSWER
from madbench.tasks.gym_pool import distinct, stream_settings
from madbench.tasks.gym_scorer import EVALUATORS, LimitedScorer, is_expression
from madbench.tasks.reasoning_gym import ReasoningGym
from madbench.types import InputError, Outcome, StopReason

CONF = Path(__file__).parents[2] / "conf" / "task"
ONE_DIGIT = {"min_terms": 2, "max_terms": 2, "min_digits": 1, "max_digits": 1}


def ended(answer, *others):
    return Outcome(answer, ((answer, *others),), StopReason.MAX_ROUNDS)


def ids(task):
    return [sample.problem.id for sample in task.samples()]


def one_digit(**settings):
    return ReasoningGym("chain_sum", config=ONE_DIGIT, **({"size": 48} | settings))


def test_seeds_share_no_question_and_a_small_pool_refuses_the_rest():
    seeds = [set(ids(one_digit(seed=seed))) for seed in range(4)]
    assert [len(seed) for seed in seeds] == [48] * 4
    assert len(set.union(*seeds)) == 4 * 48
    with pytest.raises(
        InputError, match=r"200 different questions .* 8 of them reserved .* seeds 0 to 3 of size 48"
    ):
        one_digit(seed=4).samples()
    with pytest.raises(InputError, match="no seed at all of size 500"):
        one_digit(size=500).samples()


def test_a_question_keeps_its_id_and_is_asked_once():
    longer, shorter = one_digit(size=96), one_digit(size=48)
    assert ids(longer)[:48] == ids(shorter)
    assert set(ids(one_digit(size=48, seed=1))) == set(ids(longer)[48:])
    questions = [sample.problem.question for sample in longer.samples()]
    assert len(set(questions)) == len(questions)


def test_examples_are_never_scored_and_show_the_wanted_form():
    task = one_digit(shots=4, size=192)
    samples = task.samples()
    shots = samples[0].problem.shots
    assert len(shots) == 4
    assert not {shot.prompt for shot in shots} & {sample.problem.prompt for sample in samples}
    for shot in shots:
        step, marked = shot.reply.split("\n")
        assert step.endswith(marked.removeprefix("Answer: "))
        assert samples[0].problem.reader.read(shot.reply).rule == "marker_line"
    assert [sample.problem.id for sample in samples] == ids(one_digit(size=192))


def test_the_seed_orders_examples_too():
    assert (
        one_digit(shots=4, seed=0).samples()[0].problem.shots
        != one_digit(shots=4, seed=1).samples()[0].problem.shots
    )


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"dataset": "chain_sums"}, "no 'chain_sums'; near: chain_sum"),
        ({"dataset": "chain_sum", "config": {"terms": 2}}, "chain_sum refuses {'terms': 2}"),
        ({"dataset": "chain_sum", "config": {"min_terms": 9, "max_terms": 2}}, "chain_sum refuses"),
        ({"dataset": "codeio"}, "gives other items in another process"),
        ({"dataset": "acre"}, "another number of them"),
        ({"dataset": "rush_hour"}, "has no right answer to compare with"),
        ({"dataset": "composite"}, "mixes other data sets"),
        ({"dataset": "gcd", "shots": 9}, "shots at most task.reserve=8"),
        ({"dataset": "gcd", "size": 0}, "size at least 1"),
    ],
)
def test_what_cannot_be_scored_is_refused_with_the_reason(settings, message):
    with pytest.raises(InputError, match=message):
        ReasoningGym(**settings).samples()


def test_kinds_do_not_overlap():
    assert not OURS & (UNSTABLE | WITHOUT_ANSWER | EVALUATORS)


@pytest.mark.parametrize("dataset", sorted(OURS - {"zebra_puzzles"}))
def test_our_reader_understands_every_answer(dataset):
    task = ReasoningGym(dataset, size=12)
    for sample in task.samples():
        reply = f"Let us see.\nAnswer: {sample.target.answer}"
        assert sample.problem.reader.read(reply).answer == sample.target.answer
        assert task.score(ended(sample.target.answer), sample.target) == {"correct": 1.0}
        assert task.score(ended("zzz"), sample.target)["correct"] == 0.0
        assert task.score(ended(None), sample.target)["correct"] == 0.0


def test_items_are_the_same_in_another_process():
    code = (
        "from madbench.tasks.reasoning_gym import ReasoningGym;"
        "print(ReasoningGym('leg_counting', size=20).content(), ReasoningGym('syllogism', size=20, seed=2).content())"
    )
    told = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONHASHSEED": "7"}, capture_output=True, text=True, check=True
    )
    expected = [ReasoningGym("leg_counting", size=20), ReasoningGym("syllogism", size=20, seed=2)]
    assert told.stdout.split() == [task.content() for task in expected]


@pytest.fixture(scope="module")
def countdown():
    scorer = LimitedScorer("countdown", stream_settings({}, 256))
    yield scorer
    scorer.close()


@pytest.fixture(scope="module")
def solved():
    return distinct("countdown", {}, 2)


def test_another_library_s_scorer_must_give_the_full_score(countdown, solved):
    entry = solved[1]
    assert countdown.right(entry.answer, entry.index)
    assert countdown.right(f" {entry.answer} ", entry.index)
    assert 0 < countdown.score("1 + 1", entry.index) < 1
    assert not countdown.right("1 + 1", entry.index)
    assert not countdown.right("", entry.index)


def test_several_right_answers_are_right_and_every_seat_is_judged():
    task = ReasoningGym("countdown", size=1, reserve=0)
    (sample,) = task.samples()
    other = f"({sample.target.answer})"
    scores = task.score(ended(other, "1 + 1", None), sample.target)
    assert scores == {"correct": 1.0, f"right:{other}": 1.0, "right:1 + 1": 0.0}
    assert task.score(ended(None), sample.target) == {"correct": 0.0}


ESCAPES = [
    "__import__('os').system('touch {scratch}/file')",
    "__import__('os').mkdir('{scratch}/file')",
    "__import__('os').mkfifo('{scratch}/file')",
    "__import__('os').symlink('/', '{scratch}/file')",
    "__import__('shutil').copy('/etc/hostname', '{scratch}/file')",
    "open('{scratch}/file', 'w')",
    "open('/etc/passwd').read()",
    "__import__('os').remove('{scratch}/keep')",
    "__import__('os').rename('{scratch}/keep', '{scratch}/file')",
    "__import__('socket').create_connection(('127.0.0.1', 80), 1)",
    "__import__('subprocess').run(['touch', '{scratch}/file'])",
    "__import__('os').execv('/bin/touch', ['touch', '{scratch}/file'])",
    "__import__('os').kill(__import__('os').getppid(), 9)",
    "__import__('os').fork()",
    "__import__('ctypes').CDLL(None).system(b'touch {scratch}/file')",
    "__import__('sys')._getframe(3).f_locals",
    "__import__('gc').get_objects()",
    "[__import__('os').write(fd, b'secret 1.0') for fd in range(64)]",
    "__import__('os')._exit(0)",
    "[0] * 10**11",
]


def probe(scratch, escape):
    """A reply, run as a scorer would run it, in the fork that scores: its score is 1 if nothing stopped it."""
    program = Path(sys.modules["madbench.tasks.gym_scorer"].PROGRAM)
    code = (
        f"import sys, importlib.util as u; s = u.spec_from_file_location('limited', {str(program)!r});"
        "m = u.module_from_spec(s); s.loader.exec_module(m);"
        "import socket, shutil, subprocess, ctypes\n"
        "class Trusting:\n"
        "    def score_answer(self, answer, entry):\n"
        "        eval(answer)\n"
        "        return 1.0\n"
        "print(m.scored(Trusting(), {}, sys.argv[1]))"
    )
    told = subprocess.run(
        [sys.executable, "-I", "-c", code, escape.format(scratch=scratch)],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    return told.stdout.strip()


@pytest.mark.parametrize("escape", ESCAPES)
def test_a_reply_that_is_run_can_only_compute(tmp_path, escape):
    (tmp_path / "keep").write_text("kept")
    assert probe(tmp_path, escape) in ("0.0", "None")
    assert [path.name for path in tmp_path.iterdir()] == ["keep"]
    assert not is_expression(escape) or "10**11" in escape


def test_the_probe_itself_would_notice(tmp_path):
    assert probe(tmp_path, "1 + 1") == "1.0"


def test_a_reply_that_never_ends_is_wrong(countdown, solved):
    assert countdown.score("9**9**9**9**9", solved[1].index) is None
    assert countdown.right(solved[1].answer, solved[1].index)


@pytest.mark.parametrize(
    "answer", ["3*(4 - 1)/2", "[[1, 2], [3, 4]]", "x**2/2 + sin(x)*exp(3*x) + C", "1, 2, 3"]
)
def test_expressions(answer):
    assert is_expression(answer)


@pytest.mark.parametrize(
    "answer",
    ["().__class__", "f(1)", "print(1)", "lambda: 1", "a.b", "(1 for x in y)", "x := 3", "'a'.join(b)"],
)
def test_what_is_no_expression(answer):
    assert not is_expression(answer)


@pytest.mark.slow
def test_every_scored_data_set_accepts_its_own_answers():
    from reasoning_gym.factory import DATASETS

    for dataset in sorted(set(DATASETS) - OURS - UNSTABLE - WITHOUT_ANSWER - {"composite", "acre"}):
        task = ReasoningGym(dataset, size=2, reserve=0)
        for sample in task.samples():
            reply = f"So.\nAnswer: {sample.target.answer}"
            assert sample.problem.reader.read(reply).answer == sample.target.answer, dataset
            assert task.score(ended(sample.target.answer), sample.target)["correct"] == 1.0, dataset


@pytest.mark.parametrize(
    "file",
    ["one_digit_sums", "two_digit_sums", "leg_counting", "letter_counting", "syllogism", "reasoning_gym"],
)
def test_configs(file):
    task = instantiate(OmegaConf.load(CONF / f"{file}.yaml"), _convert_="all")
    samples = task.samples()
    assert len(samples) == task.size == len({sample.problem.id for sample in samples})
    assert json.dumps(dict(task.facts()))
