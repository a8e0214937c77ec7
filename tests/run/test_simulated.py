"""The simulated engine keeps its word: closed forms hold on it."""

import asyncio
import json
import time

import pytest
from jobs import Once, ask, job_at, run

from madbench.engines.simulated import SimulatedEngine, SimulatedModel, split_options
from madbench.protocols.debate import Debate
from madbench.run.job import finish_job
from madbench.tasks.synthetic import Synthetic
from madbench.types import ContextError, InputError, Message, Request, Sampling

QUESTION = "Question 7: which option? ⟦truth=B options=ABCD⟧\nEnd with Answer: X."
N = 4000


def say(model, *texts, seed=1, schema=None, **sampling):
    """The reply to a conversation whose turns alternate, the user's first."""
    roles = ["user", "assistant"] * 9
    messages = tuple(Message(role, text) for role, text in zip(roles, texts, strict=False))
    request = Request(messages, Sampling(**sampling), seed, schema)
    return asyncio.run(SimulatedEngine(model).generate(request))


def shares(model, *texts, **options):
    engine, found = SimulatedEngine(model), {}
    roles = ["user", "assistant"] * 9
    messages = tuple(Message(role, text) for role, text in zip(roles, texts, strict=False))

    async def main():
        for seed in range(N):
            completion = await engine.generate(Request(messages, Sampling(), seed, **options))
            answer = completion.text.rpartition("Answer: ")[2]
            found[answer] = found.get(answer, 0) + 1 / N

    asyncio.run(main())
    return found


def near(share, expected):
    return abs(share - expected) < 4 * (expected * (1 - expected) / N) ** 0.5 + 1e-12


def test_right_as_often_as_said_and_wrong_evenly():
    found = shares(SimulatedModel(0.7), QUESTION)
    assert near(found["B"], 0.7)
    assert all(near(found[wrong], 0.1) for wrong in "ACD")


def test_swayed_by_the_majority_as_often_as_said():
    peers = "They say:\nAnswer: C\nAnswer: C\nAnswer: A"
    found = shares(SimulatedModel(0.7, 0.3), QUESTION, "Mine. Answer: D", peers)
    assert found.keys() == {"C", "D"}
    assert near(found["C"], 0.3)


def test_a_tie_among_peers_is_drawn():
    found = shares(SimulatedModel(0.7, 0.5), QUESTION, "Answer: D", "Answer: C, he says. Answer: A, says she")
    assert near(found["D"], 0.5)
    assert near(found["C"], 0.25)
    assert near(found["A"], 0.25)


def test_keeps_its_own_answer_when_told_nothing():
    assert shares(SimulatedModel(0.1, 1.0), QUESTION, "Answer: D", "Think again.\n" + QUESTION).keys() == {
        "D"
    }


def test_examples_and_earlier_questions_are_not_its_own_answers():
    earlier = QUESTION.replace("Question 7", "Question 6")
    found = shares(SimulatedModel(1.0), "What is 1 + 1?", "Answer: A", earlier, "Answer: C", QUESTION)
    assert found.keys() == {"B"}


def test_a_question_put_in_other_words_is_the_same_question():
    form = json.dumps({"type": "object", "properties": {"text": {"type": "string"}}})
    restated = json.loads(say(SimulatedModel(1.0), QUESTION, schema=form).text)["text"]
    assert shares(SimulatedModel(1.0), restated).keys() == {"B"}
    assert shares(SimulatedModel(0.1), QUESTION, "Answer: D", f"One objects: {restated}").keys() == {"D"}
    again = json.loads(say(SimulatedModel(1.0), restated, schema=form).text)["text"]
    assert shares(SimulatedModel(0.1), restated, "Answer: D", f"One objects: {again}").keys() == {"D"}


def test_mute_replies_carry_no_answer():
    found = shares(SimulatedModel(1.0, mute=0.2), QUESTION)
    assert near(found["B"], 0.8)


def test_without_a_mark_it_draws_from_what_is_listed():
    found = shares(SimulatedModel(1.0), "Which?\n(A) one\n(B) two\n(C) three")
    assert found.keys() == set("ABC")
    assert all(near(share, 1 / 3) for share in found.values())
    assert set(map(int, shares(SimulatedModel(1.0), "What is 3 + 4?"))) == set(range(100))


def test_the_seed_alone_decides_and_greedy_ignores_it():
    model = SimulatedModel(0.5)
    assert say(model, QUESTION, seed=3) == say(model, QUESTION, seed=3)
    assert len({say(model, QUESTION, seed=seed).text for seed in range(9)}) == 9
    assert len({say(model, QUESTION, seed=seed, temperature=0.0).text for seed in range(9)}) == 1
    engine = SimulatedEngine(model)
    asked = [
        Request((Message("user", QUESTION),), Sampling(temperature=t), seed)
        for t in (0.0, 0.7)
        for seed in (1, 2)
    ]
    assert len({engine.identity(request) for request in asked}) == 3


def test_identity_covers_all_that_can_change_a_reply():
    base = Request((Message("user", QUESTION),), Sampling(), 1)
    others = [
        Request((Message("system", QUESTION),), Sampling(), 1),
        Request((Message("user", QUESTION + " "),), Sampling(), 1),
        Request((Message("user", QUESTION),), Sampling(max_tokens=16), 1),
        Request((Message("user", QUESTION),), Sampling(top_p=0.9), 1),
        Request((Message("user", QUESTION),), Sampling(), 2),
        Request((Message("user", QUESTION),), Sampling(), 1, "{}"),
    ]
    engines = [SimulatedEngine(SimulatedModel(0.5)), SimulatedEngine(SimulatedModel(0.6))]
    assert len({engine.identity(request) for engine in engines for request in [base, *others]}) == 14


