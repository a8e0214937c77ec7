"""How often a reply changes with the batch it shares: the same requests in batches of 64, 7 and 1.

    python experiments/determinism/flips.py --questions 48 --dtypes bfloat16 float32

First replies and second-round replies (the first ones in the chat, peers' words heard), greedy and sampled. Batches
of 64 are the reference. The model is the embedded one, or a local folder (`--folder`).
"""

import argparse
import asyncio
import time
from collections.abc import Sequence
from pathlib import Path

from madbench.engines.settings import Batch
from madbench.engines.transformers import TransformersModel
from madbench.engines.weights import Folder
from madbench.types import Message, Request, Sampling

WIDTHS = (64, 7, 1)
"""Rows of a batch at most; the first is what others are held against."""
SAMPLINGS = {"greedy": 0.0, "sampled": 0.7}
TOKENS = 48
Replies = list[str]


def question(number: int) -> str:
    first, second = 1 + number % 9, 1 + number * 7 // 9 % 9
    return (
        f"What is {first} + {second}? Say how you get there, then give the answer on a line: Answer: <number>"
    )


def firsts(count: int, temperature: float) -> list[Request]:
    return [request([Message("user", question(number))], temperature, number) for number in range(count)]


def seconds(asked: Sequence[Request], said: Replies, temperature: float) -> list[Request]:
    """Each request again, with its reply and two neighbours' in the chat, as in a debate's second round."""
    found = []
    for number, (one, own) in enumerate(zip(asked, said, strict=True)):
        heard = "\n\n".join(said[(number + step) % len(said)] for step in (1, 2))
        again = Message(
            "user", f"Two others wrote:\n\n{heard}\n\nUsing these, answer again. Answer: <number>"
        )
        found.append(request([*one.messages, Message("assistant", own), again], temperature, 1000 + number))
    return found


def request(messages: Sequence[Message], temperature: float, seed: int) -> Request:
    return Request(tuple(messages), Sampling(temperature=temperature, top_p=1.0, max_tokens=TOKENS), seed)


async def replies(model: TransformersModel, requests: Sequence[Request]) -> Replies:
    async with model.open() as engine:
        found = await asyncio.gather(*(engine.generate(one) for one in requests))
    return [completion.text for completion in found]


def model(folder: Path, dtype: str, width: int) -> TransformersModel:
    return TransformersModel(
        name="determinism", weights=Folder(path=str(folder)), dtype=dtype, batch=Batch(rows=width)
    )


def flips(folder: Path, dtype: str, count: int, temperature: float) -> dict[str, dict[int, int]]:
    """How many replies differ from the reference's, by round and width. Every width is asked the same requests."""
    first = firsts(count, temperature)
    said = {width: asyncio.run(replies(model(folder, dtype, width), first)) for width in WIDTHS}
    second = seconds(first, said[WIDTHS[0]], temperature)
    again = {width: asyncio.run(replies(model(folder, dtype, width), second)) for width in WIDTHS}
    return {"first": differing(said), "second": differing(again)}


def differing(by_width: dict[int, Replies]) -> dict[int, int]:
    held = by_width[WIDTHS[0]]
    return {
        width: sum(one != other for one, other in zip(held, by_width[width], strict=True))
        for width in WIDTHS[1:]
    }


def embedded() -> Path:
    """The folder of the embedded model's converted weights."""
    from hydra import compose, initialize_config_dir
    from hydra.utils import instantiate

    with initialize_config_dir(str(Path(__file__).parents[2] / "conf"), version_base=None):
        settings = instantiate(
            compose("config", ["model@cast.default=smollm2_135m"]).cast.default, _convert_="all"
        )
    return Path(settings.weights.fetch().folder)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--questions", type=int, default=48)
    parser.add_argument("--dtypes", nargs="+", default=["bfloat16", "float32"])
    parser.add_argument("--folder", type=Path, help="a model's folder; without it, the embedded model")
    arguments = parser.parse_args()
    folder = arguments.folder or embedded()
    print(f"replies of {arguments.questions} that differ from those in batches of {WIDTHS[0]}")
    print(f"{'dtype':<10}{'sampling':<10}{'round':<8}" + "".join(f"{f'batch {w}':>10}" for w in WIDTHS[1:]))
    began = time.perf_counter()
    for dtype in arguments.dtypes:
        for sampling, temperature in SAMPLINGS.items():
            for round, found in flips(folder, dtype, arguments.questions, temperature).items():
                counts = "".join(f"{found[width]:>10}" for width in WIDTHS[1:])
                print(f"{dtype:<10}{sampling:<10}{round:<8}{counts}", flush=True)
    print(f"{time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
