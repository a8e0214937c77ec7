"""Text of models and of data is text: nothing evaluates it, makes a template of it or resolves what stands in it."""

import ast
import re
from pathlib import Path

import pytest

from madbench.agents.prompts import render
from madbench.protocols.debate import Exchange
from madbench.sweep.configs import flat, job_config
from madbench.sweep.settings import made
from madbench.tasks.answers import ChoiceReader, NumberReader, TextReader
from madbench.tasks.gym_scorer import is_expression
from madbench.tasks.questions import Questions
from madbench.types import RoleSettings

PACKAGE = Path(__file__).parents[2] / "madbench"
EVALUATES = re.compile(
    r"^(eval|exec|compile|__import__|literal_eval|parse_expr|sympify|from_string|unsafe_load|full_load|system|popen)$"
)
"""Names of calls that make code or templates of text."""
ALLOWED = {
    (
        "tasks/seeded/checker.py",
        "exec",
    ): "mutants of the standard library's functions, in a fork that can only compute",
    ("tasks/seeded/checker.py", "compile"): "the same",
}
HOSTILE = (
    "{{ 7 * 7 }}{% for x in y %}{{ cycler.__init__.__globals__ }}{# c #} ${oc.env:HOME} ${seed} {0.__class__} %(x)s "
    "__import__('os').system('true')"
)


def called(node):
    """What is called by name; of methods, those that no ordinary object has (a network's own `eval` is none)."""
    function = node.func
    if isinstance(function, ast.Name):
        return function.id
    if not isinstance(function, ast.Attribute):
        return ""
    return "" if function.attr in ("eval", "compile", "exec") else function.attr


def test_nothing_in_the_package_evaluates_text():
    found = {
        (str(path.relative_to(PACKAGE)), called(node))
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and EVALUATES.match(called(node))
    }
    assert found == set(ALLOWED)


@pytest.mark.parametrize("module", ["pickle", "marshal", "shelve", "dill", "sympy", "code", "joblib"])
def test_the_package_imports_nothing_that_unpickles_or_evaluates(module):
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert module not in [name.partition(".")[0] for name in names], path


def test_no_process_is_started_through_a_shell_and_yaml_is_read_safely():
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                assert not [word for word in node.keywords if word.arg == "shell"], path
                assert ast.unparse(node.func) not in ("yaml.load", "torch.load", "numpy.load", "np.load"), (
                    path
                )


def test_a_reply_goes_through_the_next_prompt_as_it_is():
    shown = render(Exchange(prompt=HOSTILE, own=HOSTILE, peers=(HOSTILE, HOSTILE)), RoleSettings())
    assert shown.count(HOSTILE) == 4
    assert "49" not in shown


def test_interpolations_in_data_and_settings_stay_text(tmp_path):
    (tmp_path / "q.jsonl").write_text('{"question": "What is ${oc.env:HOME}? {{ 7 * 7 }}", "answer": "4"}\n')
    task = made(
        "task",
        {"_target_": "madbench.tasks.questions.Questions", "name": "q", "path": str(tmp_path / "q.jsonl")},
    )
    assert isinstance(task, Questions)
    assert task.samples()[0].problem.question == "What is ${oc.env:HOME}? {{ 7 * 7 }}"
    plain = {
        "task": {"_target_": "x", "note": "${oc.env:HOME}"},
        "protocol": {},
        "cast": {},
        "tracking": {},
        "name": "n",
        "output_root": "o",
        "seed": 0,
        "limit": None,
        "epochs": 1,
        "dry_run": False,
    }
    assert flat(job_config(plain, {}, ()))["task"] == {"_target_": "x", "note": "${oc.env:HOME}"}


@pytest.mark.parametrize("reader", [NumberReader(), ChoiceReader("AB"), TextReader()])
def test_answers_are_compared_and_never_computed(reader):
    assert reader.canonical("__import__('os').getpid()") != str(__import__("os").getpid())
    found = reader.read("Answer: 2**3")
    assert found.answer != "8"


@pytest.mark.parametrize(
    "text", [HOSTILE, "().__class__", "a.b", "f'{x}'", "[x for x in y]", "print(1)", "x := 1"]
)
def test_what_a_scorer_may_run_is_arithmetic(text):
    assert not is_expression(text)
