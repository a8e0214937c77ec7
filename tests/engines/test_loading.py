"""Loading refuses weights that are not whole."""

import pytest
from engines import tiny
from safetensors.torch import load_file, save_file

from madbench.engines.local.loading import load
from madbench.engines.transformers import TransformersModel
from madbench.engines.weights import Folder
from madbench.types import InputError


@pytest.fixture
def without(tmp_path):
    """Loads a small model of whose weights some were taken away."""

    def opened(*names, tied=False):
        file = tiny.save(tmp_path / "tiny", tied=tied) / "model.safetensors"
        weights = load_file(file)
        save_file({name: weights[name] for name in weights if name not in names}, file, {"format": "pt"})
        return load(TransformersModel(name="tiny", weights=Folder(path=str(file.parent))))

    return opened


def test_a_missing_tensor_is_named_and_not_made_up(without):
    lost = "model.layers.1.mlp.up_proj.weight"
    with pytest.raises(InputError, match=rf"model tiny: weights in .* lack {lost}: they would be random"):
        without(lost)


def test_a_head_that_is_missing_is_refused_unless_it_is_tied(without):
    with pytest.raises(InputError, match=r"lack lm_head\.weight"):
        without("lm_head.weight")
    assert without("lm_head.weight", tied=True).model.config.tie_word_embeddings
