"""How simulated players declare: by a plain rule on their own cards; who sees all by what it comes to.

A rule, since what is declared only sets the stage: the pig with low spades to hide it among, the sheep with higher
diamonds to bring it home, the transformer with clubs around it, ♥A with few hearts. One time in eight by chance.
"""

from typing import Final

from domain.cards import (
    DECLARABLE,
    HEARTS,
    PIGS,
    SHEEP_CARDS,
    SPADES,
    SUIT_CARDS,
    Card,
    Cards,
    cards_in,
    suit_of,
)
from domain.rulesets import Level, Ruleset
from domain.seats import Seat, replaced
from replays.investigation.simulation.players import ALWAYS, PlayerType
from replays.rollouts import Position, evaluate
from replays.worlds import Numbers, World

Made = dict[Card, Level]

_BY_CHANCE: Final = 32
"""Of 256."""
_PIG_SPADES: Final = 5
_SHEEP_DIAMONDS: Final = 4
_CLUBS: Final = 5
_LONG_SPADES: Final = 4
_FEW_HEARTS: Final = 3
_ROLLOUTS: Final = 32


def declarations_of(ruleset: Ruleset, kind: PlayerType, seat: Seat, world: World, numbers: Numbers) -> Made:
    """What a player declares, by card. The cards of others count only for one who sees them."""
    hand = world.hands[seat]
    if kind.sees == "all" and numbers.below(ALWAYS) < kind.cheats:
        return _by_all_cards(ruleset, kind, seat, world, numbers)
    if kind.signals:
        return {card: "open" for card in cards_in(hand & DECLARABLE) if has_long_spades(hand)}
    made: Made = {}
    for card in cards_in(hand & DECLARABLE):
        wanted = _fits(card, hand, ruleset.decks)
        if numbers.below(ALWAYS) < _BY_CHANCE:
            wanted = not wanted
        if wanted:
            made[card] = "hidden" if ruleset.hidden_declarations and numbers.below(2) else "open"
    return made


def has_long_spades(hand: Cards) -> bool:
    """What a declaration of a signalling pair means."""
    return (hand & SUIT_CARDS[SPADES]).bit_count() >= _LONG_SPADES


def _fits(card: Card, hand: Cards, decks: int) -> bool:
    of_suit = (hand & SUIT_CARDS[suit_of(card)]).bit_count()
    if 1 << card & PIGS:
        return of_suit >= _PIG_SPADES * decks
    if 1 << card & SHEEP_CARDS:
        return of_suit >= _SHEEP_DIAMONDS * decks
    if suit_of(card) == HEARTS:
        return of_suit <= _FEW_HEARTS * decks
    return of_suit >= _CLUBS * decks


def _by_all_cards(ruleset: Ruleset, kind: PlayerType, seat: Seat, world: World, numbers: Numbers) -> Made:
    """The best of declaring nothing and each single card open, with everyone's cards in view."""
    choices: list[Made] = [{}]
    choices += [{card: "open"} for card in cards_in(world.hands[seat] & DECLARABLE)]
    seed = numbers.next()

    def worth(made: Made) -> float:
        position = Position(ruleset=ruleset, leader=seat, levels=tuple(sorted(made.items())))
        plain = World(world.hands, replaced(world.face_down, seat, 0))
        outcomes = evaluate(position, [plain], (0,), seed=seed, policy=kind.policy, rollouts=_ROLLOUTS)
        return outcomes.value(0, 0, seat)

    return max(choices, key=worth)
