"""Which functions can be shown alone, made wrong and renamed: decided by their text."""

from __future__ import annotations

import ast

from madbench.tasks.seeded.stdlib import Function, Module

SHORTEST, LONGEST = 5, 60
"""Lines of a function: without docstring and comments at the least, with them at the most."""
_WORDS = (
    "print input exec eval compile globals locals vars dir id hash super breakpoint exit __import__ sys time"
    " random socket subprocess threading shutil tempfile warnings warn signal select gc weakref ctypes atexit logging"
    " getcwd environ stat lstat now today fromtimestamp localtime gettempdir listdir readlink islink exists"
)
FORBIDDEN = frozenset(_WORDS.split())
"""Names of what is no computing, or depends on the day, the place or the process."""
NODES = (
    *(
        ast.Global,
        ast.Nonlocal,
        ast.Import,
        ast.ImportFrom,
        ast.ClassDef,
        ast.AsyncFunctionDef,
        ast.Await,
        ast.Match,
    ),
    *(ast.JoinedStr, ast.Yield, ast.YieldFrom, ast.Starred, ast.Delete),
)


def accepted(function: Function, module: Module) -> bool:
    """Whether a function is short, plain, without effects that its text shows, and can be renamed."""
    if function.source.count("\n") > LONGEST or not function.source.isascii():
        return False
    try:
        tree = ast.parse(function.source).body[0]
    except SyntaxError:
        return False
    return isinstance(tree, ast.FunctionDef) and _plain(tree, module)


def _plain(tree: ast.FunctionDef, module: Module) -> bool:
    arguments = tree.args
    if tree.decorator_list or arguments.vararg or arguments.kwarg or not arguments.args:
        return False
    if any(isinstance(node, NODES) for node in ast.walk(tree)):
        return False
    if _names(tree) & FORBIDDEN or _length(tree) < SHORTEST:
        return False
    return not _named_keywords(tree, module)


def _names(tree: ast.FunctionDef) -> set[str]:
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return names | {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}


def _length(tree: ast.FunctionDef) -> int:
    """Lines on which a statement begins or goes on."""
    lines = {tree.lineno}
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt | ast.expr) and not isinstance(node, ast.FunctionDef):
            documented = isinstance(node, ast.Expr | ast.Constant) and isinstance(
                getattr(node, "value", None), ast.Constant | str
            )
            lines |= set() if documented else {node.lineno}
    return len(lines)


def _named_keywords(tree: ast.FunctionDef, module: Module) -> bool:
    """Whether it calls itself, or functions inside it, by names of arguments, which a disguise would change."""
    inner = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    return any(
        isinstance(node, ast.Call)
        and node.keywords
        and isinstance(node.func, ast.Name)
        and node.func.id in inner
        for node in ast.walk(tree)
    )
