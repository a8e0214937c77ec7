"""What a million debates would take: tokens, bytes and seconds, from a model's shape and a card's data sheet.

    python experiments/throughput/arithmetic.py [--question 100 --shots 600 --reply 200] [--debates 1000000 --cards 8]

Nothing is measured here but bytes on disk, of debates that nobody thought about.
"""

import argparse
import asyncio
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from madbench.agents import Cast
from madbench.engines.hashes import request_identity
from madbench.metrics.budgets import Shape
from madbench.protocols.debate import Debate
from madbench.records.journal import Journal
from madbench.records.layout import RunFolder
from madbench.run.job import Job, RunName, run_job
from madbench.run.journaled import JournaledEngine
from madbench.run.merging import merge
from madbench.tasks.synthetic import Synthetic
from madbench.types import Completion, Request, RoleSettings

GB = 10**9
PLAYED = 50
"""Debates that are written to disk, to see how many bytes one takes."""


@dataclass(frozen=True)
class Decoder:
    """A decoder's shape in the words of its config; numbers of `width` bytes, an embedding of its own at each end."""

    hidden: int = 4096
    inner: int = 14336
    layers: int = 32
    heads: int = 32
    key_heads: int = 8
    vocabulary: int = 128_256
    width: int = 2

    @property
    def key_size(self) -> int:
        return self.hidden // self.heads

    @property
    def parameters(self) -> int:
        attention = 2 * self.hidden * (self.hidden + self.key_heads * self.key_size)
        layer = attention + 3 * self.hidden * self.inner + 2 * self.hidden
        return 2 * self.vocabulary * self.hidden + self.layers * layer + self.hidden

    @property
    def weight_bytes(self) -> int:
        return self.parameters * self.width

    @property
    def cache_bytes(self) -> int:
        """Keys and values of one token in all layers."""
        return 2 * self.layers * self.key_heads * self.key_size * self.width

    @property
    def shape(self) -> Shape:
        """As the package's comparisons at equal FLOPs have it: an embedding that is only looked up costs nothing."""
        return Shape(self.parameters - self.vocabulary * self.hidden, self.layers, self.hidden)


@dataclass(frozen=True)
class Card:
    """One card's data sheet, dense bfloat16. `reached` is the share of its bandwidth, `used` of its FLOPs, that is
    taken to be had: assumptions, not measurements.
    """

    name: str
    memory: float
    bandwidth: float
    flops: float
    reached: float = 0.7
    used: float = 0.4
    kept: float = 0.9


CARDS = (Card("80 GB (H100)", 80 * GB, 3.35e12, 989e12), Card("141 GB (H200)", 141 * GB, 4.8e12, 989e12))


@dataclass(frozen=True)
class Talk:
    """A debate of `agents` who answer, and once more `exchanges` times, in tokens; `told` is the prompt's wording."""

    shots: int = 600
    question: int = 100
    reply: int = 200
    told: int = 60
    agents: int = 3
    exchanges: int = 1

    @property
    def prompts(self) -> list[int]:
        """What one seat is sent, ask by ask: all before, what the others said, and the question again."""
        return [
            self.shots + self.question + turn * (self.reply + self.news) for turn in range(self.exchanges + 1)
        ]

    @property
    def news(self) -> int:
        return self.told + (self.agents - 1) * self.reply + self.question

    @property
    def calls(self) -> int:
        return self.agents * (self.exchanges + 1)

    @property
    def sent(self) -> int:
        return self.agents * sum(self.prompts)

    @property
    def said(self) -> int:
        return self.calls * self.reply

    @property
    def computed(self) -> int:
        """Tokens of prompts that are new to the model: worked examples once for all, the question once for all seats,
        and nothing twice that a seat has seen or said.
        """
        return self.question + self.agents * self.exchanges * self.news

    @property
    def held(self) -> float:
        """Tokens that a row holds on average while it is written."""
        return sum(self.prompts) / len(self.prompts) + self.reply / 2

    def attended(self, *, reuse: bool) -> float:
        """Pairs of tokens that meet in prompts: all of a prompt's, or those of its new part."""
        pairs = 0.0
        for turn, prompt in enumerate(self.prompts):
            new = (self.news if turn else self.question) if reuse else prompt
            seats = 1 if reuse and not turn else self.agents
            pairs += seats * new * (prompt - new / 2)
        return pairs


def rows(card: Card, model: Decoder, talk: Talk) -> int:
    """Rows that a card holds beside the weights, as many tokens long as they are on average."""
    return int((card.memory * card.kept - model.weight_bytes) / (model.cache_bytes * talk.held))


