"""Seeded defects: what is planted stands where it is said to, the rest is as it was, and seeds decide all of it."""

import ast
import difflib
import subprocess
import sys
from itertools import groupby, pairwise

import pytest

from madbench.tasks.seeded import SeededDefects
from madbench.tasks.seeded.cases import Cases
from madbench.tasks.seeded.disguise import bare, drawn_names, own_names, renamed
from madbench.tasks.seeded.drawing import SEEDS
from madbench.tasks.seeded.modules import BETWEEN, available, groups
from madbench.tasks.seeded.mutations import sites
from madbench.tasks.seeded.stdlib import Library
from madbench.tasks.seeded.table import proved
from madbench.types import InputError, Issue

LIBRARY = Library()
DISGUISES = ("none", "renamed")
SAMPLES = {disguise: SeededDefects(n=160, seed=5, disguise=disguise).samples() for disguise in DISGUISES}
FOUND = [
    group for rows in groups(proved()).values() if not isinstance(group := available(rows, LIBRARY), str)
]


def text_of(sample):
    return sample.target.facts["documents"][0][1]


def issues_of(sample):
    return [Issue.model_validate(issue, strict=False) for issue in sample.target.facts["issues"]]


def pairs(samples):
    """Faulty artifacts with the text without faults, where that is among the samples."""
    clean = {s.problem.cluster: text_of(s) for s in samples if s.target.facts["clean"]}
    return [(s, clean[s.problem.cluster]) for s in samples if issues_of(s) and s.problem.cluster in clean]


def changes(clean, faulty):
    """Lines that differ, and the two around each place where lines are gone."""
    before, after = ([line.strip() for line in text.splitlines()] for text in (clean, faulty))
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    opcodes = [(first, last) for tag, _, _, first, last in matcher.get_opcodes() if tag != "equal"]
    written = [set(range(first + 1, last + 1)) for first, last in opcodes if first < last]
    return written, [{first, first + 1} for first, last in opcodes if first == last]


@pytest.mark.parametrize("disguise", DISGUISES)
def test_faulty_texts_differ_from_their_twins_exactly_where_the_issues_are(disguise):
    checked = pairs(SAMPLES[disguise])
    assert len(checked) > 50
    for sample, clean in checked:
        spans = [set(range(s.first, s.last + 1)) for issue in issues_of(sample) for s in issue.spans]
        written, gaps = changes(clean, text_of(sample))
        assert all(any(lines <= span for span in spans) for lines in written), text_of(sample)
        assert all(any(gap & span for span in spans) for gap in gaps), text_of(sample)
        assert all(any(lines & span for lines in (*written, *gaps)) for span in spans), text_of(sample)


@pytest.mark.parametrize("disguise", DISGUISES)
def test_issues_of_an_artifact_share_no_line(disguise):
    for sample in SAMPLES[disguise]:
        lines = [line for i in issues_of(sample) for s in i.spans for line in range(s.first, s.last + 1)]
        assert len(lines) == len(set(lines))
        assert max(lines, default=1) <= len(text_of(sample).splitlines())


def test_clean_twins_are_the_library_s_own_text():
    clean = {s.problem.cluster: text_of(s) for s in SAMPLES["none"] if s.target.facts["clean"]}
    for group in FOUND:
        if group.name in clean:
            assert clean[group.name] == BETWEEN.join(function.source for function in group.functions)


def without_docstrings(source):
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and ast.get_docstring(node) is not None and len(node.body) > 1:
            node.body = node.body[1:]
    return ast.dump(tree)


def test_renamed_functions_behave_as_they_did_their_names_put_back():
    for group in FOUND:
        for function in group.functions:
            text, module = bare(function.source), LIBRARY.module(function.module)
            names = drawn_names(own_names(text, module), 7)
            assert len(set(names.values())) == len(names)
            strange = renamed(text, names)
            back = renamed(strange, {new: old for old, new in names.items()})
            assert back == text
            assert "#" not in "".join(line for line in text.splitlines() if line.lstrip().startswith("#"))
            assert without_docstrings(text) == without_docstrings(function.source)
            assert [site.kind for site in sites(strange)] == [site.kind for site in sites(function.source)]


def test_disguises_plant_the_same_faults_in_the_same_functions():
    for plain, strange in zip(*SAMPLES.values(), strict=True):
        assert plain.problem.cluster == strange.problem.cluster
        assert [i.kind for i in issues_of(plain)] == [i.kind for i in issues_of(strange)]
        assert plain.target.facts["exposure"] == strange.target.facts["exposure"]


