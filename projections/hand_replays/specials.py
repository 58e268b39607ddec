"""What of a finished hand is worth looking up: special events by seat, and how far its scores lie apart.

Each is a fact of public events. `slam`, `all_hearts`, `lone_transformer`: the seat scored so (rules.md §5).
`pig_to_declarer`: it took a pig that it had itself declared, open or hidden (in two decks: that very copy).
`hidden_pig_caught`: it took a pig that another seat, its partner included, had declared face down. `autopilot`: at
least one of its plays was the autopilot's. `big_swing`: its raw score is the highest or the lowest of a hand whose
swing (the highest raw score less the lowest) is at least `BIG_SWINGS`, and follows a correction of the scores.
"""

from collections.abc import Sequence
from typing import Final, Literal, get_args

from domain.cards import PIG, card_key, name_of
from domain.events import HandEnded
from domain.seats import SEATS, BySeat, Seat
from projections.hand_replays.document import PlayMade

Special = Literal[
    "slam",
    "all_hearts",
    "lone_transformer",
    "pig_to_declarer",
    "hidden_pig_caught",
    "big_swing",
    "autopilot",
]
SPECIALS: Final[tuple[Special, ...]] = get_args(Special)

BIG_SWINGS: Final = {("blood", 1): 1500, ("blood", 2): 15_000, ("zero_sum", 1): 600, ("zero_sum", 2): 2_000}
"""By family and decks: the swing that about one hand in ten has where our bots play."""

_PIG_NAME: Final = name_of(PIG, decks=1)


def specials_by_seat(
    event: HandEnded, decks: int, plays: Sequence[PlayMade], takers: Sequence[Seat]
) -> BySeat[tuple[Special, ...]]:
    """What each seat did, in the order of `SPECIALS`; `takers[t - 1]` is the seat that took trick t."""
    pigs = _pig_takers(plays, takers)
    ends = swing_ends(event.raw_scores, decks, by_blood=event.blood is not None)
    by_autopilot = {play.seat for play in plays if play.by == "autopilot"}
    first, second, third, fourth = (
        _specials(event, seat, pigs, at_end=seat in ends, autopilot=seat in by_autopilot) for seat in SEATS
    )
    return (first, second, third, fourth)


def swing_of(raw_scores: BySeat[int]) -> int:
    """The highest raw score less the lowest."""
    return max(raw_scores) - min(raw_scores)


def swing_ends(raw_scores: BySeat[int], decks: int, *, by_blood: bool) -> set[Seat]:
    """The seats at either end of a big swing; none where it is not big."""
    if swing_of(raw_scores) < BIG_SWINGS["blood" if by_blood else "zero_sum", decks]:
        return set()
    return {seat for seat in SEATS if raw_scores[seat] in (max(raw_scores), min(raw_scores))}


def of_hand(by_seat: BySeat[tuple[str, ...]]) -> tuple[str, ...]:
    """The specials that any seat has, in the order of `SPECIALS`."""
    return tuple(special for special in SPECIALS if any(special in own for own in by_seat))


def _specials(
    event: HandEnded, seat: Seat, pigs: dict[str, Seat], *, at_end: bool, autopilot: bool
) -> tuple[Special, ...]:
    account = event.accounts[seat]
    taken = [one for one in event.declarations if pigs.get(one.card) == seat]
    found: dict[Special, bool] = {
        "slam": account.rule == "slam",
        "all_hearts": account.all_hearts,
        "lone_transformer": account.rule == "lone_transformer",
        "pig_to_declarer": any(one.seat == seat for one in taken),
        "hidden_pig_caught": any(one.seat != seat and one.level == "hidden" for one in taken),
        "big_swing": at_end,
        "autopilot": autopilot,
    }
    return tuple(special for special, holds in found.items() if holds)


def _pig_takers(plays: Sequence[PlayMade], takers: Sequence[Seat]) -> dict[str, Seat]:
    """Who took each pig."""
    return {
        card: takers[play.trick_no - 1]
        for play in plays
        for card in play.cards
        if card_key(card) == _PIG_NAME
    }
