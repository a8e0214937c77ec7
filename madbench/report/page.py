"""`report.html`: one file that needs nothing beside it. Texts of models reach it as data, never as markup."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from madbench.report.approvals import approvals_table
from madbench.report.cells import plain, whole
from madbench.report.definitions import definitions_of
from madbench.report.figures import Drawn
from madbench.report.material import Material
from madbench.report.plots import INK
from madbench.report.published import differences, published_table
from madbench.report.sheet import Sheet, unhyphened
from madbench.report.tables import (
    arm_tables,
    comparison_table,
    counted_table,
    debate_tables,
    detail_tables,
    integrity_table,
    metric_table,
)
from madbench.report.verdicts import pipeline_verdict, protocol_verdicts
from madbench.types import Summary

FOLDER = Path(__file__).parent / "template"
CAPTIONS = {
    "accuracy_against_tokens": "What each arm's accuracy cost: prompt and output tokens of one episode, mean.",
    "accuracy_by_round": "Accuracy of the majority after each round.",
    "recall_and_precision": (
        "Known issues found against precision; a hollow point is the union of an arm's first reviews, from which the "
        "dashed line leads to what survived."
    ),
    "reliability": (
        "Confidence against share right, with the number of episodes (of reviews: findings) over every bin; "
        "the dashed line is perfect calibration."
    ),
}


def report_html(summary: Summary, material: Material, figures: Mapping[str, Drawn]) -> str:
    """The page as text. Autoescape is on; style, script and drawings are our own and go in as they are.

    The page's policy lets no other script run than ours, known by its hash, and asks nobody for anything.
    """
    script = (FOLDER / "report.js").read_text(encoding="utf-8")
    pages = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    pages.filters.update(unhyphened=unhyphened, plain=plain, whole=whole)
    return pages.get_template("report.html.jinja").render(
        summary=summary,
        sheets=[sheet for sheet in _sheets(summary) if sheet.rows],
        metrics=metric_table(summary),
        published=published_table(summary),
        differences=differences(summary),
        integrity=[sheet for sheet in (integrity_table(summary), counted_table(summary)) if sheet.rows],
        pipeline=pipeline_verdict(summary),
        protocols=protocol_verdicts(summary),
        definitions=definitions_of(name for arm in summary.arms for name in arm.metrics),
        figures=[(name, CAPTIONS[name], _inline(drawn["svg"])) for name, drawn in figures.items()],
        statement=material.statement,
        data=_embedded({"texts": material.texts, "episodes": material.episodes}),
        style=Markup((FOLDER / "report.css").read_text(encoding="utf-8")),
        script=Markup(script),
        digest=Markup(base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()),
    )


def _sheets(summary: Summary) -> list[Sheet]:
    results = [*arm_tables(summary), *debate_tables(summary), *detail_tables(summary)]
    signed = [sheet for sheet in (approvals_table(summary),) if sheet.rows]
    return [*results, *signed, comparison_table(summary)]


def _inline(svg: bytes) -> Markup:
    """A drawing without its XML head, its ink that of the page."""
    text = svg.decode()
    return Markup(text[text.index("<svg") :].replace(INK, "currentColor"))


def _embedded(data: object) -> Markup:
    """JSON that no text in it can break out of: the script tag holds no `<`, `>` or `&`."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for char in "<>&\u2028\u2029":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return Markup(text)
