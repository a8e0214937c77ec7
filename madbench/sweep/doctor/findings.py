"""What was found out about one thing that a run needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from madbench.types import MadbenchError

Level = Literal["ok", "warn", "fail"]


@dataclass(frozen=True, slots=True)
class Finding:
    """`check` is what was looked at and `subject` whose; `remedy` says what to do unless all is well."""

    level: Level
    check: str
    subject: str
    told: str
    remedy: str = ""


def guarded(
    check: str, subject: str, look: Callable[[], Iterable[Finding]], remedy: str = ""
) -> list[Finding]:
    """What a look finds; whatever it raises is a finding too."""
    try:
        return list(look())
    except MadbenchError as error:
        return [Finding("fail", check, subject, str(error), remedy)]
    except Exception as error:
        return [Finding("fail", check, subject, f"{type(error).__name__}: {error}", remedy)]


def table(findings: Sequence[Finding]) -> str:
    """One line a finding, what to do below it, and the verdict."""
    widths = [
        max((len(text) for text in texts), default=0)
        for texts in zip(*((one.level, one.check, one.subject) for one in findings), strict=True)
    ]
    lines = []
    for one in findings:
        cells = zip((one.level, one.check, one.subject), widths, strict=True)
        lines.append("  ".join([*(cell.ljust(width) for cell, width in cells), one.told]).rstrip())
        if one.remedy and one.level != "ok":
            lines.append(f"{' ' * (widths[0] + 2)}-> {one.remedy}")
    return "\n".join([*lines, "", verdict(findings)])


def verdict(findings: Sequence[Finding]) -> str:
    failed, warned = (sum(one.level == level for one in findings) for level in ("fail", "warn"))
    if failed:
        return f"This experiment cannot run here as it stands: {failed} of {len(findings)} checks failed."
    return f"This experiment can run here: {len(findings)} checks, {warned} with a warning."
