"""A summary as text: for the terminal, and as Markdown for summary.md."""

from __future__ import annotations

import textwrap

from madbench.report.cells import plain
from madbench.report.definitions import printed_definitions
from madbench.report.fidelity import fidelity_table
from madbench.report.sheet import WIDTH, Sheet, mark
from madbench.report.tables import arm_tables, comparison_table, integrity_table
from madbench.report.verdicts import pipeline_verdict, protocol_verdicts
from madbench.types import Summary


def terminal_table(summary: Summary) -> str:
    """The summary as a terminal prints it, at most 120 columns wide: tables, definitions, notes,
    verdicts, and the sentence last.
    """
    blocks = [sheet.text() for sheet in _sheets(summary)]
    blocks.append(
        "\n".join(_wrapped(f"{name}: {meaning}") for name, meaning in printed_definitions().items())
    )
    blocks.append("\n".join(_wrapped(f"Note: {plain(note)}") for note in summary.notes))
    blocks.append("\n".join(_wrapped(line) for line in _verdicts(summary)))
    blocks.append(_wrapped(plain(summary.verdict)))
    return "\n\n".join(block for block in blocks if block) + "\n"


def summary_markdown(summary: Summary) -> str:
    """The same as Markdown."""
    blocks = [f"# {mark(summary.name)}", mark(summary.verdict)]
    blocks += [sheet.markdown() for sheet in _sheets(summary)]
    blocks.append("\n".join(f"- {mark(line)}" for line in _verdicts(summary)))
    if summary.notes:
        blocks.append("\n".join(["## Notes", "", *(f"- {mark(note)}" for note in summary.notes)]))
    meanings = [f"- **{mark(name)}**: {mark(meaning)}" for name, meaning in printed_definitions().items()]
    blocks.append("\n".join(["## What the numbers mean", "", *meanings]))
    return "\n\n".join(blocks) + "\n"


def _sheets(summary: Summary) -> list[Sheet]:
    sheets = [*arm_tables(summary), fidelity_table(summary), comparison_table(summary), integrity_table(summary)]
    return [sheet for sheet in sheets if sheet.rows]


def _verdicts(summary: Summary) -> list[str]:
    return [pipeline_verdict(summary), *protocol_verdicts(summary)]


def _wrapped(line: str) -> str:
    return textwrap.fill(line, WIDTH, subsequent_indent="  ", break_on_hyphens=False)
