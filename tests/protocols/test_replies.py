"""Replies: what is read out of messy text, and that every form is bounded so that a grammar always ends."""

import importlib
import json
import pkgutil
from typing import Annotated, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as some
from pydantic import Field, ValidationError
from stage import SUM

import madbench.protocols
from madbench.protocols.replies import Form, Line, Passage, Short, Statement, json_object
from madbench.protocols.self_refine import Feedback
from madbench.types import FormatError, Strict

for module in pkgutil.iter_modules(madbench.protocols.__path__, "madbench.protocols."):
    importlib.import_module(module.name)

GOOD = '{"advice": "Mend step 2.", "verdict": "revise"}'


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a": 1}', '{"a": 1}'),
        ('Here: {"a": 1}. Done.', '{"a": 1}'),
        ('```json\n{"a": {"b": 2}}\n```', '{"a": {"b": 2}}'),
        ('{"a": 1} and then {"a": 2}', '{"a": 2}'),
        ('{"a": "}"}', '{"a": "}"}'),
        ('{"a": "{\\"b\\": 1}"}', '{"a": "{\\"b\\": 1}"}'),
        ('The set {1, 2} and \\boxed{5}: {"a": 1}', '{"a": 1}'),
        ('{"a": 1} or \\boxed{5}', '{"a": 1}'),
        ("null", None),
        ("[1, 2]", None),
        ("{'a': 1}", None),
        ('{"a": 1', None),
        ("", None),
        ("__import__('os').system('true')", None),
        ("{" * 3000, None),
        ('{"a":' * 3000, None),
    ],
)
def test_the_last_whole_object_is_found(text, found):
    assert json_object(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a": 1}', '{"a": 1}'),
        ('{"a": 1} and so on and', '{"a": 1}'),
        ('{"items": [{"a": 1}, {"a"', None),
        ('{"a": 1} No, wait: {"a": 2', None),
        ('{"note": "so {"a": 1}', None),
    ],
)
def test_what_the_limit_cut_is_never_half_read(text, found):
    assert json_object(text, cut=True) == found


@given(some.text(), some.dictionaries(some.text(max_size=3), some.integers() | some.text(), max_size=3))
def test_an_object_is_found_after_any_prose_without_braces(prose, value):
    text = json.dumps(value)
    before = prose.replace("{", "(")
    assert json_object(f"{before}{text} {before}") == text


@given(some.text(alphabet='{}[]",:1a\\ ', max_size=40), some.booleans())
def test_what_is_found_is_an_object(text, cut):
    found = json_object(text, cut=cut)
    assert found is None or isinstance(json.loads(found), dict)


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"Sure! Here you are:\n```json\n{GOOD}\n```\nHope that helps.",
        f'<think>{{"advice": "none", "verdict": "keep"}}</think>{GOOD}',
        '{"verdict": "revise", "advice": "  Mend step 2.\\n"}',
    ],
)
def test_a_form_is_read_from_prose_fences_and_past_reasoning(text):
    assert Feedback.read(text, SUM, cut=False) == Feedback(advice="Mend step 2.", verdict="revise")


@pytest.mark.parametrize(
    ("text", "cut", "missing"),
    [
        ("It is correct.", False, r"no JSON object with \['advice', 'verdict'\]$"),
        ('{"advice": "Mend', True, "cut short"),
        ("null", False, "no JSON object"),
        ('{"advice": "x"}', False, "verdict: Field required"),
        ('{"advice": "x", "verdict": "Keep"}', False, "verdict: Input should be 'revise' or 'keep'"),
        ('{"advice": "x", "verdict": true}', False, "verdict: "),
        ('{"advice": 5, "verdict": "keep"}', False, "advice: Input should be a valid string"),
        ('{"advice": "  ", "verdict": "keep"}', False, "advice: String should have at least 1 character"),
        ('{"advice": "x", "verdict": "keep", "score": 1}', False, "score: Extra inputs are not permitted"),
        (json.dumps({"advice": "x" * 241, "verdict": "keep"}), False, "at most 240 characters"),
        ('<think>{"advice": "x", "verdict": "keep"}', False, "no JSON object"),
        (f"<think>{GOOD}</think>", False, "no JSON object"),
    ],
)
def test_what_is_missing_is_named(text, cut, missing):
    with pytest.raises(FormatError, match=missing):
        Feedback.read(text, SUM, cut=cut)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-1", "1.5", '"0.5"'])
