"""What madbench costs a call beside the model: processor time of rendering, reading, scheduling and scoring."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

from madbench.agents import Cast
from madbench.engines.simulated import SimulatedModel
from madbench.protocols.debate import Debate
from madbench.run.episodes import Carried, Play, Slot
from madbench.sweep.worker import look_seldom_for_cycles
from madbench.tasks.synthetic import Synthetic
from madbench.types import Record, RoleSettings


async def _measured(episodes: int) -> float:
    task, protocol = Synthetic(episodes), Debate(agents=3, debate_rounds=2)
    async with SimulatedModel(0.6, 0.4).open() as engine:
        play = Play(protocol, task, RoleSettings(), Cast({"default": [engine]}), 0)
        slots = [Slot(sample, None, 0, 1, Carried()) for sample in task.samples()]
        start = time.process_time()
        played: Sequence[tuple[Record, Carried]] = await asyncio.gather(
            *(play.episode(slot) for slot in slots)
        )
        whole = time.process_time() - start
        requests = [turn.request for record, _ in played for turn in record.turns]
        start = time.process_time()
        for request in requests:
            await engine.generate(request)
        return (whole - (time.process_time() - start)) / len(requests) * 1e6


def harness_us_per_call(episodes: int = 4096) -> float:
    """Microseconds a call with so many episodes in flight; the simulated model's own time is taken off."""
    look_seldom_for_cycles()
    return asyncio.run(_measured(episodes))
