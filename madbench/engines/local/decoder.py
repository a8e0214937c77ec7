"""Decoding many rows at once on one network."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from pydantic import JsonValue
from torch import Tensor

from madbench.engines.jobs import Job, OutOfMemory
from madbench.engines.local.network import Network
from madbench.engines.local.passes import passes
from madbench.engines.local.prefixes import Prefixes, shared
from madbench.engines.local.rows import Row
from madbench.engines.local.sampling import choose
from madbench.engines.local.slab import Window
from madbench.engines.local.wording import Wording
from madbench.types import Completion

WORTH = 16
"""Tokens that a pass of its own over a shared beginning must save."""
Done = list[tuple[Job, Completion]]


class Prompt(NamedTuple):
    """What is run before a token is drawn, and of how many of its last tokens logits are wanted."""

    ids: tuple[int, ...]
    keep: int = 1


@dataclass(slots=True)
class Tally:
    """Tokens of prompts that were asked for, computed, and padded with; steps, and rows in all of them together."""

    needed: int = 0
    computed: int = 0
    padded: int = 0
    steps: int = 0
    row_steps: int = 0


class BatchDecoder:
    """Rows in flight on one network: left-padded, each with its own sampling, limit and end.

    A row that ends leaves at once, so that no step is spent on it; others may join between steps.
    """

    def __init__(self, network: Network, wording: Wording, prefix_bytes: int = 0) -> None:
        self._network, self._wording = network, wording
        self._prefixes = Prefixes(prefix_bytes)
        self._rows: list[Row] = []
        self._slab = network.slab()
        self._done: Done = []
        self._tally = Tally()

    @property
    def live(self) -> int:
        return len(self._rows) + len(self._done)

    def facts(self) -> dict[str, JsonValue]:
        """What was computed so far: `prefixes` and `steps` of a manifest."""
        tally, kept = self._tally, self._prefixes
        return {
            "prefixes": {
                "tokens_needed": tally.needed,
                "tokens_computed": tally.computed,
                "tokens_padded": tally.padded,
                "peak_bytes": kept.peak,
                "budget_bytes": kept.budget,
            },
            "steps": {"count": tally.steps, "rows": tally.row_steps},
        }

    def clear(self) -> None:
        self._rows, self._done, self._slab = [], [], self._network.slab()
        self._prefixes.clear()

    @torch.inference_mode()
    def admit(self, jobs: Sequence[Job]) -> None:
        """Run the jobs' prompts, and what grammars begin with, and draw each one's first free token. What prompts have
        in common runs once.
        """
        with _memory():
            alike: dict[Prompt, list[Row]] = {}
            for row in map(self._row, jobs):
                alike.setdefault(Prompt(row.prompt, len(row.tokens) + 1), []).append(row)
                self._tally.needed += len(row.prompt)
            if self._prefixes.budget:
                self._warm({ids[:-keep] for ids, keep in alike})
            prompts = list(alike)
            for group in self._groups(prompts):
                self._enter({prompts[i]: alike[prompts[i]] for i in group})

    @torch.inference_mode()
    def advance(self) -> Done:
        """Draw one token for every row; return those that ended (at their first token, perhaps)."""
        with _memory():
            if self._rows and not self._done:
                self._step()
        done, self._done = self._done, []
        return done

    def _row(self, job: Job) -> Row:
        schema = job.request.schema
        return Row(job, self._wording.matcher(schema) if schema else None)

    def _warm(self, prompts: set[tuple[int, ...]]) -> None:
        """Store the beginnings that prompts share and that are worth a pass of their own."""
        wanted = {ids for ids, sharers in shared(prompts).items() if self._saved(ids, sharers) >= WORTH}
        if not wanted:
            return
        self._warm(wanted)
        missing = [Prompt(ids) for ids in wanted if self._stored(ids, len(ids)) < len(ids)]
        for group in self._groups(missing):
            self._prefill([missing[i] for i in group], len(group))

    def _saved(self, ids: tuple[int, ...], sharers: int) -> int:
        """Tokens that need not be computed if a beginning is stored."""
        return (sharers - 1) * (len(ids) - self._stored(ids, len(ids)))

    def _stored(self, ids: tuple[int, ...], below: int) -> int:
        return self._prefixes.longest(ids, below).length

    def _groups(self, prompts: Sequence[Prompt]) -> Iterator[list[int]]:
        """Indices of prompts of like work, in as few passes as padding makes worth while."""
        new = [len(ids) - self._stored(ids, len(ids) - keep) for ids, keep in prompts]
        order = sorted(range(len(new)), key=new.__getitem__)
        for run in passes([new[index] for index in order]):
            yield order[run]

    def _enter(self, alike: Mapping[Prompt, Sequence[Row]]) -> None:
        """Let rows in whose prompts are run together, each once; rows of the same prompt get copies."""
        logits = self._prefill(list(alike), sum(len(rows) for rows in alike.values()))
        first = len(self._rows)
        sources = [*range(len(alike))]
        self._rows.extend(rows[0] for rows in alike.values())
        for source, (prompt, rows) in enumerate(alike.items()):
            _tell(rows, logits[source, -prompt.keep : -1])
            for row in rows[1:]:
                self._slab.move(first + source, len(self._rows), len(prompt.ids))
                self._rows.append(row)
                sources.append(source)
        self._draw(logits[torch.tensor(sources, device=logits.device), -1], self._rows[first:])

    def _prefill(self, asked: Sequence[Prompt], room: int) -> Tensor:
        """Run prompts in the rows behind the live ones, with room for so many; what is stored of them is copied."""
        prompts = [prompt.ids for prompt in asked]
        first, width = len(self._rows), max(len(ids) for ids in prompts)
        found = [self._prefixes.longest(ids, len(ids) - keep) for ids, keep in asked]
        queries = max(len(ids) - prefix.length for ids, prefix in zip(prompts, found, strict=True))
        self._slab.reserve(first, first + room, max(width, self._width), 1)
        end = self._slab.end
        for index, (ids, prefix) in enumerate(zip(prompts, found, strict=True)):
            self._prefixes.load(prefix, self._slab, first + index, end - len(ids))
        mask, positions = _layout([len(ids) for ids in prompts], width)
        new = torch.tensor([len(ids) - prefix.length for ids, prefix in zip(prompts, found, strict=True)])
        fresh = (torch.arange(queries)[None] >= queries - new[:, None]).to(self._network.device)
        window = Window(
            self._slab, slice(first, first + len(prompts)), slice(end - width, end), queries, fresh
        )
        self._tally.computed += int(new.sum())
        self._tally.padded += int((queries - new).sum())
        tokens = torch.tensor([(0,) * (queries - len(ids)) + ids[-queries:] for ids in prompts])
        placed = self._placed(tokens, mask, positions[:, -queries:])
        logits = self._network.logits(window, *placed, keep=max(prompt.keep for prompt in asked))
        for index, ids in enumerate(prompts):
            self._prefixes.add(ids, self._slab, first + index)
        return logits

    def _step(self) -> None:
        live, width = len(self._rows), self._width + 1
        self._slab.reserve(live, live, width - 1, 1)
        self._slab.end += 1
        self._tally.steps, self._tally.row_steps = self._tally.steps + 1, self._tally.row_steps + live
        end = self._slab.end
        window = Window(self._slab, slice(0, live), slice(end - width, end), 1)
        ids = torch.tensor([[row.tokens[-1]] for row in self._rows])
        mask, positions = _layout([row.held + 1 for row in self._rows], width)
        logits = self._network.logits(window, *self._placed(ids, mask, positions[:, -1:]))
        self._draw(logits[:, -1], tuple(self._rows))

    def _draw(self, logits: Tensor, rows: Sequence[Row]) -> None:
        """Give each row its next token; rows that end leave. Raises ArithmeticError where a row's logits are no
        numbers: what it stored would reach whoever comes into its place.
        """
        logits = logits.float()
        allowed = self._wording.allowed([row.matcher for row in rows], logits.shape[-1])
        held = logits if allowed is None else logits.masked_fill(~allowed.to(logits.device), -torch.inf)
        chosen = choose(held, [row.draw for row in rows])
        shares = logits.gather(-1, chosen[:, None])[:, 0] - logits.logsumexp(-1)
        if shares.isnan().any():
            raise ArithmeticError("the model's logits are no numbers")
        drawn = zip(rows, chosen.tolist(), shares.tolist(), strict=True)
        endings = [(row, row.take(token, share, self._wording)) for row, token, share in drawn]
        for row, finish in endings:
            if finish is not None:
                self._done.append((row.job, row.completion(finish, self._wording)))
                self._leave(row)

    def _leave(self, row: Row) -> None:
        """Take a row out; the last one moves into its place."""
        place, last = self._rows.index(row), self._rows.pop()
        self._prefixes.add((*row.job.ids, *row.tokens[:-1]), self._slab, place)
        if last is not row:
            self._slab.move(len(self._rows), place, last.held)
            self._rows[place] = last

    @property
    def _width(self) -> int:
        return max((row.held for row in self._rows), default=0)

    def _placed(self, *tensors: Tensor) -> Iterator[Tensor]:
        return (tensor.to(self._network.device) for tensor in tensors)


def _tell(rows: Sequence[Row], logits: Tensor) -> None:
    """How probable the model found what the grammar of these rows begins with, from the logits (tokens, vocabulary)
    that go before it.
    """
    if len(logits):
        forced = torch.tensor(rows[0].tokens, device=logits.device)[:, None]
        shares = logits.float().gather(-1, forced)[:, 0] - logits.float().logsumexp(-1)
        for row in rows:
            row.logprobs = shares.tolist()


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
