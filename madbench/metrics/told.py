"""What the numbers mean that protocols and tasks measure themselves, a line each."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from madbench.metrics.estimates import Floats
from madbench.metrics.rows import Rows

JUDGES = {
    "judge_agreement": "Share of a judge's rulings, in both orders of the options, that agree with the gold.",
    "judge_agreement_right_shown_first": "The same where the right option was shown first; less the share where it was "
    "shown last, this is what the order is worth.",
    "judge_agreement_right_shown_last": "The same where the right option was shown last.",
    "judge_agreement_right_argued": "The same where the consultant argued for the right option.",
    "judge_agreement_wrong_argued": "The same where the consultant argued for the wrong option.",
    "chose_the_first_shown": "Share of a judge's rulings for the option shown first; 0.5 is without bias.",
    "order_flips": "Share of pairs of rulings on the same speeches that differ once the order is swapped.",
    "went_with_the_first_side": "Share of rulings for option A, the first debater's; compare casts that swap models.",
    "went_with_the_consultant": "Share of rulings for what the consultant argued, right or wrong; 0.5: no persuasion.",
    "picked_own_family": "Of the sides played by models of the judge's own family, the share that it went with (of a "
    "ranking: mean place, 1 for the first, 0 for the last, the ranker's own proposal left out).",
    "picked_other_family": "The same of sides played by models of other families.",
    "family_preference": "The difference of these two among right and among wrong answers, mean of both. It holds how "
    "much better one family argues, too: hold both seatings, and ask a judge of each family.",
    "quotes": "Quotations in the speeches of an episode.",
    "quotes_verified": "Share of quotations that stand in the passage and are four words or longer.",
    "speeches_cut": "Speeches of an episode that were cut for length.",
    "adaptive_stop": "Share of debates that the moderator ended before the cap; in the others a judge decided.",
    "rounds": "Rounds a debate had, the first included.",
    "sided_with_affirmative": "Of debates whose sides ended on different answers of which one was chosen, the share in "
    "which it was the affirmative side's, which spoke first.",
}
TRIBUNALS = {
    "skipped": "Share of episodes without a debate, since fewer than two proposals could be read.",
    "consensus": "Share of tribunals in which more than half of the rankings begin with the same proposal.",
    "ranked_itself_first": "Share of members that rank their own proposal first.",
    "echoed_the_first": "Share of later proposals with the answer of the first one.",
    "copeland_agrees": "Share of tribunals whose top choice has the best Copeland score too.",
    "dropped": "Members of a tribunal whose proposal could not be read.",
    "gap": "Critiques of a tribunal that could not be read, all rounds.",
    "blocked": "Blocking concerns a tribunal, all rounds.",
    "stance_stick": "Share of members that stick to their own proposal in the end.",
    "stance_switch": "Share of members that switch to another's proposal in the end.",
    "stance_hybrid": "Share of members that want a hybrid in the end.",
    "critique_rounds": "Rounds of critique a tribunal.",
}
TABLES = {
    "contributions": "Contributions to a discussion that neither object nor pass.",
    "passes": "Passes in a discussion.",
    "objections_raised": "Contributions of a discussion that object.",
    "answers_to_objections": "Contributions of a discussion that speak to somebody who had objected.",
    "rejections": "Replies sent back by any gate, an episode.",
    "retries": "Asks after a rejection, an episode.",
    "given_up": "Decisions an episode that no try settled: silence, no proposal, or a void vote.",
    "unread": "Replies an episode that could not be read.",
    "seats": "Personas at the table.",
    "votes_for": "Votes for the proposal, an episode with one.",
    "votes_void": "Votes that were not cast, or not validly, an episode with a proposal.",
    "vote_tied": "Share of votes in which exactly half of the seats agreed.",
    "unanimous": "Share of votes in which all seats agreed.",
    "adversaries_objecting": "Adversaries an episode that objected in the discussion and came to the vote.",
}
CRITICS = {
    "restatement_kept": "Share of the original's claims that the critic's restatement keeps.",
    "restatement_softened": "Share of the original's claims that the critic's restatement hedges.",
    "restatement_added": "Share of the restatement's claims that the original does not make.",
    "restatement_drift": "Share of a restatement's core claims that the next one no longer makes, mean.",
    "rephrase_kept": "Share of the question's claims that its rephrasing keeps.",
    "rephrase_added": "Share of the rephrasing's claims that the question does not make.",
    "rephrase_verbatim": "Share of rephrasings that repeat the question word for word.",
    "restated": "Restatements an episode.",
    "objected": "Objections of the critic, an episode.",
    "conceded": "Objections that the agent conceded, an episode.",
    "defended": "Objections that the agent defended itself against, an episode.",
    "clarified": "Questions that were called unclear in place of a rephrasing, an episode.",
    "nudged": "Times an episode that whoever rephrases was asked to be neutral again.",
    "aborted": "Share of episodes that ended since nobody could put the question in neutral words.",
    "tendencies": "Notes of the profile that are active.",
    "pending_notes": "Notes of the profile that wait for another sighting.",
    "planted_active": "Share of episodes in which the planted note is still active.",
    "planted_raised": "Objections an episode that take the planted note up.",
}
OTHERS = {
    "reached_verdict": "Share of reviews debated to a verdict: nothing that matters stayed open.",
    "kept": "The place, from 0, of the reply that was given in the end.",
    "lured": "Share of answers that are the one which comes to mind first, and is wrong.",
}
TOLD: Mapping[str, str] = MappingProxyType(JUDGES | TRIBUNALS | TABLES | CRITICS | OTHERS)
COMPARED = (
    "echoed_the_first", "ranked_itself_first", "judge_agreement", "chose_the_first_shown", "order_flips",
    "sided_with_affirmative", "lured",
)  # fmt: skip


def compared(rows: Rows) -> dict[str, Floats]:
    """Those of these shares by which arms are compared, row by row."""
    return {name: rows.column(f"fact:{name}") for name in COMPARED if f"fact:{name}" in rows.columns}
