"""The program of the limited subprocess that runs functions and their mutants on drawn inputs. Run, never imported.

One JSON object a line in, one out. Everything that is called is called in a fork of its own, under the limits of
`madbench.tasks.limited`: it may compute for a moment and do nothing else.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import json
import os
import random
import secrets
import select
import signal
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from types import FrameType, FunctionType, ModuleType
from typing import Literal, TypedDict

from madbench.tasks.limited import lock
from madbench.tasks.seeded.behaviour import behaviour, short
from madbench.tasks.seeded.handles import Handles
from madbench.tasks.seeded.inputs import draw, draw_kinds

TRIALS = 2500
MORE = 120
"""Further inputs of each combination of kinds that the function took, for the first `COMBINATIONS` of them."""
COMBINATIONS = 8
KEPT = 64
"""Inputs that a function is proved on."""
SEARCH_SECONDS, MUTANT_SECONDS, CALL_SECONDS = 1.5, 0.15, 0.02
"""Seconds of computing, so that a busy machine changes nothing."""
GRACE = 20.0
"""Seconds by the clock on the wall after which a fork is killed, beyond its own."""
REPEAT = 0.05
"""Seconds after which a fork that swallowed its alarm is rung again."""
LOUDEST = 1 << 24
"""Bytes that a fork may say."""
FAR = 1_000_000
"""Where the lines of a function under test begin, so that they can be told from all others."""
Ended = Literal["returns", "raises", "fails", "hangs", "bursts"]
Trial = tuple[list[str], str]
Found = tuple[Trial, str, frozenset[int]]


class Request(TypedDict):
    """What is asked: `sources` are texts of the function; `parameters` and `required` are for `search`, `trials` for
    the others.
    """

    do: Literal["search", "run", "show"]
    module: str
    name: str
    sources: list[str]
    parameters: list[str]
    required: int
    trials: list[Trial]


class TooLongError(BaseException):
    """A call that took more than its time; no `except Exception` of a function catches it."""


class Calls:
    """The function under test in a copy of its module's names. A deliberate error is a behaviour; others are none."""

    def __init__(self, module: ModuleType, name: str, source: str) -> None:
        self._handles = Handles()
        self._handles.stand_in(module)
        copied = dict(vars(module))
        tree = ast.increment_lineno(ast.parse(source), FAR)
        exec(compile(tree, "<function>", "exec"), copied)
        made = copied[name]
        if not isinstance(made, FunctionType):
            raise TypeError(f"{name} is no function")
        self.function = made
        self._raises = {
            line for node in ast.walk(tree) if isinstance(node, ast.Raise) for line in _lines_of(node)
        }

    def once(self, arguments: list[object]) -> tuple[Ended, str]:
        """How a call ended, and what came of it, files left open included."""
        try:
            ended, said = self._once(arguments)
        except TooLongError:
            ended, said = "hangs", ""
        except (MemoryError, RecursionError):
            ended, said = "bursts", ""
        return ended, f"{said} | {self._handles.left()} open"

    def _once(self, arguments: list[object]) -> tuple[Ended, str]:
        try:
            return "returns", behaviour(self.function, arguments)
        except (MemoryError, RecursionError):
            raise
        except Exception as error:
            return ("raises" if self._meant(error) else "fails"), f"raises {type(error).__name__}"

    def _meant(self, error: Exception) -> bool:
        """Whether an error comes from a `raise` of the function itself: no other code has lines that far down."""
        trace = error.__traceback__
        while trace and trace.tb_next:
            trace = trace.tb_next
        return trace is not None and trace.tb_lineno in self._raises


class Paths:
    """A trace function that knows the lines a function went through since the last look."""

    def __init__(self) -> None:
        self.lines: set[int] = set()

    def __call__(self, frame: FrameType, event: str, _: object) -> Callable[..., object] | None:
        return self._local if frame.f_lineno > FAR else None

    def _local(self, frame: FrameType, event: str, _: object) -> Callable[..., object]:
        self.lines.add(frame.f_lineno)
        return self._local

    def taken(self) -> frozenset[int]:
        lines, self.lines = frozenset(self.lines), set()
        return lines


def _lines_of(node: ast.Raise) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def search(calls: Calls, parameters: list[str], required: int, name: str) -> list[object]:
    """Inputs that a function takes, chosen for the paths and results that they show; in a fork that is traced."""
    end = time.process_time() + SEARCH_SECONDS
    paths = sys.gettrace()
    found: list[Found] = []

    def tried(kinds: list[str], seed: str) -> bool:
        arguments = draw(kinds, seed)
        signal.setitimer(signal.ITIMER_VIRTUAL, CALL_SECONDS)
        ended, said = calls.once(arguments)
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        lines = paths.taken() if isinstance(paths, Paths) else frozenset[int]()
        if ended in ("returns", "raises"):
            found.append(((kinds, seed), said, lines))
        return ended == "returns"

    taken: list[list[str]] = []
    for number in range(TRIALS):
        kinds = draw_kinds(parameters, required, random.Random(f"{name}/{number}"))
        if time.process_time() < end and tried(kinds, f"{name}/{number}") and kinds not in taken:
            taken.append(kinds)
    for number in range(MORE * min(len(taken), COMBINATIONS)):
        if time.process_time() < end:
            tried(taken[number % min(len(taken), COMBINATIONS)], f"{name}/{number}/more")
    return [[trial, short(said)] for trial, said in chosen(found)]


