"""Six kinds of tokenizers; every conversation a debate makes is written whole, with exactly one BOS."""

import pytest
from engines import tiny

from madbench.engines.chat import Chat, ChatFormat
from madbench.types import InputError, Message

REFUSES_SYSTEM = (
    "{% for m in messages %}{% if m['role'] == 'system' %}{{ raise_exception('no system') }}{% endif %}"
    "[{{ m['role'] }}]{{ m['content'] }}{% endfor %}[assistant]"
)
DROPS_SYSTEM = (
    "{% for m in messages %}{% if m['role'] != 'system' %}"
    "[{{ m['role'] }}]{{ m['content'] }}{% endif %}{% endfor %}"
)
ALTERNATES = (
    "{{ bos_token }}{% for m in messages %}{% if (m['role'] == 'user') != (loop.index0 % 2 == 0) %}"
    "{{ raise_exception('roles must alternate') }}{% endif %}[{{ m['role'] }}]{{ m['content'] }}{% endfor %}"
)
BOS_IN_TEMPLATE = "{{ bos_token }}" + tiny.CHATML
THINKS = (
    tiny.CHATML + "{% if enable_thinking is defined and enable_thinking is false %}<think></think>{% endif %}"
)
DEBATE = (
    Message("system", "Be brief."),
    Message("user", "How many?"),
    Message("assistant", "Seven."),
    Message("user", "Others said eight."),
    Message("user", "Answer again."),
)


def formatted(template, chat=None, **style):
    return ChatFormat(tiny.tokenizer(template, **style), chat or Chat(), "tiny")


@pytest.mark.parametrize(
    ("template", "style", "system", "turns"),
    [
        (BOS_IN_TEMPLATE, {"adds_bos": True}, "kept", "kept"),
        (BOS_IN_TEMPLATE, {"bos": "<s>"}, "kept", "kept"),
        (tiny.CHATML, {"adds_bos": True}, "kept", "kept"),
        (REFUSES_SYSTEM, {"adds_bos": True}, "folded", "kept"),
        (DROPS_SYSTEM, {"adds_bos": True}, "folded", "kept"),
        (ALTERNATES, {"adds_bos": True}, "folded", "merged"),
        (THINKS, {"adds_bos": True}, "kept", "kept"),
    ],
)
def test_exactly_one_bos_and_all_of_the_text_in_order(template, style, system, turns):
    chat = formatted(template, **style)
    assert (chat.facts.system, chat.facts.turns) == (system, turns)
    ids = chat.ids(DEBATE)
    bos = chat.tokenizer.bos_token_id
    assert ids[0] == bos
    assert ids.count(bos) == 1
    text = chat.tokenizer.decode(ids)
    places = [text.index(message.text) for message in DEBATE]
    assert places == sorted(places)


def test_a_tokenizer_without_bos_gets_none():
    assert tiny.tokenizer().bos_token_id is None
    chat = formatted(tiny.CHATML)
    assert 1 not in chat.ids(DEBATE)


def test_a_bos_that_opens_every_turn_is_left_in_place():
    chat = formatted(tiny.CHATML, bos="<|im_start|>")
    ids = chat.ids(DEBATE)
    assert ids.count(3) == len(DEBATE) + 1
    assert ids[1] != 3


def test_the_count_of_ids_is_the_count_of_tokens_not_of_dictionary_keys():
    chat = formatted(tiny.CHATML)
    text = "<|im_start|>user\nabc<|im_end|>\n<|im_start|>assistant\n"
    assert len(chat.ids((Message("user", "abc"),))) == len(
        chat.tokenizer(text, add_special_tokens=False)["input_ids"]
    )
    assert len(chat.ids((Message("user", "abcd"),))) == len(chat.ids((Message("user", "abc"),))) + 1


def test_a_base_model_is_refused_unless_the_plain_format_is_chosen():
    with pytest.raises(InputError, match=r"tiny.*no chat template.*chat.format=plain"):
        formatted(None)
    chat = formatted(None, Chat(format="plain"), adds_bos=True)
    assert chat.tokenizer.decode(chat.ids(DEBATE)) == (
        "<s>System: Be brief.\n\nUser: How many?\n\nAssistant: Seven.\n\nUser: Others said eight.\n\n"
        "User: Answer again.\n\nAssistant:"
    )
    assert "\nUser:" in chat.stops


def test_thinking_is_switched_only_where_the_config_says_so():
    said = (Message("user", "a"),)
    written = {
        thinking: (chat := formatted(THINKS, Chat(thinking=thinking))).tokenizer.decode(chat.ids(said))
        for thinking in (None, True, False)
    }
    assert written[None] == written[True]
    assert written[False].endswith("<think></think>")
    assert "<think>" not in written[True]


def test_a_system_message_alone_becomes_a_user_turn():
    chat = formatted(REFUSES_SYSTEM)
    assert chat.tokenizer.decode(chat.ids((Message("system", "S"),))) == "[user]S[assistant]"
