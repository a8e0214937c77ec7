"""A random Llama-like model of a few thousand weights, and tokenizers in every style that chats meet."""

from __future__ import annotations

from pathlib import Path

import torch
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

CHATML = (
    "{% for m in messages %}{{ '<|im_start|>' + m['role'] + '\n' + m['content'] + '<|im_end|>\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
SPECIALS = ("<unk>", "<s>", "</s>", "<|im_start|>", "<|im_end|>")


def tokenizer(
    template: str | None = CHATML, *, adds_bos: bool = False, bos: str | None = None
) -> PreTrainedTokenizerFast:
    """A tokenizer of bytes."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {word: i for i, word in enumerate((*SPECIALS, *alphabet))}
    made = Tokenizer(models.BPE(vocab=vocabulary, merges=[], unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    made.decoder = decoders.ByteLevel()
    made.add_special_tokens([AddedToken(word, special=True) for word in SPECIALS])
    if adds_bos:
        from tokenizers.processors import TemplateProcessing

        made.post_processor = TemplateProcessing(single="<s> $A", special_tokens=[("<s>", vocabulary["<s>"])])
    fast = PreTrainedTokenizerFast(
        tokenizer_object=made,
        bos_token=bos or ("<s>" if adds_bos else None),
        eos_token="<|im_end|>",
        unk_token="<unk>",
    )
    fast.chat_template = template
    return fast


def model(vocabulary: int, *, context: int = 512, seed: int = 0, tied: bool = False) -> LlamaForCausalLM:
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=vocabulary,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=context,
        eos_token_id=2,
        bos_token_id=1,
        initializer_range=0.25,
        tie_word_embeddings=tied,
    )
    return LlamaForCausalLM(config).eval()


def save(folder: Path, *, context: int = 512, tied: bool = False) -> Path:
    """A whole model folder: weights, tokenizer, and an owner's hostile generation defaults."""
    words = tokenizer()
    made = model(len(words), context=context, tied=tied)
    made.generation_config.update(
        do_sample=True, temperature=1.7, repetition_penalty=1.3, top_k=3, eos_token_id=[2, 4]
    )
    made.save_pretrained(folder)
    words.save_pretrained(folder)
    return folder
