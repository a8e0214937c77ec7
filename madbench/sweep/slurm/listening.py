"""One job as its driver sees it: what its worker told of its runs, and what the queue says of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from madbench.sweep.messages import Message, News
from madbench.sweep.progress import Progress
from madbench.sweep.slurm.batches import Task

MESSAGE: TypeAdapter[Message] = TypeAdapter(Message)
ENDS = frozenset(("done", "incomplete", "failed", "refused"))
"""States of a run that a job of its own would not change."""


def read(line: bytes) -> Message | None:
    """What a line says; nothing where a full disk or a lost node tore it: the rows hold what it told."""
    try:
        return MESSAGE.validate_json(line)
    except ValidationError:
        return None


@dataclass(slots=True)
class Watched:
    """A job under watch. `runs` are those of its runs that this sweep asks for. `gone` is since when
    the queue has called it ended and nothing was heard of it.

    Of a job that an earlier command submitted, episodes are counted from now on: the rows on disk hold the others.
    """

    task: Task
    runs: frozenset[str]
    id: str
    attached: bool = False
    gone: float | None = None
    read: dict[Path, int] = field(default_factory=dict)
    before: dict[tuple[Path, str], News] = field(default_factory=dict)
    told: dict[str, Path] = field(default_factory=dict)

    @property
    def place(self) -> tuple[str, int]:
        return self.task.place

    def listen(self, progress: Progress) -> None:
        """Take in what was told since the last time. Who still speaks is not gone, whatever the queue says: SLURM ends
        jobs of a node that it cannot reach, and they go on.
        """
        first = not self.read
        for file in self.task.said():
            for message in self._lines(file):
                self.gone = None
                if isinstance(message, News):
                    self.told[message.folder] = file
                if isinstance(message, News) and self.attached and first:
                    self.before[file, message.folder] = message
                progress.hear(f"{file.parent.name}/{file.stem}", self._counted(file, message))

    def _lines(self, file: Path) -> list[Message]:
        """Whole lines that were not read before; a torn one waits for its rest."""
        with file.open("rb") as lines:
            lines.seek(self.read.get(file, 0))
            whole, _, _ = lines.read().rpartition(b"\n")
        self.read[file] = self.read.get(file, 0) + (len(whole) + 1 if whole else 0)
        return [message for line in whole.splitlines() if (message := read(line))]

    def _counted(self, file: Path, message: Message) -> Message:
        if not isinstance(message, News) or (file, message.folder) not in self.before:
            return message
        known = self.before[file, message.folder]
        return message.model_copy(
            update={
                name: getattr(message, name) - getattr(known, name)
                for name in ("done", "prompt_tokens", "output_tokens")
            }
        )

    def left(self, progress: Progress) -> list[str]:
        """Runs that have not come to an end of their own."""
        return [run for run in sorted(self.runs) if progress.state(run) not in ENDS]

    def stopped(self, run: str, progress: Progress) -> bool:
        """Whether the job's last start said that a run was interrupted; one before it says nothing of its end."""
        return progress.state(run) == "interrupted" and self.told.get(run) in self.task.said()[-1:]

    def last_words(self, lines: int = 30) -> str:
        """The end of what the job printed."""
        if not self.task.log.is_file():
            return f"It printed nothing: {self.task.log} is not there."
        text = self.task.log.read_text(encoding="utf-8", errors="replace")
        return "\n".join(text.splitlines()[-lines:])
