"""What roles of an adversarial review are told: the strict contract, the permissive one, and the form of a reply."""

from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from hydra.utils import instantiate
from reviewers import OBJECTION, PROBLEM, REBUTTAL, Side, answers, debate, decides, review, settles, stands

from madbench.protocols.adversarial_review import AdversarialReview
from madbench.protocols.adversarial_review_forms import Defence, Objections, Rejoinder, Resolutions
from madbench.protocols.adversarial_review_items import Item
from madbench.protocols.adversarial_review_sheet import about
from madbench.protocols.adversarial_review_terms import Terms

CONF = Path(__file__).parents[2] / "conf"

DEMANDS = (
    "Concede whenever their evidence is stronger",
    "Without counter-evidence this move is not valid",
    "Give a specific technical reason",
    "never the default",
    "repeats neither the objection nor what you said before",
)
MOVES = ("CONCEDED", "REBUTTED", "CARRIED", "no new claims")


def heard(wording="strict", forms="full", enforcement="prompt"):
    contract = {"contract": {"wording": wording, "enforcement": enforcement}}
    protocol = AdversarialReview(
        debate_rounds=1,
        terms=Terms(forms=forms),
        roles=dict.fromkeys(("objector", "defender", "synthesiser"), contract),
    )
    sides = (
        Side(answer=answers(B_1_1=REBUTTAL), settle=settles(B_1_1="A run under load")),
        Side(review=review(), object=stands(A1=OBJECTION), rejoin=decides(B_1_1="MAINTAINED")),
    )
    return debate(*sides, protocol=protocol)


@pytest.mark.parametrize("wording", ["strict", "permissive"])
def test_the_strict_contract_is_in_the_prompt_and_the_permissive_one_demands_nothing(wording):
    (told,) = heard(wording).prompts("defender")
    assert all(words in told for words in MOVES)
    assert [words in told for words in DEMANDS] == [wording == "strict"] * len(DEMANDS)


@pytest.mark.parametrize("wording", ["strict", "permissive"])
def test_objectors_are_told_to_check_and_not_to_object_for_the_sake_of_it(wording):
    told = heard(wording).prompts("objector", "B")[0]
    assert ("Do not object for the sake of it" in told) is (wording == "strict")
    assert all(stance in told for stance in ("OBJECTED", "ACCEPTED", "PASSED"))


def test_validity_is_judged_alike_under_either_wording():
    moves = [
        [(each.move, each.fault) for each in heard(wording).ledger if each.kind == "answered"]
        for wording in ("strict", "permissive")
    ]
    assert moves[0] == moves[1] == [("REBUTTED", "")]


@pytest.mark.parametrize(("forms", "described"), [("full", True), ("brief", False)])
def test_small_models_are_told_of_no_form_that_they_might_copy(forms, described):
    for role in ("objector", "defender", "synthesiser"):
        for told in heard(forms=forms).prompts(role):
            assert ("JSON" in told) is described
            assert f"at most {60 if described else 12} words" in told


def test_everybody_is_told_who_they_are_and_what_was_said():
    one = heard()
    assert "You are reviewer B" in one.prompts("objector", "B")[0]
    assert "A/1 [app.py:3, medium]" in one.prompts("objector", "B")[0]
    assert f"B/1/1 on A/1 [medium]: {OBJECTION[1]} (evidence: app.py:2)" in one.prompts("defender", "A")[0]
    assert f"REBUTTED: {REBUTTAL[1]} (evidence: app.py:5)" in one.prompts("objector", "B")[1]
    assert "B/1/1" in one.prompts("synthesiser")[0]


@pytest.mark.parametrize("kind", [Objections, Defence, Rejoinder, Resolutions])
def test_the_longest_brief_reply_fits_what_small_models_are_given(kind):
    """One token a letter at worst."""
    with initialize_config_dir(str(CONF), version_base=None):
        quick = instantiate(
            compose("config", ["protocol=adversarial_review_quick"]).protocol, _convert_="all"
        )
    items = [Item(f"B/1/{number}") for number in range(1, quick.terms.claims + 1)]
    form = about(kind, items, quick.terms.bounds).form(PROBLEM)
    role = {Defence: "defender", Resolutions: "synthesiser"}.get(kind, "objector")
    assert longest(form) <= quick.roles[role]["sampling"]["max_tokens"]


def longest(form):
    """Letters of the longest text that a form allows, in compact JSON; references are to the longest name."""
    if "enum" in form:
        return max(len(each) for each in form["enum"]) + 2
    if form["type"] == "object":
        return 2 + sum(len(name) + 4 + longest(field) for name, field in form["properties"].items())
    if form["type"] == "array":
        return 2 + form["maxItems"] * (1 + longest(form["items"]))
    return 2 + form.get("maxLength", len("lib/util.py:12345-12345"))
