"""The transformers engine against the model itself, run one row at a time without any of our machinery."""

import asyncio
import json

import pytest
import torch
from engines import tiny

from madbench.engines.chat import Chat, ChatFormat
from madbench.engines.local.loading import loaded
from madbench.engines.settings import Batch
from madbench.engines.transformers import TransformersEngine, TransformersModel
from madbench.engines.weights import Folder
from madbench.types import EngineError, InputError, Message, Request, Sampling

LONG = "All of these questions begin alike, and go on like that for a while. "


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tiny.save(tmp_path_factory.mktemp("tiny"))


def asked(i, *, temperature=0.0, top_p=1.0, tokens=10, schema=None):
    text = LONG * (i % 3) + f"{i % 4}?"
    return Request(
        (Message("user", text),), Sampling(temperature=temperature, top_p=top_p, max_tokens=tokens), i, schema
    )


def settings(folder, **changes):
    return TransformersModel(name="tiny", weights=Folder(path=str(folder)), **{"dtype": "float32", **changes})


def answers(model, requests):
    async def run():
        async with model.open() as engine:
            return await asyncio.gather(*(engine.generate(one) for one in requests)), engine.facts()

    return asyncio.run(run())


@torch.inference_mode()
def reference(folder, request):
    """Greedy tokens and their log-probabilities by whole forward passes; no batch, no cache, no padding."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    chat = ChatFormat(AutoTokenizer.from_pretrained(folder), Chat(), "tiny")
    ids, shares = list(chat.ids(request.messages)), []
    prompt = len(ids)
    while len(ids) - prompt < request.sampling.max_tokens:
        logits = model(torch.tensor([ids])).logits[0, -1].log_softmax(-1)
        token = int(logits.argmax())
        ids.append(token)
        shares.append(float(logits[token]))
        if token in (2, 4):
            break
    return ids[prompt:], shares, chat


def test_greedy_rows_equal_the_model_alone_and_owner_defaults_change_nothing(folder):
    requests = [asked(i, tokens=40) for i in range(8)]
    completions, facts = answers(settings(folder), requests)
    for request, completion in zip(requests, completions, strict=True):
        tokens, shares, chat = reference(folder, request)
        ended = tokens[-1] in (2, 4)
        assert completion.text == chat.text(tokens[:-1] if ended else tokens)
        assert completion.output_tokens == len(tokens)
        assert completion.finish == ("stop" if ended else "length")
        assert completion.prompt_tokens == len(chat.ids(request.messages))
        assert [share for _, share in completion.pieces] == pytest.approx(
            shares[: len(completion.pieces)], abs=1e-4
        )
    assert facts["owner_defaults_ignored"]["repetition_penalty"] == 1.3


@pytest.mark.parametrize("prefix_megabytes", [0, 64])
def test_equal_requests_give_equal_tokens_at_every_batch_size(folder, prefix_megabytes):
    requests = [
        asked(i, temperature=0.5 * (i % 4), top_p=(1.0, 0.8)[i % 2], tokens=3 + i % 17) for i in range(70)
    ]
    batches = [Batch(rows=rows, prefix_megabytes=prefix_megabytes) for rows in (1, 7, 64)]
    one, seven, many = (answers(settings(folder, batch=batch), requests)[0] for batch in batches)
    for others in (seven, many):
        assert [(c.text, c.finish, c.output_tokens) for c in others] == [
            (c.text, c.finish, c.output_tokens) for c in one
        ]


def test_what_is_stored_of_one_prompt_does_not_leak_into_another(folder):
    requests = [asked(i, tokens=20) for i in (1, 2, 1, 4, 1)]
    first, second, again, _, last = answers(settings(folder, batch=Batch(rows=1)), requests)[0]
    assert first.text == again.text == last.text
    for request, completion in zip(requests[:2], (first, second), strict=True):
        fresh = answers(settings(folder, batch=Batch(rows=1, prefix_megabytes=0)), [request])[0][0]
        assert completion.text == fresh.text


def test_every_end_token_ends_a_row_and_is_not_in_the_text(folder):
    requests = [asked(3 * i, temperature=1.5, tokens=300) for i in range(24)]
    completions, facts = answers(settings(folder), requests)
    assert facts["end_tokens"] == [2, 4]
    stopped = [completion for completion in completions if completion.finish == "stop"]
    assert len(stopped) > 12
    assert all(len(c.pieces) == c.output_tokens - 1 for c in stopped)
    assert all("<|im_end|>" not in c.text and "</s>" not in c.text for c in completions)


def test_the_limit_is_exact(folder):
    completions, _ = answers(settings(folder), [asked(i, tokens=1 + i) for i in range(9)])
    for limit, completion in enumerate(completions, 1):
        assert completion.output_tokens <= limit
        assert (completion.finish == "length") <= (completion.output_tokens == limit)


def test_three_seats_with_the_same_prompt_say_three_things(folder):
    prompt = (Message("user", "Same?"),)
    seats = [Request(prompt, Sampling(temperature=0.7, max_tokens=20), seed) for seed in range(3)]
    first, _ = answers(settings(folder), seats)
    again, _ = answers(settings(folder), seats)
    assert len({completion.text for completion in first}) == 3
    assert first == again


@pytest.mark.parametrize("schema", ["not json", '{"type": "nothing"}', '{"$ref": "#/nowhere"}'])
def test_a_schema_that_cannot_be_held_is_bad_input_and_hurts_no_other_row(folder, schema):
    async def run():
        async with settings(folder).open() as engine:
            both = (engine.generate(asked(1, schema=schema)), engine.generate(asked(2)))
            return await asyncio.gather(*both, return_exceptions=True)

    bad, good = asyncio.run(run())
    assert isinstance(bad, InputError)
    assert good.output_tokens > 0


def test_a_reply_cut_inside_its_grammar_says_length(folder):
    schema = json.dumps({"type": "string", "minLength": 30, "maxLength": 40})
    completions, _ = answers(settings(folder), [asked(1, tokens=10, schema=schema)])
    assert completions[0].finish == "length"
    assert completions[0].output_tokens == 10


def test_a_tokenizer_that_cannot_spell_json_is_refused():
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    words = Tokenizer(models.WordLevel({"<unk>": 0, "yes": 1, "no": 2, "<e>": 3}, unk_token="<unk>"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    spelled = PreTrainedTokenizerFast(tokenizer_object=words, eos_token="<e>", unk_token="<unk>")
    chat = ChatFormat(spelled, Chat(format="plain"), "words")
    language = loaded(tiny.model(4), chat, "words").wording
    with pytest.raises(InputError, match=r"words.*cannot write"):
        language.check('{"type": "boolean"}')


def test_a_base_model_stops_where_the_next_speaker_would_begin():
    """A model that says `x` and then `\\nUser:` for ever, by a table of what follows what."""
    words = tiny.tokenizer(None)
    chat = ChatFormat(words, Chat(format="plain"), "base")
    said = words("xyz\nUser: more\nUser: more", add_special_tokens=False)["input_ids"]
    language = loaded(tiny.model(len(words)), chat, "base").wording
    stops = [i for i in range(1, len(said) + 1) if language.stopped(said[:i])]
    assert words.decode(said[: stops[0]]) == "xyz\nUser:"
    assert "".join(language.pieces(said[: stops[0]])) == "xyz"


def test_characters_of_several_tokens_are_whole_in_one_piece():
    words = tiny.tokenizer()
    chat = ChatFormat(words, Chat(), "tiny")
    language = loaded(tiny.model(len(words)), chat, "tiny").wording
    ids = words("aé→😀b", add_special_tokens=False)["input_ids"]
    pieces = language.pieces(ids)
    assert len(pieces) == len(ids)
    assert "".join(pieces) == "aé→😀b"
    assert [piece for piece in pieces if piece] == ["a", "é", "→", "😀", "b"]


def test_a_model_that_breaks_is_an_engine_error(folder):
    chat = ChatFormat(tiny.tokenizer(), Chat(), "tiny")
    broken = tiny.model(len(chat.tokenizer))
    broken.model.layers[1] = torch.nn.Identity()

    async def run():
        engine = TransformersEngine(settings(folder), loaded(broken, chat, "tiny"))
        async with engine.scheduler.running():
            return await asyncio.gather(
                *(engine.generate(asked(i)) for i in range(3)), return_exceptions=True
            )

    assert [type(result) for result in asyncio.run(run())] == [EngineError] * 3


def test_facts_name_what_ran(folder):
    _, facts = answers(settings(folder, batch=Batch(rows=5)), [asked(1)])
    assert facts["dtype"] == "float32"
    assert facts["attention"] == "sdpa_by_length"
    assert str(facts["device"]).startswith("cpu")
    assert facts["batch"] == {"limit": 5, "halvings": 0, "widest": 1}
    assert set(facts["versions"]) >= {"torch", "transformers"}
    assert json.loads(json.dumps(facts)) == facts
