"""Faults of operators, comparisons, conditions, calls, constants and names."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import pairwise

from madbench.tasks.seeded.edits import Edit
from madbench.tasks.seeded.sites import Code, Kind, Site

BOUNDARY = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
FLIPPED = {
    "<": ">",
    "<=": ">=",
    ">": "<",
    ">=": "<=",
    "==": "!=",
    "!=": "==",
    "is not": "is",
    "is": "is not",
} | {
    "not in": "in",
    "in": "not in",
}
OPERATORS = {
    "+": "-",
    "-": "+",
    "*": "//",
    "/": "*",
    "//": "*",
    "%": "//",
    "**": "*",
    "<<": ">>",
    ">>": "<<",
} | {
    "&": "|",
    "|": "&",
    "^": "|",
}
SYMBOLS: dict[type[ast.AST], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.And: "and",
    ast.Or: "or",
}
BUILTIN = frozenset({"min", "max", "any", "all"})
"""Those of the following that are called without a dot."""
FUNCTIONS = dict(
    pair
    for one, other in (
        ("min", "max"),
        ("any", "all"),
        ("startswith", "endswith"),
        ("lstrip", "rstrip"),
        ("find", "rfind"),
        ("index", "rindex"),
        ("split", "rsplit"),
        ("partition", "rpartition"),
        ("lower", "upper"),
        ("append", "extend"),
        ("match", "search"),
        ("ljust", "rjust"),
        ("ceil", "floor"),
        ("isdigit", "isalpha"),
        ("islower", "isupper"),
        ("keys", "values"),
    )
    for pair in ((one, other), (other, one))
)
ORDERED = ast.Sub | ast.Div | ast.FloorDiv | ast.Mod | ast.Pow | ast.LShift | ast.RShift
SIBLINGS = {
    " ": "\t",
    ",": ";",
    ";": ",",
    ":": ";",
    "/": "\\",
    "\\": "/",
    ".": ",",
    "-": "_",
    "_": "-",
    "(": ")",
} | {
    ")": "(",
    "[": "]",
    "]": "[",
    "'": '"',
    '"': "'",
    "\n": " ",
    "=": ":",
    "&": ";",
    "*": "?",
    "?": "*",
}


def of_expression(code: Code, node: ast.AST) -> Iterator[Site]:
    """All faults that one expression (or augmented assignment) can be given, its children's apart."""
    yield from _of_operators(code, node)
    match node:
        case ast.Call():
            yield from _calls(code, node)
        case ast.Constant():
            yield from _constants(code, node)
        case ast.Name(ctx=ast.Load()):
            yield from _bounds(code, node)
            yield from _variables(code, node)


def _of_operators(code: Code, node: ast.AST) -> Iterator[Site]:
    match node:
        case ast.Compare():
            yield from _comparisons(code, node)
        case ast.BinOp():
            yield from _operations(code, node)
        case ast.AugAssign():
            yield from _symbol(code, "wrong_operator", node, (node.target, node.op, node.value))
        case ast.BoolOp():
            yield from _connectives(code, node)
        case ast.UnaryOp(op=ast.Not()) if not _is_test(code, node):
            yield from _without_not(code, node)


def _comparisons(code: Code, node: ast.Compare) -> Iterator[Site]:
    operands = [node.left, *node.comparators]
    for (left, right), operator in zip(pairwise(operands), node.ops, strict=True):
        for kind in ("boundary", "flipped_comparison"):
            yield from _symbol(code, kind, node, (left, operator, right))


def _operations(code: Code, node: ast.BinOp) -> Iterator[Site]:
    if not any(_is_text(operand) for operand in (node.left, node.right)):
        yield from _symbol(code, "wrong_operator", node, (node.left, node.op, node.right))
    if isinstance(node.op, ORDERED) and not isinstance(node.left, ast.Constant):
        yield from _swapped(code, "swapped_operands", node, (node.left, node.right))


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)


def _connectives(code: Code, node: ast.BoolOp) -> Iterator[Site]:
    for left, right in pairwise(node.values):
        yield from _symbol(code, "wrong_connective", node, (left, node.op, right))


def _symbol(
    code: Code, kind: Kind, whole: ast.AST, parts: tuple[ast.AST, ast.AST, ast.AST]
) -> Iterator[Site]:
    """The operator between two operands, replaced by what this kind of fault makes of it."""
    left, operator, right = parts
    was = SYMBOLS.get(type(operator), "")
    tables = {"boundary": BOUNDARY, "flipped_comparison": FLIPPED, "wrong_operator": OPERATORS}
    now = tables.get(kind, {"and": "or", "or": "and"}).get(was)
    start = code.text.end(left)
    gap = code.text.source[start : code.text.start(right)]
    found = re.search(r"\s+".join(map(re.escape, was.split())), gap)
    if now and found and "#" not in gap:
        yield code.replaced(kind, whole, Edit(start + found.start(), start + found.end(), now))


def _without_not(code: Code, node: ast.UnaryOp) -> Iterator[Site]:
    edit = Edit(code.text.start(node), code.text.start(node.operand), "")
    if "(" not in code.text.source[edit.start : edit.end]:
        yield code.replaced("negated_condition", node, edit)


def _is_test(code: Code, node: ast.AST) -> bool:
    return isinstance(parent := code.parents[node], ast.If | ast.While) and parent.test is node


