"""Exact endings in compiled code: what `endings` finds in Python, by the same order of plays."""

# mypy: ignore-errors
# numba finds the types of what it compiles

import numpy as np

from replays.rollouts import compiled_cards, compiled_rule, compiled_two_decks
from replays.rollouts.compiled_cards import (
    LANE,
    MIX_FIRST,
    ONE,
    TOP_BIT,
    ZERO,
    U,
    called,
    compiled,
    fingerprint,
    mixed,
    popcount,
    suit_shift,
    without,
)
from replays.rollouts.compiled_rule import BAN, PARTNERS, leadable, raw_score
from replays.rollouts.compiled_two_decks import answers, highest_pair_play

_THREE = U(3)
# Plain numbers in their place would have numba compile a search for each of them.
_NONE, _FIRST = np.int64(0), np.int64(1)
_LEADER_SHIFT = U(61)
_WORDS = 6
_PROBES = 8
_HASH_FACTOR = U(MIX_FIRST)


@called
def _add(moves, level, count, low, high):
    moves[level, count, 0], moves[level, count, 1] = low, high
    return count + 1


@called
def _singles(low, high, others, alike, moves, level):
    """Puts down single cards, the lowest kind first, without those that are as good as the one before; how many.

    `others`: the kinds that others hold or that lie on the table; `alike`: sets of kinds that count the same.
    """
    count, before, kinds = 0, ZERO, low | high
    while kinds:
        kind = kinds & (ZERO - kinds)
        kinds ^= kind
        twins = low & high & kind
        same = False
        if before and not twins:
            between = (kind << ONE) - before
            for group in range(alike.shape[0]):
                if alike[group] & before and alike[group] & kind:
                    same = not between & others
        if not same:
            if low & kind:
                count = _add(moves, level, count, kind, ZERO)
            if high & kind and not (twins and _any_alike(alike, kind)):
                count = _add(moves, level, count, ZERO, kind)
        before = ZERO if twins else kind
    return count


@called
def _any_alike(alike, kind):
    """Whether both copies of a kind count the same."""
    found = False
    for group in range(alike.shape[0]):
        found |= (alike[group] & kind) != ZERO
    return found


@called
def _combinations(low, high, used_low, used_high, moves, level):
    """Puts down all choices of two cards, with those used anyway; how many."""
    cards = popcount(low) + popcount(high)
    count, number = 0, np.int64(cards)
    listed = moves.shape[1] - number  # the cards themselves stand at the end of the row
    kinds, at = low | high, listed
    while kinds:
        kind = kinds & (ZERO - kinds)
        kinds ^= kind
        if low & kind:
            at = _add(moves, level, at, kind, ZERO)
        if high & kind:
            at = _add(moves, level, at, ZERO, kind)
    for first in range(listed, at):
        for second in range(first + 1, at):
            count = _add(
                moves, level, count,
                used_low | moves[level, first, 0] | moves[level, second, 0],
                used_high | moves[level, first, 1] | moves[level, second, 1],
            )  # fmt: skip
    return count


@called
def _legal(hands, seat, plays, trick, number, held_low, held_high, ban, alike, moves, level):
    """Puts down the plays of a seat in their order, as good ones once; how many."""
    low, high = hands[seat, 0], hands[seat, 1]
    others = ZERO
    for place in range(number):
        others |= plays[trick, place, 0] | plays[trick, place, 1]
    for other in range(4):
        if U(other) != seat:
            others |= hands[other, 0] | hands[other, 1]
    if number == 0:
        low, high = leadable(low, high, held_low, held_high, ban)
        if (low | high) & (held_low | held_high):
            alike = alike[:0]
        count = _singles(low, high, others, alike, moves, level)
        pairs = low & high
        while pairs:
            kind = pairs & (ZERO - pairs)
            pairs ^= kind
            count = _add(moves, level, count, kind, kind)
        return count
    suit_cards = LANE << suit_shift(plays[trick, 0, 0] | plays[trick, 0, 1])
    if plays[trick, 0, 0] and plays[trick, 0, 1]:
        used_low, used_high, low, high, owed, pairs = answers(low, high, held_low, held_high, suit_cards)
        if pairs or owed == 1:
            count, kinds = 0, low | high
            while kinds:
                kind = kinds & (ZERO - kinds)
                kinds ^= kind
                if pairs:
                    count = _add(moves, level, count, kind, kind)
                    continue
                if low & kind:
                    count = _add(moves, level, count, used_low | kind, used_high)
                if high & kind:
                    count = _add(moves, level, count, used_low, used_high | kind)
            return count
        if owed == 0:
            return _add(moves, level, 0, used_low, used_high)
        return _combinations(low, high, used_low, used_high, moves, level)
    if (low | high) & suit_cards:
        low, high = low & suit_cards, high & suit_cards
        low, high = without(low, high, held_low, held_high)
    if (low | high) & (held_low | held_high):
        alike = alike[:0]
    return _singles(low, high, others, alike, moves, level)


