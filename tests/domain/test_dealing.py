"""Deals: shuffled fairly from a published chain, dealt round, and checked when they come from outside."""

import hashlib
from collections import Counter
from itertools import count, islice
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.cards import TWOS_OF_CLUBS, deck, name_of, names_of, parse_card
from domain.dealing import (
    CHAIN_LENGTH,
    Deal,
    check_order,
    deal_of,
    deal_order,
    deal_stream,
    draw_below,
    first_dealt,
    hands_of,
    link,
    next_link,
    order_of,
    shuffled,
)
from domain.errors import UnknownCard, WrongDeal

ROOT = bytes(range(64))
MATCH = UUID("01234567-89ab-7def-8123-456789abcdef")
NONCES = (bytes([1] * 32), None, bytes([3] * 32), None)


def test_each_link_hashes_to_the_one_before_down_to_the_anchor() -> None:
    links = [link(ROOT, number) for number in range(CHAIN_LENGTH + 1)]
    assert links[-1] == ROOT
    for number in range(1, CHAIN_LENGTH + 1):
        assert hashlib.sha512(links[number]).digest() == links[number - 1] == next_link(links[number])


def test_256_hands_never_use_the_root() -> None:
    assert ROOT not in {link(ROOT, number) for number in range(257)}


def test_stream_is_shake_256_of_what_the_protocol_lists() -> None:
    seed = link(ROOT, 3)
    message = b"gongzhu/deal/1" + seed + MATCH.bytes + (3).to_bytes(4, "big")
    message += bytes([1] * 32) + bytes(32) + bytes([3] * 32) + bytes(32)
    wanted = hashlib.shake_256(message).digest(3000)
    assert bytes(islice(deal_stream(seed, MATCH, 3, NONCES), 3000)) == wanted


def test_deal_follows_from_the_published_steps_alone() -> None:
    """The protocol once more, from hashlib only, as a stranger would write it."""
    seed = link(ROOT, 1)
    message = b"gongzhu/deal/1" + seed + MATCH.bytes + bytes([0, 0, 0, 1])
    stream = iter(
        hashlib.shake_256(message + bytes([1] * 32) + bytes(32) + bytes([3] * 32) + bytes(32)).digest(4000)
    )
    cards = [suit + rank + copy for copy in "ab" for suit in "SHDC" for rank in "23456789TJQKA"]
    for last in range(103, 0, -1):
        while (byte := next(stream)) >= 256 - 256 % (last + 1):
            pass
        cards[last], cards[byte % (last + 1)] = cards[byte % (last + 1)], cards[last]
    assert list(names_of(deal_order(seed, MATCH, 1, NONCES, 2), 2)) == cards


@pytest.mark.parametrize("change", ["seed", "match", "hand", "nonce"])
def test_every_ingredient_changes_the_deal(change: str) -> None:
    usual = deal_order(link(ROOT, 1), MATCH, 1, NONCES, 1)
    changed = deal_order(
        link(ROOT, 2 if change == "seed" else 1),
        UUID(int=1) if change == "match" else MATCH,
        2 if change == "hand" else 1,
        (None, None, None, None) if change == "nonce" else NONCES,
        1,
    )
    assert changed != usual


def test_bytes_that_would_favour_low_numbers_are_thrown_away() -> None:
    assert draw_below(52, iter([255, 208, 207])) == 207 % 52
    assert draw_below(256, iter([255])) == 255
    drawn = Counter(draw_below(3, iter([byte, 0])) for byte in range(255))
    assert set(drawn.values()) == {85}


def test_stream_that_ends_is_an_error() -> None:
    with pytest.raises(ValueError, match="ended"):
        draw_below(52, iter([255]))


def test_shuffle_is_fisher_yates_from_the_last_place_down() -> None:
    assert shuffled((10, 11, 12, 13), iter([0, 0, 0])) == (11, 12, 13, 10)
    assert shuffled((10, 11, 12, 13), iter([3, 2, 1])) == (10, 11, 12, 13)


def test_every_card_comes_to_every_place_about_as_often() -> None:
    """χ² over 2,000 deals of one card's place; the seeds are fixed, so this is a fact and no chance."""
    places = Counter(
        deal_order(number.to_bytes(64, "big"), MATCH, 1, NONCES, 1).index(parse_card("SQ", 1))
        for number in range(2000)
    )
    expected = 2000 / 52
    assert sum((places[place] - expected) ** 2 / expected for place in range(52)) < 90


@given(st.sampled_from([1, 2]).flatmap(lambda decks: st.tuples(st.just(decks), st.permutations(deck(decks)))))
def test_cards_are_dealt_round_and_the_deal_gives_back_its_order(drawn: tuple[int, list[int]]) -> None:
    decks, order = drawn
    hands = hands_of(order)
    for place, card in enumerate(order):
        assert hands[place % 4] >> card & 1
    assert order_of(deal_of(order, decks), decks) == tuple(order)
    assert first_dealt(order, TWOS_OF_CLUBS) == next(
        place % 4 for place in count() if name_of(order[place], decks).startswith("C2")
    )


def test_first_dealt_two_of_clubs_counts_in_two_decks() -> None:
    order = list(deck(2))
    b, a = order.index(parse_card("C2b", 2)), order.index(parse_card("C2a", 2))
    order[2], order[b] = order[b], order[2]
    order[5], order[a] = order[a], order[5]
    assert first_dealt(order, TWOS_OF_CLUBS) == 2


def test_hands_of_unequal_size_are_refused() -> None:
    hands = [names_of(deck(1)[seat::4], 1) for seat in range(4)]
    uneven = Deal((hands[0][1:], (*hands[1], hands[0][0]), hands[2], hands[3]))
    with pytest.raises(WrongDeal, match="each seat gets 13"):
        order_of(uneven, 1)


def test_card_dealt_twice_is_refused() -> None:
    with pytest.raises(WrongDeal, match="every card"):
        check_order((*deck(1)[:-1], deck(1)[0]), 1)


def test_deal_of_other_cards_is_refused() -> None:
    with pytest.raises(UnknownCard):
        order_of(deal_of(deck(2), 2), 1)
