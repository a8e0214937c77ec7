"""Seeds that depend on names alone."""

from __future__ import annotations

import hashlib


def seed_of(*parts: object) -> int:
    """A 63-bit seed that depends on the parts' text alone, equal on every machine and in every order of events."""
    key = "\x1f".join(map(str, parts)).encode()
    return int.from_bytes(hashlib.blake2b(key, digest_size=8).digest(), "big") >> 1


def episode_seed(seed: int, epoch: int, sample: str) -> int:
    """The seed of one episode: run seed, epoch and sample id, nothing of protocol or model."""
    return seed_of(seed, epoch, sample)


def ask_seed(episode: int, role: str, seat: int, *, turn: int, attempt: int = 0) -> int:
    """The seed of one ask. The stream of a role is its name, so every protocol's first independent answers are
    the same draws; `turn` counts the asks of a seat, `attempt` the repairs of one ask.
    """
    return seed_of(episode, role, seat, turn, attempt)
