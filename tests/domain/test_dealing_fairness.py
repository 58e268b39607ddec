"""Deals are uniform, and a shuffle that is not is caught; recorded vectors pin the protocol for other languages."""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import numpy as np
import pytest
from scipy import stats

from domain.cards import Card, deck, name_of
from domain.dealing import CHAIN_LENGTH, deal_order, deal_stream, draw_below, link, shuffled
from domain.declarations import commitment_of

VECTORS: Final = Path(__file__).parents[1] / "recorded" / "fair_dealing.json"
SEED: Final = 20261129
MATCH: Final = UUID(int=SEED)
NO_NONCES: Final = (None, None, None, None)
LEAST_P: Final = 0.001


def deals(
    count: int, decks: int, shuffle: Callable[[int], Sequence[Card]] | None = None
) -> np.ndarray[Any, Any]:
    """`count` deals as rows of card indices (0 … n − 1, canonical order), from printed seeds."""
    print(f"deals of seeds {SEED} … {SEED + count - 1}, {decks} deck(s)")
    place = {card: index for index, card in enumerate(deck(decks))}
    orders = (
        shuffle(number)
        if shuffle
        else deal_order((SEED + number).to_bytes(64, "big"), MATCH, 1, NO_NONCES, decks)
        for number in range(count)
    )
    return np.array([[place[card] for card in order] for order in orders])


def p_of_positions(rows: np.ndarray[Any, Any]) -> float:
    """How likely counts of card by position this uneven are.

    A permutation's cells depend on each other: (n−1)² degrees of freedom, and (n−1)/n of Pearson's statistic.
    """
    count, n = rows.shape
    table = np.zeros((n, n))
    for position in range(n):
        table[:, position] = np.bincount(rows[:, position], minlength=n)
    statistic = ((table - count / n) ** 2).sum() * (n - 1) / count
    return float(stats.chi2.sf(statistic, (n - 1) ** 2))


def p_of_seats(rows: np.ndarray[Any, Any]) -> float:
    """How likely counts of card by seat this uneven are: 3 (n−1) degrees of freedom."""
    count, n = rows.shape
    hand = n // 4
    table = np.array([np.bincount(rows[:, seat::4].ravel(), minlength=n) for seat in range(4)])
    statistic = ((table - count * hand / n) ** 2).sum() * (n - 1) / (count * hand)
    return float(stats.chi2.sf(statistic, 3 * (n - 1)))


def p_of_adjacent_pairs(rows: np.ndarray[Any, Any]) -> float:
    """How likely counts of adjacent cards this uneven are; one pair a deal, so that the pairs are independent."""
    count, n = rows.shape
    at = np.arange(count) % (n - 1)
    first, second = rows[np.arange(count), at], rows[np.arange(count), at + 1]
    counts = np.bincount(first * n + second, minlength=n * n).reshape(n, n)
    cells = counts[~np.eye(n, dtype=bool)]
    expected = count / cells.size
    return float(stats.chi2.sf(((cells - expected) ** 2 / expected).sum(), cells.size - 1))


def assert_uniform(rows: np.ndarray[Any, Any]) -> None:
    for test in (p_of_positions, p_of_seats, p_of_adjacent_pairs):
        assert test(rows) > LEAST_P, test.__name__


@pytest.mark.parametrize("decks", [1, 2])
def test_deals_are_uniform_by_position_seat_and_neighbour(decks: int) -> None:
    assert_uniform(deals(10_000, decks))


@pytest.mark.long
@pytest.mark.parametrize("decks", [1, 2])
def test_a_hundred_thousand_deals_are_uniform(decks: int) -> None:
    assert_uniform(deals(100_000, decks))


def test_shuffle_with_modulo_bias_is_caught() -> None:
    def biased(number: int) -> Sequence[Card]:
        stream = deal_stream((SEED + number).to_bytes(64, "big"), MATCH, 1, NO_NONCES)
        order = list(deck(1))
        for last in range(len(order) - 1, 0, -1):
            chosen = next(stream) % (last + 1)
            order[last], order[chosen] = order[chosen], order[last]
        return order

    rows = deals(10_000, 1, biased)
    assert p_of_positions(rows) < LEAST_P


