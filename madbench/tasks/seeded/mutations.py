"""All ways to make a function wrong, in one order that depends on its syntax alone: names, comments and
docstrings do not change it, so that a fault keeps its number when its function is disguised.
"""

from __future__ import annotations

from functools import lru_cache

from madbench.tasks.seeded.expressions import of_expression
from madbench.tasks.seeded.sites import Code, Site
from madbench.tasks.seeded.statements import of_statement

LINE_VARIABLES = 1
"""Wrong variables taken up of one line."""


@lru_cache(maxsize=2048)
def sites(source: str) -> tuple[Site, ...]:
    """Every fault that can be planted in this function, by place."""
    code = Code.of(source)
    found = [
        site for node in code.nodes() for site in (*of_statement(code, node), *of_expression(code, node))
    ]
    ordered = sorted(found, key=lambda site: (site.edit.start, site.edit.end))
    seen: dict[tuple[int, str], int] = {}
    kept = []
    for site in ordered:
        key = (code.text.source.count("\n", 0, site.edit.start), site.kind)
        seen[key] = seen.get(key, 0) + 1
        if site.kind != "wrong_variable" or seen[key] <= LINE_VARIABLES:
            kept.append(site)
    return tuple(kept)
