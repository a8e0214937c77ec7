"""Parsers of what models say. None of them raises: what cannot be read is a reading too."""

from __future__ import annotations

import importlib
import json
import pkgutil
import unicodedata

import madbench.protocols
from madbench.agents.reading import read as read_reply
from madbench.protocols import (
    adversarial_review_legacy_entries,
    claims,
    judged_debate_forms,
    notes,
    profile,
    profile_as_published,
    quotes,
    restatement,
    roundtable_evidence,
    roundtable_quality,
    roundtable_repetition,
    tribunal_forms,
)
from madbench.protocols import adversarial_review_legacy_reading as legacy
from madbench.protocols.adversarial_review_forms import Defence, Objections, Rejoinder, Resolutions
from madbench.protocols.adversarial_review_items import Item
from madbench.protocols.adversarial_review_rows import Bounds
from madbench.protocols.adversarial_review_sheet import Sheet, about
from madbench.protocols.replies import json_object
from madbench.report.cells import HIDDEN, JOINERS, plain
from madbench.report.page import _embedded
from madbench.report.sheet import Sheet as Printed
from madbench.report.sheet import mark
from madbench.tasks.answers import (
    BoolReader,
    ChoiceReader,
    FindingsReader,
    LabelReader,
    NumberReader,
    TextReader,
    strict,
    visible,
)
from madbench.tasks.answers.passages import PassageChoiceReader
from madbench.tasks.gym_scorer import is_expression
from madbench.types import (
    Artifact,
    Completion,
    Document,
    Extraction,
    ParseStatus,
    Problem,
    Reading,
    Reply,
)

UNREAD = (ParseStatus.MISSING, ParseStatus.TRUNCATED)
ARTIFACT = Artifact(
    (Document("app.py", "def f(x):\n    return x + 1\n"), Document("lib/b.py", "y = 2\n")), "Adds."
)
FINDINGS = FindingsReader(ARTIFACT, 4, 80, 1)
OPTIONS = ("a cat", "two dogs", "three", "none of these")
READERS = {
    "numbers": NumberReader(marker="A:"),
    "choices": ChoiceReader("ABCD", OPTIONS),
    "letters": ChoiceReader("ABCDEFGH"),
    "passages": PassageChoiceReader(options=("yes it is", "no")),
    "booleans": BoolReader(),
    "truths": BoolReader("True", "False"),
    "texts": TextReader(),
    "grids": TextReader(case=True, whole=True, longest=2000),
    "labels": LabelReader(),
    "findings": FINDINGS,
}
REPLIES = [
    "Answer: 7", "The answer is \\boxed{12}.", "{final answer: -3/4}", "so 2 + 4 = 6, thus\nAnswer: $1,234.50",
    "<think>a</think>Answer: B", "**Answer:** (C) three", "not valid; Answer: invalid", "\\text{No}, because",
    "A: \\frac{3}{4} \\times 10^2", "1e400", "Final answer: the red ball.", "MATCH\nNO_MATCH", "Answer: 5\nQuestion: 2",
    '{"findings": [{"file": "app.py", "line": 2, "text": "adds"}]}', "app.py:2: adds one (severity: high)",
    "- **app.py, lines 1-2**: wrong\nSeverity: high\nConfidence: 0.9", "I found no issues.", "```json\n[]\n```",
    "Answer: 7\nAnswer: 8", "<think>never closed Answer: 3", "12,345,678.9 ≈ 1.2 × 10^{7}", "½ ٣ ² Answer: ٣/٤",
    "```\x0c\x00\x00```", "**Answer:\x0c** (C) three",
]  # fmt: skip
FORMS = [
    '{"answers": {"B/1/1": {"reason": "line 2 adds one", "evidence": ["app.py:2"], "move": "REBUTTED"}}}',
    '{"objections": {"A/1": {"objection": "no", "stance": "object"}}, "new_claims": ["x"]}',
    '{"answer": "7", "confidence": "high", "evidence": ["r = 0.61"], "claims": ["a", "b"]}',
    '{"vote": "yes", "reason": "it holds"}', '{"rank": ["A", "B"], "concerns": [{"proposal": "A", "text": "no"}]}',
    "B/1/1: REBUTTED. Line 2 shows that it adds one.", "No further objections.", "Score: 7/10", "REPHRASED: what is 2",
    "PROFILE_NOTE: jumps to answers\nConfidence: low", "Side: affirmative\n{\"Debate Answer\": \"7\"}", "PASS",
    "CONCEDED A/1: yes\nCARRIED A/2: later", "I refuse to continue", "<quote>two dogs</quote> so B", "Helpful: 0.8",
]  # fmt: skip


def said(data: bytes) -> str:
    """Bytes as text, with what no UTF-8 is as lone surrogates: a model's tokens may end anywhere."""
    return data.decode("utf-8", "surrogateescape")


def parts(data: bytes, count: int) -> list[str]:
    """So many texts, apart by a form feed."""
    found = said(data).split("\f")
    return [*found, *[""] * count][:count]


def answers(name: str):
    reader = READERS[name]

    def entry(data: bytes) -> None:
        text = said(data)
        found = reader.read(text, cut=len(data) % 2 == 1)
        assert isinstance(found, Extraction)
        assert (found.answer is None) == (found.status in UNREAD), found
        assert reader.read("", cut=False).answer is None
        marked = strict(reader).read(text) if name != "passages" else found
        assert marked.answer is None or name == "passages" or not marked.rule.startswith("fallback"), marked
        if found.span is not None:
            start, end = found.span
            assert 0 <= start <= end <= len(text), found
        if found.answer is not None and name not in ("findings", "labels"):
            assert reader.canonical(found.answer) == found.answer, found
        reader.canonical(text)

    return entry


