"""A transformers model as a function from a window of tokens to the next tokens' logits."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

import torch
from torch import Tensor
from transformers.cache_utils import Cache, CacheLayerMixin

from madbench.engines.local.attention import by_length, fitted, numbers
from madbench.engines.local.slab import Slab, Window

if TYPE_CHECKING:
    from transformers import PreTrainedModel


class WindowLayer(CacheLayerMixin):  # type: ignore[misc]
    """One layer's view of a window, as transformers asks for it."""

    is_sliding = False

    def __init__(self, window: Window, index: int) -> None:
        super().__init__()
        self._window, self._index = window, index
        self.is_initialized = True

    def lazy_initialization(self, key_states: Tensor, value_states: Tensor) -> None:
        """Nothing: the slab makes its buffers itself."""

    def update(
        self, key_states: Tensor, value_states: Tensor, *_: object, **__: object
    ) -> tuple[Tensor, Tensor]:
        return self._window.write(self._index, key_states, value_states)

    def get_mask_sizes(self, query_length: int) -> tuple[int, int]:
        return self._window.past + query_length, 0

    def get_seq_length(self) -> int:
        return self._window.past

    def get_max_length(self) -> int:
        return -1

    def get_max_cache_shape(self) -> int:
        return -1


class Network:
    """Logits of the last columns of a window. Raises what torch raises."""

    def __init__(self, model: PreTrainedModel) -> None:
        self._model, self._device = model, devices_of(model)[0]
        self._layers: int = model.config.get_text_config().num_hidden_layers
        parameters = inspect.signature(model.forward).parameters
        self._cache_word = "cache" if "cache" in parameters else "past_key_values"

    @property
    def device(self) -> torch.device:
        """Where tokens go in; a model that is spread over devices passes them on itself."""
        return self._device

    def slab(self) -> Slab:
        """An empty slab in the numbers that this model attends in."""
        return Slab(numbers(self._model))

    def logits(
        self, window: Window, ids: Tensor, mask: Tensor, positions: Tensor, *, keep: int = 1
    ) -> Tensor:
        """(rows, queries) ids and positions, (rows, columns) mask -> (rows, keep, vocabulary) of the last queries."""
        cache = Cache(layers=[WindowLayer(window, index) for index in range(self._layers)])
        lengths = mask.sum(-1).tolist() if fitted(self._model) else ()
        with by_length(lengths, window.queries):
            output = self._model(
                input_ids=ids,
                attention_mask=mask,
                position_ids=positions,
                use_cache=True,
                logits_to_keep=keep,
                **{self._cache_word: cache},
            )
        logits: Tensor = output.logits[:, -keep:]
        return logits


def devices_of(model: PreTrainedModel) -> list[torch.device]:
    """The devices that hold a model, that of its first layer first. What is kept off all of them, and fetched for its
    turn, counts as the processor's.
    """
    held = (parameter.device for parameter in (model.get_input_embeddings().weight, *model.parameters()))
    return list(dict.fromkeys(torch.device("cpu") if device.type == "meta" else device for device in held))
