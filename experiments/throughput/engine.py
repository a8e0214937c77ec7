"""How fast madbench's engine is beside other ways of doing the same calls on the same machine.

    python experiments/throughput/engine.py                      both workloads, SmolLM2, three pairs
    python experiments/throughput/engine.py --dtype float32
    python experiments/throughput/engine.py --shape 8b --device cuda     random weights of a real shape

Every pair is one run of madbench and then the same calls (same prompts, same lengths of replies) in each other way.
A ratio is madbench's useful tokens a second over theirs; printed is the median of the pairs. One call at a time and
one batch a question are timed on the first questions alone and taken as their rate for all.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

os.environ.setdefault("OMP_WAIT_POLICY", "passive")

import ways
from floor import harness_us_per_call
from shapes import SHAPES, embedded, shaped
from work import Call, Ours, Work, lengths, texts

from madbench.engines.local.loading import Loaded

Rates = dict[str, float]
Play = Callable[[int], Work]


def debate_rates(work: Work, plain: Loaded, arguments: argparse.Namespace) -> Rates:
    run = ways.generated(plain.model, work.temperature)
    return chosen(
        arguments,
        {
            "one_by_one": lambda: ways.rate(run, ways.one_by_one(work, arguments.few)),
            "per_question": lambda: ways.rate(run, ways.per_question(work, arguments.few * 2)),
            "static": lambda: ways.rate(run, ways.static(work, arguments.static_rows)),
        },
    )


def single_rates(work: Work, plain: Loaded, ours: Loaded, arguments: argparse.Namespace) -> Rates:
    run = ways.generated(plain.model, work.temperature)
    queue = ways.continuous(plain.model, work.temperature, arguments.rows)
    even, few = ways.uniform(work, arguments.rows), work.calls[: arguments.continuous_calls]
    rates = {
        "one_by_one": lambda: ways.rate(run, ways.one_by_one(work, arguments.few)),
        "static": lambda: ways.rate(run, ways.static(work, arguments.rows)),
        "continuous": lambda: ways.rate(queue, [few]),
        "ceiling": lambda: ways.rate(ways.decoded(ours), even),
    }
    if not arguments.shape and find_spec("lm_eval") is not None:
        rates["lm_eval"] = lambda: ways.lm_eval(plain, work, arguments.rows, arguments.tokens)
    return chosen(arguments, rates)


def chosen(arguments: argparse.Namespace, rates: Mapping[str, Callable[[], float]]) -> Rates:
    """The rates of the ways that are asked for, all where none is named."""
    return {way: rate() for way, rate in rates.items() if not arguments.ways or way in arguments.ways}


def paired(name: str, play: Play, others: Callable[[Work], Rates], pairs: int) -> dict[str, object]:
    """The pairs of one workload: medians of rates and of ratios, and what the engine counted."""
    rates: dict[str, list[float]] = {}
    for pair in range(pairs):
        work = play(pair)
        found = {"madbench": work.tokens / work.seconds, **others(work)}
        print(
            f"{name} {pair + 1}: " + ", ".join(f"{way} {rate:.1f}" for way, rate in found.items()), flush=True
        )
        for way, rate in found.items():
            rates.setdefault(way, []).append(rate)
    ours = rates["madbench"]
    return {
        "calls": len(work.calls),
        "prompt_tokens": work.prompt_tokens,
        "reply_tokens": work.tokens,
        "tokens_a_second": {way: statistics.median(many) for way, many in rates.items()},
        "ratios": {
            way: statistics.median(a / b for a, b in zip(ours, many, strict=True))
            for way, many in rates.items()
            if way != "madbench"
        },
        "prefilled_over_distinct": prefilled(work) / distinct(work.calls),
        "batch": work.facts["batch"],
        "prefixes": work.facts["prefixes"],
    }


def prefilled(work: Work) -> int:
    """Tokens of prompts that the engine computed."""
    return work.facts["prefixes"]["tokens_computed"]


def distinct(calls: Sequence[Call]) -> int:
    """Tokens of all prompts, what several begin with counted once."""
    total, last = 0, ()
    for ids in sorted(call.ids for call in calls):
        total += len(ids) - _common(last, ids)
        last = ids
    return total


def _common(first: Sequence[int], second: Sequence[int]) -> int:
    pairs = enumerate(zip(first, second, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(first), len(second)))


def measured(arguments: argparse.Namespace) -> dict[str, dict[str, object]]:
    if arguments.shape:
        loaded, settings = shaped(arguments.shape, arguments.device, arguments.dtype, arguments.rows)
        plain = loaded
    else:
        loaded, plain, settings = embedded(arguments.device, arguments.dtype, arguments.rows)
    ours = Ours(settings, loaded)
    questions, source = texts(arguments.singles)
    limits = lengths(arguments.singles, arguments.tokens, drawn=bool(arguments.shape))
    alone = Ours(settings.model_copy(update={"batch": _unshared(settings.batch)}), loaded)
    found = {}
    if "debate" in arguments.workloads and not arguments.shape:
        ours.debate(2, 99)
        found["debate"] = paired(
            "debate",
            lambda seed: ours.debate(arguments.questions, seed),
            lambda work: debate_rates(work, plain, arguments),
            arguments.pairs,
        )
    if "single" in arguments.workloads:
        alone.single(questions[:4], limits[:4])
        found["single"] = paired(
            f"single ({source})",
            lambda _: alone.single(questions, limits),
            lambda work: single_rates(work, plain, loaded, arguments),
            arguments.pairs,
        )
    return found | {"engine": loaded.facts()}


def _unshared(batch):  # noqa: ANN001, ANN202
    return batch.model_copy(update={"prefix_megabytes": 0})


def summary(found: Mapping[str, Mapping[str, object]], harness: float | None) -> dict[str, object]:
    """What is written: the six ratios (debate's for what a debate is compared with), then all that was measured."""
    debate, single = (found.get(name, {}).get("ratios", {}) for name in ("debate", "single"))
    ratios = {
        "one_by_one": debate.get("one_by_one"),
        "per_question": debate.get("per_question"),
        "static": debate.get("static"),
        "continuous": single.get("continuous"),
        "ceiling": single.get("ceiling"),
        "harness_us_per_call": harness,
    }
    return {
        "ratios": ratios,
        "reading": "madbench's useful tokens a second over the other way's; one_by_one, per_question and static on "
        "debates, continuous and ceiling on single answers; harness_us_per_call in microseconds of processor time",
        **found,
    }


def table(found: Mapping[str, object]) -> str:
    lines = [f"{'way':<16}{'tokens/s':>10}{'madbench is':>13}"]
    for name in ("debate", "single"):
        if name not in found:
            continue
        part = found[name]
        lines.append(
            f"{name}: {part['calls']} calls, {part['prompt_tokens']} + {part['reply_tokens']} tokens"
        )
        for way, rate in part["tokens_a_second"].items():
            ratio = part["ratios"].get(way)
            lines.append(f"  {way:<14}{rate:>10.1f}" + (f"{ratio:>12.2f}x" if ratio else ""))
        lines.append(f"  prefilled over distinct tokens {part['prefilled_over_distinct']:.3f}")
    return "\n".join(lines)


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--workloads", nargs="+", default=["debate", "single"])
    parser.add_argument("--ways", nargs="+", default=[], help="ways to compare with (default: all)")
    parser.add_argument("--questions", type=int, default=48, help="questions that are debated")
    parser.add_argument("--singles", type=int, default=64, help="questions that are answered once")
    parser.add_argument("--tokens", type=int, default=192, help="longest single answer")
    parser.add_argument("--few", type=int, default=2, help="questions on which one call at a time is timed")
    parser.add_argument("--continuous-calls", type=int, default=64)
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument(
        "--rows", type=int, default=64, help="rows at once; rows of static batches of answers"
    )
    parser.add_argument("--static-rows", type=int, default=48, help="rows of static batches of debates")
    parser.add_argument("--dtype", default="bfloat16")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--shape", choices=sorted(SHAPES), help="random weights of this shape instead")
    parser.add_argument("--harness", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--output-root", type=Path, default=Path("outputs"))
    return parser.parse_args()


def main() -> None:
    arguments = options()
    found = measured(arguments)
    harness = harness_us_per_call() if arguments.harness else None
    written = summary(found, harness)
    path = arguments.output_root / "throughput" / "summary.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    before = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    path.write_text(json.dumps(before | written, indent=2) + "\n", encoding="utf-8")
    print(table(found))
    print(json.dumps(written["ratios"]))
    print(path)


if __name__ == "__main__":
    main()
