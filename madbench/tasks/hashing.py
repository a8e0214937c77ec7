"""Names and fingerprints that depend on content alone."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable

from madbench.types import Sample


def short_hash(text: str) -> str:
    """Sixteen hex digits of a text."""
    return hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=8).hexdigest()


def content_hash(samples: Iterable[Sample]) -> str:
    """SHA-256 over all that decides what is asked and what is right, in order: ids, prompts, readers, targets."""
    whole = hashlib.sha256()
    for sample in samples:
        problem, target = sample.problem, sample.target
        shots = [[shot.prompt, shot.reply] for shot in problem.shots]
        asked = [problem.id, problem.cluster, problem.prompt, repr(problem.reader), shots]
        row = [*asked, target.answer, dict(target.facts)]
        whole.update(json.dumps(row, sort_keys=True).encode() + b"\n")
    return whole.hexdigest()
