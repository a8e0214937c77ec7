"""The words every room shares. Imports nothing else of madbench.

What comes from outside (config, model text, files) is read by strict, closed pydantic models; what we make
ourselves is a frozen slotted dataclass.
"""

from madbench.types.endings import Ending, ParseStatus, StopReason
from madbench.types.errors import (
    BudgetError,
    ContextError,
    EngineError,
    FormatError,
    InputError,
    LeakError,
    MadbenchError,
    SeamError,
)
from madbench.types.models import (
    Capability,
    Completion,
    ContextPolicy,
    Contract,
    Engine,
    Message,
    Model,
    Request,
    RoleSettings,
    Sampling,
    Strict,
)
from madbench.types.protocols import ProtocolSettings, Sessional
from madbench.types.records import Effort, Estimate, Place, Record, RowId
from madbench.types.roles import Edge, Observation, Reply
from madbench.types.samples import AnswerReader, Extraction, Problem, Sample, Shot, Target
from madbench.types.seeds import seed_of
from madbench.types.settings import check_settings
from madbench.types.summary import Arm, Comparison, Integrity, Summary
from madbench.types.transcript import Answers, Event, Outcome, Reading, Speaker, Task, Turn

__all__ = [
    "AnswerReader",
    "Answers",
    "Arm",
    "BudgetError",
    "Capability",
    "Comparison",
    "Completion",
    "ContextError",
    "ContextPolicy",
    "Contract",
    "Edge",
    "Effort",
    "Ending",
    "Engine",
    "EngineError",
    "Estimate",
    "Event",
    "Extraction",
    "FormatError",
    "InputError",
    "Integrity",
    "LeakError",
    "MadbenchError",
    "Message",
    "Model",
    "Observation",
    "Outcome",
    "ParseStatus",
    "Place",
    "Problem",
    "ProtocolSettings",
    "Reading",
    "Record",
    "Reply",
    "Request",
    "RoleSettings",
    "RowId",
    "Sample",
    "Sampling",
    "SeamError",
    "Sessional",
    "Shot",
    "Speaker",
    "StopReason",
    "Strict",
    "Summary",
    "Target",
    "Task",
    "Turn",
    "check_settings",
    "seed_of",
]
