"""Runs on a server: its key is nowhere in what is written, its budget binds, another start makes faults good."""

import json
import subprocess
from pathlib import Path

from engines.served import serving, status
from sweep.command import environment, line, rows, run_of

from madbench.engines.simulated import SimulatedModel

KEY = "sk-canary-8f3a1c"


def play(folder, server, *more):
    """A run of cot on the server, with W&B offline and the key in the environment; the finished process."""
    given = [
        "protocol=cot",
        "model@cast.default=openai_server",
        f"cast.default.base_url={server.url}",
        "cast.default.model=sim",
        "cast.default.key_variable=CANARY_KEY",
        "cast.default.traffic.retries=1",
        "tracking=wandb",
        *more,
    ]
    env = {**environment(folder), "WANDB_MODE": "offline", "CANARY_KEY": KEY, "WANDB_DIR": str(folder)}
    env.pop("WANDB_API_KEY", None)
    command = line(folder, *given)
    return subprocess.run(
        command, cwd=folder, env=env, capture_output=True, text=True, timeout=240, check=False
    )


def holders(folder):
    """Every file under a folder, with the key in it or in its name."""
    files = [path for path in Path(folder).rglob("*") if path.is_file()]
    assert len(files) > 8
    return [path for path in files if KEY.encode() in path.read_bytes() or KEY in str(path)]


def test_the_key_is_nowhere_in_what_a_run_writes(tmp_path):
    """Not where the server repeats it, in passing or for good; another start makes the latter good."""
    broken = [True]

    def echo(exchange):
        if exchange.tries == 1 or (broken[0] and "Question 3:" in exchange.body["messages"][-1]["content"]):
            return exchange.answer(500, f"cannot serve {KEY}", retry_after="0.01", x_echo=KEY)
        return False

    with serving(SimulatedModel(0.6), echo) as server:
        bad = play(tmp_path, server, "task.n=6")
        told = str(rows(run_of(tmp_path, "cot")))
        broken[0] = False
        good = play(tmp_path, server, "task.n=6")
    assert (bad.returncode, good.returncode) == (1, 0)
    assert server.log.keys == {f"Bearer {KEY}"}
    assert "cannot serve [CANARY_KEY]" in told
    assert KEY not in bad.stdout + bad.stderr + good.stdout + good.stderr
    assert holders(tmp_path) == []
    assert list(tmp_path.rglob("*.wandb"))
    assert len(server.log.answered) == len(set(server.log.answered)) == 6


def test_a_refused_key_is_told_without_it(tmp_path):
    with serving(fault=status(401, json.dumps({"error": f"no such key: {KEY}"}))) as server:
        done = play(tmp_path, server)
    assert done.returncode == 2
    assert "status 401" in done.stdout + done.stderr
    assert "no such key: [CANARY_KEY]" in done.stdout + done.stderr
    assert KEY not in done.stdout + done.stderr
    assert holders(tmp_path) == []


def test_a_run_goes_on_with_a_larger_budget_and_pays_for_nothing_twice(tmp_path):
    with serving(SimulatedModel(0.6)) as server:
        poor = play(tmp_path, server, "cast.default.budget.calls=5")
        assert poor.returncode == 1
        assert len(server.log.answered) == 5
        assert "budget.calls: 5 of 5" in str(rows(run_of(tmp_path, "cot")))
        rich = play(tmp_path, server, "cast.default.budget.calls=12")
        assert rich.returncode == 0, rich.stdout + rich.stderr
    assert len(server.log.answered) == len(set(server.log.answered)) == 12
