"""Other ways of doing the same calls: same prompts, same lengths of replies, transformers' own code.

No way stops at an end token: each reply is as long as it was in the run of madbench that is compared, so that all
do the same work. Rows of a batch that are over wait for the longest, as they do in `generate`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import groupby
from operator import attrgetter

import torch
from torch import Tensor
from transformers import (
    GenerationConfig,
    PreTrainedModel,
    PreTrainedTokenizerBase,
    StoppingCriteria,
    StoppingCriteriaList,
)
from transformers.generation.configuration_utils import ContinuousBatchingConfig
from work import Call, Work

from madbench.engines.jobs import Job
from madbench.engines.local.loading import Loaded
from madbench.types import Request, Sampling

Runner = Callable[[Sequence[Call]], None]


class Lengths(StoppingCriteria):
    """Every row ends at its own length."""

    def __init__(self, prompt: int, lengths: Sequence[int]) -> None:
        self._ends = prompt + torch.tensor(lengths)

    def __call__(self, input_ids: Tensor, scores: Tensor, **_: object) -> Tensor:
        return input_ids.shape[1] >= self._ends.to(input_ids.device)


def generated(model: PreTrainedModel, temperature: float) -> Runner:
    """One batch through `generate`, left-padded."""

    def run(calls: Sequence[Call]) -> None:
        width = max(len(call.ids) for call in calls)
        ids = torch.tensor([(0,) * (width - len(call.ids)) + call.ids for call in calls])
        mask = torch.tensor([(0,) * (width - len(call.ids)) + (1,) * len(call.ids) for call in calls])
        lengths = [call.tokens for call in calls]
        model.generate(
            ids.to(model.device),
            attention_mask=mask.to(model.device),
            generation_config=_config(temperature, max(lengths)),
            stopping_criteria=StoppingCriteriaList([Lengths(width, lengths)]),
        )

    return run


def continuous(model: PreTrainedModel, temperature: float, rows: int) -> Runner:
    """transformers' own continuous batching, each request with its own length."""

    def run(calls: Sequence[Call]) -> None:
        config = ContinuousBatchingConfig(
            max_batch_tokens=2048, num_blocks=2048, page_size=32, max_requests_per_batch=rows
        )
        settings = _config(temperature, max(call.tokens for call in calls))
        with model.continuous_batching_context_manager(
            settings, continuous_batching_config=config
        ) as manager:
            for call in calls:
                manager.add_request(list(call.ids), max_new_tokens=call.tokens, eos_token_id=-1)
            over, tokens = 0, 0
            while over < len(calls):
                result = manager.get_result(timeout=1)
                if result is not None and result.is_finished():
                    over, tokens = over + 1, tokens + len(result.generated_tokens)
                elif result is None and not manager.is_running():
                    raise RuntimeError("continuous batching ended early")
        if tokens != sum(call.tokens for call in calls):
            raise RuntimeError(f"continuous batching made {tokens} tokens")

    return run


def decoded(loaded: Loaded) -> Runner:
    """madbench's own decoder, all rows admitted at once, none joining, no prefix kept."""

    def run(calls: Sequence[Call]) -> None:
        endless = replace(loaded, wording=replace(loaded.wording, ends=frozenset(), stops=()))
        decoder = endless.decoder(0)
        decoder.admit(
            [Job(Request((), Sampling(temperature=0, max_tokens=c.tokens), 0), c.ids) for c in calls]
        )
        while decoder.live:
            decoder.advance()

    return run


def lm_eval(plain: Loaded, work: Work, rows: int, longest: int) -> float:
    """Useful tokens a second of lm-evaluation-harness on the same prompts, greedy: those of its own replies, each with
    the token that ended it. Raises ValueError where it would be given other prompts.
    """
    from lm_eval.api.instance import Instance
    from lm_eval.models.huggingface import HFLM

    words = plain.chat.tokenizer
    prompts = [words.decode(call.ids) for call in work.calls]
    if any(_length(words, text) != len(call.ids) for text, call in zip(prompts, work.calls, strict=True)):
        raise ValueError("prompts do not survive being written out as text")
    harness = HFLM(pretrained=plain.model, tokenizer=words, batch_size=rows)
    settings = {"until": [], "max_gen_toks": longest, "do_sample": False}
    asked = [Instance("generate_until", {}, (text, settings), i) for i, text in enumerate(prompts)]
    start = time.perf_counter()
    replies = harness.generate_until(asked, disable_tqdm=True)
    seconds = time.perf_counter() - start
    return sum(min(_length(words, reply) + 1, longest) for reply in replies) / seconds


def one_by_one(work: Work, questions: int) -> list[list[Call]]:
    """Every call alone, of the first few questions."""
    return [[call] for call in _few(work, questions)]


def per_question(work: Work, questions: int) -> list[list[Call]]:
    """A batch for every question and round, of the first few questions."""
    return _grouped(_few(work, questions), attrgetter("question", "round"))


def static(work: Work, rows: int) -> list[list[Call]]:
    """All questions together, round by round, sorted by the length of their prompts, in batches of so many rows."""
    rounds = _grouped(sorted(work.calls, key=attrgetter("round")), attrgetter("round"))
    return [batch for calls in rounds for batch in _cut(sorted(calls, key=lambda c: len(c.ids)), rows)]


def rounds(work: Work) -> list[list[Call]]:
    """All questions together, round by round."""
    return _grouped(sorted(work.calls, key=attrgetter("round")), attrgetter("round"))


def uniform(work: Work, rows: int) -> list[list[Call]]:
    """As many calls with as many tokens in all, prompts and replies all of the mean length."""
    count = len(work.calls)
    prompt, tokens = round(work.prompt_tokens / count), round(work.tokens / count)
    even = [
        replace(call, ids=(call.ids * (1 + prompt // len(call.ids)))[:prompt], tokens=tokens)
        for call in work.calls
    ]
    return _cut(even, rows)


def rate(runner: Runner, batches: Sequence[Sequence[Call]]) -> float:
    """Useful tokens a second."""
    start = time.perf_counter()
    for batch in batches:
        runner(batch)
    seconds = time.perf_counter() - start
    return sum(call.tokens for batch in batches for call in batch) / seconds


def _length(words: PreTrainedTokenizerBase, text: str) -> int:
    return len(words(text, add_special_tokens=False)["input_ids"])


def _config(temperature: float, tokens: int) -> GenerationConfig:
    drawn = {"do_sample": True, "temperature": temperature, "top_k": 0} if temperature else {}
    return GenerationConfig(max_new_tokens=tokens, eos_token_id=-1, pad_token_id=0, **drawn)


def _few(work: Work, questions: int) -> list[Call]:
    return sorted(
        (call for call in work.calls if call.question < questions), key=attrgetter("question", "round")
    )


def _grouped(calls: Sequence[Call], key: Callable[[Call], object]) -> list[list[Call]]:
    return [list(group) for _, group in groupby(calls, key)]


def _cut(calls: Sequence[Call], rows: int) -> list[list[Call]]:
    return [list(calls[start : start + rows]) for start in range(0, len(calls), rows)]
