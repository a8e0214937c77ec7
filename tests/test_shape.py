"""The package keeps its shape: small files, small functions, narrow classes, a protocol a screen, no cycles."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "madbench"
FILES = sorted(PACKAGE.rglob("*.py"))
TREES = {path: ast.parse(path.read_text(encoding="utf-8")) for path in FILES}
WIDER = {"types/records.py:Record": 9}
"""A row says why it failed beside how it ended; nesting the two apart would help nobody."""
FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef


def name_of(path):
    return str(path.relative_to(PACKAGE))


def functions(path):
    return [node for node in ast.walk(TREES[path]) if isinstance(node, FUNCTION)]


def length(node):
    return (node.end_lineno or 0) - node.lineno + 1


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_files_are_short(path):
    lines = sum(1 for line in path.read_text(encoding="utf-8").splitlines() if line.strip())
    assert lines <= (80 if path.parent.name == "protocols" else 300)


def test_functions_are_short():
    lengths = {f"{name_of(path)}:{node.name}": length(node) for path in FILES for node in functions(path)}
    assert {name: n for name, n in lengths.items() if n > 40} == {}
    assert sum(lengths.values()) / len(lengths) <= 12


def test_arguments_are_few():
    crowded = {}
    for path in FILES:
        for node in functions(path):
            positional = [*node.args.posonlyargs, *node.args.args]
            count = (
                len(positional)
                + len(node.args.kwonlyargs)
                - (bool(positional) and positional[0].arg in ("self", "cls"))
            )
            if count > 7:
                crowded[f"{name_of(path)}:{node.name}"] = count
    assert crowded == {}


def test_classes_are_narrow():
    wide = {}
    for path in FILES:
        for node in ast.walk(TREES[path]):
            if isinstance(node, ast.ClassDef):
                fields = [
                    item
                    for item in node.body
                    if isinstance(item, ast.AnnAssign) and "ClassVar" not in ast.unparse(item.annotation)
                ]
                if len(fields) > WIDER.get(f"{name_of(path)}:{node.name}", 8):
                    wide[f"{name_of(path)}:{node.name}"] = len(fields)
    assert wide == {}


def test_any_stays_in_records():
    users = [
        name_of(path)
        for path in FILES
        if path.parent.name != "records"
        and any(isinstance(node, ast.Name) and node.id == "Any" for node in ast.walk(TREES[path]))
    ]
    assert users == []


def imports_of(path):
    for node in ast.walk(TREES[path]):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("madbench"):
            yield from {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("madbench"))


def module_of(path):
    parts = ("madbench", *path.relative_to(PACKAGE).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def test_imports_have_no_cycle():
    modules = {module_of(path): path for path in FILES}
    edges = {
        name: {to for to in imports_of(path) if to in modules and to != name}
        for name, path in modules.items()
    }
    for name in edges:  # a package's own __init__ re-exporting its files is no knot
        edges[name] = {to for to in edges[name] if not name.startswith(f"{to}.")}
    done, path = set(), []

    def visit(name):
        assert name not in path, f"cycle: {' -> '.join([*path[path.index(name) :], name])}"
        if name not in done:
            path.append(name)
            for to in sorted(edges[name]):
                visit(to)
            path.pop()
            done.add(name)

    for name in sorted(edges):
        visit(name)


HEAVY = {
    "torch",
    "transformers",
    "datasets",
    "wandb",
    "reasoning_gym",
    "matplotlib",
    "llguidance",
    "gguf",
    "openai",
    "vllm",
}


def test_nothing_heavy_is_imported_at_the_top():
    """Only engines/local, which an engine imports when its weights are opened, may."""
    found = {}
    for path in FILES:
        for node in TREES[path].body:
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            if bad := HEAVY & {name.partition(".")[0] for name in names}:
                found[name_of(path)] = sorted(bad)
    assert {name for name in found if not name.startswith("engines/local/")} == set()


def test_the_command_line_loads_nothing_heavy():
    rooms = "madbench.sweep.app, madbench.sweep.hydra_app, madbench.engines.transformers, madbench.report"
    code = f"import sys, {rooms}; print(sorted({HEAVY!r} & set(sys.modules)))"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        == "[]\n"
    )
