"""Weights & Biases: one W&B run for each run, sent by a process of its own that is given so much time and no more."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import Literal

from madbench.tracking.identity import Receipt, run_id
from madbench.tracking.parcel import Labels, Parcel, pack
from madbench.tracking.post import OFFLINE_S, choose_mode, post
from madbench.tracking.runs import Published, TrackedRun

log = logging.getLogger(__name__)
Mode = Literal["online", "offline", "disabled"]


@dataclass
class WandbTracking:
    """Where runs are sent. What the environment sets (`WANDB_MODE`, `WANDB_DIR`, `WANDB_PROJECT`, `WANDB_ENTITY`, …)
    beats what stands here.

    Without a mode from either, runs go online if a key is configured and the server answers, else offline, to be
    sent later by `upload`. The sample table holds the first `max_rows` rows; all of them are in the artifact's
    files. The server has `timeout_s` seconds for a run; after a first failure all later runs go offline (with
    `offline_instead` false, nowhere), and after one that never ended offline no other is begun.
    """

    project: str = "madbench"
    entity: str | None = None
    mode: Mode | None = None
    max_rows: int = 1000
    timeout_s: float = 60.0
    offline_instead: bool = True
    _decided: str | None = field(default=None, init=False, repr=False)
    _hopeless: str = field(default="", init=False, repr=False)

    def publish(self, run: TrackedRun) -> Published:
        """Send one run, unless all of it was sent. Ends in time: a server has `timeout_s`, the disk some minutes."""
        try:
            return self._publish(run)
        except Exception as error:
            return Published(self._decided or "unknown", problem=f"W&B: {error}")

    def _publish(self, run: TrackedRun) -> Published:
        if self._hopeless:
            raise RuntimeError(self._hopeless)
        if self._decided is None:
            self._decided = self._decide(run)
        if self._decided == "disabled":
            return Published("disabled")
        parcel = self._pack(run)
        receipt = Receipt(run.folder, parcel.digest())
        if receipt.holds(self._decided):
            ids = parcel.table.ids
            return Published(self._decided, ids, ids, parcel.table.total, before=True)
        sent = self._send(parcel, run)
        if sent.found == sent.due:
            receipt.write(sent.mode)
        return sent

    def _pack(self, run: TrackedRun) -> Parcel:
        labels = Labels(
            project=self.project, entity=self.entity, group=run.group, job_type=run.job_type, name=run.name
        )
        return pack(run, run_id(run.folder), self.max_rows, labels)

    def _decide(self, run: TrackedRun) -> str:
        try:
            mode, reason = choose_mode(self.mode, run.home)
        except RuntimeError as error:
            self._hopeless = str(error)
            raise
        if reason and not self.offline_instead:
            self._hopeless = reason
            raise RuntimeError(reason)
        if reason:
            log.warning("W&B: tracking %s, since %s.", mode, reason)
        return mode

    def _send(self, parcel: Parcel, run: TrackedRun) -> Published:
        """Online, then offline where that fails; a warning the first time."""
        if self._decided == "offline":
            return self._offline(parcel, run)
        try:
            return post(parcel, run.home, self._decided or "online", self.timeout_s)
        except Exception as error:
            if not self.offline_instead:
                raise
            log.warning("W&B: tracking offline from here on, since the server failed: %s", error)
            self._decided = "offline"
            return self._offline(parcel, run)

    def _offline(self, parcel: Parcel, run: TrackedRun) -> Published:
        try:
            return post(parcel, run.home, "offline", OFFLINE_S)
        except TimeoutError as error:
            self._hopeless = str(error)
            raise
