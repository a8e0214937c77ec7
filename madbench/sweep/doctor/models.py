"""Do the models load, can they be spoken to, and does it all fit into memory?"""

from __future__ import annotations

import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from madbench.engines.settings import SpokenSettings
from madbench.sweep.building import Built
from madbench.sweep.doctor.findings import Finding, guarded
from madbench.types import Model

if TYPE_CHECKING:
    from madbench.engines.local.proof import Body

ANSWER_S = 5.0
"""How long a server may take to answer at all."""
PREFETCH = "where there is a network: python -m madbench prefetch, with the same arguments"


@runtime_checkable
class Served(Protocol):
    """A model behind a server."""

    @property
    def base_url(self) -> str: ...


def models_of(jobs: Sequence[Built]) -> list[Model]:
    """Every model once."""
    return once(model for job in jobs for model in job.models)


def once(models: Iterable[Model]) -> list[Model]:
    """Equal settings are one model; some cannot be hashed."""
    found: list[Model] = []
    for model in models:
        if model not in found:
            found.append(model)
    return found


class Weighed:
    """Models with weights, and how large they are, as far as that was found out."""

    def __init__(self) -> None:
        self._bodies: list[tuple[object, Body]] = []

    def of(self, model: Model) -> Body | None:
        return next((body for known, body in self._bodies if known == model), None)

    def look(self, model: Model) -> list[Finding]:
        """Whether a model could be opened."""
        if isinstance(model, SpokenSettings):
            return guarded("weights", model.name, partial(self._weights, model))
        if isinstance(model, Served):
            return guarded("server", model.name, partial(_server, model.name, model.base_url))
        return [Finding("ok", "model", model.name, "has no weights")]

    def _weights(self, model: SpokenSettings) -> Iterator[Finding]:
        from madbench.engines.local.proof import prove

        place = model.weights.words()
        if place is None:
            label = model.weights.label
            yield Finding("fail", "weights", model.name, f"{label} is not on this machine", PREFETCH)
            return
        if place.gguf:
            size = (place.folder / place.gguf).stat().st_size
            yield Finding(
                "ok", "weights", model.name, f"{place.gguf}, {size / 1e9:.2f} GB; read when it opens"
            )
        else:
            body = prove(model, place)
            self._bodies.append((model, body))
            told = f"{body.weights / 1e6:,.0f} million, {body.bytes / 1e9:.2f} GB as {model.dtype}: all there"
            yield Finding("ok", "weights", model.name, told)
        words = model.language_here()
        context = "unknown" if words is None else f"{words.context:,} tokens"
        yield Finding(
            "ok", "chat", model.name, f"conversations can be written for it; its context is {context}"
        )


def _server(name: str, url: str) -> Iterator[Finding]:
    try:
        with urllib.request.urlopen(url, timeout=ANSWER_S):
            pass
    except urllib.error.HTTPError:
        pass
    except (OSError, ValueError) as error:
        yield Finding(
            "warn", "server", name, f"{url} does not answer: {error}", "start it before the runs are played"
        )
        return
    yield Finding("ok", "server", name, f"{url} answers")
