"""Every target on inputs that hypothesis makes of its seeds, and on long ones of few characters: a typed result or a
documented error, within a bounded time.
"""

import random
import time

import pytest
from fuzz.targets import BOUND, TARGETS
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

SPLICES = [
    b"", b"\x00", b"\xff", b"\xed\xa0\x80", b"\n", b"\r", b"\x1b", b'"', b"\\", b"\\ud800", b"{", b"}", b"[", b"]",
    b",", b"-", b"1e999", b"9" * 40, b"NaN", b"-Infinity", b"null", b"true", b"[" * 200, b'{"a":' * 200,
    b"\xe2\x80\xae", b"\xe2\x80\xa8", b"Answer: ", b"\\boxed{", b"</think>", b"../", b"\x0c", b"\xd9\xa3",
    b"\xc2\xb2", b"1/0",
]  # fmt: skip
UNITS = [
    "a", "A ", "0", "0,", "1 ", "1/", "1.", "9,999", " ", "\n", "\t", "\r\n", "-", "*", "_", "`", "'", '"', "$", "(",
    "[", "{", "([{", '{"', '{"a":', "[[", "<", "<think>", "</think>", "<quote>", "Answer:", "Answer: ", "answer is ",
    "B/1/1 ", "\\frac{1}{2}", "\\boxed{", "\\text{", "{final answer: ", "not ", "no ", "yes or ", "A or B, ",
    "app.py:1: ", "line 1 ", "r = 0.", "= ", "-- ", "Severity: ", "MATCH ", "\u00a0", "\u202f", "\u0e01", "\u4e00",
    "a.b/", "REBUTTED ", "++ ", "@@ -1 +1 @@\n", "<a>",
]  # fmt: skip
LONG = 20_000
"""Characters: more than a reply of some thousand tokens."""


@st.composite
def mutated(draw, seeds):
    """A seed of the target with pieces cut, doubled, swapped in from another seed, or replaced."""
    data = draw(st.sampled_from(seeds)) if seeds else b""
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(data)))
        stop = draw(st.integers(start, min(len(data), start + 40)))
        piece = draw(st.one_of(st.sampled_from(SPLICES), st.sampled_from(seeds), st.binary(max_size=8)))
        data = data[:start] + piece + data[draw(st.sampled_from((start, stop))) :]
    return data[:4000]


@pytest.mark.parametrize("name", TARGETS)
def test_whatever_is_read_is_read_or_refused(name):
    target = TARGETS[name]

    @settings(
        max_examples=40,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.one_of(mutated(target.seeds), st.binary(max_size=200), st.text(max_size=200).map(_encoded)))
    def tried(data):
        began = time.process_time()
        target(data)
        assert time.process_time() - began < BOUND, f"{time.process_time() - began:.1f} s for {data[:80]!r}"

    for seed in target.seeds:
        target(seed)
    tried()


def _encoded(text):
    return text.encode("utf-8", "surrogatepass")


@pytest.mark.parametrize("name", [name for name, target in TARGETS.items() if target.text])
def test_no_text_takes_long(name):
    """Long runs of one unit, alone and inside a seed: what makes a pattern go back and forth."""
    target, slow = TARGETS[name], {}
    rng = random.Random(name)
    for unit in UNITS:
        seed, run = rng.choice(target.seeds), (unit * (LONG // len(unit))).encode()
        for text in (run, seed[: len(seed) // 2] + run + seed[len(seed) // 2 :]):
            began = time.process_time()
            target(text)
            if (spent := time.process_time() - began) > BOUND:
                slow[unit] = spent
    assert slow == {}


FOUND = [
    ("replies", b"\x12\x00"),
    ("answers_numbers", b"4e100;"),
    ("answers_findings", b"- **app.py, lines 1-2**: wrong\nSeverity: high\nConfidence: 0: 0.9"),
]
"""What fuzzing broke once: an objection of no words, a number longer than any answer, a line before the first."""


@pytest.mark.parametrize(("name", "data"), FOUND)
def test_what_broke_once_is_read(name, data):
    TARGETS[name](data)
