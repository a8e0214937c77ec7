"""A summary as text: for the terminal, and as Markdown for summary.md."""

from __future__ import annotations

import textwrap

from madbench.report.approvals import approvals_table
from madbench.report.cells import plain
from madbench.report.definitions import printed_definitions
from madbench.report.fidelity import fidelity_table
from madbench.report.published import differences, published_table
from madbench.report.sheet import WIDTH, mark
from madbench.report.tables import (
    arm_tables,
    comparison_table,
    counted_table,
    debate_tables,
    detail_tables,
    integrity_table,
)
from madbench.report.verdicts import is_whole, pipeline_verdict, protocol_verdicts
from madbench.types import Summary


def terminal_table(summary: Summary) -> str:
    """The summary as a terminal prints it, at most 120 columns wide: what a user needs to judge it by, the sentence
    last. Definitions and all comparisons are in summary.md and on the page.
    """
    sheets = [
        *arm_tables(summary),
        *debate_tables(summary)[:1],
        fidelity_table(summary),
        approvals_table(summary),
    ]
    if not is_whole(summary):
        sheets.append(integrity_table(summary))
    blocks = [sheet.text() for sheet in sheets if sheet.rows]
    blocks.append(_wrapped(pipeline_verdict(summary)))
    blocks.append("\n".join(_wrapped(f"Note: {plain(note)}") for note in summary.notes))
    blocks.append("\n".join(_wrapped(line) for line in protocol_verdicts(summary)))
    blocks.append(_wrapped(plain(summary.verdict)))
    return "\n\n".join(block for block in blocks if block) + "\n"


def summary_markdown(summary: Summary) -> str:
    """The whole summary as Markdown: every table, verdict and note, and what the numbers mean."""
    sheets = [
        *arm_tables(summary),
        *debate_tables(summary),
        *detail_tables(summary),
        fidelity_table(summary),
        approvals_table(summary),
        comparison_table(summary),
        published_table(summary),
        integrity_table(summary),
        counted_table(summary),
    ]
    blocks = [f"# {mark(summary.name)}", mark(summary.verdict)]
    blocks += [sheet.markdown() for sheet in sheets if sheet.rows]
    blocks.append(
        "\n".join(f"- {mark(line)}" for line in [pipeline_verdict(summary), *protocol_verdicts(summary)])
    )
    if lines := differences(summary):
        heading = "## What differs from what others printed"
        blocks.append("\n".join([heading, "", *(f"- {mark(line)}" for line in lines)]))
    if summary.notes:
        blocks.append("\n".join(["## Notes", "", *(f"- {mark(note)}" for note in summary.notes)]))
    meanings = [
        f"- **{mark(name)}**: {mark(meaning)}" for name, meaning in printed_definitions(summary).items()
    ]
    blocks.append("\n".join(["## What the numbers mean", "", *meanings]))
    return "\n\n".join(blocks) + "\n"


def _wrapped(line: str) -> str:
    return textwrap.fill(line, WIDTH, subsequent_indent="  ", break_on_hyphens=False)
