"""Canaries: for every channel that a protocol forbids, show that opening it would be caught.

A protocol's tests call `check_channels(scene, tmp_path)`. It plays the scene as it is: nothing may leak, and
every forbidden channel must have been there to leak through. Then, edge by edge, it breaks the sink's prompts so
that they show what the source said: the guard must refuse that at run time. Where source and sink are asked at
the same moment through the same prompt, nothing has been said yet that could be refused; there the audit must
find the source's words in a doctored transcript.
"""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from stage import Played, play

from madbench.agents import Scene, audit
from madbench.agents.leaks import MINIMUM
from madbench.agents.prompts import FOLDER
from madbench.types import Edge, LeakError, Message, Turn


def check_channels(scene: Scene, folder: Path) -> Played:
    """Play the scene honestly, then broken at each of its protocol's edges. Returns the honest episode."""
    honest = play(scene)
    found = audit(scene.problem, honest.own, scene.protocol.edges)
    assert found.leaks == ()
    for number, edge in enumerate(scene.protocol.edges):
        sinks = {turn.seen: turn.speaker.role for turn in honest.own if matches(edge.sink, turn, turn.seen)}
        assert sinks, f"{edge}: nobody was there to be shown anything"
        source = first_said(edge, honest)
        canary = given(edge, scene) if source is None else source.completion.text
        assert len(canary) >= MINIMUM, (
            f"{edge}: let the source say something long enough to be told from chance"
        )
        for seen, role in sinks.items():
            if source is not None and source.seen == seen:
                doctored = audit(scene.problem, shown_to_later(honest, source), [edge])
                assert doctored.leaks
                continue
            broken = with_template(scene, role, seen, canary, folder / str(number) / seen)
            with pytest.raises(LeakError, match=re.escape(f"{edge.source} -> {edge.sink}")):
                play(broken)
    return honest


def given(edge: Edge, scene: Scene) -> str:
    """What the task itself gives that may not pass: the question, or the passage."""
    return scene.problem.question if edge.source == "problem" else scene.problem.reader.passage


def first_said(edge: Edge, honest: Played) -> Turn | None:
    """The first turn in which the edge's source spoke; None where the source is part of the problem."""
    if edge.source in ("problem", "passage"):
        return None
    said = [turn for turn in honest.own if matches(edge.source, turn, turn.reading.kind)]
    assert said, f"{edge}: the source said nothing in this scene"
    return said[0]


def shown_to_later(honest: Played, source: Turn) -> list[Turn]:
    """The transcript with the source's words slipped into every later prompt of the same kind."""
    note = Message("user", source.completion.text)
    return [
        replace(turn, request=replace(turn.request, messages=(*turn.request.messages, note)))
        if turn.seen == source.seen and turn is not source
        else turn
        for turn in honest.own
    ]


def with_template(scene: Scene, role: str, seen: str, canary: str, folder: Path) -> Scene:
    """The scene with one observation's prompt, as this role reads it, followed by the canary."""
    for file in FOLDER.glob(f"*/{seen}*.j2"):
        shadow = folder / file.relative_to(FOLDER)
        shadow.parent.mkdir(parents=True, exist_ok=True)
        shadow.write_text(file.read_text() + "{% raw %}\n" + canary + "{% endraw %}\n")
    settings = {**scene.protocol.roles.get(role, {}), "templates": str(folder)}
    roles = {**scene.protocol.roles, role: settings}
    return replace(scene, protocol=replace(scene.protocol, roles=roles))


def matches(pattern: str, turn: Turn, kind: str) -> bool:
    return pattern in (turn.speaker.role, f"{turn.speaker.role}/{kind}")
