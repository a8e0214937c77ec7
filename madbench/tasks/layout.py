"""From a row of some data set to an item of ours: which column means what, and what kind of answer it has."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Literal, get_args

from pydantic import JsonValue

from madbench.tasks.answers import BoolReader, ChoiceReader, NumberReader, TextReader
from madbench.tasks.hashing import short_hash
from madbench.types import AnswerReader, InputError, seed_of

Kind = Literal["auto", "number", "mcq", "bool", "text"]
KINDS = get_args(Kind)[1:]
DIALECTS = (("yes", "no"), ("True", "False"), ("valid", "invalid"))
EMBEDDED = re.compile(r"^\(([A-Z])\) (.+)$", re.MULTILINE)
"""Options written into a question's own text, one a line."""


@dataclass(frozen=True)
class Layout:
    """Names of columns. `question` may join several (`Body+Question`); `suspect` (`redux.error_type`) names a
    column that says what is wrong with a row (`ok` or nothing: fine); `shuffle` is for sources that keep the
    right option in one place.
    """

    question: str = "question"
    answer: str = "answer"
    choices: str = "choices"
    id: str = "id"
    group: str = "group"
    kind: Kind = "auto"
    suspect: str = ""
    shuffle: bool = False


@dataclass(frozen=True)
class Item:
    """One question with its right answer, in canonical form, and what is known against it."""

    id: str
    cluster: str
    question: str
    reader: AnswerReader
    answer: str
    working: str = ""
    suspect: str = ""

    @property
    def meaning(self) -> str:
        """The right answer in words: for a letter, its option's text."""
        if isinstance(self.reader, ChoiceReader) and self.reader.options:
            return self.reader.options[self.reader.letters.index(self.answer)].strip()
        return self.answer


def item_of(row: Mapping[str, JsonValue], layout: Layout, where: str) -> Item:
    """Read one row. Raises InputError, naming the row, for a missing question, or a gold missing or unreadable."""
    question = _question(row, layout, where)
    texts, right = _choices(row.get(layout.choices))
    if not texts and layout.kind in ("auto", "mcq"):
        texts = [text for _, text in EMBEDDED.findall(question)]
    gold = row.get(layout.answer) if right is None else texts[right]
    if not isinstance(gold, str | int | float) or gold != gold or not str(gold).strip():
        raise InputError(
            f"{where}: no gold in column {layout.answer!r}, found {gold!r}; columns: {sorted(row)}"
        )
    if (kind := _kind(row, layout, texts, gold)) not in KINDS:
        raise InputError(f"{where}: no answer_type {kind!r}; there are {', '.join(KINDS)}")
    if kind == "mcq" and texts:
        return _choice_item(row, layout, (question, texts, gold), where)
    reader = _reader(kind, gold)
    answer = reader.read(str(gold)).strict or reader.canonical(str(gold))
    return _item(row, layout, (question, reader, answer), where)


def _item(
    row: Mapping[str, JsonValue], layout: Layout, read: tuple[str, AnswerReader, str | None], where: str
) -> Item:
    question, reader, answer = read
    if answer is None:
        found, wanted = row.get(layout.answer), type(reader).__name__
        raise InputError(f"{where}: gold {found!r} in column {layout.answer!r} is no answer for a {wanted}")
    name = str(row.get(layout.id) or "") or short_hash(f"{question}\n{answer}")
    group = str(row.get(layout.group) or "") or short_hash(" ".join(question.split()))
    return Item(name, group, question, reader, answer, _working(row, layout), _suspect(row, layout, reader))


def _question(row: Mapping[str, JsonValue], layout: Layout, where: str) -> str:
    parts = [row.get(column) for column in layout.question.split("+")]
    question = " ".join(part.strip() for part in parts if isinstance(part, str) and part.strip())
    if not question:
        raise InputError(f"{where}: no text in column {layout.question!r}; columns: {sorted(row)}")
    return question


def _choices(raw: JsonValue) -> tuple[list[str], int | None]:
    """Option texts from every shape that sets use, and the right one's place where the options carry it."""
    if isinstance(raw, dict):
        texts, labels = raw.get("choices", raw.get("text")), raw.get("labels")
        if isinstance(texts, list):
            return list(map(str, texts)), labels.index(1) if isinstance(
                labels, list
            ) and 1 in labels else None
        return [str(raw[label]) for label in sorted(raw) if raw[label] is not None], None
    options = raw if isinstance(raw, list) else []
    return [
        str(option.get("text", option) if isinstance(option, dict) else option) for option in options
    ], None


