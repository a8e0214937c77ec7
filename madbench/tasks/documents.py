"""Documents fit to be reviewed: what is no document is refused, what can be cleaned is cleaned with a note."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from html.parser import HTMLParser
from pathlib import PurePosixPath

from madbench.types import UNSHOWN, Artifact, Document, InputError

LONGEST = 100_000
"""Characters up to which documents are taken; beyond, nobody reviews them in one piece."""

PAGE = re.compile(
    r"(?:\s|<!--.*?-->|<\?xml[^>]*\?>)*<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE | re.DOTALL
)
MARKUP = frozenset({".html", ".htm", ".xhtml", ".vue", ".svelte", ".j2", ".jinja", ".tmpl", ".php", ".erb"})
"""Files whose source is markup, so that it is what is reviewed."""
HIDDEN = frozenset({"script", "style", "noscript", "template", "svg", "nav", "head", "iframe"})
BLOCKS = frozenset({"p", "div", "br", "li", "tr", "pre", "section", "article", "table", "ul", "ol", "hr"}) | {
    f"h{level}" for level in range(1, 7)
}
BREAKS = re.compile("[\v\f\x1c-\x1e\x85\u2028\u2029]")
"""What Python takes for a line's end and editors do not: kept, it would shift line numbers."""
CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")
FEWEST_WORDS = 20
MOST_LINKED = 0.6
"""A page of which more text than this stands in links is an index or a dashboard, no document."""


def artifact_of(texts: Mapping[str, str], purpose: str, where: str, *, notes: Iterable[str] = ()) -> Artifact:
    """The artifact of named texts. Of several, those that are no documents are left out with a note.

    Raises InputError where none remains, or for a name that leads out of its folder.
    """
    documents: list[Document] = []
    noted = list(notes)
    for name, text in texts.items():
        try:
            document, more = document_of(name, text, where)
        except NoDocumentError as error:
            if len(texts) == 1:
                raise
            noted.append(f"left out: {error}")
        else:
            documents.append(document)
            noted += more
    if (whole := sum(shown(document.text) for document in documents)) > LONGEST:
        raise InputError(
            f"{where}: {len(documents)} documents of {whole} characters, at most {LONGEST} can be reviewed in one piece"
        )
    if not documents:
        raise InputError(f"{where}: no document to review{''.join(f'; {note}' for note in noted)}")
    return Artifact(tuple(documents), purpose.strip(), tuple(noted))


class NoDocumentError(InputError):
    """A text that cannot be reviewed: empty, binary, too long, or a page without a text of its own."""


def document_of(name: str, text: str, where: str) -> tuple[Document, tuple[str, ...]]:
    """A document with plain line ends, and notes on what was cleaned away."""
    path, plain = path_of(name, where), text.replace("\r\n", "\n").replace("\r", "\n")
    _sound(plain, f"{where}: {path}")
    notes = []
    if PAGE.match(plain) and PurePosixPath(path).suffix.lower() not in MARKUP:
        before, plain = len(plain), text_of_page(plain, f"{where}: {path}")
        notes.append(f"{path}: tags of an HTML page taken out, {len(plain)} of {before} characters left")
    if odd := len(BREAKS.findall(plain)) + len(CONTROLS.findall(plain)):
        plain = CONTROLS.sub(" ", BREAKS.sub(" ", plain))
        notes.append(f"{path}: {odd} control characters made spaces")
    return Document(path, plain), tuple(notes)


def path_of(name: str, where: str) -> str:
    """A document's name, a path below its artifact's folder. Raises InputError for one that leads out of it."""
    path = PurePosixPath(name.replace("\\", "/"))
    bad = path.is_absolute() or ".." in path.parts or re.match(r"[A-Za-z]:", name)
    if bad or not path.parts or not name.isprintable() or name.startswith("~"):
        raise InputError(f"{where}: document name {name!r}; wanted a path inside the artifact's own folder")
    return str(path)


def _sound(text: str, where: str) -> None:
    if not text.strip():
        raise NoDocumentError(f"{where}: empty")
    if (size := shown(text)) > LONGEST:
        raise NoDocumentError(f"{where}: {size} characters, at most {LONGEST} can be reviewed in one piece")
    if "\0" in text or len(CONTROLS.findall(text)) + text.count("\ufffd") > len(text) // 20:
        raise NoDocumentError(f"{where}: binary, no text")


def shown(text: str) -> int:
    """Characters of a text that its source shows."""
    return len(text) - len(f"{UNSHOWN}\n") * text.count(f"{UNSHOWN}\n")


class Page(HTMLParser):
    """Collects the text of a page; `linked` counts the characters that stand in links."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.linked, self._open = 0, list[str]()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in BLOCKS:
            self.parts.append("\n")
        if tag in HIDDEN or tag == "a":
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._open:
            while self._open.pop() != tag:
                pass
        if tag in BLOCKS:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if HIDDEN.isdisjoint(self._open):
            self.parts.append(data)
            self.linked += len(data.strip()) if "a" in self._open else 0


def text_of_page(page: str, where: str) -> str:
    """The text of an HTML page. Raises NoDocumentError where there is hardly any, or mostly links."""
    parser = Page()
    try:
        parser.feed(page)
        parser.close()
    except AssertionError as error:  # how the standard library says that a declaration is broken
        raise NoDocumentError(f"{where}: a broken HTML page ({error})") from error
    lines = (" ".join(line.split()) for line in "".join(parser.parts).split("\n"))
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
    if len(text.split()) < FEWEST_WORDS:
        raise NoDocumentError(f"{where}: an HTML page with {len(text.split())} words of text, no document")
    if parser.linked > MOST_LINKED * len(text):
        raise NoDocumentError(
            f"{where}: an HTML page that is mostly links (an index, a dashboard), no document"
        )
    return text + "\n"