def decoding(card: Card, model: Decoder, talk: Talk) -> float:
    """Tokens a second at the bound of memory: every step reads the weights once, and every row's keys and values."""
    width = rows(card, model, talk)
    step = (model.weight_bytes + width * model.cache_bytes * talk.held) / (card.bandwidth * card.reached)
    return width / step


def prefilling(card: Card, model: Decoder, talk: Talk, *, reuse: bool) -> float:
    """Seconds of one debate's prompts at the bound of arithmetic."""
    tokens = talk.computed if reuse else talk.sent
    return float(model.shape.flops(tokens, talk.attended(reuse=reuse))) / (card.flops * card.used)


class Talker:
    """Says as many tokens as it may, of four letters each, each with its probability."""

    async def generate(self, request: Request) -> Completion:
        pieces = tuple(("lore", -0.123456) for _ in range(request.sampling.max_tokens - 4))
        end = (("\nAnswer: A", -0.5),)
        text = "".join(piece for piece, _ in pieces + end)
        return Completion(text, "stop", 0, request.sampling.max_tokens, pieces + end)

    def excess(self, request: Request) -> int:
        return 0

    def identity(self, request: Request) -> str:
        return request_identity("talker", request)


def on_disk(talk: Talk) -> dict[str, float]:
    """Bytes of one debate in each place where it is kept, from PLAYED of them (prompts without worked examples)."""
    settings = RoleSettings.model_validate({"sampling": {"max_tokens": talk.reply}})
    with tempfile.TemporaryDirectory() as place:
        home = Path(place)
        protocol = Debate(agents=talk.agents, debate_rounds=talk.exchanges)
        name = RunName("debate", "synthetic", "debate", "talker")
        job = Job(RunFolder(home / "run"), Synthetic(PLAYED), protocol, settings, 0, 1, None, name)
        job.folder.path.mkdir(parents=True)
        engine = JournaledEngine(Talker(), Journal(home / "journal"))
        asyncio.run(run_job(job, Cast({"default": [engine]})))
        merge(job.folder)
        sizes = {"journal": size(home / "journal"), "shards": size(job.folder.path / "shards")}
        tables = sum(file.stat().st_size for file in job.folder.path.glob("*.parquet"))
    return {name: whole / PLAYED for name, whole in (sizes | {"tables": tables}).items()}


def size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def lines(talk: Talk, model: Decoder, debates: int, cards: int) -> Iterator[str]:
    """The account, as Markdown."""
    yield f"Model: {model.parameters / 1e9:.2f} G parameters, {model.weight_bytes / GB:.1f} GB of weights;"
    yield f"{model.cache_bytes:,} bytes of keys and values a token."
    yield f"One debate: {talk.calls} calls, {talk.sent:,} prompt tokens sent, {talk.computed:,} of them new,"
    yield f"{talk.said:,} tokens written."
    sent, new, said = (debates * tokens / GB for tokens in (talk.sent, talk.computed, talk.said))
    yield f"{debates:,} debates: {sent:.2f} G prompt tokens, {new:.2f} G of them new; {said:.2f} G written."
    yield ""
    yield f"Hours on {cards} cards, reuse of prefixes off and on:"
    yield ""
    yield "| a card | rows in flight | written a second | writing | prompts: off | on | all: off | on |"
    yield "|---|---|---|---|---|---|---|---|"
    for card in CARDS:
        writing = talk.said / decoding(card, model, talk)
        off, on = (prefilling(card, model, talk, reuse=reuse) for reuse in (False, True))
        hours = [debates * one / cards / 3600 for one in (writing, off, on, writing + off, writing + on)]
        told = " | ".join(f"{hour:.1f}" for hour in hours)
        yield f"| {card.name} | {rows(card, model, talk):,} | {decoding(card, model, talk):,.0f} | {told} |"
    yield ""
    kept = on_disk(talk)
    each = ", ".join(f"{name} {debates * one / GB:.0f} GB" for name, one in kept.items())
    yield f"On disk: {sum(kept.values()) / 1000:.1f} kB a debate; {each}."


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in (("shots", 600), ("question", 100), ("reply", 200), ("agents", 3), ("exchanges", 1)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--debates", type=int, default=1_000_000)
    parser.add_argument("--cards", type=int, default=8)
    given = vars(parser.parse_args())
    debates, cards = given.pop("debates"), given.pop("cards")
    print("\n".join(lines(Talk(**given), Decoder(), debates, cards)))


if __name__ == "__main__":
    main()
