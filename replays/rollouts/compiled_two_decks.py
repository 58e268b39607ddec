"""Playouts of two decks in compiled code: what `playouts.play_out` does by chance and by rule, draw for draw."""

# mypy: ignore-errors
# numba finds the types of what it compiles

import numpy as np

from replays.rollouts import compiled_cards, compiled_rule
from replays.rollouts.compiled_cards import (
    DIAMOND_BITS,
    HEARTS_SHIFT,
    LANE,
    ONE,
    SPECIAL_BITS,
    TOP_BIT,
    TWO_OF_CLUBS_BIT,
    ZERO,
    U,
    any_card,
    called,
    choice,
    compiled,
    fingerprint,
    leading_zeros,
    moved,
    nth_bit,
    nth_card,
    part,
    popcount,
    stream_at,
    suit_shift,
    up_to,
    without,
)
from replays.rollouts.compiled_rule import (
    ALWAYS,
    BAN,
    LEADS_TWO,
    PARTNERS,
    leadable,
    likes_transformer,
    raw_score,
    rule_discard,
    rule_follow,
    rule_lead,
    slips_now,
)

# kinds of two-card plays, by place; then whether two of the suit win a tie
OFF, PAIR, TWO, MIXED_HEART, MIXED_OTHER, TIES = 0, 1, 2, 3, 4, 5
_TWO, _THREE = U(2), U(3)


@part
def _kind_of_play(low, high, suit_cards):
    """What a two-card play is on a trick of this suit."""
    off_low, off_high = low & ~suit_cards, high & ~suit_cards
    if not (off_low | off_high):
        return PAIR if low & high else TWO
    if not ((low | high) & suit_cards):
        return OFF
    return MIXED_HEART if (off_low | off_high) & (LANE << HEARTS_SHIFT) else MIXED_OTHER


@called
def highest_pair_play(plays, number, suit, suit_cards, classes):
    """The place of the play that takes a trick led with a pair."""
    best, best_strength = 0, -1
    for place in range(number):
        kind = _kind_of_play(plays[place, 0], plays[place, 1], suit_cards)
        kinds = (plays[place, 0] | plays[place, 1]) & suit_cards
        rank = 64 - np.int64(leading_zeros(kinds)) if kinds else 0
        tie = 1 if classes[suit, TIES] and kind == TWO else 0
        strength = classes[suit, kind] * 1000 + rank * 2 + tie
        if strength > best_strength:
            best, best_strength = place, strength
    return best


@part
def _losing(low, high, advantage, top, suit_cards):
    """Of these cards of the suit, those that do not take a trick; `top`: the highest kind of what does so far."""
    if advantage < 0:
        return low, high
    if advantage > 0:
        return ZERO, ZERO
    below = up_to(top, suit_cards)
    return low & below, high & below


