"""The profile: what is merged, what surfaces, who has to go."""

import pytest
from hypothesis import given
from hypothesis import strategies as some

from madbench.protocols.profile import NoNotes, Noted, Profile, Rules
from madbench.protocols.profile_as_published import PublishedRules
from madbench.types import InputError

CASES = [
    f"trip over {name}"
    for name in ("carrying", "borrowing", "rounding", "doubling", "units", "signs", "zeros")
]


def filled(rules, notes):
    profile, kinds = rules.fresh(), []
    for text in notes:
        profile, changes = rules.add(profile, text)
        kinds.append([change.kind.removeprefix("note_") for change in changes])
    return profile, kinds


def test_a_note_waits_until_it_is_noted_again():
    profile, kinds = filled(Rules(), ["omit units", "forget units", "forget the units"])
    assert kinds == [["proposed"], ["proposed", "merged", "surfaced"], ["proposed", "merged"]]
    assert profile.notes == (Noted(text="omit units", count=3),)
    assert Rules().active(profile) == ("omit units",)
    assert Rules(surface=4).active(profile) == ()


def test_a_note_surfaces_at_once_where_one_noting_is_enough():
    profile, kinds = filled(Rules(surface=1), ["omit units"])
    assert kinds == [["proposed", "surfaced"]]
    assert Rules(surface=1).active(profile) == ("omit units",)


def test_beyond_capacity_the_oldest_unconfirmed_note_goes():
    profile, kinds = filled(Rules(capacity=3), [CASES[0], CASES[0], *CASES[1:4]])
    assert [note.text for note in profile.notes] == [CASES[0], CASES[2], CASES[3]]
    assert kinds[-1] == ["proposed", "evicted"]


def test_confirmed_notes_stay_whatever_comes():
    confirmed = [case for case in CASES[:3] for _ in range(2)]
    profile, kinds = filled(Rules(capacity=3), [*confirmed, *CASES[3:]])
    assert [note.text for note in profile.notes] == CASES[:3]
    assert kinds[6:] == [["proposed", "evicted"]] * 4


def test_a_full_profile_still_counts_what_it_holds():
    profile, _ = filled(Rules(capacity=1), [CASES[0], CASES[0], CASES[0]])
    assert profile.notes == (Noted(text=CASES[0], count=3),)


@given(some.lists(some.sampled_from(CASES), max_size=40), some.integers(1, 4), some.integers(1, 4))
def test_bounds_hold_for_all_histories(notes, surface, capacity):
    for rules in (
        Rules(surface=surface, capacity=capacity),
        PublishedRules(surface=surface, capacity=capacity),
    ):
        profile, kinds = filled(rules, notes)
        assert len(profile.notes) <= capacity
        assert all(kind[0] == "proposed" for kind in kinds)
        assert len({note.text for note in profile.notes}) == len(profile.notes)


@given(some.lists(some.sampled_from(CASES), max_size=40))
def test_what_is_active_once_stays_active(notes):
    rules, profile = Rules(capacity=2), Rules().fresh()
    for text in notes:
        before = rules.active(profile)
        profile, _ = rules.add(profile, text)
        assert set(before) <= set(rules.active(profile))


def test_a_planted_note_is_active_from_the_start():
    rules = Rules(planted="count twice", surface=3)
    assert rules.active(rules.fresh()) == ("count twice",)
    assert Rules().fresh() == Profile()


def test_nothing_is_kept_where_nothing_is_noted():
    assert NoNotes().keeps is False
    assert Rules().keeps is True


@pytest.mark.parametrize("bad", [{"surface": 0}, {"capacity": 0}, {"overlap": 0.0}, {"overlap": 1.5}])
def test_rules_that_make_no_sense_are_refused(bad):
    with pytest.raises(InputError, match="wanted surface >= 1"):
        Rules(**bad)


@pytest.mark.parametrize("text", ["", "the", "…", "数を数える"])
def test_notes_without_words_known_here_are_never_the_same_as_others(text):
    assert not Rules().same(text, "omit units")
    assert not Rules().stylistic(text)
