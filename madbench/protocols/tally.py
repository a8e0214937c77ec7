"""Many answers to one: questions by the commonest answer, reviews issue by issue."""

from madbench.metrics.votes import TieRule, Vote, majority
from madbench.types import Answers, FindingReader, Problem


def tally(problem: Problem, answers: Answers, *, seed: int, tie: TieRule) -> Vote:
    """The vote of some seats. Of reviews, what more than half of those given report stays in; no seat's tie
    can arise, and no one share speaks for all issues.
    """
    reader = problem.reader
    if not isinstance(reader, FindingReader):
        return majority(answers, seed=seed, tie=tie)
    given = sum(answer is not None for answer in answers)
    return Vote(reader.merge(answers, quorum=(given // 2 + 1) / max(given, 1)), None)
