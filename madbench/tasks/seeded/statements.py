"""Faults of statements: what is missing, turned round, or left open."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from madbench.tasks.seeded.edits import Edit
from madbench.tasks.seeded.sites import KINDS, Code, Site

LEAVES = ast.Raise | ast.Return | ast.Continue | ast.Break


def of_statement(code: Code, node: ast.AST) -> Iterator[Site]:
    """All faults that one statement can be given, its expressions' apart."""
    yield from _of_blocks(code, node)
    match node:
        case ast.Return(value=ast.expr()):
            yield from _unreturned(code, node)
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="close"))):
            yield from _some(code.dropped("resource_leak", node))
        case ast.AugAssign() | ast.Expr(value=ast.Call()):
            yield from _some(code.dropped("lost_update", node))
        case ast.Assign() if _updates(node):
            yield from _some(code.dropped("lost_update", node))
        case ast.Break() | ast.Continue():
            now = "continue" if isinstance(node, ast.Break) else "break"
            yield code.replaced("wrong_jump", node, _instead(code, node, now))


def _of_blocks(code: Code, node: ast.AST) -> Iterator[Site]:
    match node:
        case ast.If() | ast.While():
            yield from _negated(code, node)
            if isinstance(node, ast.If) and not node.orelse and isinstance(node.body[-1], LEAVES):
                yield from _some(code.dropped("dropped_guard", node))
        case ast.With():
            yield from _left_open(code, node)


def _some(site: Site | None) -> Iterator[Site]:
    if site is not None:
        yield site


def _instead(code: Code, node: ast.AST, text: str) -> Edit:
    return Edit(code.text.start(node), code.text.end(node), text)


def _negated(code: Code, node: ast.If | ast.While) -> Iterator[Site]:
    test = node.test
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        now = code.text.of_node(test)[3:].lstrip()
    elif isinstance(test, ast.Name | ast.Attribute | ast.Call | ast.Subscript):
        now = f"not {code.text.of_node(test)}"
    else:
        now = f"not ({code.text.of_node(test)})"
    yield code.replaced("negated_condition", test, _instead(code, test, now))


def _unreturned(code: Code, node: ast.Return) -> Iterator[Site]:
    """A call whose result is lost, or a last line that is missing."""
    if isinstance(node.value, ast.Call):
        start = code.text.start(node)
        yield code.replaced("lost_return", node, Edit(start, code.text.start(node.value), ""))
    elif node is code.function.body[-1]:
        yield from _some(code.dropped("lost_return", node))


def _updates(node: ast.Assign) -> bool:
    """Whether a variable gets a new value that is made of its old one."""
    target = node.targets[0]
    used = {name.id for name in ast.walk(node.value) if isinstance(name, ast.Name)}
    return len(node.targets) == 1 and isinstance(target, ast.Name) and target.id in used


def _left_open(code: Code, node: ast.With) -> Iterator[Site]:
    """What a block opens and closes, opened without it: the rest of the block is indented less."""
    text = code.text
    lines = text.whole_lines(node)
    names = [item.optional_vars for item in node.items if isinstance(item.optional_vars, ast.Name)]
    if lines is None or node.body[0].lineno == node.lineno or len(names) < len(node.items):
        return
    margin, inner = " " * node.col_offset, " " * node.body[0].col_offset
    made = [
        f"{text.of_node(name)} = {text.of_node(item.context_expr)}"
        for name, item in zip(names, node.items, strict=True)
    ]
    body = text.source[text.end(names[-1]) : lines[1]].partition("\n")[2].splitlines(keepends=True)
    rest = [margin + line.removeprefix(inner) if line.startswith(inner) else line for line in body]
    now = "".join([*(f"{margin}{one}\n" for one in made), *rest])
    meant = f"with {text.of_node(node.items[0].context_expr)}"
    said = f"{KINDS['resource_leak']}: `{made[0]}` is never closed where `{meant}` is meant"
    head = sum(one.count("\n") + 1 for one in made)
    yield Site("resource_leak", Edit(text.starts[node.lineno - 1], lines[1], now), said, head)
