"""Arms of a sweep over a setting meet the controls of their own setting."""

from metrics.build import debate, record, sample, turn, votes

from madbench.metrics import MeasuredRun, measure, summarise, tabulate


def run(arm, records):
    rows = tabulate(map(measure, records))
    return MeasuredRun(arm, "toy", "debate", "small", 0, len(records), rows)


def debates(seats):
    rounds = [[(f"Said {seat} B", "B") for seat in range(seats)] for _ in range(2)]
    return [debate(rounds, of=sample(f"q{i}")) for i in range(6)]


def pool():
    return [votes(list("BBCBCBBB"), charged=6, of=sample(f"q{i}")) for i in range(6)]


def met(*runs):
    """Whom every arm was compared with."""
    found = {}
    for one in summarise("toy", runs).comparisons:
        found.setdefault(one.a, set()).add(one.b)
    return found


def test_a_sweep_over_a_setting_holds_each_variant_against_its_own_controls():
    arms = [run(f"{choice}-agents{n}", debates(n)) for choice in ("debate", "debate_alone") for n in (2, 3)]
    found = met(*arms)
    for n in (2, 3):
        own = {f"debate_alone-agents{n}", f"debate-agents{n}@round_0"}
        assert found[f"debate-agents{n}"] == own


def test_variants_of_a_setting_share_the_votes_and_the_single_answers():
    single = [record("B", [["B"]], [turn("so B", "B")], of=sample(f"q{i}")) for i in range(6)]
    arms = [run(f"debate-agents{n}", debates(n)) for n in (2, 3)]
    found = met(*arms, run("self_consistency", pool()), run("cot", single))
    for n in (2, 3):
        own = {"self_consistency@equal_calls", "self_consistency@equal_tokens", "cot"}
        assert found[f"debate-agents{n}"] == own | {f"debate-agents{n}@round_0"}


def test_a_setting_that_all_arms_take_pairs_equal_settings():
    single = [record("B", [["B"]], [turn("so B", "B")], of=sample(f"q{i}")) for i in range(6)]
    arms = [
        run(f"{choice}-tie_{tie}", records)
        for tie in ("first", "random")
        for choice, records in (("debate", debates(2)), ("self_consistency", pool()), ("cot", single))
    ]
    for tie in ("first", "random"):
        control = f"self_consistency-tie_{tie}"
        own = {f"{control}@equal_calls", f"{control}@equal_tokens", f"cot-tie_{tie}"}
        assert met(*arms)[f"debate-tie_{tie}"] == own | {f"debate-tie_{tie}@round_0"}
