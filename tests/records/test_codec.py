import json
import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from madbench.records.codec import decode, encode, pack, unpack
from madbench.records.lines import as_line, parse
from madbench.tasks.answers import ChoiceReader
from madbench.types import (
    Completion,
    Effort,
    Ending,
    Event,
    InputError,
    Message,
    Outcome,
    ParseStatus,
    Place,
    Problem,
    Reading,
    Record,
    Request,
    RowId,
    Sample,
    Sampling,
    Shot,
    Speaker,
    StopReason,
    Target,
    Turn,
)

texts = st.text(max_size=20)
plain = st.dictionaries(
    texts, st.none() | st.booleans() | st.integers(-9, 9) | texts | st.lists(texts, max_size=2), max_size=2
)
samplings = st.builds(
    Sampling, temperature=st.floats(0, 2), top_p=st.floats(0.1, 1), max_tokens=st.integers(1, 99)
)
requests = st.builds(
    Request,
    st.lists(st.builds(Message, st.sampled_from(["system", "user", "assistant"]), texts), max_size=3).map(
        tuple
    ),
    samplings,
    st.integers(0, 2**63 - 1),
    st.none() | texts,
)
pieces = st.lists(st.tuples(texts, st.floats(max_value=0, allow_nan=False)), max_size=3).map(tuple)
completions = st.builds(
    Completion, texts, st.sampled_from(["stop", "length"]), st.integers(0, 9), st.integers(0, 9), pieces
)
readings = st.builds(
    Reading,
    st.sampled_from(ParseStatus),
    texts,
    texts,
    st.none() | texts,
    st.none() | st.floats(0, 1),
    plain,
    texts,
)
speakers = st.builds(Speaker, texts, *[st.integers(0, 9)] * 4)
turns = st.builds(
    Turn,
    speakers,
    texts,
    requests,
    completions,
    readings,
    st.lists(texts, max_size=2).map(tuple),
    st.booleans(),
)
outcomes = st.builds(
    Outcome,
    st.none() | texts,
    st.lists(st.lists(st.none() | texts, max_size=3).map(tuple), max_size=3).map(tuple),
    st.sampled_from(StopReason),
    st.dictionaries(texts, st.floats(0, 1) | texts, max_size=2),
    st.lists(st.builds(Event, texts, texts, st.integers(0, 9), texts, plain), max_size=2).map(tuple),
    plain,
)
samples = st.builds(
    Sample,
    st.builds(
        Problem,
        texts,
        texts,
        texts,
        st.just(ChoiceReader("ABC", options=("one", "two", "three"))),
        st.lists(st.builds(Shot, texts, texts), max_size=2).map(tuple),
    ),
    st.builds(Target, texts, plain),
)
records = st.builds(
    Record,
    st.builds(RowId, texts, st.integers(0, 9), st.integers(0, 9)),
    st.none() | samples,
    st.sampled_from(Ending),
    st.none() | outcomes,
    st.lists(turns, max_size=3).map(tuple),
    st.dictionaries(texts, st.floats(allow_nan=False, allow_infinity=False), max_size=3),
    st.none() | st.builds(Place, st.integers(0, 9), st.integers(0, 9), texts),
    st.builds(Effort, st.floats(0, 9), texts),
    texts,
)


@given(records)
def test_a_record_comes_back_from_its_line_as_it_was(record):
    assert decode(parse(as_line(encode(record)), "here")) == record


def test_half_a_surrogate_pair_survives():
    row = {"text": "broken \ud83d emoji"}
    assert parse(as_line(row), "here") == row


def test_a_text_is_stored_once_however_often_it_was_shown():
    long = "a long question " * 50
    asked = Request((Message("user", long),), Sampling(), 1)
    again = Request((Message("user", long), Message("assistant", long)), Sampling(), 2)
    reading = Reading(ParseStatus.OK, "Statement")
    both = tuple(
        Turn(Speaker("solver", 0, n, n), "Asked", request, Completion(long, "stop", 1, 1), reading)
        for n, request in enumerate([asked, again])
    )
    record = Record(RowId("q"), None, Ending.DONE, None, both, {}, None, Effort(0, ""))
    assert json.dumps(encode(record)).count(long) == 1
    assert decode(encode(record)) == record


def test_minus_infinity_is_no_json_and_comes_back():
    turn = Turn(
        Speaker("solver", 0, 0, 0),
        "Asked",
        Request((), Sampling(), 1),
        Completion("x", "stop", 1, 1, (("x", -math.inf),)),
        Reading(ParseStatus.OK, "Statement"),
    )
    record = Record(RowId("q"), None, Ending.DONE, None, (turn,), {}, None, Effort(0, ""))
    assert b"Infinity" not in as_line(encode(record))
    assert decode(encode(record)) == record


def test_a_number_that_is_none_is_refused():
    record = Record(RowId("q"), None, Ending.DONE, None, (), {"correct": math.nan}, None, Effort(0, ""))
    with pytest.raises(ValueError):
        as_line(encode(record))


def test_a_reader_whose_class_is_gone_is_named():
    packed = pack(ChoiceReader("AB"))
    assert unpack(packed) == ChoiceReader("AB")
    with pytest.raises(InputError, match=r"tasks\.answers:Gone"):
        unpack({**packed, "class": "madbench.tasks.answers:Gone"})
    with pytest.raises(InputError, match="no frozen dataclass"):
        unpack({"class": "os:system", "fields": {}})


def test_replacing_any_field_changes_the_line():
    record = Record(RowId("q"), None, Ending.DONE, None, (), {}, None, Effort(0, ""))
    others = [
        replace(record, id=RowId("q", 1)),
        replace(record, id=RowId("q", 0, 1)),
        replace(record, ending=Ending.RETRY),
        replace(record, error="x"),
        replace(record, scores={"correct": 0.0}),
        replace(record, place=Place(0, 0, "{}")),
    ]
    assert len({as_line(encode(each)) for each in [record, *others]}) == 7
