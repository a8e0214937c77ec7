"""Many answers to one: questions by the commonest answer, reviews issue by issue."""

from pydantic import JsonValue

from madbench.metrics.votes import TieRule, Vote, majority
from madbench.types import Answers, Problem, reads_findings


def tally(problem: Problem, answers: Answers, *, seed: int, tie: TieRule) -> Vote:
    """The vote of some seats. Of reviews, what more than half of those given report stays in; no seat's tie
    can arise, and no one share speaks for all issues.
    """
    reader = problem.reader
    if not reads_findings(reader):
        return majority(answers, seed=seed, tie=tie)
    given = sum(answer is not None for answer in answers)
    return Vote(reader.merge(answers, quorum=(given // 2 + 1) / max(given, 1)), None)


def prefixes(problem: Problem, answers: Answers) -> dict[str, JsonValue]:
    """Of reviews the vote of the first one, two, … of a pool, as views to be scored (`vote_1`, …): so any arm can be
    compared with as many reviews as it made calls. Of questions nothing: their votes are counted afterwards.
    """
    if not reads_findings(problem.reader):
        return {}
    first = {k: tally(problem, answers[:k], seed=0, tie="abstain").answer for k in range(1, len(answers) + 1)}
    return {"views": {f"vote_{k}": answer for k, answer in first.items()}}
