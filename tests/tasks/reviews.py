"""Small artifacts, issues and findings, written by hand or drawn by hypothesis."""

from hypothesis import strategies as st

from madbench.types import Artifact, Document, Finding, Issue, Span

WORDS = ("guard", "offset", "return", "loop", "empty", "index", "swap", "leak")


def artifact(*lines, names=("a.py", "b.py", "c.py")):
    """Documents of so many lines each."""
    return Artifact(
        tuple(
            Document(name, "\n".join(f"x{n} = {n}" for n in range(count)))
            for name, count in zip(names, lines, strict=False)
        )
    )


def span(first, last=None, document="a.py"):
    return Span(document=document, first=first, last=first if last is None else last)


def finding(first, last=None, text="", document="a.py", **more):
    return Finding(span=span(first, last, document), text=text, **more)


def issue(id, *spans, text="", kind="", document="a.py"):
    """Spans as (first, last)."""
    return Issue(id=id, spans=tuple(span(*at, document) for at in spans), description=text, kind=kind)


def every_line(artifact):
    """One finding a line: it cannot tell anything apart."""
    return [
        finding(line, document=document.name)
        for document in artifact.documents
        for line in range(1, len(document.lines) + 1)
    ]


def whole_files(artifact):
    return [finding(1, len(document.lines), document=document.name) for document in artifact.documents]


def sentences():
    return st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join)


def spans(lines):
    return st.tuples(st.integers(1, lines), st.integers(0, 3)).map(lambda at: (at[0], min(sum(at), lines)))


def findings(lines, max_size=5):
    one = st.builds(
        lambda at, text, id: finding(*at, text=text, id=id), spans(lines), sentences(), st.just("")
    )
    return st.lists(one, max_size=max_size).map(
        lambda found: [each.model_copy(update={"id": f"A/{n}"}) for n, each in enumerate(found, 1)]
    )


def issues(lines, max_size=4):
    one = st.tuples(st.lists(spans(lines), min_size=1, max_size=2), sentences())
    return st.lists(one, max_size=max_size).map(
        lambda found: [issue(f"i{n}", *at, text=text) for n, (at, text) in enumerate(found)]
    )
