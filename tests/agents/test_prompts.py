"""Prompts: every observation has its template, naming its fields and nothing else; users can shadow them."""

import importlib
import pkgutil
from dataclasses import replace

import pytest
from jinja2 import UndefinedError, meta
from stage import SUM, play, stage

import madbench.protocols
from madbench.agents import prompt_hashes, template
from madbench.agents.prompts import FOLDER, environment, render
from madbench.protocols.debate import Debate, Exchange
from madbench.protocols.self_consistency import SelfConsistency
from madbench.protocols.solver import Asked
from madbench.types import Contract, InputError, Observation, RoleSettings, Shot

for module in pkgutil.iter_modules(madbench.protocols.__path__, "madbench.protocols."):
    importlib.import_module(module.name)


def observations(base=Observation):
    for kind in base.__subclasses__():
        if kind.__module__.startswith("madbench."):
            yield kind
        yield from observations(kind)


OBSERVATIONS = sorted(set(observations()), key=lambda kind: (kind.__module__, kind.__name__))


def templates_of(kind):
    folder = FOLDER / kind.__module__.rpartition(".")[2]
    return [path for path in folder.glob("*.j2") if path.name.split(".")[0] == kind.__name__]


def variables(path):
    """What a template names, with the pieces that it includes."""
    tree = environment(None).parse(path.read_text())
    included = [FOLDER / name for name in meta.find_referenced_templates(tree)]
    return meta.find_undeclared_variables(tree).union(*map(variables, included))


@pytest.mark.parametrize("kind", OBSERVATIONS, ids=lambda kind: kind.__name__)
def test_templates_name_the_observations_fields(kind):
    files = templates_of(kind)
    assert f"{kind.__name__}.j2" in [path.name for path in files]
    for path in files:
        assert variables(path) == set(kind.model_fields), path.name


def test_no_template_is_left_over():
    known = {path for kind in OBSERVATIONS for path in templates_of(kind)}
    pieces = {path for path in FOLDER.rglob("*.j2") if path.name[0].islower()}
    assert set(FOLDER.rglob("*.j2")) == known | pieces


def test_a_template_cannot_show_more_than_its_observation(tmp_path):
    (tmp_path / "solver").mkdir()
    (tmp_path / "solver" / "Asked.j2").write_text("{{ prompt }} {{ target }}")
    with pytest.raises(UndefinedError, match="target"):
        render(Asked(prompt="x"), RoleSettings(templates=str(tmp_path)))


def test_text_is_shown_as_it_is():
    hostile = "{{ prompt }} <b> & {% raw %} \\boxed{5}"
    assert render(Asked(prompt=hostile), RoleSettings()) == hostile


def shadow(folder, name, text):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return str(folder)


def test_a_users_folder_shadows_single_templates_of_a_role(tmp_path):
    folder = shadow(
        tmp_path, "debate/Exchange.j2", "My words: {{ peers | join(' / ') }} {{ own }} {{ prompt }}"
    )
    played = play(stage(Debate(roles={"solver": {"templates": folder}}), lambda request: "So be it."))
    assert played.asked("solver", 0, 1).startswith("My words: So be it. / So be it.")
    assert played.asked("solver", 0, 0) == SUM.prompt


def test_a_missing_shadow_folder_is_named():
    with pytest.raises(InputError, match="no folder /nowhere"):
        template(Asked, shadow="/nowhere")


def test_an_observation_without_a_template_is_named():
    class Unwritten(Observation):
        prompt: str

    with pytest.raises(InputError, match=r"Unwritten\.j2 for Unwritten"):
        template(Unwritten)


def test_permissive_wording_is_another_file_and_strict_stands_in_where_there_is_none(tmp_path):
    folder = shadow(
        tmp_path, "debate/Exchange.permissive.j2", "Perhaps: {{ prompt }}{{ own }}{{ peers | length }}"
    )
    seen = Exchange(prompt="x", own="", peers=("y",))
    permissive = RoleSettings(templates=folder, contract=Contract(wording="permissive"))
    assert render(seen, permissive) == "Perhaps: x1"
    assert "Others were asked" in render(seen, RoleSettings(templates=folder))
    assert render(Asked(prompt="x"), permissive) == "x"


def test_hashes_cover_what_all_protocols_share_and_what_is_shadowed(tmp_path):
    folder = shadow(tmp_path, "debate/Exchange.j2", "{{ prompt }}{{ own }}{{ peers }}")
    plain = prompt_hashes("debate")
    debate = {f"debate/{name}.j2" for name in ("Exchange", "Exchange.permissive", "Persona")}
    between = ("Overheard", "Summarised", "Summarised.permissive")
    helper = {f"debate_summarised/{name}.j2" for name in between}
    assert set(plain) == {"repair.j2", "solver/Asked.j2"} | debate | helper
    shadowed = prompt_hashes("debate", frozenset({folder}))
    assert {key: shadowed[key] for key in plain} == plain
    assert set(shadowed) - set(plain) == {f"{folder}/debate/Exchange.j2"}
    shadow(tmp_path, "debate/Exchange.j2", "{{ prompt }}{{ own }}{{ peers }}!")
    assert prompt_hashes("debate", frozenset({folder})) != shadowed


def test_hashes_cover_every_template_that_a_protocol_renders():
    for name in ("debate", "self_refine", "critic_profile"):
        folders = {path.parts[0] for path in (p.relative_to(FOLDER) for p in FOLDER.glob(f"{name}*/*.j2"))}
        assert folders
        assert {key.split("/")[0] for key in prompt_hashes(name)} == folders | {"repair.j2", "solver"}


def test_worked_examples_are_chat_turns_before_the_question():
    problem = replace(SUM, shots=(Shot("One and one?", "Answer: 2"), Shot("Two and two?", "Answer: 4")))
    played = play(stage(SelfConsistency(votes=1, pool=1), lambda request: "Answer: 9", problem=problem))
    roles = [message.role for message in played.turns[0].request.messages]
    assert roles == ["user", "assistant", "user", "assistant", "user"]
