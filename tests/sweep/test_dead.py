"""Dead debates are announced after their first episodes, with the transcript to read; live ones are left alone."""

import json
import re

import pytest
from sweep.command import madbench, rows, run_of, summary

LIVE = ("protocol=debate", "task.n=16")
DEAD = {
    "nobody moves": (["cast.default.conformity=0"], {"no movement"}),
    "no markers": (["+cast.default.mute=1"], {"markers missing"}),
    "constant text": (["model@cast.default=stored"], {"constant text", "stored text replayed"}),
    "replayed text": (
        ["model@cast.default=stored", "+cast.default.per_seat=true"],
        {"no movement", "stored text replayed"},
    ),
}
ALARM = re.compile(r"^debate: ([a-z ]+): (\d+)% of [a-z' ]+; read (\S+), epoch 0; in (\S+)$", re.M)


@pytest.mark.parametrize(("given", "faults"), DEAD.values(), ids=DEAD)
def test_a_dead_debate_is_announced_with_a_transcript_to_read(tmp_path, given, faults):
    ended = madbench(tmp_path, *LIVE, *given)
    assert ended.returncode == 0, ended.err
    found = ALARM.findall(ended.out)
    assert {fault for fault, *_ in found} == faults
    for _, _, sample, folder in found:
        assert folder == str(run_of(tmp_path, "debate"))
        assert any(row["id"][0] == sample for row in rows(run_of(tmp_path, "debate")))
    assert len(
        ALARM.findall((run_of(tmp_path, "debate") / "run.log").read_text().replace("+00:00 ", "\n"))
    ) == len(faults)
    assert summary(tmp_path)["arms"][0]["metrics"]["accuracy"]["n"] == 16


@pytest.mark.parametrize(
    "given",
    [[], ["cast.default.accuracy=1.0"]],  # a strong model agrees with itself
    ids=["as shipped", "always right"],
)
def test_a_live_debate_is_no_alarm(tmp_path, given):
    stopping = ("hydra.launcher.on_dead=stop", "hydra.launcher.concurrency=4")
    ended = madbench(tmp_path, *LIVE, *given, *stopping)
    assert ended.returncode == 0, ended.err
    assert not ALARM.search(ended.out)


def test_a_dead_run_can_be_stopped_and_takes_no_other_with_it(tmp_path):
    given = ("-m", "protocol=debate,cot", "task.n=200", "cast.default.conformity=0")
    stopping = ("hydra.launcher.on_dead=stop", "hydra.launcher.concurrency=4")
    ended = madbench(tmp_path, *given, *stopping)
    assert ended.returncode == 1
    assert "failed: debate: debate: no movement" in ended.err
    dead = run_of(tmp_path, "debate")
    assert 8 <= len(rows(dead)) < 20
    status = json.loads((dead / "status.json").read_text())
    assert status["state"] == "failed"
    assert "no movement" in status["error"]
    assert [arm["arm"] for arm in summary(tmp_path)["arms"]] == ["cot"]
    assert len(rows(run_of(tmp_path, "cot"))) == 200
    resumed = madbench(tmp_path, *given)
    assert resumed.returncode == 0
    assert len(rows(dead)) == 200
