"""A real model's shape reaches the summary: arms are compared at equal FLOPs."""

from engines import tiny
from sweep.command import home, madbench, summary

from madbench.metrics.budgets import Shape
from madbench.records.layout import RunFolder
from madbench.sweep.shapes import shape_in

SHORT = ("task.n=3", "sampling.max_tokens=6", "protocol=self_consistency,debate")
LABEL = "self_consistency@equal_flops"


def test_a_model_of_known_shape_is_compared_at_equal_flops(tmp_path):
    folder = tiny.save(tmp_path / "tiny", context=2048)
    told = ("model@cast.default=folder", f"cast.default.weights.path={folder}", "cast.default.dtype=float32")
    ended = madbench(tmp_path, "-m", *SHORT, *told)
    assert ended.returncode == 0, ended.err
    assert ("debate", LABEL) in {(found["a"], found["b"]) for found in summary(tmp_path)["comparisons"]}
    assert "no comparison at equal FLOPs" not in str(summary(tmp_path)["notes"])
    (run,) = (home(tmp_path) / "runs").glob("*-debate-*")
    shape = shape_in(RunFolder(run))
    made = tiny.model(len(tiny.tokenizer()))
    every = sum(weight.numel() for weight in made.parameters())
    assert shape == Shape(every - made.get_input_embeddings().weight.numel(), layers=2, width=32)


def test_a_model_without_shape_is_named(tmp_path):
    assert madbench(tmp_path, "-m", *SHORT).returncode == 0
    assert LABEL not in {found["b"] for found in summary(tmp_path)["comparisons"]}
    assert "simulated: no comparison at equal FLOPs" in str(summary(tmp_path)["notes"])
