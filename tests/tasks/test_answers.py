"""Finding answers in text and putting them in canonical form."""

import time
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from madbench.tasks.answers import BoolReader, ChoiceReader, NumberReader, TextReader, strict, visible
from madbench.tasks.answers.numbers import spell
from madbench.types import InputError, ParseStatus

NUMBER, CHOICE, BOOL, TEXT = NumberReader(), ChoiceReader("ABCD"), BoolReader(), TextReader()
LONDON = ChoiceReader("ABCD", ("Paris", "A cat", "Paris Saint-Germain", "5"))
READERS = [
    NUMBER,
    CHOICE,
    LONDON,
    BOOL,
    BoolReader("valid", "invalid"),
    TEXT,
    TextReader(case=True, whole=True),
]

NUMBERS = [
    ("$29.00", "29"),
    ("29.", "29"),
    ("+29", "29"),
    ("USD 29", "29"),
    ("29.5", "29.5"),
    ("-3", "-3"),
    ("−3", "-3"),
    ("3", "3"),
    ("Answer: −3", "-3"),
    ("Answer: - 4", "-4"),
    ("Answer: -$3", "-3"),
    ("0 - 4 = - 4", "-4"),
    ("so 5-10", "10"),
    ("so 7 - 4", "4"),
    ("Answer: 7 - 4", "7"),
    ("Answer: $ 12", "12"),
    ("- 12 apples", "12"),
    ("so 3 - 7 = - 4", "-4"),
    ("#### 2,125", "2125"),
    ("Answer: 2125", "2125"),
    ("Answer: 1{,}234", "1234"),
    ("Answer: 1\u202f234", "1234"),
    ("Answer: 1,23", None),
    ("... #### 42\n\nQuestion: next one ... #### 7", "42"),
    ("The sum is 7.\n\nQ: What is 9 + 3?\nAnswer: 12", "7"),
    ("Question: What is 3 + 4?\nAnswer: 7", "7"),
    ("My first answer: 5 looks off. Final answer: 10", "10"),
    (r"\boxed{\frac{1}{2}}", "0.5"),
    (r"\boxed{-\dfrac{3}{4}}", "-0.75"),
    (r"Answer: 1\frac{1}{2}", "1.5"),
    (r"The answer is \boxed{1,234}.", "1234"),
    (r"\boxed{-5}", "-5"),
    (r"put it in \boxed next time", None),
    ("{final answer: 1,234}", "1234"),
    ("{final answer: $12}", "12"),
    ("{Final Answer:\n 12 }", "12"),
    ("Final answer: 12", "12"),
    ("**Final Answer**: 12 apples", "12"),
    ("### Final Answer\n\n42", "42"),
    ("The final answer to the problem of 2 and 3 is 5, and that of 4 is 6", "5"),
    ("Answer: 1e3", "1000"),
    ("Answer: 3 × 10^4", "30000"),
    ("Answer: 2^10", None),
    ("Answer: 1/2", "0.5"),
    ("Answer: 1 1/2", "1.5"),
    ("Answer: 50%", "50"),
    ("3/4 = 75% = 0.75, so the answer is 3/4 = 75% = 0.75", "0.75"),
    ("Answer: 2 + 4 = 6", "6"),
    ("Answer: 6 (check: 6 + 4 = 10)", "6"),
    ("The answer is 10, not 12", "10"),
    ("The answer is not 12 but 10", "10"),
    ("It was 12/25/2020", None),
    ("At 12:30", None),
    ("The 2nd", None),
    ("Answer: 1e999", None),
    ("Answer: " + "9" * 5000, None),
    ("Answer: 1/0", None),
    ("nothing", None),
    ("", None),
]


@pytest.mark.parametrize(("text", "answer"), NUMBERS)
def test_numbers(text, answer):
    assert NUMBER.read(text).answer == answer


@pytest.mark.parametrize(
    "text", ["18", "18.0", "18.", "$18", "+18", "18.000", "36/2", "1.8e1", "018", "１８", r"\frac{36}{2}"]
)
def test_one_value_has_one_spelling(text):
    assert NUMBER.canonical(text) == "18"


CHOICES = [
    ("**ANSWER: C**", "C"),
    ("Answer: $C$", "C"),
    ("Answer: (C)", "C"),
    (r"Answer: \boxed{C}", "C"),
    (r"Answer: \text{C}", "C"),
    ("Answer: c", "C"),
    ("Answer: C) something", "C"),
    ("Answer: option C", "C"),
    ("Answer seems to be B.\nAnswer: B", "B"),
    ("Antwort: Antwort: C", "C"),
    ("The answer is B because vitamin D is low", "B"),
    ("the answer is b", "B"),
    ("(C). Hepatitis A and B are excluded", "C"),
    (" Because it is so (C)", "C"),
    ("{final answer: A. yes}", "A"),
    ("{Final Answer: (A)}", "A"),
    ("{final answer: A) yes}", "A"),
    ("{final answer:\n(a)\n}", "A"),
    ("{final answer: (A)} as I said in {x}", "A"),
    ("**Answer:**\n\nAll in all, the best one is:\n\n**C) A long text**", "C"),
    ("The correct option is D.", "D"),
    ("The answer is not A.", None),
    ("The answer is a dog", None),
    ("I think so", None),
    ("Answer: E", None),
]


