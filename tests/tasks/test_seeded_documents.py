"""Plans and incidents contradict themselves where they say, and nowhere else: told by a reader of their text alone."""

import re
import subprocess
import sys

import pytest

from madbench.tasks.seeded import SeededDocuments
from madbench.types import InputError

TASK = SeededDocuments(n=300, seed=3)
SAMPLES = TASK.samples()
CHANGING = {
    "Take": "drain",
    "Stop": "stop",
    "Migrate": "migrate",
    "Install": "install",
    "Start": "start",
    "Turn on": "flag",
    "Put": "return",
}
BEFORE = [
    ("Back up", "Restore"),
    ("Back up", "Migrate"),
    ("Take", "Stop"),
    ("Stop", "Install"),
    ("Install", "Start"),
    ("Start", "Test"),
    ("Test", "Turn on"),
    ("Test", "Put"),
]


def minutes(time):
    return int(time[:2]) * 60 + int(time[3:5])


def line_of(lines, start):
    return next(number for number, line in enumerate(lines, 1) if re.match(start, line))


def steps_in(lines):
    matches = (
        (number, re.match(r"\d+\. (\d\d:\d\d), (\d+) min: (.*)", line))
        for number, line in enumerate(lines, 1)
    )
    return {number: (minutes(step[1]), int(step[2]), step[3]) for number, step in matches if step}


def faults_of_plan(text):
    """Kinds and lines of all contradictions, from the text."""
    lines = text.splitlines()
    steps = steps_in(lines)
    return [
        *sums_of_plan(lines, steps),
        *times_of_plan(lines, steps),
        *order_of(steps),
        *undone(lines, steps),
    ]


def sums_of_plan(lines, steps):
    today, reason, window = lines[1:4]
    whole, count = map(int, re.search(r"(\d+) minutes, (\d+) steps", window).groups())
    if (whole, count) != (sum(length for _, length, _ in steps.values()), len(steps)):
        yield "numbers", {4}
    if int(re.search(r"on (\d+) hosts", today)[1]) != today.count(",") + 1:
        yield "numbers", {2}
    if re.search(r"Today: \S+ (\S+)", today)[1] != re.search(r"Reason: \S+ (\S+),", reason)[1]:
        yield "impossible_cause", {2, 3}


def times_of_plan(lines, steps):
    expected = minutes(re.search(r"(\S+) to", lines[3])[1])
    for number, (begins, length, _) in steps.items():
        if begins != expected % 1440:
            yield "numbers", {number}
        expected += length


def order_of(steps):
    for first, second in BEFORE:
        at = {
            verb: n for n, (_, _, said) in steps.items() for verb in (first, second) if said.startswith(verb)
        }
        if len(at) == 2 and at[first] > at[second]:
            yield "order", set(at.values())


def undone(lines, steps):
    found = {
        line[2:].partition(":")[0]: number for number, line in enumerate(lines, 1) if line.startswith("- ")
    }
    for number, (_, _, said) in steps.items():
        word = next((undo for verb, undo in CHANGING.items() if said.startswith(verb)), None)
        if word and word not in found:
            order = list(CHANGING.values())
            above = [found[other] for other in order[: order.index(word)] if other in found]
            gap = max(above, default=line_of(lines, "Rollback, for"))
            yield "missing_rollback", {number, *range(gap, min(gap + 1, len(lines)) + 1)}


def faults_of_incident(text):
    lines = text.splitlines()
    events = {number: line for number, line in enumerate(lines, 1) if re.match(r"\d\d:\d\d: ", line)}

    def at(words):
        return next((number for number, line in events.items() if re.search(words, line)), None)

    return [*length_of(lines, at), *cost_of(lines, at), *events_of(lines, at), *cause_of(lines, at)]


def length_of(lines, at):
    began, over, length = re.match(r"Began (\S+), over (\S+), (\d+) minutes", lines[2]).groups()
    if (minutes(over) - minutes(began)) % 1440 != int(length):
        yield "numbers", {3}
    elif not lines[at("incident is over") - 1].startswith(over):
        yield "numbers", {3, at("incident is over")}
    if int(re.search(r"(\d+) hosts", lines[1])[1]) != lines[1].partition(")")[0].count(",") + 1:
        yield "numbers", {2}


