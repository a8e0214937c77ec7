"""Coverage-guided fuzzing of one target, or of all in turn: `python tests/fuzz/atheris_run.py TARGET --seconds N`.

Atheris is no dependency of the package: `pip install atheris`. What was found before is the corpus of the next run; an
input of every kind of crash is kept under `--keep`, and told.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import time
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
OPTIONS = ("-max_len=4096", "-verbosity=0", "-rss_limit_mb=4096")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target", help="its name, or all")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--keep", type=Path, default=Path("fuzzing"))
    given = parser.parse_args()
    if given.target == "all":
        return every(given.seconds, given.keep)
    import atheris

    with atheris.instrument_imports(include=["madbench"]):
        from fuzz.targets import TARGETS
    fuzzing = Fuzzing(TARGETS[given.target], given.seconds, given.keep)
    atheris.Setup([sys.argv[0], str(fuzzing.corpus), *OPTIONS], fuzzing)
    atheris.Fuzz()
    return 0


def every(seconds: int, keep: Path) -> int:
    from fuzz.targets import TARGETS

    words = ("--seconds", str(seconds), "--keep", str(keep))
    return max(
        subprocess.run([sys.executable, __file__, name, *words], check=False).returncode for name in TARGETS
    )


class Fuzzing:
    """One target under way; ends its process when its time is over, with 1 if anything crashed."""

    def __init__(self, target, seconds: int, keep: Path) -> None:
        self._target, self._seconds, self._began = target, seconds, time.monotonic()
        self._found, self._count = set[str](), 0
        self.corpus, self._crashes = keep / "corpus" / target.name, keep / "crashes" / target.name
        for folder in (self.corpus, self._crashes):
            folder.mkdir(parents=True, exist_ok=True)
        for seed in target.seeds:
            (self.corpus / _name(seed)).write_bytes(seed)

    def __call__(self, data: bytes) -> None:
        from fuzz.targets import BOUND

        self._count, before = self._count + 1, time.process_time()
        try:
            self._target(data)
        except Exception as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            self._note(f"{type(error).__name__} at {Path(last.filename).name}:{last.lineno}", data, error)
        if (spent := time.process_time() - before) > 2 * BOUND:  # instrumented code is slower
            self._note("slow", data, f"{spent:.1f} s")
        if (spent := time.monotonic() - self._began) > self._seconds:
            told = f"{self._target.name}: {self._count} inputs, {spent:.0f} s, {len(self._found)} crashes"
            print(told, flush=True)
            os._exit(len(self._found) > 0)

    def _note(self, kind: str, data: bytes, told: object) -> None:
        if kind not in self._found:
            self._found.add(kind)
            (self._crashes / _name(kind.encode())).write_bytes(data)
            print(f"CRASH {self._target.name}: {kind}: {data[:200]!r}\n{told}", flush=True)


def _name(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


if __name__ == "__main__":
    sys.exit(main())