def _kind(row: Mapping[str, JsonValue], layout: Layout, texts: Sequence[str], gold: JsonValue) -> str:
    if layout.kind != "auto":
        return layout.kind
    if isinstance(named := row.get("answer_type"), str):
        return named
    if texts:
        return "mcq"
    if isinstance(gold, bool) or str(gold).strip().lower() in {
        word.lower() for pair in DIALECTS for word in pair
    }:
        return "bool"
    marked = NumberReader().read(str(gold)).strict
    return "number" if marked or re.fullmatch(r"[\s$€£]*[-+−]?[\d.,]+\s*%?", str(gold)) else "text"


def _reader(kind: str, gold: JsonValue) -> AnswerReader:
    if kind == "number":
        return NumberReader()
    if kind == "bool":
        said = "" if isinstance(gold, bool) else str(gold).strip().lower()
        return BoolReader(
            *next((pair for pair in DIALECTS if said in (pair[0].lower(), pair[1].lower())), DIALECTS[0])
        )
    if kind == "mcq":
        return ChoiceReader(ascii_uppercase)
    return TextReader()


def _choice_item(
    row: Mapping[str, JsonValue], layout: Layout, parts: tuple[str, list[str], JsonValue], where: str
) -> Item:
    question, texts, gold = parts
    if not 2 <= len(texts) <= len(ascii_uppercase):
        raise InputError(f"{where}: {len(texts)} options in column {layout.choices!r}, wanted 2 to 26")
    right = _right(gold, texts, row.get(layout.choices))
    order = list(range(len(texts)))
    written = all(text in question for text in texts)
    if layout.shuffle and not written:
        order.sort(key=lambda place: seed_of("options", question, texts[place], place))
    letters, shown = ascii_uppercase[: len(texts)], tuple(texts[place] for place in order)
    answer = None if right is None else letters[order.index(right)]
    listed = "\n".join(f"{letter}) {text}" for letter, text in zip(letters, shown, strict=True))
    full = question if written else f"{question}\n{listed}"
    return _item(row, layout, (full, ChoiceReader(letters, shown), answer), where)


def _right(gold: JsonValue, texts: Sequence[str], raw: JsonValue) -> int | None:
    """The right option's place: by index, else by label, else by its words."""
    if isinstance(gold, int) and not isinstance(gold, bool):
        return gold if 0 <= gold < len(texts) else None
    said = str(gold).strip()
    names = _labels(raw) or list(ascii_uppercase[: len(texts)])
    if (bare := said.strip("()[]. ")) in names:
        return names.index(bare)
    return texts.index(said) if texts.count(said) == 1 else None


def _labels(raw: JsonValue) -> list[str]:
    """The options' own labels, where they have any: `[{label, text}]`, or `{label: [...], text: [...]}`."""
    if isinstance(raw, list):
        return [str(option.get("label", "")) for option in raw if isinstance(option, dict)]
    found = raw.get("label") if isinstance(raw, dict) and isinstance(raw.get("text"), list) else None
    return list(map(str, found)) if isinstance(found, list) else []


def _working(row: Mapping[str, JsonValue], layout: Layout) -> str:
    """Steps to the answer, for worked examples: a rationale, or what stands before the gold's `####`."""
    gold, rationale = row.get(layout.answer), row.get("rationale")
    steps = gold if isinstance(gold, str) and "####" in gold else rationale
    return re.sub(r"<<.*?>>", "", steps.partition("####")[0]).strip() if isinstance(steps, str) else ""


def _suspect(row: Mapping[str, JsonValue], layout: Layout, reader: AnswerReader) -> str:
    value: JsonValue = dict(row)
    for key in filter(None, layout.suspect.split(".")):
        value = value.get(key) if isinstance(value, dict) else None
    if layout.suspect and value not in (None, "", "ok"):
        return str(value)
    options = [" ".join(text.split()) for text in reader.options] if isinstance(reader, ChoiceReader) else []
    return "equal options" if len(set(options)) < len(options) else ""