def cost_of(lines, at):
    said = re.match(r"Of (\d+) requests (\d+) failed, (\d+) %; the peak was (\d+) %", lines[3])
    requests, failed, share, peak = map(int, said.groups())
    if failed * 100 != requests * share:
        yield "numbers", {4}
    if f" {peak} % errors" not in lines[at("the peak") - 1]:
        yield "numbers", {4, at("the peak")}


def events_of(lines, at):
    pairs = (
        ("is restarted", "has changed nothing"),
        ("is decided", "as decided"),
        ("takes the alert", "on the alert"),
    )
    for first, second in pairs:
        if at(first) and at(first) > at(second):
            yield "order", {at(first), at(second)}
    if not at("rollback is done"):
        begins = max(at("as decided"), at("is decided"))
        yield "missing_rollback", {5, begins, begins + 1}


def cause_of(lines, at):
    cause, first = line_of(lines, "Cause: "), at("First errors")
    what, when = re.match(r"Cause: (.*) at (\S+), before", lines[cause - 1]).groups()
    if minutes(when) > minutes(lines[first - 1]):
        yield "impossible_cause", {cause, first, at(re.escape(what[1:]))}


def planted(sample):
    return sorted(
        (issue["kind"], sorted(span["first"] for span in issue["spans"]))
        for issue in sample.target.facts["issues"]
    )


def text_of(sample):
    return sample.target.facts["documents"][0][1]


def test_every_document_contradicts_itself_where_it_should_and_nowhere_else():
    wrong = []
    for sample in SAMPLES:
        text = text_of(sample)
        faults = faults_of_plan if text.startswith("Change") else faults_of_incident
        found = sorted((kind, sorted(lines)) for kind, lines in faults(text))
        if found != planted(sample):
            wrong.append((text, found, planted(sample)))
    assert wrong == []


def test_all_kinds_occur_in_plans_and_in_incidents():
    for word in ("Change", "Incident"):
        kinds = {kind for s in SAMPLES if text_of(s).startswith(word) for kind, _ in planted(s)}
        assert kinds == {"order", "numbers", "missing_rollback", "impossible_cause"}


def test_twins_share_a_cluster_and_differ_where_the_issue_is():
    by_cluster = {}
    for sample in SAMPLES:
        by_cluster.setdefault(sample.problem.cluster, []).append(sample)
    assert all(
        [s.target.facts["clean"] for s in twins] == [False, True]
        for twins in by_cluster.values()
        if len(twins) == 2
    )
    for faulty, clean in (twins for twins in by_cluster.values() if len(twins) == 2):
        before, after = text_of(clean).splitlines(), text_of(faulty).splitlines()
        named = {line for _, lines in planted(faulty) for line in lines}
        changed = {number for number, line in enumerate(after, 1) if line not in before}
        assert changed <= named


def test_documents_are_short_and_none_is_like_another():
    assert len({s.problem.question for s in SAMPLES}) == len({s.problem.id for s in SAMPLES}) == len(SAMPLES)
    assert {12 <= s.target.facts["lines"] <= 25 for s in SAMPLES} == {True}
    bodies = {re.sub(r"^\S+ \d+:", "", text_of(s)) for s in SAMPLES}
    assert len(bodies) == len(SAMPLES)


def test_more_documents_begin_as_fewer_and_no_two_seeds_share_any():
    assert SeededDocuments(n=40, seed=3).samples() == SAMPLES[:40]
    assert not {s.problem.question for s in SeededDocuments(n=200, seed=4).samples()} & {
        s.problem.question for s in SAMPLES
    }


def test_another_process_draws_the_same():
    code = "from madbench.tasks.seeded import SeededDocuments as S; print(S(n=60, seed=3).content())"
    found = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONHASHSEED": "7"}, capture_output=True, text=True, check=True
    )
    assert found.stdout.strip() == SeededDocuments(n=60, seed=3).content()


@pytest.mark.parametrize("number", [0, 1, 2, 3])
def test_so_many_contradictions_as_asked_for(number):
    samples = SeededDocuments(n=80, defects=[number], twins=False).samples()
    assert {len(planted(sample)) for sample in samples} == {number}


def test_bad_settings_are_named():
    with pytest.raises(InputError, match=r"defects.*0 to 3"):
        SeededDocuments(defects=[4])
    with pytest.raises(InputError, match="about"):
        SeededDocuments(about="poems")
    with pytest.raises(InputError, match="n=0"):
        SeededDocuments(n=0)