def _calls(code: Code, node: ast.Call) -> Iterator[Site]:
    if not any(isinstance(argument, ast.Starred) for argument in node.args):
        for pair in pairwise(node.args[:3]):
            yield from _swapped(code, "swapped_arguments", node, pair)
    called = node.func
    name = called.attr if isinstance(called, ast.Attribute) else _builtin(code, called)
    if name in FUNCTIONS:
        end = code.text.end(called)
        yield code.replaced("wrong_function", node, Edit(end - len(name), end, FUNCTIONS[name]))


def _builtin(code: Code, called: ast.expr) -> str:
    """The name of a function that is Python's own; nothing for others, which a disguise may rename."""
    own = isinstance(called, ast.Name) and called.id in BUILTIN and called.id not in code.variables
    return called.id if own and isinstance(called, ast.Name) else ""


def _swapped(code: Code, kind: Kind, whole: ast.AST, pair: tuple[ast.AST, ast.AST]) -> Iterator[Site]:
    text = code.text
    (start, middle), (second, end) = ((text.start(part), text.end(part)) for part in pair)
    one, gap, other = text.source[start:middle], text.source[middle:second], text.source[second:end]
    if one != other and "\n" not in text.source[start:end] and not set("()") & set(gap):
        yield code.replaced(kind, whole, Edit(start, end, f"{other}{gap}{one}"))


def _constants(code: Code, node: ast.Constant) -> Iterator[Site]:
    start, end, written = code.text.start(node), code.text.end(node), code.text.of_node(node)
    argument = _defaults(code.function.args).get(node)
    kind: Kind = "off_by_one" if type(node.value) is int and _counts(code, node) else "wrong_constant"
    least = 1 if isinstance(code.parents[node], ast.BinOp | ast.UnaryOp) else 0
    for now in _neighbours(node.value, written, least):
        if argument:
            said = f"Wrong default: `{argument}={now}` where `{argument}={written}` is meant"
            yield Site("wrong_default", Edit(start, end, now), said)
        else:
            yield code.replaced(kind, _quoted(code, node), Edit(start, end, now))


def _defaults(arguments: ast.arguments) -> dict[ast.expr | None, str]:
    """Names of arguments by their defaults' nodes."""
    positional = [*arguments.posonlyargs, *arguments.args]
    late = positional[len(positional) - len(arguments.defaults) :]
    defaults: list[ast.expr | None] = [*arguments.defaults, *arguments.kw_defaults]
    named = zip(defaults, [*late, *arguments.kwonlyargs], strict=True)
    return {default: argument.arg for default, argument in named}


def _neighbours(value: object, written: str, least: int) -> Iterator[str]:
    """Wrong values near a right one, as code; whole numbers of at least `least`."""
    if isinstance(value, bool):
        yield repr(not value)
    elif isinstance(value, int):
        spell = hex if written.startswith("0x") else repr
        yield from (spell(near) for near in (value + 1, value - 1) if near >= least)
    elif isinstance(value, float):
        yield repr(value / 2 if value else 1.0)
    elif isinstance(value, str) and len(value) <= 20 and "\n" not in written:
        yield repr(_near_text(value))
    elif isinstance(value, bytes) and len(value) <= 20 and "\n" not in written:
        yield repr(_near_text(value.decode("latin-1")).encode("latin-1"))


def _near_text(value: str) -> str:
    if len(value) == 1:
        return SIBLINGS.get(value, value.swapcase())
    return value[:-1] if value else " "


def _counts(code: Code, node: ast.AST) -> bool:
    """Whether an expression says a place or a number of things: an index, a bound, an addend, a limit of a range."""
    parent = code.parents[node]
    if isinstance(parent, ast.Call):
        return isinstance(parent.func, ast.Name) and parent.func.id == "range"
    if isinstance(parent, ast.BinOp):
        return isinstance(parent.op, ast.Add | ast.Sub)
    return isinstance(parent, ast.Slice | ast.Subscript | ast.Compare | ast.AugAssign)


def _quoted(code: Code, node: ast.AST) -> ast.AST:
    """The smallest expression around a node that says enough to be quoted."""
    parent = code.parents[node]
    while isinstance(parent, ast.Slice | ast.UnaryOp | ast.keyword | ast.Tuple) and hasattr(parent, "lineno"):
        node, parent = parent, code.parents[parent]
    return parent if isinstance(parent, ast.expr | ast.Return | ast.Assign | ast.AugAssign) else node


def _bounds(code: Code, node: ast.Name) -> Iterator[Site]:
    parent = code.parents[node]
    is_range = isinstance(parent, ast.Call) and node in parent.args and _counts(code, node)
    if isinstance(parent, ast.Slice) or is_range:
        end = code.text.end(node)
        for step in (" + 1", " - 1"):
            yield code.replaced("off_by_one", _quoted(code, node), Edit(end, end, step))


USES = (ast.Call, ast.Compare, ast.BinOp, ast.Subscript, ast.Slice, ast.Return, ast.keyword)


def _variables(code: Code, node: ast.Name) -> Iterator[Site]:
    """Another variable in a variable's place: the one bound just before it, or just after if it is the first."""
    known = [name for name, line in code.variables.items() if line < node.lineno]
    parent = code.parents[node]
    called = isinstance(parent, ast.Call) and parent.func is node
    if node.id in known and len(known) > 1 and isinstance(parent, USES) and not called:
        place = known.index(node.id)
        other = known[place - 1] if place else known[1]
        edit = Edit(code.text.start(node), code.text.end(node), other)
        yield code.replaced("wrong_variable", _quoted(code, node), edit)
