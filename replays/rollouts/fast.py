"""The compiled kernel behind `evaluate`: a position, worlds and a policy as arrays (needs numba)."""

from array import array
from collections.abc import Hashable, Sequence
from functools import cache
from typing import Any, Final

import numpy as np

from domain.cards import SUITS, TRANSFORMER, TWO_OF_CLUBS, Cards
from domain.rulesets import Ruleset
from domain.seats import BySeat
from domain.streams import Stream
from domain.tariff import Tariff, tariff_of
from replays.rollouts import compiled_one_deck, compiled_two_decks
from replays.rollouts.policies import Policy
from replays.rollouts.positions import PlayNotHeld, Position
from replays.worlds.fast import WorldRows
from replays.worlds.information import World

_DECK = 64
Words = Any
"""An array of sets of cards, two unsigned 64-bit words each, in its last dimension."""


def words(sets: Sequence[Cards]) -> Words:
    """Sets of cards as an array."""
    both = np.frombuffer(b"".join([cards.to_bytes(16, "little") for cards in sets]), "<u8")
    # A copy may be written to, as arrays of other origin may: so the kernel is compiled for one kind only.
    return both.reshape(len(sets), 2).copy()


def sums_of(
    position: Position,
    worlds: Sequence[World],
    plays: Sequence[Cards],
    begun: Sequence[Stream],
    policy: Policy,
    rollouts: int,
    first_world: int,
) -> "array[int]":
    """The raw scores of playouts, added up over the rollouts, by world, play and seat. Raises `PlayNotHeld`."""
    ruleset = position.ruleset
    hands, face_down = rows_of(worlds)
    supposed, case_of = _cases(worlds[0].hands, face_down)
    leaders = _leaders(position, hands)
    _check_held(
        plays, hands[np.arange(len(hands)), (leaders + np.uint64(len(position.plays))) & np.uint64(3)]
    )
    sums = array("q", bytes(8 * 4 * len(worlds) * len(plays)))
    kernel = compiled_one_deck if ruleset.decks == 1 else compiled_two_decks
    kernel.evaluate(
        hands,
        words([position.held_in(world) for world in supposed])[case_of],
        leaders,
        case_of,
        first_world,
        words(plays),
        np.array(begun, np.uint64),
        rollouts,
        words(position.plays),
        words(position.taken),
        position.opens_match,
        numbers_of(ruleset),
        classes_of(ruleset),
        policy.slips,
        *orders_of(policy),
        *_tariffs(position, supposed),
        np.zeros((3, 4) if ruleset.decks == 1 else (3, 4, 2), np.uint64),
        np.frombuffer(sums, np.int64).reshape(len(worlds), len(plays), 4),
    )
    return sums


def rows_of(worlds: Sequence[World]) -> tuple[Words, Words]:
    """The hands of worlds and what lies face down, by world and seat."""
    if isinstance(worlds, WorldRows):
        return np.ascontiguousarray(worlds.hands), np.ascontiguousarray(worlds.face_down)
    hands = words([hand for world in worlds for hand in world.hands])
    face_down = words([cards for world in worlds for cards in world.face_down])
    return hands.reshape(-1, 4, 2), face_down.reshape(-1, 4, 2)


def _cases(hands: BySeat[Cards], face_down: Words) -> tuple[list[World], Words]:
    """A world for each choice of what lies face down, and by world the place of its choice."""
    if not face_down.any():
        return [World(hands, (0, 0, 0, 0))], np.zeros(len(face_down), np.int64)
    cases, case_of = np.unique(face_down, axis=0, return_inverse=True)
    return [World(hands, _sets(case)) for case in cases], case_of.ravel()


