"""Every choice that ships builds, every experiment composes, and what it composes to changes on purpose only."""

import os
from pathlib import Path

import pytest
import yaml
from hydra import compose, initialize_config_dir
from hydra.errors import ConfigCompositionException
from hydra.utils import instantiate
from omegaconf import OmegaConf

CONF = Path(__file__).parents[1] / "conf"
SNAPSHOTS = Path(__file__).parent / "snapshots"
EXPERIMENTS = sorted(path.stem for path in (CONF / "experiment").glob("*.yaml"))
CHOICES = [
    (group, path.stem)
    for group in ("task", "protocol", "model", "tracking")
    for path in sorted((CONF / group).glob("*.yaml"))
]
NEEDED = {
    "model/folder": ["cast.default.weights.path=/weights"],
    "model/gemma3_270m": ["cast.default.weights.path=/weights/a.gguf"],
    "model/gguf": ["cast.default.weights.path=/weights/a.gguf"],
    "model/hf": ["cast.default.weights.id=owner/name"],
    "model/hf_sharded": ["cast.default.weights.id=owner/name"],
    "model/ollama": ["cast.default.model=llama3.2:3b"],
    "model/openai_server": ["cast.default.model=a"],
    "model/replay": ["cast.default.recorded.path=/runs"],
    "model/smollm2_and_gemma3": ["cast.default.second.weights.path=/weights/a.gguf"],
    "model/transcripts": ["cast.default.recorded.path=/data/turns.jsonl"],
    "model/vllm": ["cast.default.weights.id=owner/name"],
    "model/vllm_server": ["cast.default.model=owner/name"],
    "task/bb_mistake": ["task.path=/data/set.jsonl"],
    "task/diff": ["task.path=/data/change.diff"],
    "task/review_modules": ["task.path=/data/set.jsonl"],
    "task/finding_pairs": ["task.path=/data/pairs.jsonl"],
    "task/reviews": ["task.path=/data/set.jsonl"],
    "task/sven_py": ["task.path=/data/set.jsonl"],
}
"""Values that a user must give: what `???` stands for."""


def composed(*overrides):
    with initialize_config_dir(str(CONF), version_base=None):
        return compose("config", list(overrides))


@pytest.mark.parametrize(("group", "choice"), CHOICES, ids=[f"{group}/{choice}" for group, choice in CHOICES])
def test_every_choice_builds(group, choice):
    option = "model@cast.default" if group == "model" else group
    cfg = composed(f"{option}={choice}", *NEEDED.get(f"{group}/{choice}", []))
    node = cfg.cast.default if group == "model" else cfg[group]
    assert not OmegaConf.missing_keys(node)
    instantiate(node, _convert_="all")


def test_unknown_keys_and_choices_are_refused():
    with pytest.raises(ConfigCompositionException, match="protocol"):
        composed("protocol.agnets=3")
    with pytest.raises(Exception, match="self_consistency"):
        composed("protocol=no_such_protocol")


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_experiments_compose_as_they_did(experiment):
    """MADBENCH_SNAPSHOT=write in the environment accepts a change."""
    cfg = composed(f"+experiment={experiment}")
    assert cfg.name == experiment
    assert (CONF.parent / "experiments" / experiment / "README.md").is_file()
    found = yaml.safe_dump(OmegaConf.to_container(cfg, resolve=False), sort_keys=True, allow_unicode=True)
    path = SNAPSHOTS / f"{experiment}.yaml"
    if os.environ.get("MADBENCH_SNAPSHOT") == "write":
        path.parent.mkdir(exist_ok=True)
        path.write_text(found, encoding="utf-8")
    assert found == path.read_text(encoding="utf-8"), (
        f"{path.name} differs: MADBENCH_SNAPSHOT=write pytest {__file__}"
    )