def test_limits_of_length_and_context():
    cut = say(SimulatedModel(1.0), QUESTION, max_tokens=3)
    assert (cut.finish, cut.output_tokens, len(cut.text)) == ("length", 3, 12)
    whole = say(SimulatedModel(1.0), QUESTION)
    assert (whole.finish, whole.output_tokens) == ("stop", -(-len(whole.text) // 4))
    with pytest.raises(ContextError):
        say(SimulatedModel(1.0, context=100), QUESTION, max_tokens=100)


def test_stated_probability_is_the_accuracy():
    done = say(SimulatedModel(0.75), QUESTION)
    assert "".join(text for text, _ in done.pieces) == done.text
    assert done.pieces[-1][0] in "ABCD"
    assert done.pieces[-1][1] == pytest.approx(-0.28768207)
    assert say(SimulatedModel(0.75, features=("seeded",)), QUESTION).pieces == ()


FORM = {
    "type": "object",
    "properties": {
        "reasoning": {"type": "string", "maxLength": 200},
        "answer": {"type": "string", "enum": ["A", "B", "C", "D"]},
        "sure": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/Sure"}]},
        "points": {
            "type": "array",
            "minItems": 2,
            "maxItems": 3,
            "items": {"type": "string", "minLength": 30, "maxLength": 35},
        },
        "score": {"type": "integer", "minimum": 3, "maximum": 5},
        "share": {"type": "number", "minimum": 0, "maximum": 1},
        "done": {"type": "boolean"},
        "kind": {"const": "claim"},
    },
    "$defs": {"Sure": {"enum": ["HIGH", "LOW"]}},
}


def test_forms_are_filled_and_carry_the_answer_and_the_question_on():
    seen = []
    for seed in range(300):
        form = json.loads(say(SimulatedModel(0.8), QUESTION, seed=seed, schema=json.dumps(FORM)).text)
        seen.append((form["answer"], form["sure"], form["score"], form["done"]))
        assert "⟦truth=B options=A,B,C,D of=" in form["reasoning"]
        assert len(form["points"]) == 2
        assert all(30 <= len(point) <= 35 for point in form["points"])
        assert 0 <= form["share"] <= 1
        assert form["kind"] == "claim"
    answers, sure, scores, done = (set(column) for column in zip(*seen, strict=True))
    assert (answers, sure, scores, done) == (set("ABCD"), {"HIGH", "LOW"}, {3, 4, 5}, {True, False})
    assert 0.7 < sum(answer == "B" for answer, *_ in seen) / 300 < 0.9


def test_an_answer_given_in_a_form_is_its_own_too():
    told = "Answer: C\nAnswer: C"
    assert shares(SimulatedModel(0.1, 0.0), QUESTION, '{"reasoning":"","answer":"D"}', told).keys() == {"D"}


def test_forms_it_cannot_fill_are_named():
    with pytest.raises(InputError, match="field when"):
        say(
            SimulatedModel(1.0),
            QUESTION,
            schema=json.dumps(
                {"type": "object", "properties": {"when": {"type": "string", "pattern": r"^\d{4}-\d\d$"}}}
            ),
        )


def test_its_fingerprint_covers_what_can_change_a_reply():
    one = SimulatedModel(0.5)
    assert SimulatedModel(0.5, name="other", seconds_per_call=1).fingerprint() == one.fingerprint()
    others = [
        SimulatedModel(0.6),
        SimulatedModel(0.5, 0.1),
        SimulatedModel(0.5, mute=0.1),
        SimulatedModel(0.5, context=9),
    ]
    assert len({model.fingerprint() for model in [one, *others]}) == 5


@pytest.mark.parametrize(
    ("settings", "words"),
    [({"accuracy": 1.2}, "model.accuracy: 1.2"), ({"accuracy": 1, "features": ("vision",)}, "vision")],
)
def test_bad_settings_are_named(settings, words):
    with pytest.raises(InputError, match=words):
        SimulatedModel(**settings).check()
    SimulatedModel(0.5).check()


def test_options_in_any_form():
    assert split_options("ABCD") == ("A", "B", "C", "D")
    assert split_options("yes, no") == split_options("yes|no") == ("yes", "no")


def test_a_debate_of_followers_ends_at_the_first_majority(tmp_path):
    """Three seats, full conformity: a seat whose two peers agree takes their answer, else one of the two at random."""
    job = job_at(tmp_path, task=Synthetic(60), protocol=Debate(agents=3, debate_rounds=1))
    run(job, model=SimulatedModel(0.6, 1.0))
    from madbench.records.tables import read_records

    finish_job(job)
    for record in read_records(job.folder):
        before, after = record.outcome.positions
        for seat in range(3):
            peers = [before[other] for other in range(3) if other != seat]
            assert after[seat] in peers


def test_accuracy_of_a_run_is_the_models(tmp_path):
    job = job_at(tmp_path, task=Synthetic(2000), protocol=Once(step=ask))
    run(job, model=SimulatedModel(0.65))
    rows = finish_job(job).rows
    assert abs(rows.column("correct").mean() - 0.65) < 0.045


def test_a_call_takes_microseconds():
    engine, request = (
        SimulatedEngine(SimulatedModel(0.5, 0.5)),
        Request((Message("user", QUESTION),), Sampling(), 1),
    )

    async def calls():
        start = time.process_time()
        for _ in range(2000):
            await engine.generate(request)
        return (time.process_time() - start) / 2000

    assert asyncio.run(calls()) < 200e-6
