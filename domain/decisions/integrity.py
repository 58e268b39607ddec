"""What integrity staff decide about ended matches (design §3)."""

from collections.abc import Sequence

from domain import commands
from domain.decisions.story import Story
from domain.errors import AlreadyAnnulled, MatchNotEnded, NoSuchHand, NotAnnulled
from domain.events import AnnulmentLifted, HandCorrected, MatchAnnulled
from domain.match import Match, match_result
from domain.seats import BySeat
from domain.settlement import hand_points, settle


def annul_match(story: Story, command: commands.AnnulMatch) -> None:
    """Take an ended match off the boards."""
    if not story.match.ended:
        raise MatchNotEnded
    if story.match.annulled:
        raise AlreadyAnnulled
    story.add(MatchAnnulled, case=command.case, cause=command.cause, by=command.by)


def lift_annulment(story: Story, command: commands.LiftAnnulment) -> None:
    """Let an annulled match count again."""
    if not story.match.annulled:
        raise NotAnnulled
    story.add(AnnulmentLifted, case=command.case, cause=command.cause, by=command.by)


def correct_hand(story: Story, command: commands.CorrectHand) -> None:
    """Replace a hand's raw scores and recompute what follows from them."""
    match, ruleset = story.match, story.match.ruleset
    if not match.ended:
        raise MatchNotEnded
    if not 1 <= command.hand_no <= match.hands_ended:
        raise NoSuchHand(hand_no=command.hand_no)
    raws = list(match.raw_scores)
    raws[command.hand_no - 1] = command.raw_scores
    blood, _ = match_result(ruleset, raws[: command.hand_no])
    story.add(
        HandCorrected,
        case=command.case,
        cause=command.cause,
        by=command.by,
        hand_no=command.hand_no,
        players=match.players,
        raw_scores=command.raw_scores,
        blood=blood if ruleset.by_blood else None,
        points=None if ruleset.by_blood else hand_points(ruleset, command.raw_scores),
        match_points=_corrected_points(match, raws) if match.phase == "settled" else None,
    )


def _corrected_points(match: Match, raws: Sequence[BySeat[int]]) -> BySeat[int]:
    """The match's points over the hands played; where the match ended is not moved."""
    blood, points = match_result(match.ruleset, raws)
    if not match.ruleset.by_blood:
        return points
    return settle(match.ruleset, blood) or (0, 0, 0, 0)
