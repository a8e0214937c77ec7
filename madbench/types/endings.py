"""How readings, protocols and rows end: closed sets."""

from __future__ import annotations

from enum import StrEnum


class ParseStatus(StrEnum):
    """How reading one completion ended."""

    OK = "ok"
    REPAIRED = "repaired"
    MISSING = "missing"
    AMBIGUOUS = "ambiguous"
    TRUNCATED = "truncated"


class StopReason(StrEnum):
    """Why a protocol stopped; the rule is tested before the cap."""

    CONSENSUS = "consensus"
    JUDGE = "judge"
    MAX_ROUNDS = "max_rounds"
    NO_OBJECTION = "no_objection"
    CONTEXT = "context"
    BUDGET = "budget"
    ERROR = "error"


class Ending(StrEnum):
    """How a row ended. All but RETRY are final; a rerun does RETRY rows again."""

    DONE = "done"
    UNPARSED = "unparsed"
    CONTEXT = "context"
    BUDGET = "budget"
    RETRY = "retry"
