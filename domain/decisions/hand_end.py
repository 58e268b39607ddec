"""The end of a hand and, perhaps, of its match (rules.md §5–§8)."""

from domain.decisions.disclosure import disclosed
from domain.decisions.story import Story, by_seat
from domain.declarations import levels_by_card
from domain.errors import DealUnavailable
from domain.events import HandEnded, MatchSettled
from domain.rulesets import Ruleset
from domain.scoring import accounts_of
from domain.seats import SEATS, BySeat
from domain.settlement import hand_points, settle


def end_hand(story: Story) -> None:
    """Score the hand, publish what was secret, and settle the match if it is over."""
    match, hand = story.match, story.hand
    ruleset = match.ruleset
    accounts = accounts_of(ruleset, hand.taken, levels_by_card(hand.declarations))
    raw = by_seat([account.raw for account in accounts])
    if hand.pig_taker is None:
        raise DealUnavailable
    story.add(
        HandEnded,
        hand_no=hand.number,
        players=match.players,
        raw_scores=raw,
        accounts=tuple(accounts),
        blood=by_seat([match.blood[seat] + raw[seat] for seat in SEATS]) if ruleset.by_blood else None,
        points=None if ruleset.by_blood else hand_points(ruleset, raw),
        next_leader=hand.pig_taker,
        **disclosed(hand, ruleset.decks),
    )
    _settle_if_over(story)


def _settle_if_over(story: Story) -> None:
    match = story.match
    ruleset = match.ruleset
    over = points_at_end(ruleset, match.blood, match.points, match.hands_ended, match.opened.hands_agreed)
    if over is not None:
        cause, points = over
        blood = match.blood if ruleset.by_blood else None
        story.add(MatchSettled, players=match.players, blood=blood, points=points, cause=cause)


def points_at_end(
    ruleset: Ruleset, blood: BySeat[int], points: BySeat[int], hands_ended: int, hands_agreed: int | None
) -> tuple[str, BySeat[int]] | None:
    """The cause and the points if a match with these totals is over, else None (rules.md §6–§8)."""
    settled = settle(ruleset, blood)
    if settled is not None:
        return "threshold", settled
    if not ruleset.by_blood and hands_ended == hands_agreed:
        return "hands_played", points
    if hands_ended == ruleset.most_hands:
        return "limit", (0, 0, 0, 0) if ruleset.by_blood else points
    return None
