"""The compiled search behind `exact_ending`: a position and a world as arrays (needs numba)."""

from collections.abc import Sequence
from functools import cache
from itertools import count
from typing import Final

import numpy as np

from domain.cards import DECLARABLE, FIRST_COPIES, HEARTS, SCORING, SUIT_CARDS, Cards, card_of
from domain.rulesets import Ruleset
from domain.seats import BySeat
from domain.tariff import tariff_of
from replays.rollouts.compiled_endings import search
from replays.rollouts.fast import Words, classes_of, numbers_of, tariffs_of, words
from replays.rollouts.positions import Position
from replays.worlds.information import World

_REMEMBERED: Final = 1 << 16
_WORDS: Final = 6
_LEVELS: Final = 4 * 7
_TRICKS: Final = 8
_MOVES: Final = 128

_searches: Final = count(1)


def searched(position: Position, world: World, plays: Sequence[Cards]) -> list[BySeat[int]]:
    """The raw scores that each of these plays of the seat to move leads to when all seats play their best."""
    ruleset, held = position.ruleset, position.held_in(world)
    results = np.zeros((len(plays), 4), np.int64)
    in_trick = np.zeros((_TRICKS, 4, 2), np.uint64)
    for place, play in enumerate(position.plays):
        in_trick[0, place] = play & FIRST_COPIES, play >> 64
    search(
        words(plays),
        np.uint64(position.leader_in(world)),
        len(position.plays),
        np.uint64(held & FIRST_COPIES),
        np.uint64(held >> 64),
        words(world.hands),
        words([cards & SCORING for cards in position.taken]),
        in_trick,
        np.zeros((_LEVELS + 1, _MOVES, 2), np.uint64),
        np.zeros((_LEVELS + 1, 4), np.int64),
        _alike(ruleset),
        numbers_of(ruleset),
        classes_of(ruleset),
        *tariffs_of([tariff_of(ruleset, position.levels_in(world))]),
        *_memory(),
        next(_searches),
        np.zeros((_TRICKS, _WORDS), np.uint64),
        results,
    )
    return [(int(a), int(b), int(c), int(d)) for a, b, c, d in results]


@cache
def _memory() -> tuple[Words, Words, Words]:
    """Room for what searches find out; each search marks what is its own. Not for several threads at once."""
    return (
        np.zeros((_REMEMBERED, _WORDS), np.uint64),
        np.zeros((_REMEMBERED, 4), np.int64),
        np.zeros(_REMEMBERED, np.int64),
    )


@cache
def _alike_cards(values: tuple[int, ...]) -> tuple[Cards, ...]:
    plain = sum(SUIT_CARDS) & FIRST_COPIES & ~SCORING
    hearts: dict[int, Cards] = {}
    for rank, value in enumerate(values):
        heart = 1 << card_of(HEARTS, rank)
        if not heart & DECLARABLE:
            hearts[value] = hearts.get(value, 0) | heart
    suits = [plain & cards & FIRST_COPIES for cards in SUIT_CARDS]
    return tuple(cards for cards in (*suits, *hearts.values()) if cards)


def _alike(ruleset: Ruleset) -> Words:
    """Sets of kinds of one suit that count the same, whoever takes them."""
    return np.array(_alike_cards(ruleset.scoring.heart_values), np.uint64)