def test_biased_bytes_are_rejected() -> None:
    # 256 = 4 × 52 + 48: bytes from 208 on would favour the first 48 places.
    assert draw_below(52, iter([208, 255, 207])) == 207 % 52
    assert draw_below(2, iter([255])) == 1
    with pytest.raises(ValueError, match="ended"):
        draw_below(52, iter([208, 255]))


def test_crafted_stream_shuffles_as_the_page_says() -> None:
    def stream() -> Iterator[int]:
        yield from [255, 250, 0]
        raise AssertionError("more bytes taken than the page says")

    # Bound 3: 255 is rejected (256 − 256 mod 3 = 255), 250 mod 3 = 1; bound 2: 0.
    assert shuffled([10, 20, 30], stream()) == (30, 10, 20)


def test_stream_goes_on_past_its_first_block() -> None:
    stream = deal_stream(bytes(64), MATCH, 1, NO_NONCES)
    taken = bytes(next(stream) for _ in range(3000))
    message = b"gongzhu/deal/1" + bytes(64) + MATCH.bytes + (1).to_bytes(4, "big") + bytes(128)
    assert taken == hashlib.shake_256(message).digest(3000)


def page_deal(seed: bytes, match: bytes, hand: int, nonces: list[bytes], decks: int) -> list[str]:
    """The page's protocol written down again, sharing nothing with our code."""
    cards = [
        suit + rank + copy
        for copy in (["a", "b"] if decks == 2 else [""])
        for suit in "SHDC"
        for rank in "23456789TJQKA"
    ]
    stream = hashlib.shake_256(
        b"gongzhu/deal/1" + seed + match + hand.to_bytes(4, "big") + b"".join(nonces)
    ).digest(9999)
    at = 0
    for i in range(len(cards) - 1, 0, -1):
        while stream[at] >= 256 - 256 % (i + 1):
            at += 1
        j = stream[at] % (i + 1)
        at += 1
        cards[i], cards[j] = cards[j], cards[i]
    return cards


def recorded() -> dict[str, Any]:
    return dict(json.loads(VECTORS.read_text()))


def test_recorded_chain_is_ours() -> None:
    chain = recorded()["chain"]
    root = bytes.fromhex(chain["root"])
    assert chain["chain_length"] == CHAIN_LENGTH
    assert link(root, 0).hex() == chain["anchor"]
    for number, seed in chain["seeds"].items():
        assert link(root, int(number)).hex() == seed


@pytest.mark.parametrize("case", recorded()["deals"], ids=lambda case: case["name"])
def test_recorded_deal_is_ours_and_the_page_s(case: dict[str, Any]) -> None:
    match = UUID(case["match"])
    seed = bytes.fromhex(case["seed"])
    nonces = [bytes.fromhex(nonce) if nonce else None for nonce in case["nonces"]]
    order = deal_order(seed, match, case["hand_no"], nonces, case["decks"])
    assert [name_of(card, case["decks"]) for card in order] == case["order"]
    filled = [nonce or bytes(32) for nonce in nonces]
    assert page_deal(seed, match.bytes, case["hand_no"], filled, case["decks"]) == case["order"]


@pytest.mark.parametrize("case", recorded()["declarations"], ids=lambda case: case["card"])
def test_recorded_commitment_is_ours_and_the_page_s(case: dict[str, Any]) -> None:
    match, opening = UUID(case["match"]), bytes.fromhex(case["opening"])
    ours = commitment_of(match.bytes, case["hand_no"], case["seat"], case["card"], opening)
    assert ours == case["commitment"]
    message = b"gongzhu/declaration/1" + match.bytes + case["hand_no"].to_bytes(4, "big")
    message += bytes([case["seat"]]) + case["card"].encode() + b"\0" + opening
    assert hashlib.sha256(message).hexdigest() == case["commitment"]