def chosen(found: list[Found]) -> list[tuple[Trial, str]]:
    """Inputs that go new ways through the function first, then those with new results."""
    paths: dict[frozenset[int], int] = {}
    first, second, results = [], [], set()
    for trial, said, path in found:
        paths[path] = paths.get(path, 0) + 1
        if paths[path] <= 3:
            first.append((trial, said))
        elif said not in results:
            second.append((trial, said))
        results.add(said)
    return [*first, *second][:KEPT]


def vector(calls: Calls, trials: list[Trial]) -> list[str] | str:
    """What a function does with every input; `hang` or `crash` if it does not come through them; in a fork."""
    said = []
    for trial in trials:
        ended, what = calls.once(draw(*trial))
        if ended in ("hangs", "bursts"):
            return "hang" if ended == "hangs" else "crash"
        said.append(short(what))
    return said


def shown(calls: Calls, trials: list[Trial]) -> list[tuple[str, str]]:
    """Inputs and results as they are written, where both are plain; in a fork."""
    pairs = []
    for trial in trials:
        written = ", ".join(map(repr, draw(*trial)))
        try:
            result = calls.function(*draw(*trial))
        except Exception:  # no example
            continue
        if "<" not in written and isinstance(result, bool | int | float | str | bytes | list | tuple | dict):
            pairs.append((written, repr(result)))
    return pairs


def forked(work: Callable[[], object], seconds: float, paths: Paths | None = None) -> object:
    """The result of some work in a locked fork: `hang` if it ran out of time, `crash` if it died."""
    read_end, write_end = os.pipe()
    secret = secrets.token_hex(16)
    if (child := os.fork()) == 0:
        _work(work, seconds, (write_end, secret), paths)
    os.close(write_end)
    text = _heard(read_end, time.monotonic() + seconds + GRACE)
    os.close(read_end)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if text is None or not text.startswith(secret):
        late = text is None or (
            os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGVTALRM)
        )
        return "hang" if late else "crash"
    return json.loads(text[len(secret) :])


def _work(work: Callable[[], object], seconds: float, pipe: tuple[int, str], paths: Paths | None) -> None:
    (result, secret), write, leave, dumps = pipe, os.write, os._exit, json.dumps
    signal.signal(signal.SIGVTALRM, _late)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, REPEAT)
    sys.settrace(paths)  # type: ignore[arg-type]
    lock(result)
    try:
        said = dumps(work())
    except TooLongError:
        said = dumps("hang")
    except BaseException:  # a mutant that breaks what looks at it
        said = dumps("crash")
    data = f"{secret}{said}".encode()
    while data:
        data = data[write(result, data) :]
    leave(0)


def _late(number: int, frame: FrameType | None) -> None:
    raise TooLongError


def _heard(pipe: int, end: float) -> str | None:
    """All that a fork says until it ends, or says too much; None if it does not end in time."""
    said = bytearray()
    while (left := end - time.monotonic()) > 0:
        if select.select([pipe], [], [], left)[0]:
            part = os.read(pipe, 1 << 16)
            said += part
            if not part or len(said) > LOUDEST:
                return said.decode(errors="replace") if len(said) <= LOUDEST else ""
    return None


def imported(module: str) -> ModuleType:
    with warnings.catch_warnings(), contextlib.redirect_stdout(sys.stderr):
        warnings.simplefilter("ignore")
        return importlib.import_module(module)


def answer(request: Request) -> dict[str, object]:
    """`search` for a function's inputs, `run` texts of it on inputs already chosen, or `show` some as examples."""
    name, texts = request["name"], request["sources"]
    try:
        module = imported(request["module"])
    except Exception as error:  # a module of another system
        return {"error": f"{type(error).__name__}: {error}"}

    def found() -> object:
        return search(
            Calls(module, name, texts[0]),
            request["parameters"],
            request["required"],
            f"{module.__name__}.{name}",
        )

    def ran(text: str) -> object:
        return vector(Calls(module, name, text), request["trials"])

    def examples() -> object:
        return shown(Calls(module, name, texts[0]), request["trials"])

    if request["do"] == "search":
        return {"found": forked(found, SEARCH_SECONDS + 1.0, Paths())}
    if request["do"] == "show":
        return {"shown": forked(examples, SEARCH_SECONDS)}
    return {"ran": [forked(partial(ran, text), MUTANT_SECONDS) for text in texts]}


def main() -> None:
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), file=replies, flush=True)


if __name__ == "__main__":
    main()
