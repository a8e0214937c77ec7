"""Proofs of seeded faults: what is called proved shows when it is run again, and what is run can do nothing else."""

import random
import socket
import time

import pytest

from madbench.tasks.seeded.edits import applied
from madbench.tasks.seeded.modules import available, groups
from madbench.tasks.seeded.mutations import sites
from madbench.tasks.seeded.proving import Checker, differs
from madbench.tasks.seeded.stdlib import Function, Library
from madbench.tasks.seeded.survey import Prover
from madbench.tasks.seeded.table import proved

LIBRARY = Library()
FOUND = [
    group for rows in groups(proved()).values() if not isinstance(group := available(rows, LIBRARY), str)
]
RIGHT = "def double(text):\n    return text * 2\n"
TRIALS = [(["words"], str(number)) for number in range(5)]


@pytest.fixture(scope="module")
def prover():
    with Checker() as first, Checker() as second:
        yield Prover(first, second)


def ran(prover, *texts, name="double"):
    return prover.first.run(Function("textwrap", name, texts[0], ""), texts, TRIALS)


def test_a_sample_of_the_table_is_proved_again(prover):
    rng = random.Random(1)
    for group in rng.sample(FOUND, 6):
        row, function = group.rows[0], group.functions[0]
        assert all(prover.shows(function, rng.choice(row.faults)) for _ in range(2)), row.qualified


def test_what_changes_nothing_is_not_called_a_fault(prover):
    function = Function("textwrap", "half", "def half(n, unused=3):\n    k = n\n    return int(k) // 2\n", "")
    row = prover.prove(function)
    by_kind = dict(zip([site.description for site in sites(function.source)], row.exposure, strict=True))
    assert by_kind["Wrong default: `unused=4` where `unused=3` is meant"] == 0
    assert by_kind["Wrong constant: `int(k) // 3` where `int(k) // 2` is meant"] > 0


def test_a_fault_hidden_by_another_does_not_count_beside_it(prover):
    source = "def sign(n):\n    if n < 0:\n        return -1\n    n = n + 1\n    return n\n"
    found = sites(source)
    negated = next(number for number, site in enumerate(found) if site.kind == "negated_condition")
    lost = next(number for number, site in enumerate(found) if site.kind == "lost_update")
    function = Function("textwrap", "sign", source, "")
    assert prover.shows(function, [negated])
    assert prover.shows(function, [lost])
    always = "def sign(n):\n    n = 0\n    if n < 0:\n        return n + 1\n    return 5\n"
    hidden = next(n for n, site in enumerate(sites(always)) if "n + 2" in site.description)
    assert not prover.shows(Function("textwrap", "sign", always, ""), [hidden])


def test_a_file_left_open_is_seen_and_one_closed_is_not(prover):
    source = "def size(name):\n    with open(name, 'rb') as file:\n        data = file.read()\n    return len(data)\n"
    leak = next(site for site in sites(source) if site.kind == "resource_leak")
    trials = [(["filename"], str(number)) for number in range(8)]
    left = applied(source, [leak.edit])
    assert (
        left == "def size(name):\n    file = open(name, 'rb')\n    data = file.read()\n    return len(data)\n"
    )
    same = source.replace("data", "content")
    function = Function("textwrap", "size", source, "")
    clean, leaking, equal = prover.first.run(function, [source, left, same], trials)
    assert differs(clean, leaking) > 0.5
    assert differs(clean, equal) == 0


ESCAPES = {
    "opens a file": "import io; io.open('{path}', 'w').write('x')",
    "opens it by number": "import os; os.open('{path}', 1 | 64)",
    "starts a program": "import os; os.system('touch {path}')",
    "starts another": "import subprocess; subprocess.run(['touch', '{path}'])",
    "forks": "import os; os.fork() or os.mkdir('{path}')",
    "makes a folder": "import os; os.mkdir('{path}')",
    "calls out": "import socket; socket.create_connection(('127.0.0.1', {port}), 1)",
    "ends its parent": "import os; os.kill(os.getppid(), 9)",
}


@pytest.mark.parametrize("what", ESCAPES)
def test_a_mutant_can_do_nothing_but_compute(prover, tmp_path, what):
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        server.settimeout(0.2)
        path = tmp_path / "made"
        line = ESCAPES[what].format(path=path, port=server.getsockname()[1])
        clean, mutant = ran(prover, RIGHT, f"def double(text):\n    {line}\n    return text * 2\n")
        with pytest.raises(TimeoutError):
            server.accept()
    assert not path.exists()
    assert mutant == "crash" or differs(clean, mutant) == 1
    assert ran(prover, RIGHT) == [clean]


@pytest.mark.parametrize(
    ("body", "verdict"),
    [
        ("while True: pass", "hang"),
        (
            "while True:\n        try:\n            while True: pass\n        except BaseException: pass",
            "hang",
        ),
        ("return 10 ** 10 ** 9", "hang"),
        ("return len(bytearray(1 << 40))", "crash"),
        ("return double(text)", "crash"),
        ("import os; os._exit(0)", "crash"),
    ],
)
def test_what_does_not_end_or_breaks_the_checker_is_discarded(prover, body, verdict):
    start = time.monotonic()
    clean, mutant = ran(prover, RIGHT, f"def double(text):\n    {body}\n")
    assert mutant == verdict
    assert differs(clean, mutant) == 0
    assert time.monotonic() - start < 30


def test_a_mutant_cannot_write_its_own_verdict(prover):
    line = "import os; [os.write(n, b'[\"x\"]') for n in range(3, 64) if n != 99]"
    clean, mutant = ran(prover, RIGHT, f"def double(text):\n    {line}\n    return text * 2\n")
    assert mutant == "crash" or differs(clean, mutant) == 1


def test_errors_raised_on_purpose_are_behaviour_and_accidents_are_no_inputs(prover):
    source = "def root(n):\n    if n < 0:\n        raise ValueError('negative')\n    return n ** 0.5\n"
    found = prover.first.search(Function("textwrap", "root", source, ""), ["n"], 1)
    kinds = {kinds[0] for (kinds, _), _ in found}
    assert kinds
    assert kinds <= {"small", "integer", "real", "flag"}
    guard = next(site for site in sites(source) if site.kind == "dropped_guard")
    trials = [trial for trial, _ in found]
    clean, unguarded = prover.first.run(
        Function("textwrap", "root", source, ""), [source, applied(source, [guard.edit])], trials
    )
    assert 0 < differs(clean, unguarded) < 1
