"""A moment of a hand as playouts need it: all that is the same in every world that may stand behind it."""

from collections.abc import Sequence

import msgspec

from domain.cards import TWOS_OF_CLUBS, Card, Cards, cards_in, set_of, suit_of
from domain.declarations import held_back
from domain.errors import GongzhuError
from domain.match import Match
from domain.plays import legal_follows, legal_leads
from domain.rulesets import Level, Ruleset
from domain.seats import SEATS, TURNS_FROM, BySeat, Seat
from replays.worlds.information import World


class NoPlayThere(GongzhuError):
    """A point of a match that is not in the middle of a hand: nothing can be played out from it."""


class PlayNotHeld(GongzhuError):
    """A play is to be judged in a world in which the seat does not hold it."""


class Position(msgspec.Struct, frozen=True, kw_only=True):
    """What is public at a moment of a hand. A world adds the cards in hand and what lies face down.

    `leader` began, or is to begin, the trick in progress, whose `plays` are in the order played; None before a first
    lead that only the deal decides. `levels`: the declarations whose card is public, as card and level, in card order,
    those of played cards too. `suits_led`: whole suits that a completed trick was led in. `taken`: the cards taken so
    far, by seat (scoring cards suffice). `opens_match`: the lead to come is a match's first.
    """

    ruleset: Ruleset
    leader: Seat | None
    plays: tuple[Cards, ...] = ()
    levels: tuple[tuple[Card, Level], ...] = ()
    suits_led: Cards = 0
    taken: BySeat[Cards] = (0, 0, 0, 0)
    opens_match: bool = False

    @property
    def turn(self) -> Seat | None:
        """Who plays next, None where only the deal decides."""
        return None if self.leader is None else TURNS_FROM[self.leader][len(self.plays)]

    def leader_in(self, world: World) -> Seat:
        """Who leads the trick in progress or to come; where the position does not say, the holder of ♣2."""
        return self.leader if self.leader is not None else holder_of_two_of_clubs(world.hands)

    def turn_in(self, world: World) -> Seat:
        """Who plays next in this world."""
        return TURNS_FROM[self.leader_in(world)][len(self.plays)]

    def levels_in(self, world: World) -> dict[Card, Level]:
        """The level of every declared card in this world."""
        levels = dict(self.levels)
        levels.update((card, "hidden") for cards in world.face_down for card in cards_in(cards))
        return levels

    def held_in(self, world: World) -> Cards:
        """The declared cards that are held back in this world."""
        declared = set_of(card for card, _ in self.levels) | sum(world.face_down)
        return held_back(declared, self.suits_led)

    def legal_plays(self, world: World) -> list[Cards]:
        """Every play of the seat to move in this world, as sets of one or two cards."""
        hand, held = world.hands[self.turn_in(world)], self.held_in(world)
        if self.plays:
            lead = self.plays[0]
            return legal_follows(hand, suit_of(lead.bit_length() - 1), lead.bit_count(), held)
        return legal_leads(
            hand,
            held,
            decks=self.ruleset.decks,
            ban=self.ruleset.ban_when_leading,
            must_lead_two_of_clubs=self.must_lead_two_of_clubs,
        )

    @property
    def must_lead_two_of_clubs(self) -> bool:
        """Whether the play to come is the first lead of a match that begins with ♣2."""
        return self.opens_match and not self.plays and self.ruleset.first_lead == "two_of_clubs_leads_it"


def holder_of_two_of_clubs(hands: Sequence[Cards]) -> Seat:
    """The seat with ♣2; in two decks with its first copy, though the rules say the one that was dealt first."""
    first = TWOS_OF_CLUBS & -TWOS_OF_CLUBS
    return next(seat for seat in SEATS if hands[seat] & first)


def position_of(match: Match) -> Position:
    """The position of a match in the middle of a hand. Raises `NoPlayThere`.

    While cards are declared it is the position of the first lead, by the declarations made so far.
    """
    hand = match.hand
    if hand is None:
        raise NoPlayThere("no hand is in progress at this point of the match; take a step inside a hand")
    leader = hand.plays[0].seat if hand.plays else hand.turn if hand.turn is not None else hand.leader
    if match.phase == "declaring" and hand.number == 1:
        leader = None  # the match's first leader is public only once the window is closed
    levels = [(told.card, told.level) for told in hand.declarations if told.card is not None and told.public]
    first, second, third, fourth = map(set_of, hand.taken)
    return Position(
        ruleset=match.ruleset,
        leader=leader,
        plays=tuple(play.as_set for play in hand.plays),
        levels=tuple(sorted(levels)),
        suits_led=hand.suits_led,
        taken=(first, second, third, fourth),
        opens_match=hand.number == 1 and hand.trick_no == 1 and not hand.plays,
    )
