"""The source's rules in experiments/adversarial_debate: each is listed once, and every test that is named exists."""

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
README = (TESTS.parent / "experiments" / "adversarial_debate" / "README.md").read_text(encoding="utf-8")
RULES = README.partition("## The source's rules")[2]
MISSION = [*range(1, 15), *range(20, 33), *range(40, 46), *range(50, 64)]


def listed():
    """Every rule's number, ranges opened."""
    for first, last in re.findall(r"AD-(\d+)(?:,? to AD-(\d+))?", RULES):
        yield from range(int(first), int(last or first) + 1)


def test_every_rule_of_the_source_is_listed():
    assert {*MISSION, *range(70, 91)} == set(listed())


def test_what_is_not_ticked_says_why():
    items = re.split(r"(?=- \[[ x]\] AD-)", RULES)[1:]
    for item in items:
        ticked = item.startswith("- [x]")
        assert ticked == ("`later`" not in item and "`out`" not in item and "AD-90" not in item), item


def test_every_named_test_exists():
    names, file = 0, ""
    for quoted in re.findall(r"`([^`\s]*(?:\.py|::test_)[^`\s]*)`", RULES):
        path, _, test = quoted.partition("::")
        file = path.replace("…", "protocols/test_adversarial") or file
        text = (TESTS / file).read_text(encoding="utf-8")
        assert not test or f"def {test.partition('[')[0]}(" in text, quoted
        names += bool(test)
    assert names > 60