@called
def _taker(plays, trick, leader, classes):
    """The seat that takes a complete trick."""
    lead = plays[trick, 0, 0] | plays[trick, 0, 1]
    shift = suit_shift(lead)
    suit_cards = LANE << shift
    if plays[trick, 0, 0] and plays[trick, 0, 1]:
        best = highest_pair_play(plays[trick], 4, np.int64(shift) // 16, suit_cards, classes)
        return (leader + U(best)) & _THREE
    best, taker = lead, leader
    for place in range(1, 4):
        kind = (plays[trick, place, 0] | plays[trick, place, 1]) & suit_cards
        if kind > best:
            best, taker = kind, (leader + U(place)) & _THREE
    return taker


@called
def _worth(ends, level, seat, partners):
    """A whole number that grows with what raw scores are worth to a seat."""
    if partners:
        sides = ends[level, 0] + ends[level, 2] - ends[level, 1] - ends[level, 3]
        return -sides if seat & ONE else sides
    return 4 * ends[level, seat] - (ends[level, 0] + ends[level, 1] + ends[level, 2] + ends[level, 3])


@called
def _key(hands, taken, leader, held_low, held_high, key):
    """All that a beginning of a trick depends on, in six words; gives their hash."""
    low = hands[0, 0] | hands[1, 0] | hands[2, 0] | hands[3, 0]
    high = hands[0, 1] | hands[1, 1] | hands[2, 1] | hands[3, 1]
    for suit in range(4):
        if (held_low | held_high) & (LANE << U(16 * suit)):
            low |= U(1 << 16 * suit + 15) if suit < 3 else TOP_BIT_SET
    key[0] = low | leader << _LEADER_SHIFT
    key[1] = high
    for copy in range(2):
        key[2 + 2 * copy] = taken[1, copy] | taken[3, copy]
        key[3 + 2 * copy] = taken[2, copy] | taken[3, copy]
    found = ZERO
    for word in range(_WORDS):
        found = (found ^ key[word]) * _HASH_FACTOR
        found ^= found >> U(29)
    return mixed(found)


TOP_BIT_SET = ONE << TOP_BIT


@called
def _place(keys, stamps, stamp, key, hashed):
    """Where a key stands or may stand among the remembered ones, and whether it does; −1 where there is no room."""
    size = U(keys.shape[0] - 1)
    for probe in range(_PROBES):
        at = np.int64((hashed + U(probe)) & size)
        if stamps[at] != stamp:
            return at, False
        same = True
        for word in range(_WORDS):
            if keys[at, word] != key[word]:
                same = False
        if same:
            return at, True
    return -1, False


def _kernel(built_from):
    @called
    def best(
        level, trick, leader, number, held_low, held_high, hands, taken, plays, moves, ends, alike, numbers, classes,
        cards, worths, tariffs, keys, found, stamps, stamp, row,
    ):  # fmt: skip
        """Puts the raw scores of the best play of the seat to move into `ends[level]`; gives 0."""
        if number == 0:
            if not (hands[leader, 0] | hands[leader, 1]):
                for seat in range(4):
                    ends[level, seat] = raw_score(taken[seat, 0], taken[seat, 1], 0, cards, worths, tariffs)
                return 0
            hashed = _key(hands, taken, leader, held_low, held_high, row[trick])
            at, known = _place(keys, stamps, stamp, row[trick], hashed)
            if known:
                for seat in range(4):
                    ends[level, seat] = found[at, seat]
                return 0
        seat = (leader + U(number)) & _THREE
        count = _legal(
            hands, seat, plays, trick, number, held_low, held_high, numbers[BAN], alike, moves, level
        )
        highest_worth = 0
        for move in range(count):
            low, high = moves[level, move, 0], moves[level, move, 1]
            hands[seat, 0] ^= low
            hands[seat, 1] ^= high
            plays[trick, number, 0], plays[trick, number, 1] = low, high
            if number < 3:
                best(
                    level + 1, trick, leader, number + 1, held_low, held_high, hands, taken, plays, moves, ends, alike,
                    numbers, classes, cards, worths, tariffs, keys, found, stamps, stamp, row,
                )  # fmt: skip
            else:
                taker = _taker(plays, trick, leader, classes)
                before_low, before_high = taken[taker, 0], taken[taker, 1]
                for place in range(4):
                    taken[taker, 0] |= plays[trick, place, 0] & cards[0, -1, 0]
                    taken[taker, 1] |= plays[trick, place, 1] & cards[0, -1, 1]
                suit_cards = LANE << suit_shift(plays[trick, 0, 0] | plays[trick, 0, 1])
                best(
                    level + 1, trick + 1, taker, _NONE, held_low & ~suit_cards, held_high & ~suit_cards, hands, taken,
                    plays, moves, ends, alike, numbers, classes, cards, worths, tariffs, keys, found, stamps, stamp,
                    row,
                )  # fmt: skip
                taken[taker, 0], taken[taker, 1] = before_low, before_high
            hands[seat, 0] ^= low
            hands[seat, 1] ^= high
            worth = _worth(ends, level + 1, seat, numbers[PARTNERS])
            if move == 0 or worth > highest_worth:
                highest_worth = worth
                for other in range(4):
                    ends[level, other] = ends[level + 1, other]
        if number == 0:
            at, _ = _place(
                keys, stamps, stamp, row[trick], _key(hands, taken, leader, held_low, held_high, row[trick])
            )
            if at >= 0:
                stamps[at] = stamp
                for word in range(_WORDS):
                    keys[at, word] = row[trick, word]
                for other in range(4):
                    found[at, other] = ends[level, other]
        return 0

    @compiled
    def search(
        asked, leader, number, held_low, held_high, hands, taken, plays, moves, ends, alike, numbers, classes, cards,
        worths, tariffs, keys, found, stamps, stamp, row, results,
    ):  # fmt: skip
        """Puts the raw scores that each of the plays asked for leads to into `results`."""
        built_from  # noqa: B018 - see `fingerprint`
        seat = (leader + U(number)) & _THREE
        for move in range(asked.shape[0]):
            low, high = asked[move, 0], asked[move, 1]
            hands[seat, 0] ^= low
            hands[seat, 1] ^= high
            plays[0, number, 0], plays[0, number, 1] = low, high
            if number < 3:
                best(
                    _FIRST, _NONE, leader, number + 1, held_low, held_high, hands, taken, plays, moves, ends, alike,
                    numbers, classes, cards, worths, tariffs, keys, found, stamps, stamp, row,
                )  # fmt: skip
            else:
                taker = _taker(plays, 0, leader, classes)
                before_low, before_high = taken[taker, 0], taken[taker, 1]
                for place in range(4):
                    taken[taker, 0] |= plays[0, place, 0] & cards[0, -1, 0]
                    taken[taker, 1] |= plays[0, place, 1] & cards[0, -1, 1]
                suit_cards = LANE << suit_shift(plays[0, 0, 0] | plays[0, 0, 1])
                best(
                    _FIRST, _FIRST, taker, _NONE, held_low & ~suit_cards, held_high & ~suit_cards, hands, taken, plays,
                    moves, ends, alike, numbers, classes, cards, worths, tariffs, keys, found, stamps, stamp, row,
                )  # fmt: skip
                taken[taker, 0], taken[taker, 1] = before_low, before_high
            hands[seat, 0] ^= low
            hands[seat, 1] ^= high
            for other in range(4):
                results[move, other] = ends[1, other]

    return search


search = _kernel(fingerprint(vars(compiled_cards), vars(compiled_rule), vars(compiled_two_decks), globals()))
