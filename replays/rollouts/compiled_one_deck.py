"""Playouts of one deck in compiled code: what `domain.chance` and `rule_player` do, draw for draw."""

# mypy: ignore-errors
# numba finds the types of what it compiles

from replays.rollouts import compiled_cards, compiled_rule
from replays.rollouts.compiled_cards import (
    HEARTS_SHIFT,
    LANE,
    ONE,
    TWO_OF_CLUBS_BIT,
    ZERO,
    U,
    choice,
    compiled,
    fingerprint,
    moved,
    nth_bit,
    part,
    popcount,
    stream_at,
    suit_shift,
    up_to,
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

_THREE = U(3)


@part
def _drawn(cards, stream):
    """A card of a set, and the stream after it; it has moved where there were several."""
    # No branch: what a processor guesses wrong costs more than a draw that is not used.
    number = popcount(cards)
    after = moved(stream)
    return nth_bit(cards, choice(after, number)), after if number > ONE else stream


@part
def _lead(hands, leader, held, opens, numbers, slips, orders, counts, stream):
    """The card that is led, and the stream after it."""
    hand = hands[leader]
    legal, _ = leadable(hand, ZERO, held, ZERO, numbers[BAN])
    if opens and numbers[LEADS_TWO]:
        legal = hand & TWO_OF_CLUBS_BIT
    if slips >= ALWAYS or not legal & (legal - ONE):
        return _drawn(legal, stream)
    by_chance, stream = slips_now(slips, stream)
    if by_chance:
        return _drawn(legal, stream)
    out = (hands[0] | hands[1] | hands[2] | hands[3]) ^ hand
    card, _, stream = rule_lead(legal, ZERO, hand, out, orders, counts, stream)
    return card, stream


@part
def _reply(
    hands, taken, seat, hand, legal, follows, suit_cards, best, taker, trick, last, numbers, slips, orders, counts,
    stream,
):  # fmt: skip
    """The card of a later seat, by rule or by a slip, and the stream after it."""
    if not legal & (legal - ONE):
        return legal, stream
    by_chance, stream = slips_now(slips, stream)
    if by_chance:
        return _drawn(legal, stream)
    friend = numbers[PARTNERS] != 0 and not (taker ^ seat) & ONE
    likes = likes_transformer(taken[seat], ZERO)
    if follows:
        hearts = suit_cards == LANE << HEARTS_SHIFT
        losing = legal & up_to(best, suit_cards)
        card, _ = rule_follow(legal, ZERO, losing, ZERO, trick, hearts, friend, last, likes)
        return card, stream
    out = (hands[0] | hands[1] | hands[2] | hands[3]) ^ hand
    card, _, stream = rule_discard(legal, ZERO, out, friend, likes, orders, counts, stream)
    return card, stream


@part
def finish_trick(
    hands, taken, first, number, leader, best, taker, trick, held, numbers, slips, orders, counts, stream
):
    """The rest of a trick of which `number` cards are played; `first` is the one led. The taker, and the stream.

    `best` takes it so far, for `taker`; `trick` are the cards in it.
    """
    suit_cards = LANE << suit_shift(first)
    for place in range(number, 4):
        seat = (leader + U(place)) & _THREE
        hand = hands[seat]
        of_suit = hand & suit_cards
        legal = of_suit or hand
        if held:
            free = of_suit & ~held
            legal = free or legal
        if slips >= ALWAYS:
            card, stream = _drawn(legal, stream)
        else:
            card, stream = _reply(
                hands, taken, seat, hand, legal, of_suit != ZERO, suit_cards, best, taker, trick, place == 3,
                numbers, slips, orders, counts, stream,
            )  # fmt: skip
        hands[seat] = hand ^ card
        trick |= card
        kind = card & suit_cards
        taker = seat if kind > best else taker
        best = max(best, kind)
    taken[taker] |= trick
    return taker, stream


@part
def chance_rest(hands, taken, leader, held, ban, stream):
    """All tricks that are not begun, by chance."""
    while hands[leader]:
        hand = hands[leader]
        legal, _ = leadable(hand, ZERO, held, ZERO, ban)
        first, stream = _drawn(legal, stream)
        hands[leader] = hand ^ first
        suit_cards = LANE << suit_shift(first)
        best, taker, trick = first, leader, first
        for place in range(1, 4):
            seat = (leader + U(place)) & _THREE
            hand = hands[seat]
            of_suit = hand & suit_cards
            legal = of_suit or hand
            if held:
                free = of_suit & ~held
                legal = free or legal
            card, stream = _drawn(legal, stream)
            hands[seat] = hand ^ card
            trick |= card
            kind = card & suit_cards
            taker = seat if kind > best else taker
            best = max(best, kind)
        taken[taker] |= trick
        leader = taker
        held &= ~suit_cards


@part
def play_out(hands, taken, plays, number, leader, held, opens, numbers, slips, orders, counts, stream):
    """Plays a hand to its end from a trick of which `number` cards are played; changes `hands` and `taken`."""
    if number:
        suit_cards = LANE << suit_shift(plays[0])
        best, taker, trick = plays[0], leader, plays[0]
        for place in range(1, number):
            kind = plays[place] & suit_cards
            trick |= plays[place]
            if kind > best:
                best, taker = kind, (leader + U(place)) & _THREE
        leader, stream = finish_trick(
            hands,
            taken,
            plays[0],
            number,
            leader,
            best,
            taker,
            trick,
            held,
            numbers,
            slips,
            orders,
            counts,
            stream,
        )
        held &= ~suit_cards
        opens = False
    if slips >= ALWAYS and not opens:
        chance_rest(hands, taken, leader, held, numbers[BAN], stream)
        return
    while hands[leader]:
        card, stream = _lead(hands, leader, held, opens, numbers, slips, orders, counts, stream)
        hands[leader] ^= card
        leader, stream = finish_trick(
            hands, taken, card, 1, leader, card, leader, card, held, numbers, slips, orders, counts, stream
        )
        held &= ~(LANE << suit_shift(card))
        opens = False


def _kernel(built_from):
    @compiled
    def evaluate(
        worlds, helds, leaders, cases, first_world, plays, begun, rollouts, trick, taken_before, opens, numbers,
        _classes, slips, orders, counts, cards, worths, tariffs, scratch, sums,
    ):  # fmt: skip
        """Adds up the raw scores of playouts by world, play and seat."""
        built_from  # noqa: B018 - see `fingerprint`
        hands, taken, table = scratch[0], scratch[1], scratch[2]
        for world in range(worlds.shape[0]):
            case = cases[world]
            for play in range(plays.shape[0]):
                for rollout in range(rollouts):
                    for seat in range(4):
                        hands[seat], taken[seat] = worlds[world, seat, 0], taken_before[seat, 0]
                    number = trick.shape[0]
                    for place in range(number):
                        table[place] = trick[place, 0]
                    leader = leaders[world]
                    if plays[play, 0]:
                        hands[(leader + U(number)) & _THREE] ^= plays[play, 0]
                        table[number] = plays[play, 0]
                        number += 1
                    stream = stream_at(begun[play], U(first_world + world), U(rollout))
                    play_out(
                        hands, taken, table, number, leader, helds[world, 0], opens, numbers, slips, orders, counts,
                        stream,
                    )  # fmt: skip
                    for seat in range(4):
                        sums[world, play, seat] += raw_score(taken[seat], ZERO, case, cards, worths, tariffs)

    return evaluate


evaluate = _kernel(fingerprint(vars(compiled_cards), vars(compiled_rule), globals()))
