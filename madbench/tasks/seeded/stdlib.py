"""Functions of Python's standard library, read as text: nothing is imported or run."""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.abc import InspectLoader
from textwrap import dedent


@dataclass(frozen=True, slots=True)
class Function:
    """A function's text, and a digest over it and over all of its module that it names, directly or not."""

    module: str
    name: str
    source: str
    digest: str

    @property
    def qualified(self) -> str:
        return f"{self.module}.{self.name}"


@dataclass(frozen=True, slots=True)
class Module:
    """A module's top level: the text that binds each name, and the names that this text uses."""

    name: str
    texts: dict[str, list[str]]
    uses: dict[str, set[str]]
    functions: dict[str, str]

    @property
    def imported(self) -> set[str]:
        return {name for name, texts in self.texts.items() if texts[-1].startswith(("import ", "from "))}

    def function(self, name: str) -> Function | None:
        """A function by name; None where this module has none."""
        if not self.functions.get(name):
            return None
        return Function(self.name, name, self.functions[name], self._digest(name))

    def reached(self, name: str) -> set[str]:
        """The module's names that a definition leads to."""
        found, open_ends = {name}, [name]
        while open_ends:
            new = {used for used in self.uses[open_ends.pop()] if used in self.texts} - found
            found |= new
            open_ends += new
        return found

    def _digest(self, name: str) -> str:
        texts = [text for known in sorted(self.reached(name)) for text in self.texts[known]]
        return hashlib.sha256("\x1f".join([name, *texts]).encode()).hexdigest()


@dataclass(frozen=True)
class Library:
    """The standard library of the Python that runs this; each module is read once."""

    _modules: dict[str, Module | None] = field(default_factory=dict)

    def module(self, name: str) -> Module | None:
        """A module by name; None where this Python has none of that name, or none with a source."""
        if name not in self._modules:
            source = source_of(name)
            self._modules[name] = None if source is None else module_of(name, source)
        return self._modules[name]

    def function(self, module: str, name: str) -> Function | None:
        found = self.module(module)
        return None if found is None else found.function(name)


def source_of(module: str) -> str | None:
    """A module's text; None where there is none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            spec = importlib.util.find_spec(module)
        except (ImportError, ValueError):
            return None
    loader = spec.loader if spec else None
    return loader.get_source(module) if isinstance(loader, InspectLoader) else None


@lru_cache(maxsize=256)
def module_of(name: str, source: str) -> Module:
    """Take a module's text apart. A function that is defined twice is none of its functions."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(source)
    lines = source.splitlines(keepends=True)
    module = Module(name, {}, {}, {})
    for statement in _top(tree.body):
        text = dedent("".join(lines[statement.lineno - 1 : statement.end_lineno])).rstrip() + "\n"
        used = {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
        for bound in _bound(statement):
            module.texts.setdefault(bound, []).append(text)
            module.uses.setdefault(bound, set()).update(used)
            if isinstance(statement, ast.FunctionDef):
                module.functions[bound] = "" if bound in module.functions else text
    return module


def _top(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements that run when a module is imported, those under `try` and `if` too; definitions stay whole."""
    for statement in body:
        if isinstance(statement, ast.If | ast.Try):
            for part in ("body", "orelse", "finalbody"):
                yield from _top(getattr(statement, part, []))
            for handler in getattr(statement, "handlers", []):
                yield from _top(handler.body)
        else:
            yield statement


def _bound(statement: ast.stmt) -> set[str]:
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return {statement.name}
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return {(alias.asname or alias.name).partition(".")[0] for alias in statement.names}
    return {
        node.id
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