@pytest.mark.parametrize(("text", "answer"), CHOICES)
def test_choices(text, answer):
    assert CHOICE.read(text).answer == answer


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Answer: Paris", "A"),
        ("The answer is a cat.", "B"),
        ("Answer: A cat", "B"),
        ("Answer: A", "A"),
        ("Answer: Paris Saint-Germain", "C"),
        ("Answer: 5", "D"),
        ("Answer: 55", None),
        ("Answer: 5.5", None),
    ],
)
def test_the_words_of_an_option_name_it(text, answer):
    assert LONDON.read(text).answer == answer


def test_words_of_two_options_name_none():
    assert ChoiceReader("AB", ("same", "Same.")).read("Answer: same").answer is None


def test_option_texts_must_match_the_letters():
    with pytest.raises(InputError, match="1 option texts for the letters 'AB'"):
        ChoiceReader("AB", ("one",))


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("yes", "yes"),
        ("Answer: **No**", "no"),
        ("Answer: True", "yes"),
        ("The argument is invalid.", "no"),
        ("The answer is not valid.", "no"),
        ("It is not necessarily true", "no"),
        ("That isn't true", "no"),
        ("I do not know", None),
        ("Answer: No one knows", None),
        ("No children are butterflies", None),
        ("There is no evidence", None),
        ("No, it does not.", "no"),
        (r"\boxed{\text{Yes}}", "yes"),
        ("Nothing is known", None),
    ],
)
def test_booleans(text, answer):
    assert BOOL.read(text).answer == answer


def test_booleans_speak_the_task_s_dialect():
    assert BoolReader("valid", "invalid").read("Answer: not valid").answer == "invalid"
    assert BoolReader("True", "False").canonical("false") == "False"


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (r"so \boxed{[2,5)}.", "[2,5)"),
        (r"so \boxed{\frac{1}{2}}", r"\frac{1}{2}"),
        ('Answer: "Bob."', "bob"),
        ("Answer: **two  words**", "two words"),
        ("word", "word"),
        ("A whole essay.\nIn two lines.", None),
    ],
)
def test_texts(text, answer):
    assert TEXT.read(text).answer == answer


def test_text_of_several_lines_keeps_its_shape():
    reader = TextReader(case=True, whole=True)
    assert reader.read("Thus.\nAnswer:\n1 2\n3  4 \n").answer == "1 2\n3  4"
    assert reader.read("Answer:\n```\n_ Q\nQ _\n```").answer == "_ Q\nQ _"


@pytest.mark.parametrize(
    ("text", "answer", "status"),
    [
        ("<think> maybe 7, no, 9", None, ParseStatus.TRUNCATED),
        ("<think>7</think> 9", "9", ParseStatus.OK),
        ("7 it may be</think>Answer: 9", "9", ParseStatus.OK),
        ("Answer: 8 <think>7", None, ParseStatus.TRUNCATED),
    ],
)
def test_reasoning_is_no_answer(text, answer, status):
    found = NUMBER.read(text)
    assert (found.answer, found.status) == (answer, status)


@pytest.mark.parametrize(
    ("text", "answer", "status"),
    [
        ("Answer: 12", None, ParseStatus.TRUNCATED),
        ("Answer: 12.", None, ParseStatus.TRUNCATED),
        ("Answer: 12\n", "12", ParseStatus.OK),
        (r"\boxed{12}", "12", ParseStatus.OK),
        (r"\boxed{12", None, ParseStatus.TRUNCATED),
        ("First 3 and then 4 makes", None, ParseStatus.TRUNCATED),
        ("Answer: 7\n\nQuestion: next?\nAnswer: 1", "7", ParseStatus.OK),
        ("<think>12", None, ParseStatus.TRUNCATED),
    ],
)
def test_what_the_token_limit_cut_is_never_half_read(text, answer, status):
    found = NUMBER.read(text, cut=True)
    assert (found.answer, found.status) == (answer, status)


def test_candidates_that_differ_are_ambiguous_and_the_last_counts():
    found = NUMBER.read("Answer: 5. No: Answer: 6")
    assert (found.answer, found.status) == ("6", ParseStatus.AMBIGUOUS)
    assert NUMBER.read("Answer: 6. So: Answer: 6.0").status is ParseStatus.OK


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (r"{final answer: 1} \boxed{2} Answer: 3", "final_answer_braces"),
        (r"\boxed{2} Answer: 3", "boxed"),
        ("Answer: 3", "marker_line"),
        ("3", "fallback_last_number"),
        ("", "none"),
    ],
)
def test_the_rule_is_named_and_guesses_are_not_strict(text, rule):
    found = NUMBER.read(text)
    assert found.rule == rule
    assert found.strict == (None if rule.startswith("fallback") else found.answer)


