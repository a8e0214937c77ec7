"""A round table over an artifact: findings are proposed, voted on and signed as answers to questions are."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from hydra.utils import instantiate
from panel import Panel, drafts, events, says, table, votes
from reviewers import PROBLEM

from madbench.agents.roles import settings_of
from madbench.protocols.roundtable_brief import BRIEF
from madbench.protocols.roundtable_chair import Manner
from madbench.protocols.roundtable_forms import PERSONAS
from madbench.tasks.answers import FindingsReader
from madbench.tasks.review_samples import question_of
from madbench.tasks.reviewed import ReviewLayout
from madbench.types import Artifact, Document, RoleSettings, findings_of

CONF = Path(__file__).parents[2] / "conf"
FINDING = {
    "document": "app.py",
    "line_start": 7,
    "line_end": 7,
    "text": "No lock",
    "severity": "high",
    "confidence": 80,
}


def reviewing(**scripts):
    """Everybody stands by one finding; evidence names its line."""
    floor = {
        f"{name}_floor": says(f"Look at line {at} once more", answer=[FINDING])
        for at, name in enumerate(PERSONAS, 3)
    }
    draft = drafts(answer=[FINDING], evidence=("app.py:7 reads the queue",), insight="Line 7 races")
    return Panel(**{**floor, "generalist_draft": draft, **scripts})


@pytest.mark.parametrize("forms", ["full", "brief"])
def test_a_table_that_agrees_signs_its_findings(forms):
    played = table(reviewing(), problem=PROBLEM, manner=Manner(forms=forms))
    (found,) = findings_of(played.outcome.answer)
    assert (found.span.first, found.text) == (7, "No lock")
    assert (played.outcome.facts["approved"], played.outcome.facts["votes_for"]) == (True, 6)


def test_that_nothing_is_wrong_can_be_signed_too():
    draft = drafts(answer=[], evidence=("30 lines read",), insight="Nothing is wrong")
    played = table(reviewing(generalist_draft=draft), problem=PROBLEM)
    assert played.outcome.answer == "[]"


def test_who_votes_it_down_leaves_no_review():
    against = {f"{name}_ballot": votes(name, "disagree") for name in PERSONAS[:3]}
    assert table(reviewing(**against), problem=PROBLEM).outcome.answer is None


def test_correlations_in_the_code_under_review_are_no_evidence_that_a_review_has_to_give():
    racy = Artifact((Document("app.py", "r = 0.21\nradius = r * 2\n" * 10),), "Draws a circle.")
    played = table(
        reviewing(), problem=replace(PROBLEM, question=question_of(racy), reader=FindingsReader(racy))
    )
    assert events(played, "rejected", gate="proposal") == []
    assert played.outcome.facts["approved"]


@pytest.mark.parametrize(
    ("preset", "fits"),
    [("roundtable_quick_reviews", True), ("roundtable", True), ("roundtable_quick", False)],
)
def test_a_proposal_of_as_many_findings_as_count_fits_the_tokens_of_presets_for_reviews(preset, fits):
    """A character a token: worse no tokenizer can do with plain ones."""
    layout = ReviewLayout()
    findings = [
        {**FINDING, "line_start": 1000, "line_end": 1000, "text": "x" * layout.longest, "severity": "medium"}
    ]
    brief = {
        "insight": "x" * 60,
        "answer": findings * layout.findings,
        "evidence": ["x" * 40],
        "confidence": "medium",
    }
    assert BRIEF.proposal.model_validate_json(json.dumps(brief))
    with initialize_config_dir(str(CONF), version_base=None):
        protocol = instantiate(compose(f"protocol/{preset}")["protocol"], _convert_="all")
    text = json.dumps(brief, separators=(",", ":"))
    for name in PERSONAS:
        assert (len(text) <= settings_of(name, protocol, RoleSettings()).sampling.max_tokens) is fits