def test_the_table_fits_the_functions_that_it_is_about():
    names = [row.qualified for row in proved()]
    assert len(names) == len(set(names))
    assert len(FOUND) > 100 if sys.version_info[:2] == (3, 11) else FOUND
    for group in FOUND:
        for row, function in zip(group.rows, group.functions, strict=True):
            edits = [site.edit for site in sites(function.source)]
            assert len(edits) == len(row.exposure)
            assert all(row.exposure[number] > 0 for chosen in row.faults for number in chosen)
            for chosen in row.faults:
                ordered = sorted(edits[number] for number in chosen)
                assert all(one.end <= other.start for one, other in pairwise(ordered))


def test_functions_with_another_text_are_left_out_and_counted():
    rows = groups(proved())
    name = FOUND[0].name
    changed = tuple(row.model_copy(update={"digest": "0" * 64}) for row in rows[name])
    gone = tuple(row.model_copy(update={"name": "no_such_function"}) for row in rows[FOUND[1].name])
    table = tuple(
        row for known in rows for row in {name: changed, FOUND[1].name: gone}.get(known, rows[known])
    )
    before, after = (Cases(some, 0, (1,), "none", True).left_out() for some in (proved(), table))
    assert after - before == {"other source here": 1, "missing here": 1}


@pytest.mark.parametrize("disguise", DISGUISES)
def test_what_a_group_gives_does_not_depend_on_the_other_groups(disguise):
    half = tuple(row for group in FOUND[::2] for row in group.rows)
    whole, part = (Cases(table, 2, (1, 2, 3), disguise, True) for table in (proved(), half))
    texts = {}
    for cases, into in ((whole, texts.setdefault("whole", {})), (part, texts.setdefault("part", {}))):
        for case, _ in zip(cases, range(150), strict=False):
            into.setdefault(case.group, []).append(case.shown.with_faults(case.faults))
    kept = {group.name for group in FOUND[::2]} & texts["whole"].keys() & texts["part"].keys()
    assert len(kept) > 20
    for name in kept:
        one, other = texts["whole"][name], texts["part"][name]
        assert all(a == b for a, b in zip(one, other, strict=False))
    order = [name for name, _ in groupby(case.group for case, _ in zip(whole, range(200), strict=False))]
    assert [name for name in order if name in kept][:20] == [
        name for name in list(texts["part"]) if name in order
    ][:20]


def test_more_artifacts_begin_as_fewer():
    assert SeededDefects(n=30, seed=5).samples() == SAMPLES["none"][:30]


def test_no_two_seeds_share_a_faulty_artifact():
    seen = {}
    for seed in range(SEEDS):
        for sample in SeededDefects(n=24, seed=seed).samples():
            if issues_of(sample):
                assert seen.setdefault(text_of(sample), seed) == seed


@pytest.mark.parametrize("disguise", DISGUISES)
def test_no_artifact_comes_twice(disguise):
    samples = SAMPLES[disguise]
    assert len({s.problem.id for s in samples}) == len({s.problem.question for s in samples}) == len(samples)


@pytest.mark.parametrize("disguise", DISGUISES)
def test_another_process_draws_the_same(disguise):
    code = "from madbench.tasks.seeded import SeededDefects as S; [print(repr((s.problem.id, s.target))) for s in "
    code += f"S(n=30, seed=5, disguise={disguise!r}).samples()]"
    found = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONHASHSEED": "7"}, capture_output=True, text=True, check=True
    )
    assert found.stdout.splitlines() == [repr((s.problem.id, s.target)) for s in SAMPLES[disguise][:30]]


def test_zero_defects_give_clean_artifacts_alone():
    samples = SeededDefects(n=20, defects=[0]).samples()
    assert [s.target.facts["clean"] for s in samples] == [True] * 20
    assert {s.target.answer for s in samples} == {"[]"}


def test_facts_say_what_was_left_out_and_which_texts_were_used():
    task = SeededDefects(n=10)
    facts = task.facts()
    used = {s.problem.cluster for s in task.samples()}
    assert {row.qualified: row.digest for row in proved() if row.group in used} == facts["digests"]
    assert facts["artifacts"] == sum(facts["left_out"].values()) + len(FOUND)


def test_bad_settings_are_named():
    for settings, words in (
        ({"n": 0}, "n=0"),
        ({"seed": 16}, "0 to 15"),
        ({"defects": [1, 4]}, "0 to 3"),
        ({"defects": []}, "0 to 3"),
        ({"disguise": "upside down"}, "renamed"),
        ({"n": 2000, "defects": [0]}, "there are"),
    ):
        with pytest.raises(InputError, match=words):
            SeededDefects(**settings).samples()


def test_no_function_of_an_artifact_leads_to_another_of_it():
    for group in FOUND:
        for function in group.functions:
            others = {other.name for other in group.functions} - {function.name}
            assert not LIBRARY.module(function.module).reached(function.name) & others
