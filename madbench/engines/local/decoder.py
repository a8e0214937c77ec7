"""Decoding many rows at once on one network."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from madbench.engines.jobs import Job, OutOfMemory
from madbench.engines.local.network import Network
from madbench.engines.local.rows import Decode, Row
from madbench.engines.local.sampling import choose
from madbench.engines.local.slab import Slab, Window
from madbench.types import Completion

_PREFILL_CELLS = 4096
Done = list[tuple[Job, Completion]]


class BatchDecoder:
    """Rows in flight on one network: left-padded, each with its own sampling, limit and end.

    A row that ends leaves at once, so that no step is spent on it; others may join between steps.
    """

    def __init__(self, network: Network, decode: Decode, ends: frozenset[int]) -> None:
        self._network, self._decode, self._ends = network, decode, ends
        self._rows: list[Row] = []
        self._slab = Slab()
        self._done: Done = []

    @property
    def live(self) -> int:
        return len(self._rows) + len(self._done)

    def clear(self) -> None:
        self._rows, self._done, self._slab = [], [], Slab()

    @torch.inference_mode()
    def admit(self, jobs: Sequence[Job]) -> None:
        """Run the jobs' prompts and draw each one's first token."""
        with _memory():
            for group in _groups(sorted((Row(job) for job in jobs), key=lambda row: row.held)):
                self._prefill(group)

    @torch.inference_mode()
    def advance(self) -> Done:
        """Draw one token for every row; return those that ended (at their first token, perhaps)."""
        with _memory():
            if self._rows and not self._done:
                self._step()
        done, self._done = self._done, []
        return done

    def _prefill(self, group: Sequence[Row]) -> None:
        first, width = len(self._rows), max(row.held for row in group)
        widest = max(width, self._width)
        self._slab.reserve(first, first + len(group), widest, 1)
        end = self._slab.end
        window = Window(self._slab, slice(first, first + len(group)), slice(end - width, end), width)
        ids = torch.tensor([(0,) * (width - row.held) + row.job.ids for row in group])
        mask, positions = _layout([row.held for row in group], width)
        logits = self._network.logits(window, *self._placed(ids, mask, positions))
        self._rows.extend(group)
        self._draw(logits, group)

    def _step(self) -> None:
        live, width = len(self._rows), self._width + 1
        self._slab.reserve(live, live, width - 1, 1)
        self._slab.end += 1
        end = self._slab.end
        window = Window(self._slab, slice(0, live), slice(end - width, end), 1)
        ids = torch.tensor([[row.tokens[-1]] for row in self._rows])
        mask, positions = _layout([row.held + 1 for row in self._rows], width)
        logits = self._network.logits(window, *self._placed(ids, mask, positions[:, -1:]))
        self._draw(logits, tuple(self._rows))

    def _draw(self, logits: Tensor, rows: Sequence[Row]) -> None:
        """Give each row its next token; rows that end leave."""
        chosen = choose(logits, [row.draw for row in rows])
        shares = logits.gather(-1, chosen[:, None])[:, 0] - logits.logsumexp(-1)
        drawn = zip(rows, chosen.tolist(), shares.tolist(), strict=True)
        endings = [(row, row.take(token, share, self._ends)) for row, token, share in drawn]
        for row, finish in endings:
            if finish is not None:
                self._done.append((row.job, row.completion(finish, self._decode, self._ends)))
                self._leave(row)

    def _leave(self, row: Row) -> None:
        """Take a row out; the last one moves into its place."""
        place, last = self._rows.index(row), self._rows.pop()
        if last is not row:
            self._slab.move(len(self._rows), place, last.held)
            self._rows[place] = last

    @property
    def _width(self) -> int:
        return max((row.held for row in self._rows), default=0)

    def _placed(self, *tensors: Tensor) -> Iterator[Tensor]:
        return (tensor.to(self._network.device) for tensor in tensors)


def _groups(rows: Sequence[Row]) -> Iterator[list[Row]]:
    """Rows in runs of at most _PREFILL_CELLS tokens, padding included; `rows` by length."""
    group: list[Row] = []
    for row in rows:
        if group and (len(group) + 1) * row.held > _PREFILL_CELLS:
            yield group
            group = []
        group.append(row)
    if group:
        yield group


def _layout(lengths: Sequence[int], width: int) -> tuple[Tensor, Tensor]:
    """Mask and positions, each (rows, width), of rows that end at the last column."""
    starts = width - torch.tensor(lengths)[:, None]
    columns = torch.arange(width)[None]
    return (columns >= starts).long(), (columns - starts).clamp(min=0)


class _memory:
    """Turns torch's ways of saying that memory ran out into OutOfMemory."""

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        told = isinstance(error, RuntimeError) and "can't allocate memory" in str(error)
        if told or isinstance(error, torch.OutOfMemoryError | MemoryError):
            raise OutOfMemory(str(error)) from error
