"""What can be told of the vLLM engine where vLLM is not installed; the conformance suite runs it where it is."""

from importlib.util import find_spec

import pytest
from engines import tiny

from madbench.engines.transformers import TransformersModel
from madbench.engines.vllm import VllmModel
from madbench.engines.weights import Folder
from madbench.types import InputError


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return str(tiny.save(tmp_path_factory.mktemp("tiny")))


@pytest.mark.skipif(find_spec("vllm") is not None, reason="vllm is installed")
def test_without_the_package_it_says_what_to_install(folder):
    with pytest.raises(
        InputError, match=r"model tiny: the engine vllm needs the package vllm.*pip install vllm"
    ):
        VllmModel(name="tiny", weights=Folder(path=folder)).check()


def test_its_numbers_are_not_those_of_transformers(folder):
    weights = Folder(path=folder)
    ours = TransformersModel(name="tiny", weights=weights).fingerprint()
    assert VllmModel(name="tiny", weights=weights).fingerprint() != ours


def test_its_language_is_bounded(folder):
    weights = Folder(path=folder)
    whole = TransformersModel(name="tiny", weights=weights).language()
    cut = VllmModel(name="tiny", weights=weights, context=100).language()
    assert (whole.context, cut.context) == (512, 100)
    assert whole.ends == cut.ends == {2, 4}