def test_the_strict_form_guesses_nothing():
    for reader in READERS:
        assert strict(reader).read("5").rule == "none"
        assert strict(reader).read("yes (A) 5").answer is None
    assert strict(NUMBER).read("Answer: 5").answer == "5"


@pytest.mark.parametrize(
    ("reader", "text", "words"),
    [
        (NUMBER, "<think>5</think> I say.\nAnswer: **-$1,200.50** now", "-$1,200.50"),
        (CHOICE, "A fine one. Answer: (b)", "b"),
        (LONDON, "The answer is **a cat**", "a cat"),
        (BOOL, "The answer is: not valid.", "not valid"),
        (NUMBER, r"thus \boxed{\frac{1}{2}}", r"\frac{1}{2}"),
    ],
)
def test_the_span_is_the_answer_s_own_words(reader, text, words):
    start, end = reader.read(text).span
    assert text[start:end] == words


def test_one_more_marker_of_a_task():
    assert NumberReader(marker="A:").read("we get 3\nA: 18").strict == "18"
    assert NUMBER.read("we get 3\nA: 18").strict is None


@pytest.mark.parametrize(
    ("text", "shown"),
    [("<think>a</think>b", "b"), ("a</think>b", "b"), ("b<think>a", "b"), ("a<b>", "a<b>"), ("", "")],
)
def test_visible(text, shown):
    assert visible(text) == shown


MARKERS = [
    "Answer:",
    "{final answer:",
    "\\boxed{",
    "<think>",
    "</think>",
    "####",
    "Question:",
    "the answer is ",
]
PIECES = [
    "}",
    "\n",
    "$",
    "1,2",
    "-",
    "(A)",
    "B",
    "not ",
    "yes",
    "\\frac{",
    "1/0",
    "e9",
    "**",
    "．",
    "½",
    "\x00",
    "\ud800",
]
FRAGMENTS = st.sampled_from([*MARKERS, *PIECES])
ANYTHING = st.one_of(st.text(), st.lists(st.one_of(FRAGMENTS, st.text(max_size=3)), max_size=12).map("".join))


@given(ANYTHING, st.booleans(), st.sampled_from(READERS))
def test_reading_never_raises_and_answers_are_canonical(text, cut, reader):
    found = reader.read(text, cut=cut)
    assert (found.answer is None) == (found.span is None)
    if found.answer is not None:
        assert reader.canonical(found.answer) == found.answer
        assert 0 <= found.span[0] < found.span[1] <= len(text)
    visible(text)


@given(ANYTHING, st.sampled_from(READERS))
def test_canonical_is_idempotent(text, reader):
    once = reader.canonical(text)
    assert once is None or reader.canonical(once) == once


@given(
    st.fractions(max_denominator=10**6),
    st.sampled_from(["Answer: {}", "{{final answer: {}}}", r"\boxed{{{}}}"]),
)
def test_numbers_survive_every_marker(value, marker):
    answer = NUMBER.canonical(spell(value))
    assert answer == spell(value)
    assert NUMBER.read(f"So it is 99.\n{marker.format(answer)}").answer == answer


@given(st.fractions(min_value=-(10**9), max_value=10**9, max_denominator=10**4))
def test_a_spelling_is_the_value_to_twelve_digits(value):
    error = abs(Fraction(spell(value)) - value)
    assert error <= Fraction(1, 10**12)


@given(st.sampled_from("ABCD"), st.sampled_from(["Answer: {}", "**Answer**: ({})", "{{final answer: {}}}"]))
def test_letters_survive_every_marker(letter, marker):
    assert CHOICE.read(marker.format(letter)).answer == letter


@given(st.text("abc xyz,[]()=+", min_size=1, max_size=40))
def test_texts_survive_their_marker(text):
    answer = TEXT.canonical(text)
    if answer is not None:
        assert TEXT.read(f"Answer: {answer}").answer == answer


def test_a_long_reply_is_read_in_a_moment():
    start = time.perf_counter()
    for piece in (
        "Answer: ",
        "answer to ",
        "{final answer: ",
        "\\boxed{",
        "(",
        "1,",
        "* ",
        "option A is ",
        "<think>",
        "not ",
    ):
        for reader in READERS:
            reader.read(piece * 5000)
    assert time.perf_counter() - start < 20, "some rule takes time that grows faster than the text"


def test_schemas_are_bounded():
    for reader in READERS:
        schema = reader.schema()
        assert schema["type"] == "string"
        assert {"enum", "maxLength", "pattern"} & set(schema)