@part
def _any_two(low, high, stream):
    """Two cards of a set of three or more, and the stream after them."""
    number = np.int64(popcount(low) + popcount(high))
    if number > 2:
        stream = moved(stream)
        place = np.int64(choice(stream, U(number * (number - 1) // 2)))
    else:
        place = np.int64(0)
    first = np.int64(0)
    while place >= number - 1 - first:
        place -= number - 1 - first
        first += 1
    one_low, one_high = nth_card(low, high, U(first))
    other_low, other_high = nth_card(low, high, U(first + 1 + place))
    return one_low | other_low, one_high | other_high, stream


@part
def answers(low, high, held_low, held_high, suit_cards):
    """What may answer a pair: the cards all answers have, those they choose from, and how many of these (0 to 2).

    A pair that must be played is one choice among the first copies of its likes; `pairs` tells.
    """
    pairs = low & high & suit_cards & ~held_low & ~held_high
    if pairs:
        return ZERO, ZERO, pairs, ZERO, 1, True
    used_low, used_high, owed = ZERO, ZERO, 2
    for layer in range(3):
        if layer == 0:
            open_low, open_high = low & suit_cards & ~held_low, high & suit_cards & ~held_high
        elif layer == 1:
            open_low, open_high = low & suit_cards & held_low, high & suit_cards & held_high
        else:
            open_low, open_high = low & ~suit_cards, high & ~suit_cards
        number = np.int64(popcount(open_low) + popcount(open_high))
        if number >= owed:
            return used_low, used_high, open_low, open_high, owed, False
        used_low |= open_low
        used_high |= open_high
        owed -= number
    return used_low, used_high, ZERO, ZERO, 0, False


@part
def _out(hands, seat):
    """The kinds of cards that the others hold."""
    low, high = ZERO, ZERO
    for other in range(4):
        if U(other) != seat:
            low |= hands[other, 0]
            high |= hands[other, 1]
    return low | high


@part
def _lead(hands, leader, held_low, held_high, opens, numbers, slips, orders, counts, stream):
    """The lead of a trick, and the stream after it."""
    hand_low, hand_high = hands[leader, 0], hands[leader, 1]
    low, high = leadable(hand_low, hand_high, held_low, held_high, numbers[BAN])
    if opens and numbers[LEADS_TWO]:
        low, high = hand_low & TWO_OF_CLUBS_BIT, hand_high & TWO_OF_CLUBS_BIT
    pairs = low & high
    singles = popcount(low) + popcount(high)
    number = singles + popcount(pairs)
    if number == ONE:
        return low, high, stream
    by_chance = slips >= ALWAYS
    if not by_chance:
        by_chance, stream = slips_now(slips, stream)
    if by_chance:
        stream = moved(stream)
        place = choice(stream, number)
        if place < singles:
            low, high = nth_card(low, high, place)
            return low, high, stream
        pair = nth_bit(pairs, place - singles)
        return pair, pair, stream
    out = _out(hands, leader)
    low, high, stream = rule_lead(low, high, hand_low | hand_high, out, orders, counts, stream)
    kind = low | high
    if kind & pairs and not kind & (SPECIAL_BITS | DIAMOND_BITS):
        return kind, kind, stream
    return low, high, stream


@part
def _follow_single(
    hands, taken, plays, number, leader, held_low, held_high, numbers, slips, orders, counts, stream
):
    """Everyone still to play follows the single card that was led; gives the taker's seat and the stream."""
    first = plays[0, 0] | plays[0, 1]
    shift = suit_shift(first)
    suit_cards = LANE << shift
    best, taker, trick = first, leader, first
    for place in range(1, number):
        kind = plays[place, 0] | plays[place, 1]
        trick |= kind
        if kind & suit_cards and kind > best:
            best, taker = kind, (leader + U(place)) & _THREE
    for place in range(number, 4):
        seat = (leader + U(place)) & _THREE
        hand_low, hand_high = hands[seat, 0], hands[seat, 1]
        low, high = hand_low & suit_cards, hand_high & suit_cards
        follows = (low | high) != ZERO
        if follows:
            if held_low | held_high:
                low, high = without(low, high, held_low, held_high)
        else:
            low, high = hand_low, hand_high
        choices = popcount(low) + popcount(high)
        if choices > ONE:
            by_chance = slips >= ALWAYS
            if not by_chance:
                by_chance, stream = slips_now(slips, stream)
            if by_chance:
                stream = moved(stream)
                low, high = nth_card(low, high, choice(stream, choices))
            else:
                friend = numbers[PARTNERS] != 0 and not (taker ^ seat) & ONE
                likes = likes_transformer(taken[seat, 0], taken[seat, 1])
                if follows:
                    below = up_to(best, suit_cards)
                    low, high = rule_follow(
                        low,
                        high,
                        low & below,
                        high & below,
                        trick,
                        shift == HEARTS_SHIFT,
                        friend,
                        place == 3,
                        likes,
                    )
                else:
                    out = _out(hands, seat)
                    low, high, stream = rule_discard(low, high, out, friend, likes, orders, counts, stream)
        kind = low | high
        if follows and kind > best:
            best, taker = kind, seat
        trick |= kind
        hands[seat, 0], hands[seat, 1] = hand_low ^ low, hand_high ^ high
        plays[place, 0], plays[place, 1] = low, high
    return taker, stream


@part
def _follow_pair(
    hands, taken, plays, number, leader, held_low, held_high, numbers, classes, slips, orders, counts, stream
):
    """Everyone still to play answers the pair that was led; gives the taker's seat and the stream."""
    shift = suit_shift(plays[0, 0])
    suit, suit_cards = np.int64(shift) // 16, LANE << shift
    for place in range(number, 4):
        seat = (leader + U(place)) & _THREE
        hand_low, hand_high = hands[seat, 0], hands[seat, 1]
        used_low, used_high, low, high, owed, pairs = answers(
            hand_low, hand_high, held_low, held_high, suit_cards
        )
        choices = np.int64(popcount(low) + popcount(high))
        if choices > owed:
            by_chance = slips >= ALWAYS
            if not by_chance:
                by_chance, stream = slips_now(slips, stream)
            if by_chance:
                if owed == 2:
                    low, high, stream = _any_two(low, high, stream)
                else:
                    low, high, stream = any_card(low, high, stream)
            else:
                best = highest_pair_play(plays, place, suit, suit_cards, classes)
                taker = (leader + U(best)) & _THREE
                best_low, best_high = plays[best, 0], plays[best, 1]
                to_beat = classes[suit, _kind_of_play(best_low, best_high, suit_cards)]
                top = (best_low | best_high) & suit_cards
                top = ONE << (TOP_BIT - leading_zeros(top))
                friend = numbers[PARTNERS] != 0 and not (taker ^ seat) & ONE
                likes = likes_transformer(taken[seat, 0], taken[seat, 1])
                trick = ZERO
                for before in range(place):
                    trick |= plays[before, 0] | plays[before, 1]
                advantage = classes[suit, PAIR if pairs else TWO] - to_beat
                left_low, left_high, low, high = low, high, ZERO, ZERO
                for _ in range(owed):
                    if (left_low | left_high) & suit_cards:
                        losing_low, losing_high = _losing(left_low, left_high, advantage, top, suit_cards)
                        cards = popcount(losing_low) + popcount(losing_high)
                        cards += popcount(used_low | low) + popcount(used_high | high)
                        if not pairs and cards < _TWO:
                            losing_low, losing_high = ZERO, ZERO
                        chosen_low, chosen_high = rule_follow(
                            left_low, left_high, losing_low, losing_high, trick, shift == HEARTS_SHIFT, friend,
                            place == 3, likes,
                        )  # fmt: skip
                    else:
                        out = _out(hands, seat)
                        chosen_low, chosen_high, stream = rule_discard(
                            left_low, left_high, out, friend, likes, orders, counts, stream
                        )
                    low |= chosen_low
                    high |= chosen_high
                    left_low ^= chosen_low
                    left_high ^= chosen_high
        low |= used_low
        high |= used_high
        if pairs:
            high = low
        hands[seat, 0] = hand_low ^ low
        hands[seat, 1] = hand_high ^ high
        plays[place, 0], plays[place, 1] = low, high
    return (leader + U(highest_pair_play(plays, 4, suit, suit_cards, classes))) & _THREE, stream


@part
def play_out(
    hands, taken, plays, number, leader, held_low, held_high, opens, numbers, classes, slips, orders, counts, stream
):  # fmt: skip
    """Plays a hand to its end; changes `hands`, `taken` and `plays`."""
    while True:
        if number == 0:
            if not (hands[leader, 0] | hands[leader, 1]):
                return
            low, high, stream = _lead(
                hands, leader, held_low, held_high, opens, numbers, slips, orders, counts, stream
            )
            hands[leader, 0] ^= low
            hands[leader, 1] ^= high
            plays[0, 0], plays[0, 1] = low, high
            number = 1
        opens = False
        suit_cards = LANE << suit_shift(plays[0, 0] | plays[0, 1])
        if plays[0, 0] and plays[0, 1]:
            leader, stream = _follow_pair(
                hands, taken, plays, number, leader, held_low, held_high, numbers, classes, slips, orders, counts,
                stream,
            )  # fmt: skip
        else:
            leader, stream = _follow_single(
                hands,
                taken,
                plays,
                number,
                leader,
                held_low,
                held_high,
                numbers,
                slips,
                orders,
                counts,
                stream,
            )
        for place in range(4):
            taken[leader, 0] |= plays[place, 0]
            taken[leader, 1] |= plays[place, 1]
        held_low &= ~suit_cards
        held_high &= ~suit_cards
        number = 0


def _kernel(built_from):
    @compiled
    def evaluate(
        worlds, helds, leaders, cases, first_world, plays, begun, rollouts, trick, taken_before, opens, numbers,
        classes, slips, orders, counts, cards, worths, tariffs, scratch, sums,
    ):  # fmt: skip
        """Adds up the raw scores of playouts by world, play and seat."""
        built_from  # noqa: B018 - see `fingerprint`
        hands, taken, table = scratch[0], scratch[1], scratch[2]
        for world in range(worlds.shape[0]):
            case = cases[world]
            for play in range(plays.shape[0]):
                for rollout in range(rollouts):
                    for seat in range(4):
                        hands[seat, 0], hands[seat, 1] = worlds[world, seat, 0], worlds[world, seat, 1]
                        taken[seat, 0], taken[seat, 1] = taken_before[seat, 0], taken_before[seat, 1]
                    number = trick.shape[0]
                    for place in range(number):
                        table[place, 0], table[place, 1] = trick[place, 0], trick[place, 1]
                    leader = leaders[world]
                    if plays[play, 0] | plays[play, 1]:
                        turn = (leader + U(number)) & _THREE
                        hands[turn, 0] ^= plays[play, 0]
                        hands[turn, 1] ^= plays[play, 1]
                        table[number, 0], table[number, 1] = plays[play, 0], plays[play, 1]
                        number += 1
                    stream = stream_at(begun[play], U(first_world + world), U(rollout))
                    play_out(
                        hands, taken, table, number, leader, helds[world, 0], helds[world, 1], opens, numbers, classes,
                        slips, orders, counts, stream,
                    )  # fmt: skip
                    for seat in range(4):
                        sums[world, play, seat] += raw_score(
                            taken[seat, 0], taken[seat, 1], case, cards, worths, tariffs
                        )

    return evaluate


evaluate = _kernel(fingerprint(vars(compiled_cards), vars(compiled_rule), globals()))