def _tariffs(position: Position, supposed: Sequence[World]) -> tuple[Words, Words, Words]:
    """The tariffs of worlds as arrays; remembered, for a hand is judged many times by the same."""
    ruleset = position.ruleset
    key = (id(ruleset), position.levels, *[world.face_down for world in supposed])
    known = _known_tariffs.get(key)
    if known is None:
        if len(_known_tariffs) >= _REMEMBERED:
            _known_tariffs.clear()
        arrays = tariffs_of([tariff_of(ruleset, position.levels_in(world)) for world in supposed])
        known = _known_tariffs[key] = (ruleset, arrays)  # with the ruleset kept, no other one gets its id
    return known[1]


_REMEMBERED: Final = 256
_known_tariffs: dict[Hashable, tuple[Ruleset, tuple[Words, Words, Words]]] = {}


def _sets(row: Words) -> BySeat[Cards]:
    first, second, third, fourth = (int(low) | int(high) << _DECK for low, high in row)
    return (first, second, third, fourth)


def _leaders(position: Position, hands: Words) -> Words:
    """Who leads the trick in progress or to come, by world."""
    if position.leader is not None:
        return np.full(len(hands), position.leader, np.uint64)
    return np.argmax(hands[:, :, 0] & np.uint64(1 << TWO_OF_CLUBS) != 0, axis=1).astype(np.uint64)


def _check_held(plays: Sequence[Cards], hands: Words) -> None:
    """Raises `PlayNotHeld` for a play that is not in every hand of the seat to move."""
    for play, row in zip(plays, words(plays), strict=True):
        if (row & ~hands).any():
            raise PlayNotHeld(
                f"the seat to move does not hold {play:#x} in all worlds: judge only plays that it does"
            )


def numbers_of(ruleset: Ruleset) -> Words:
    """The numbers of a ruleset that playing needs."""
    numbers = [ruleset.ban_when_leading, ruleset.first_lead == "two_of_clubs_leads_it", ruleset.partners]
    return np.array(numbers, np.int64)


def classes_of(ruleset: Ruleset) -> Words:
    """The classes of answers to a pair by suit and kind; at the end whether two of the suit win a tie."""
    tricks = ruleset.pair_tricks
    kinds = ("pair", "two", "mixed_heart", "mixed_other")
    rows = [
        [0, *[tricks.classes[suit][kind] for kind in kinds], suit in tricks.top_tie_two_of_suit]
        for suit in SUITS
    ]
    return np.array(rows, np.int64)


@cache
def orders_of(policy: Policy) -> tuple[Words, Words]:
    """The orders of a policy, each filled up with empty groups, and how many groups each has."""
    orders = (*policy.leads, *policy.discards, policy.gifts)
    most = max(1, *map(len, orders))
    filled = [words([*order, *[0] * (most - len(order))]) for order in orders]
    return np.array(filled), np.array([len(order) for order in orders], np.int64)


def tariffs_of(tariffs: Sequence[Tariff]) -> tuple[Words, Words, Words]:
    """Tariffs as arrays: groups of cards of one worth, last the set of all that count; the worths; other numbers."""
    cards, worths, numbers = [], [], []
    most = max(len(tariff.heart_values) + len(tariff.specials) for tariff in tariffs) + 1
    for tariff in tariffs:
        groups = [(hearts, value * tariff.hearts_factor) for hearts, value in tariff.heart_values]
        groups += [(special.cards, special.value * special.factor) for special in tariff.specials]
        empty = [0] * (most - 1 - len(groups))
        cards.append(words([*[group for group, _ in groups], *empty, tariff.everything]))
        worths.append([*[worth for _, worth in groups], *empty, 0])
        first, second = 1 << TRANSFORMER, 1 << TRANSFORMER + _DECK
        factors = [tariff.factors.get(taken, 1) for taken in (0, first, second, first | second)]
        all_hearts = tariff.all_hearts * tariff.hearts_factor
        numbers.append(
            [
                len(tariff.heart_values),
                len(groups),
                all_hearts,
                tariff.lone_transformer,
                tariff.slam.raw,
                *factors,
            ]
        )
    return np.array(cards), np.array(worths, np.int64), np.array(numbers, np.int64)
