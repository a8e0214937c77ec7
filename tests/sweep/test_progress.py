"""What a user sees while a sweep runs."""

import pytest

from madbench.sweep.display import duration, line
from madbench.sweep.messages import News, Notice, Spent
from madbench.sweep.progress import Progress, Row


def progress():
    return Progress([Row("cot", "/a", 10, 0), Row("debate", "/b", 20, 5)])


def news(run, done, tokens):
    return News(folder=run, state="running", done=done, prompt_tokens=tokens, output_tokens=0)


def test_episodes_of_all_starts_and_processes_add_up():
    seen = progress()
    seen.hear("worker0.0", news("/b", 3, 30))
    seen.hear("worker0.0", news("/b", 4, 40))
    seen.hear("worker0.1", news("/b", 2, 20))
    assert [seen.done(row) for row in seen.rows] == [0, 11]
    assert seen.gained(seen.rows[1]) == (6, 60)
    assert seen.state("/b") == "running"
    assert seen.state("/a") == "waiting"


def test_time_left_is_unknown_until_every_run_has_an_episode():
    seen = progress()
    seen.hear("w", news("/b", 5, 50))
    assert seen.left is None
    assert "time left not known yet" in line(seen)
    seen.hear("w", news("/a", 5, 25))
    assert seen.left / seen.elapsed == pytest.approx((5 * 5 + 10 * 10) / 75, rel=0.2)


def test_time_left_goes_by_how_fast_tokens_come_now(monkeypatch):
    monkeypatch.setattr("time.monotonic", lambda: 100.0)
    seen = progress()
    for moment, tokens in [(110.0, 9000), (139.0, 9000), (140.0, 9000), (170.0, 9300)]:
        monkeypatch.setattr("time.monotonic", lambda at=moment: at)
        seen.hear("w", Spent(calls=1, shared=0, prompt_tokens=tokens, output_tokens=0, seconds=1.0))
    seen.hear("w", news("/a", 10, 9000))
    seen.hear("w", news("/b", 5, 300))
    assert seen.left == pytest.approx(600 / 10, rel=0.05)


def test_spent_is_summed_over_processes():
    seen = progress()
    for name in ("worker0.0", "worker0.1"):
        seen.hear(name, Spent(calls=3, shared=1, prompt_tokens=30, output_tokens=12, seconds=2.0))
    assert (seen.total("calls"), seen.total("shared"), seen.total("output_tokens")) == (6, 2, 24)
    assert seen.rate > 0


def test_a_plain_line_names_arms_rate_and_time():
    seen = progress()
    seen.hear("w", news("/a", 10, 100))
    assert line(seen).startswith("cot 10/10, debate 5/20 | 0 tokens/s | ")
    seen.hear("w", Notice(text="look at this"))
    assert seen.notices == ["look at this"]


@pytest.mark.parametrize(
    ("seconds", "said"), [(0.4, "0 s"), (59.4, "59 s"), (130, "2 min 10 s"), (11100, "3 h 5 min")]
)
def test_durations(seconds, said):
    assert duration(seconds) == said
