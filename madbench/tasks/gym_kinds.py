"""What is known of reasoning-gym's data sets (0.1.25): how their answers are compared, and which are refused."""

from __future__ import annotations

from madbench.tasks.answers import BoolReader, NumberReader, TextReader
from madbench.types import AnswerReader, InputError

NUMBERS = frozenset(
    [
        "aiw",
        "basic_arithmetic",
        "binary_alternation",
        "chain_sum",
        "circuit_logic",
        "count_bits",
        "count_primes",
        "decimal_chain_sum",
        "gcd",
        "gsm_symbolic",
        "largest_island",
        "lcm",
        "leg_counting",
        "letter_counting",
        "maze",
        "number_sequence",
        "products",
        "rectangle_count",
        "rotten_oranges",
        "self_reference",
        "simple_equations",
        "simple_geometry",
    ]
)
TRUE_FALSE = frozenset({"course_schedule", "game_of_life_halting"})
YES_NO = frozenset({"syllogism"})
WORDS = frozenset(
    [
        "calendar_arithmetic",
        "caesar_cipher",
        "color_cube_rotation",
        "family_relationships",
        "mahjong_puzzle",
        "needle_haystack",
        "zebra_puzzles",
    ]
)
STRINGS = frozenset(
    [
        "ab",
        "base_conversion",
        "bf",
        "path_star",
        "spell_backward",
        "string_insertion",
        "string_manipulation",
        "string_splitting",
        "string_synthesis",
        "word_sequence_reversal",
    ]
)
OURS = NUMBERS | TRUE_FALSE | YES_NO | WORDS | STRINGS
"""Data sets with one right answer, which our own module compares. Every other one has its own scorer, and
some of those run what stands in a reply: they work in a limited subprocess.
"""
WITHOUT_ANSWER = frozenset(["boxnet", "graph_color", "propositional_logic", "rubiks_cube", "rush_hour"])
UNSTABLE = frozenset(
    {"codeio", "isomorphic_strings", "knight_swap", "list_functions", "polynomial_multiplication"}
) | {
    "ransom_note",
    "word_ladder",
}


def reader_for(dataset: str, answer: str) -> AnswerReader:
    """How answers of a data set are read; `answer` is one of its right answers."""
    if dataset in NUMBERS:
        return NumberReader()
    if dataset in YES_NO:
        return BoolReader()
    if dataset in TRUE_FALSE:
        return BoolReader("True", "False")
    if dataset in WORDS:
        return TextReader()
    lines = "\n" in answer and dataset not in OURS
    return TextReader(case=True, whole=lines, longest=2000 if lines else 400)


def check_dataset(dataset: str) -> None:
    """Raise InputError, with the reason, for a data set that cannot be scored or repeated."""
    reasons = {
        "has no right answer to compare with": WITHOUT_ANSWER,
        "gives other items in another process": UNSTABLE,
        "gives other items when another number of them is asked for": frozenset({"acre"}),
        "mixes other data sets: name one of them": frozenset({"composite"}),
    }
    for reason, refused in reasons.items():
        if dataset in refused:
            raise InputError(f"task.dataset: reasoning-gym's {dataset} is refused, it {reason}")
