"""Files that are none: what functions under test open, so that what they leave open can be counted.

Standard library alone: the limited subprocess reads this.
"""

from __future__ import annotations

import builtins
import io
from types import ModuleType

FILES = {
    "note.txt": b"key: value\n# comment\nname = 'x'\n\nlast line",
    "same.txt": b"key: value\n# comment\nname = 'x'\n\nlast line",
    "code.py": b'# -*- coding: latin-1 -*-\n"""Text."""\nx = {"a": 1}\n\n\ndef f(y):\n    return y + x["a"]\n',
    "bad.py": b"# coding: nothing\ndef f(:\n  '",
    "page.xml": b'<?xml version="1.0"?>\n<a b="1"><c>text</c><c/></a>\n',
    "empty": b"",
    "data.bin": bytes(range(0, 250, 7)) * 3,
    "archive.zip": b"PK\x05\x06" + bytes(18),
    "release": b'NAME="Some System"\nID=some\nVERSION_ID="1.0"\nbroken line\n',
    "list.json": b'{"a": [1, 2, {"b": null}]}',
}
NAMES = (*FILES, "missing.txt")
REAL = builtins.open


class Handle(io.BytesIO):
    """One open file."""

    def __init__(self, name: str, content: bytes) -> None:
        super().__init__(content)
        self.name = name


class Handles:
    """All files opened since the last count; they are kept, so that none is closed by being forgotten."""

    def __init__(self) -> None:
        self._opened: list[Handle] = []
        self._readers: list[io.TextIOWrapper] = []

    def open(
        self,
        file: str,
        mode: str = "r",
        buffering: int = -1,
        encoding: str | None = None,
        errors: str | None = None,
        newline: str | None = None,
        **_: object,
    ) -> io.BytesIO | io.TextIOWrapper:
        """As the built-in of that name."""
        if not isinstance(file, str):
            raise TypeError(f"expected a path, not {type(file).__name__}")
        if "r" in mode and file not in FILES:
            raise FileNotFoundError(2, "No such file or directory", file)
        handle = Handle(file, FILES[file] if "r" in mode else b"")
        self._opened.append(handle)
        if "b" in mode:
            return handle
        self._readers.append(io.TextIOWrapper(handle, encoding or "utf-8", errors, newline))
        return self._readers[-1]

    def left(self) -> int:
        """How many are still open; forgets them all."""
        left = sum(not handle.closed for handle in self._opened)
        self._opened, self._readers = [], []
        return left

    def stand_in(self, module: ModuleType) -> None:
        """Take the place of `open` in Python and in a module that has it under another name."""
        for name, value in list(vars(module).items()):
            if value is REAL:
                setattr(module, name, self.open)
        builtins.open = self.open  # type: ignore[assignment]
