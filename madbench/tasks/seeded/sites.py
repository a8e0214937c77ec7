"""Where a function's text can be made wrong: the words that all mutations share."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from madbench.tasks.seeded.edits import Edit, Text, applied

Kind = Literal[
    "off_by_one",
    "boundary",
    "flipped_comparison",
    "wrong_operator",
    "swapped_operands",
    "wrong_connective",
    "negated_condition",
    "swapped_arguments",
    "wrong_variable",
    "wrong_function",
    "wrong_constant",
    "wrong_default",
    "dropped_guard",
    "lost_return",
    "lost_update",
    "wrong_jump",
    "resource_leak",
]
WIDEST = 70
"""Characters of code that a description quotes."""


@dataclass(frozen=True, slots=True)
class Site:
    """One way to make a function wrong: what kind of fault, the edit, and what is wrong in words."""

    kind: Kind
    edit: Edit
    description: str
    head: int = 0
    """How many lines of the new text are wrong, where the rest is only indented anew; 0: all."""


@dataclass(frozen=True, slots=True)
class Code:
    """A function's text with its syntax tree, its parents by node, and its variables in order of appearance."""

    text: Text
    function: ast.FunctionDef
    parents: dict[ast.AST, ast.AST]
    variables: dict[str, int]
    """Arguments and variables in order of appearance, with the line below which each is bound."""

    @classmethod
    def of(cls, source: str) -> Code:
        tree = ast.parse(source)
        function = tree.body[0]
        if not isinstance(function, ast.FunctionDef):
            raise TypeError(f"wanted the text of one function, found {source[:40]!r}")
        parents = {child: node for node in ast.walk(function) for child in ast.iter_child_nodes(node)}
        text = Text.of(source)
        return cls(text, function, parents, _variables(function, text))

    def nodes(self) -> Iterator[ast.AST]:
        """All nodes that may be made wrong: none of docstrings, messages of errors, annotations, formatted texts."""
        yield from _open_nodes(self.function)

    def replaced(self, kind: Kind, whole: ast.AST, edit: Edit) -> Site:
        """A site inside an expression or header, described by the whole before and after."""
        start = self.text.start(whole)
        meant = self.text.of_node(whole)
        now = applied(meant, [Edit(edit.start - start, edit.end - start, edit.text)])
        return Site(kind, edit, f"{KINDS[kind]}: `{_short(now)}` where `{_short(meant)}` is meant")

    def dropped(self, kind: Kind, statement: ast.stmt) -> Site | None:
        """A site that takes a statement out, where it has its lines to itself and company in its block."""
        lines = self.text.whole_lines(statement)
        if lines is None or len(self.block(statement)) < 2:
            return None
        return Site(
            kind, Edit(*lines, ""), f"{KINDS[kind]}: `{_short(self.text.of_node(statement))}` is missing here"
        )

    def block(self, statement: ast.stmt) -> list[ast.stmt]:
        """The statements among which this one stands, a docstring left out."""
        parent = self.parents[statement]
        for part in ("body", "orelse", "finalbody"):
            block = getattr(parent, part, None)
            if isinstance(block, list) and statement in block:
                return [other for other in block if not is_docstring(other)]
        return []


KINDS: dict[Kind, str] = {
    "off_by_one": "Off by one",
    "boundary": "Wrong at the boundary",
    "flipped_comparison": "Comparison the wrong way round",
    "wrong_operator": "Wrong operator",
    "swapped_operands": "Operands swapped",
    "wrong_connective": "Wrong connective",
    "negated_condition": "Condition negated",
    "swapped_arguments": "Arguments swapped",
    "wrong_variable": "Wrong variable",
    "wrong_function": "Wrong function",
    "wrong_constant": "Wrong constant",
    "wrong_default": "Wrong default",
    "dropped_guard": "Guard missing",
    "lost_return": "Result not returned",
    "lost_update": "Update missing",
    "wrong_jump": "Wrong jump",
    "resource_leak": "Resource left open",
}


def is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _short(code: str) -> str:
    line = " ".join(code.split())
    return line if len(line) <= WIDEST else f"{line[: WIDEST - 3]}..."


def _open_nodes(node: ast.AST) -> Iterator[ast.AST]:
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not is_docstring(child):
                yield child
                if not isinstance(child, ast.Raise | ast.JoinedStr | ast.Assert):
                    yield from _open_nodes(child)


def _variables(function: ast.FunctionDef, text: Text) -> dict[str, int]:
    arguments = function.args
    bound = {a.arg: 0 for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    stores = [
        node for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]
    for node in sorted(stores, key=text.start):
        bound.setdefault(node.id, node.lineno)
    return bound
