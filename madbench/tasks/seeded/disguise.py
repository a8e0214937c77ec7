"""Functions that models know, made strange: other names, no docstrings, no comments; the syntax stays as it is."""

from __future__ import annotations

import ast
import io
import random
import re
import tokenize
from collections.abc import Iterable, Iterator

from madbench.tasks.seeded.edits import Edit, Text, applied
from madbench.tasks.seeded.stdlib import Module

_WORDS = (
    "acorn alder amber aspen basil beech birch bramble cedar clover coral cotton cypress daisy dove elder elm ember"
    " falcon fern finch flax flint garnet ginger granite grove hazel heath heron holly iris ivory ivy jasper juniper"
    " kelp larch laurel lemon lilac linden lotus maple marble marsh meadow mint moss myrtle nectar nettle oak olive"
    " onyx opal orchid otter pearl pebble pepper pine plum poplar poppy quail quartz quince raven reed river robin"
    " rowan ruby rush saffron sage sparrow spruce sumac swan thistle thyme topaz tulip umber velvet violet walnut"
    " willow wren yarrow zinnia"
)
NAMES = tuple(_WORDS.split())
"""Names that say nothing about code."""


def bare(source: str) -> str:
    """A function without docstrings and comments, all else as it stands."""
    return applied(source, [*_docstrings(source), *_comments(source)])


def renamed(source: str, names: dict[str, str]) -> str:
    """A function with other names for what is bound in it or in its module."""
    text = Text.of(source)
    return applied(
        source, [edit for node in ast.walk(ast.parse(source)) for edit in _renaming(text, node, names)]
    )


def own_names(source: str, module: Module) -> list[str]:
    """Names that a function brings along, in order of appearance: its own, its variables', its module's. Those of
    imported modules and of Python itself are not among them.
    """
    text, tree = Text.of(source), ast.parse(source)
    bound = {
        node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    bound |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    bound |= {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    bound |= set(module.texts) - module.imported
    found = [(text.start(node), name) for node in ast.walk(tree) for name in _named(node) if name in bound]
    return list(dict.fromkeys(name for _, name in sorted(found)))


def drawn_names(own: Iterable[str], seed: int) -> dict[str, str]:
    """A new name for each, none twice."""
    rest = list(dict.fromkeys(own))
    pool = random.Random(seed).sample(NAMES, len(NAMES))
    pool += [f"{name}_{number}" for number in range(2, 2 + len(rest) // len(NAMES)) for name in pool]
    return dict(zip(rest, pool, strict=False))


def _named(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.FunctionDef):
        yield node.name


def _renaming(text: Text, node: ast.AST, names: dict[str, str]) -> Iterator[Edit]:
    for name in _named(node):
        if name in names:
            start = text.start(node)
            if isinstance(node, ast.FunctionDef):
                head = re.compile(rf"def\s+(?={name}\b)").match(text.source, start)
                start = head.end() if head else start
            yield Edit(start, start + len(name), names[name])


def _docstrings(source: str) -> Iterator[Edit]:
    text = Text.of(source)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and ast.get_docstring(node, clean=False) is not None:
            lines = text.whole_lines(node.body[0])
            if lines and len(node.body) > 1:
                yield Edit(lines[0], _after_blank(source, lines[1]), "")


def _after_blank(source: str, place: int) -> int:
    """Beyond the empty lines that follow."""
    blank = re.compile(r"([ \t]*\n)*").match(source, place)
    return blank.end() if blank else place


def _comments(source: str) -> Iterator[Edit]:
    text = Text.of(source)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            start, end = text.starts[row - 1], text.starts[row]
            before = source[start : start + column]
            if before.strip():
                yield Edit(start + len(before.rstrip()), start + column + len(token.string), "")
            elif not _in_docstring_lines(text, start):
                yield Edit(start, end, "")


def _in_docstring_lines(text: Text, start: int) -> bool:
    """Whether a comment stands right above a docstring, whose edit takes it along."""
    return any(edit.start <= start < edit.end for edit in _docstrings(text.source))
