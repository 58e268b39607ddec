"""Exact endings: what the last tricks come to when every card is known and every seat plays its best (max^n).

Each seat picks, of the plays it may make, one whose end is worth most to itself (`value_of`: with partners, to its
side). Of several that are worth the same to it, it picks the first in the order of `in_order`: single cards before
pairs, the lowest kind first (suits S H D C), of two copies the first. Others may fare differently by that choice, so
the order is part of what an exact ending means.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Final, TypeAlias

import msgspec

from domain.cards import SCORING, SUIT_CARDS, Cards, cards_in, copy_of, kind_of, suit_of
from domain.errors import GongzhuError
from domain.playouts import Table
from domain.plays import legal_follows, legal_leads
from domain.rulesets import Ruleset
from domain.seats import NEXT, SEATS, TURNS_FROM, BySeat, Seat, side_of
from domain.tricks import winning_play
from replays.rollouts.evaluation import NotCompiled
from replays.rollouts.outcomes import scores_by, value_of
from replays.rollouts.positions import Position
from replays.worlds.information import World

MOST_CARDS: Final = 5
"""Cards left in the fullest hand beyond which an ending is refused: it takes seconds and more."""

_GROWTH: Final = 15
"""By how much a card more in each hand lengthens a search in Python, which takes 0.3 ms with two."""
_WORTH_STARTING: Final = _GROWTH**5
_asked_for: int = 0

Raw: TypeAlias = BySeat[int]
Search: TypeAlias = Callable[[Position, World, Sequence[Cards]], list[Raw]]


class TooLong(GongzhuError):
    """An ending with too many cards left to be searched through."""


class Ending(msgspec.Struct, frozen=True, kw_only=True):
    """What each legal play of the seat to move leads to: the raw scores by seat, exactly. `best` is its place."""

    ruleset: Ruleset
    seat: Seat
    plays: tuple[Cards, ...]
    raw: tuple[Raw, ...]
    best: int

    def value(self, play: int, seat: Seat) -> float:
        """What the play at this place is worth to a seat."""
        return value_of(self.ruleset, self.raw[play], seat)


def exact_ending(position: Position, world: World, *, compiled: bool | None = None) -> Ending:
    """The exact ends of all legal plays of the seat to move, in the order of `in_order`.

    `compiled`: whether to use the compiled search; by default where it is installed and, by the endings asked for so
    far, worth its start.
    Raises `TooLong`, and `NotCompiled` for a search that is not there.
    """
    left = max(hand.bit_count() for hand in world.hands)
    if left > MOST_CARDS:
        raise TooLong(f"{left} cards are left in a hand; exact endings take at most {MOST_CARDS}")
    search = compiled_search() if (_is_worth_compiling(left) if compiled is None else compiled) else None
    if compiled and search is None:
        raise NotCompiled("numba is not installed: install gongzhu[fast], or leave `compiled` out")
    plays = in_order(position.legal_plays(world))
    raw = tuple((search or _searched)(position, world, plays))
    seat = position.turn_in(world)
    worths = [own_worth(position.ruleset, scores, seat) for scores in raw]
    return Ending(
        ruleset=position.ruleset, seat=seat, plays=tuple(plays), raw=raw, best=worths.index(max(worths))
    )


def _is_worth_compiling(cards: int) -> bool:
    global _asked_for  # noqa: PLW0603 - which search is used changes no result
    _asked_for += int(_GROWTH**cards)
    return _asked_for >= _WORTH_STARTING


def in_order(plays: Sequence[Cards]) -> list[Cards]:
    """Plays in the order in which a seat prefers them where they are worth the same to it."""
    return sorted(
        plays,
        key=lambda play: (
            play.bit_count(),
            sorted((kind_of(card), copy_of(card)) for card in cards_in(play)),
        ),
    )


def own_worth(ruleset: Ruleset, raw: Raw, seat: Seat) -> int:
    """A whole number that grows with what raw scores are worth to a seat."""
    if ruleset.partners:
        return sum(raw[other] if side_of(other) == side_of(seat) else -raw[other] for other in SEATS)
    return 4 * raw[seat] - sum(raw)


def _searched(position: Position, world: World, plays: Sequence[Cards]) -> list[Raw]:
    """The ends of these plays, found in Python."""
    search = _Search(position, world)
    table = Table(
        world.hands,
        position.leader_in(world),
        held=position.held_in(world),
        plays=position.plays,
        taken=[cards & SCORING for cards in position.taken],
    )
    return [search.after(table, play) for play in plays]


class _Search:
    """One search through an ending; it remembers what each beginning of a trick comes to."""

    def __init__(self, position: Position, world: World) -> None:
        self._ruleset = position.ruleset
        self._scores = scores_by(position.ruleset, position.levels_in(world))
        self._known: dict[tuple[int, ...], Raw] = {}

    def after(self, table: Table, play: Cards) -> Raw:
        """What the ending comes to once the seat to move has made this play. Leaves `table` as it was."""
        hands, plays = table.hands, table.plays
        seat = TURNS_FROM[table.leader][len(plays)]
        hands[seat] ^= play
        plays.append(play)
        raw = self._best(table, NEXT[seat]) if len(plays) < 4 else self._next_trick(table)
        plays.pop()
        hands[seat] ^= play
        return raw

    def _best(self, table: Table, seat: Seat) -> Raw:
        """The end of the play that is best for this seat, whose turn it is."""
        hand, held, ruleset = table.hands[seat], table.held, self._ruleset
        if table.plays:
            lead = table.plays[0]
            legal = legal_follows(hand, suit_of(lead.bit_length() - 1), lead.bit_count(), held)
        else:
            legal = legal_leads(hand, held, decks=ruleset.decks, ban=ruleset.ban_when_leading)
        if len(legal) == 1:
            return self.after(table, legal[0])
        ends = [self.after(table, play) for play in (legal if ruleset.decks == 1 else in_order(legal))]
        return max(ends, key=lambda raw: own_worth(ruleset, raw, seat))  # the first of equals

    def _next_trick(self, table: Table) -> Raw:
        """What is to come once the trick is taken."""
        plays, leader, held = table.plays, table.leader, table.held
        suit = suit_of(plays[0].bit_length() - 1)
        taker = TURNS_FROM[leader][winning_play(plays, suit, self._ruleset.pair_tricks)]
        before, won = table.taken[taker], sum(plays) & SCORING
        table.taken[taker] = before | won
        table.leader, table.held, table.plays = taker, held & ~SUIT_CARDS[suit], []
        raw = self._from_lead(table)
        table.leader, table.held, table.plays = leader, held, plays
        table.taken[taker] = before
        return raw

    def _from_lead(self, table: Table) -> Raw:
        if not table.hands[table.leader]:
            of = self._scores.of
            return (of(table.taken[0]), of(table.taken[1]), of(table.taken[2]), of(table.taken[3]))
        key = (table.leader, table.held, *table.hands, *table.taken)
        raw = self._known.get(key)
        if raw is None:
            raw = self._known[key] = self._best(table, table.leader)
        return raw


@cache
def compiled_search() -> Search | None:
    """The compiled search; None where numba is not installed."""
    try:
        from replays.rollouts.fast_endings import searched
    except ImportError:
        return None
    return searched