def test_a_bounded_number_is_a_number_within_its_bounds(number):
    with pytest.raises(FormatError):
        Sure.read(f'{{"sure": {number}}}', SUM, cut=False)


class Sure(Form):
    sure: float = Field(ge=0, le=1)


def test_a_statement_is_heard_without_its_reasoning():
    said = Statement.read("<think>Answer: 8</think>Nine it is.\nAnswer: 9", SUM, cut=False)
    assert said.text == "Nine it is.\nAnswer: 9"
    assert said.answer == "9"


def test_a_statement_without_an_answer_is_no_error():
    assert Statement.read("Well.", SUM, cut=False).answer is None


# The schema of a form


class Titled(Form):
    """A form that has fields called like notes."""

    title: Line
    description: Literal["a", "b"]


def test_notes_to_readers_of_the_source_stay_out_of_requests():
    schema = Titled.form(SUM)
    assert set(schema) == {"additionalProperties", "properties", "required", "type"}
    assert schema["properties"] == {
        "title": {"type": "string", "minLength": 1, "maxLength": 80},
        "description": {"type": "string", "enum": ["a", "b"]},
    }


def test_fields_are_written_in_their_order():
    assert Feedback.form(SUM)["required"] == ["advice", "verdict"]  # the reason comes before the verdict


def unbounded(schema, where=""):
    """Places in a schema where a model could go on for ever."""
    if isinstance(schema, list):
        return [place for item in schema for place in unbounded(item, where)]
    if not isinstance(schema, dict):
        return []
    limits = {
        "string": ("maxLength",),
        "array": ("maxItems",),
        "integer": ("minimum", "maximum"),
        "number": ("minimum", "maximum"),
    }
    closed = "enum" in schema or "const" in schema
    missing = [] if closed else [name for name in limits.get(schema.get("type"), ()) if name not in schema]
    open_ended = schema.get("type") == "object" and schema.get("additionalProperties") is not False
    here = [f"{where}: {name}" for name in missing] + [f"{where}: further properties"] * open_ended
    return here + [
        place
        for key, value in schema.items()
        if key != "enum"
        for place in unbounded(value, f"{where}/{key}")
    ]


def forms(base=Form):
    for kind in base.__subclasses__():
        if kind.__module__.startswith("madbench."):
            yield kind
        yield from forms(kind)


FORMS = sorted(
    (form for form in set(forms()) if form.model_fields), key=lambda form: (form.__module__, form.__name__)
)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_every_form_is_bounded_and_fit_for_a_grammar(form):
    schema = form.form(SUM)
    assert schema is None or unbounded(schema) == []
    assert schema is None or compiles(schema)


def compiles(schema):
    llguidance = pytest.importorskip("llguidance")
    grammar = llguidance.LLMatcher.grammar_from_json_schema(json.dumps(schema))
    return llguidance.LLMatcher.validate_grammar(grammar, llguidance.LLTokenizer("byte")) == ""


class Part(Strict):
    text: str


class Loose(Form):
    name: str
    parts: list[Part]
    count: int


class Tight(Form):
    name: Passage
    parts: Annotated[tuple[Short, ...], Field(max_length=3)]
    count: Annotated[int, Field(ge=0, le=9)]


def test_what_is_unbounded_is_noticed():
    assert len(unbounded(Loose.form(SUM))) == 5
    assert unbounded(Tight.form(SUM)) == []


def test_replies_are_closed_and_frozen():
    feedback = Feedback(advice="x", verdict="keep")
    with pytest.raises(ValidationError):
        feedback.verdict = "revise"
