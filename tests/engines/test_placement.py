"""Where weights are put changes no reply, and devices that are not there are refused before anything is loaded."""

import asyncio

import pytest
import torch
from engines import tiny
from engines.test_transformers import answers, asked, settings
from pydantic import ValidationError
from transformers import AutoModelForCausalLM, AutoTokenizer

from madbench.engines.batching import Scheduler
from madbench.engines.chat import Chat, ChatFormat
from madbench.engines.jobs import Job
from madbench.engines.local.loading import loaded
from madbench.engines.local.network import Network, devices_of
from madbench.engines.placement import refuse_missing, refuse_too_many
from madbench.types import InputError

ONE_GPU = torch.cuda.device_count() < 2
REQUESTS = [asked(i, temperature=0.5 * (i % 3), tokens=12) for i in range(9)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tiny.save(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="module")
def whole(folder):
    return answers(settings(folder, device="cpu"), REQUESTS)[0]


def test_a_map_of_devices_gives_equal_tokens(folder, whole):
    parts = {"model.embed_tokens": "cpu", "model.layers.0": "cpu", "model.layers.1": "cpu"}
    parts |= {"model.norm": "cpu", "model.rotary_emb": "cpu", "lm_head": "cpu"}
    for placed in ({"": "cpu"}, parts, *(["auto"] if not torch.cuda.is_available() else [])):
        model = settings(folder, device_map=placed)
        model.check()
        completions, facts = answers(model, REQUESTS)
        assert completions == whole
        assert facts["device"].startswith("cpu")
        assert model.fingerprint() == settings(folder).fingerprint()


def test_layers_that_are_not_on_their_device_until_their_turn_give_equal_tokens(folder, whole, tmp_path):
    """Spread by transformers over memory and disk: what is on disk has no device of its own, as on another GPU."""
    here = ("model.embed_tokens", "model.layers.0", "model.norm", "model.rotary_emb")
    placed = {**dict.fromkeys(here, "cpu"), "model.layers.1": "disk", "lm_head": "disk"}
    model = AutoModelForCausalLM.from_pretrained(
        folder, dtype=torch.float32, device_map=placed, offload_folder=tmp_path
    ).eval()
    assert any(parameter.device.type == "meta" for parameter in model.parameters())
    assert devices_of(model) == [torch.device("cpu")] == [Network(model).device]
    chat = ChatFormat(AutoTokenizer.from_pretrained(folder), Chat(), "tiny")
    decoder = loaded(model, chat, "tiny").decoder(1 << 20)

    async def run():
        async with (scheduler := Scheduler(decoder, 4)).running():
            jobs = [Job(request, chat.ids(request.messages)) for request in REQUESTS]
            return await asyncio.gather(*map(scheduler.complete, jobs))

    completions = asyncio.run(run())
    assert [(one.text, one.finish) for one in completions] == [(one.text, one.finish) for one in whole]


@pytest.mark.skipif(ONE_GPU, reason="fewer than two GPUs")
def test_layers_on_two_gpus_give_equal_tokens(folder):
    placed = {"model.embed_tokens": 0, "model.rotary_emb": 0, "model.layers.0": 0, "model.layers.1": 1}
    placed |= {"model.norm": 1, "lm_head": 1}
    completions, facts = answers(settings(folder, device_map=placed), REQUESTS)
    assert facts["device"].count("cuda") == 2
    alone = answers(settings(folder, device="cuda:0"), REQUESTS)[0]
    assert [one.text for one in completions] == [one.text for one in alone]


def test_two_settings_for_one_place_are_refused(folder):
    with pytest.raises(
        InputError, match=r"model tiny: device=cpu and device_map=auto both say .*leave one out"
    ):
        settings(folder, device="cpu", device_map="auto").check()


@pytest.mark.parametrize(
    ("device", "placed", "named"),
    [("cuda:8", None, 8), ("auto", {"": 9}, 9), ("auto", {"model": "cpu", "lm_head": "cuda:12"}, 12)],
)
def test_a_gpu_that_is_not_there_is_refused(folder, device, placed, named):
    with pytest.raises(
        InputError, match=f"model tiny: GPU {named} is named, torch sees .* choose device=auto or"
    ):
        settings(folder, device=device, device_map=placed).check()


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_cuda_where_there_is_none_is_refused():
    with pytest.raises(InputError, match=r"GPU 0 is named, torch sees none"):
        refuse_missing("m", "cuda", None)


def test_more_gpus_than_there_are_are_refused():
    refuse_too_many("m", 1)
    with pytest.raises(InputError, match=r"model m: .* over 64 GPUs .*torch sees \d+; ask for fewer"):
        refuse_too_many("m", 64)


@pytest.mark.parametrize("placed", ["anywhere", {}, {"": "disk"}, {"": "cuda:x"}, {"": -1}])
def test_a_place_that_is_none_is_refused(folder, placed):
    with pytest.raises(ValidationError, match="device_map"):
        settings(folder, device_map=placed)
