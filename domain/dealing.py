"""Deals: who gets which card (rules.md §3), and the chain of seeds that fixes them before anyone sits.

The protocol is described for other languages in infra/protocol/fair-dealing.md. The root of a match is 64 secret
bytes; the anchor s₀ = H^N(root) is published when the match opens; hand k is dealt from s_k with H(s_k) = s_{k−1}
(H is SHA-512) and the nonces of the four seats, by a Fisher–Yates shuffle that rejects biased bytes.
"""

import hashlib
from collections.abc import Iterator, Sequence
from itertools import count
from typing import Final, Literal
from uuid import UUID

import msgspec

from domain.cards import Card, Cards, deck, names_of, parse_cards, set_of
from domain.errors import WrongDeal
from domain.seats import SEATS, BySeat, Seat

CHAIN_LENGTH: Final = 257
"""Links from root to anchor: enough for 256 hands, and the root itself is never a seed."""

ROOT_BYTES: Final = 64
NONCE_BYTES: Final = 32
NO_NONCE: Final = bytes(NONCE_BYTES)

_DEAL_LABEL: Final = b"gongzhu/deal/1"
_STREAM_STEP: Final = 1024


class Deal(msgspec.Struct, frozen=True):
    """Four hands by seat, as texts. `order` says whether they stand in the order they were dealt."""

    hands: BySeat[tuple[str, ...]]
    order: Literal["dealt", "unknown"] = "dealt"


def is_hex(text: str | None, size: int) -> bool:
    """Whether a text is `size` bytes in lower-case hex, as seeds, nonces and commitments are written."""
    return text is not None and len(text) == 2 * size and set(text) <= set("0123456789abcdef")


def next_link(link: bytes) -> bytes:
    """H of a link of the chain: the link one step nearer the anchor."""
    return hashlib.sha512(link).digest()


def link(root: bytes, number: int, chain_length: int = CHAIN_LENGTH) -> bytes:
    """s_number of the chain that `root` ends: 0 gives the anchor, k the seed of hand k."""
    seed = root
    for _ in range(chain_length - number):
        seed = next_link(seed)
    return seed


def deal_stream(seed: bytes, match: UUID, hand_no: int, nonces: Sequence[bytes | None]) -> Iterator[int]:
    """The endless bytes that shuffle one hand: SHAKE-256 of label, seed, match, hand number and nonces by seat."""
    message = b"".join(
        [_DEAL_LABEL, seed, match.bytes, hand_no.to_bytes(4, "big"), *(nonce or NO_NONCE for nonce in nonces)]
    )
    given = 0
    for size in count(_STREAM_STEP, _STREAM_STEP):
        # SHAKE's longer digests begin with its shorter ones, so the stream only grows.
        yield from hashlib.shake_256(message).digest(size)[given:]
        given = size


def draw_below(bound: int, stream: Iterator[int]) -> int:
    """An unbiased number in 0 … bound − 1 (bound ≤ 256): bytes past the last whole multiple are thrown away."""
    limit = 256 - 256 % bound
    for byte in stream:
        if byte < limit:
            return byte % bound
    raise ValueError("the stream of bytes ended")


def shuffled(cards: Sequence[Card], stream: Iterator[int]) -> tuple[Card, ...]:
    """The cards in a uniformly random order: Fisher–Yates from the last place down."""
    order = list(cards)
    for last in range(len(order) - 1, 0, -1):
        chosen = draw_below(last + 1, stream)
        order[last], order[chosen] = order[chosen], order[last]
    return tuple(order)


def deal_order(
    seed: bytes, match: UUID, hand_no: int, nonces: Sequence[bytes | None], decks: int
) -> tuple[Card, ...]:
    """The order in which hand `hand_no` is dealt: card i goes to seat i mod 4."""
    return shuffled(deck(decks), deal_stream(seed, match, hand_no, nonces))


def hands_of(order: Sequence[Card]) -> BySeat[Cards]:
    """The four hands, by seat, of an order of the deal."""
    first, second, third, fourth = (set_of(order[seat::4]) for seat in SEATS)
    return (first, second, third, fourth)


def deal_of(order: Sequence[Card], decks: int, *, known: bool = True) -> Deal:
    """The published form of an order of the deal."""
    first, second, third, fourth = (names_of(order[seat::4], decks) for seat in SEATS)
    return Deal((first, second, third, fourth), "dealt" if known else "unknown")


def order_of(deal: Deal, decks: int) -> tuple[Card, ...]:
    """The order in which card i goes to seat i mod 4. Raises `UnknownCard`, `WrongDeal`."""
    hands = [parse_cards(hand, decks) for hand in deal.hands]
    check_hand_sizes([len(hand) for hand in hands], decks)
    return tuple(card for round_of_four in zip(*hands, strict=True) for card in round_of_four)


def check_hand_sizes(sizes: Sequence[int], decks: int) -> None:
    """Refuses hands that are not 13 cards a seat and deck. Raises `WrongDeal`."""
    if any(size != 13 * decks for size in sizes):
        raise WrongDeal(what=f"hands of {list(sizes)} cards dealt where each seat gets {13 * decks}")


def check_order(order: Sequence[Card], decks: int) -> None:
    """Refuses an order that is not every card of the decks once. Raises `WrongDeal`."""
    if sorted(order) != list(deck(decks)):
        raise WrongDeal(what=f"the deal is not every card of {decks} deck(s) once: {len(order)} cards given")


def first_dealt(order: Sequence[Card], cards: Cards) -> Seat:
    """The seat dealt the first of `cards` in this order (rules.md §3: ♣2 of a match's first hand)."""
    return next(place % 4 for place, card in enumerate(order) if cards >> card & 1)
