"""submitit's executor with a worker of ours in place of its pickled functions."""

from __future__ import annotations

import io
import os
import shlex
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr
from pathlib import Path

from pydantic import JsonValue
from submitit import SlurmExecutor
from submitit.core.utils import FailedJobError, FailedSubmissionError

from madbench.types import MadbenchError

SETTLED = frozenset(
    f"SBATCH_{option}"
    for option in (
        *("JOB_NAME", "ARRAY_INX", "OUTPUT", "ERROR", "OPEN_MODE", "SIGNAL"),
        *("REQUEUE", "NO_REQUEUE", "CLUSTERS", "WAIT"),
    )
)
"""Variables that would take the place of what a script says of a job's name, files, warning and cluster."""


class RefusedError(MadbenchError):
    """sbatch said no; the message is what it said."""


class Executor(SlurmExecutor):
    """submitit's names of parameters, its script, and its call of sbatch."""

    @classmethod
    def of(cls, folder: Path, parameters: Mapping[str, JsonValue]) -> Executor:
        """Raises RuntimeError where there is no SLURM, ValueError for a parameter that submitit does not know."""
        made = cls(folder)
        made.update_parameters(**made._convert_parameters(dict(parameters)))
        return made

    def array(self, count: int, command: Sequence[str]) -> str:
        """Submit so many jobs; returns the array's id. Raises RefusedError."""
        self.parameters["map_count"] = count
        try:
            with redirect_stderr(io.StringIO()):
                return str(self._submit_command(f"exec {shlex.join(command)}").job_id)
        except (FailedJobError, FailedSubmissionError) as error:
            raise RefusedError(str(error).strip() or "sbatch failed without a word") from error

    def _make_submission_command(self, submission_file_path: Path) -> list[str]:
        """Without what a surrounding allocation says of itself, since the new job is not that one, and without what a
        user's environment says of things that are settled: by its name a job is found again.
        """
        slurm = [name for name in os.environ if name.startswith("SLURM_") and name != "SLURM_CONF"]
        stale = [*slurm, *sorted(SETTLED & os.environ.keys())]
        around = [word for name in stale for word in ("-u", name)]
        return ["env", *around, *super()._make_submission_command(submission_file_path)]