def modules():
    for module in pkgutil.iter_modules(madbench.protocols.__path__, "madbench.protocols."):
        importlib.import_module(module.name)


def kinds(base: type[Reply]) -> list[type[Reply]]:
    found = [one for child in base.__subclasses__() for one in (child, *kinds(child))]
    ours = (one for one in found if one.__module__.startswith("madbench."))
    return sorted(set(ours), key=lambda one: (one.__module__, one.__qualname__))


modules()
ITEMS = (Item("B/1/1", "A/1", ("it adds one", "it does not")), Item("A/2"))
SAYS = [
    *(one for one in kinds(Reply) if one.read.__func__ is not Reply.read.__func__ and one is not Sheet),
    *(about(sheet, ITEMS, Bounds()) for sheet in (Objections, Defence, Rejoinder, Resolutions)),
    tribunal_forms.critique_of(("A", "B", "C"), ("A", "B", "C")),
    judged_debate_forms.speech_of(20),
]
PROBLEMS = (
    Problem("q", "q", "What is 2 + 5?", NumberReader()),
    Problem("c", "c", "Which?", ChoiceReader("ABCD", OPTIONS)),
    Problem("r", "r", ARTIFACT.purpose, FINDINGS),
)


def replies(data: bytes) -> None:
    """The first byte chooses the kind of reply, the second the problem and whether it was cut."""
    kind, how = (*data[:2], 0, 0)[:2]
    says = SAYS[kind % len(SAYS)]
    problem = PROBLEMS[2 if issubclass(says, Sheet) else how % len(PROBLEMS)]
    done = Completion(said(data[2:]), "length" if how & 16 else "stop", 3, 5)
    found = read_reply(says, done, problem, repaired=bool(how & 32))
    assert isinstance(found.reading, Reading)
    json.dumps(dict(found.reading.reply), allow_nan=False)
    if found.said is not None:
        again = read_reply(says, done, problem, repaired=True, earlier=found.said)
        assert again.reading.answer == found.reading.answer
        assert isinstance(found.said.missing(), str)


def debate(data: bytes) -> None:
    text, other = parts(data, 2)
    asked = [legacy.SelfObjection("B/1/1", "A/1", "no"), legacy.SelfObjection(other, "A/2", text[:9])]
    legacy.point_by_point(text, asked)
    legacy.by_first_word(text, asked)
    legacy.seems_degraded(text)
    legacy.seems_verified([text, other], "high")
    adversarial_review_legacy_entries.without(text, [other, "x"])


def roundtable(data: bytes) -> None:
    text, own, other = parts(data, 3)
    assert all(abs(r) <= 1 for r in roundtable_evidence.strengths(text))
    roundtable_evidence.figures(text)
    for quality in (roundtable_quality.EvidenceQuality(), roundtable_quality.PublishedQuality()):
        quality.bars(text)
        assert isinstance(quality.fault("high", [text, own], other), str)
        quality.fault(text, [own])
    for kind in (roundtable_repetition.ClaimRepetition, roundtable_repetition.PublishedRepetition):
        assert isinstance(kind(overlap=0.8).fault(text, [own], [other]), str)


def memory(data: bytes) -> None:
    one, other, more = parts(data, 3)
    for rules in (profile.Rules(), profile_as_published.PublishedRules()):
        held = rules.fresh()
        for note in (one, other, more, one):
            held, _ = rules.add(held, note)
        rules.active(held)
    notes.stylistic(one)
    notes.takes_up(one, other)
    found = restatement.fidelity(one, other)
    assert found is not None
    claims.claims(more)


def quoted(data: bytes) -> None:
    speech, passage = parts(data, 2)
    quotes.checked(speech, passage)


def shown(data: bytes) -> None:
    """Nothing that a terminal, Markdown or a page could take for more than text."""
    text = said(data)
    for line in (plain(text), mark(text)):
        assert not [c for c in line if unicodedata.category(c) in HIDDEN and c not in JOINERS], line
    row = Printed(text, ("arm", "n"), ((text, text),)).markdown().splitlines()[-1]
    assert row.replace("\\\\", "").replace("\\|", "").count("|") == 3, row
    page = _embedded({"texts": [text], text: text})
    assert not set(page) & set("<>&\u2028\u2029")
    assert json.loads(page)["texts"] == [text]
    Printed(text, ("arm", "n"), ((text, text),)).text()


def expression(data: bytes) -> None:
    text = said(data)
    if is_expression(text):
        assert "__" not in text
        assert "lambda" not in text.split()


TARGETS = {
    **{f"answers_{name}": (answers(name), REPLIES) for name in READERS},
    "replies": (
        replies,
        [f"{chr(kind)}{chr(kind % 3)}{text}" for kind, text in enumerate([*FORMS, *REPLIES])],
    ),
    "json_object": (lambda data: json_object(visible(said(data)), cut=len(data) % 2 == 1), FORMS),
    "legacy_debate": (debate, [*FORMS, "A/1 CONCEDED\fB/1/1"]),
    "roundtable": (roundtable, [*FORMS, "r = 0.61 explains 37% of the variance\fr=.5\ffigure 3"]),
    "memory": (memory, ["jumps to answers\fskips steps\fis brief, not long", *FORMS]),
    "quotes": (quoted, ["<quote>two dogs ran</quote>\fthe two dogs ran off", "<verified>x</verified>\fy"]),
    "shown": (
        shown,
        ["\x1b[31m|`\\|*<img src=x>[a](b)\u202e\u200b", "</script><!--\u2028", "a\nb\r\x08\x07\x9b"],
    ),
    "expression": (expression, ["(1 + 2) * 3", "sqrt(4)", "__import__('os')", "[1, 2]"]),
}
