"""Long texts that recur are stored once, and come back."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from madbench.records.codec import decode_sample, encode_sample
from madbench.records.repeats import folded, unfolded
from madbench.tasks.answers import FindingsReader
from madbench.tasks.review_samples import question_of, review_target
from madbench.types import Artifact, Document, Issue, Problem, Sample, Span

LONG = "a text that is long enough to be worth storing once, " * 3
plain = st.recursive(
    st.none() | st.integers() | st.text(max_size=3) | st.sampled_from([LONG, LONG + "!"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["$text", "$plain", "a", "b"]), inner, max_size=3)
    ),
)


@given(plain)
def test_what_is_folded_unfolds(value):
    shared, texts = folded(value)
    assert unfolded(json.loads(json.dumps(shared)), texts) == value
    assert LONG not in texts or json.dumps(value).count(json.dumps(LONG)) > 1
    assert json.dumps(shared).count(json.dumps(LONG)) <= 1


@pytest.mark.parametrize("documents", [1, 3])
def test_a_review_sample_comes_back_and_holds_each_document_once(documents):
    artifact = Artifact(
        tuple(Document(f"{n}.py", f"{LONG}\nx = {n}\n") for n in range(documents)),
        "Mind the loop.",
        ("note",),
    )
    issue = Issue(id="i", spans=(Span(document="0.py", first=1, last=2),), kind="guard", description="lost")
    problem = Problem("a", "c", question_of(artifact), FindingsReader(artifact, 7, 60, 2))
    sample = Sample(problem, review_target(artifact, [issue], strange=[issue]))
    stored = json.dumps(encode_sample(sample))
    assert decode_sample(json.loads(stored)) == sample
    assert all(stored.count(json.dumps(document.text)) == 1 for document in artifact.documents)
