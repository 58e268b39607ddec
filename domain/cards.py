"""Cards as small ints, sets of cards as bit masks, and their text at the edge (rules.md §1).

A card is `copy * 64 + suit * 16 + rank`: 16 bits a suit, 64 bits a deck, so that a hand of either number of decks is
one int and a question about a suit is one `&`. Only this module knows the layout.
"""

from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias

from domain.errors import UnknownCard

Card: TypeAlias = int
"""One physical card."""
Cards: TypeAlias = int
"""A set of physical cards: bit `card` is set."""
Suit: TypeAlias = int
"""0 spades, 1 hearts, 2 diamonds, 3 clubs."""

SUITS: Final = "SHDC"
RANKS: Final = "23456789TJQKA"
COPIES: Final = "ab"

SPADES, HEARTS, DIAMONDS, CLUBS = range(4)

_DECK_BITS: Final = 64
_SUIT_BITS: Final = 16
_SUIT_OF_ONE_DECK: Final = (1 << len(RANKS)) - 1

SUIT_CARDS: Final[tuple[Cards, ...]] = tuple(
    (_SUIT_OF_ONE_DECK << (_SUIT_BITS * suit)) * (1 + (1 << _DECK_BITS)) for suit in range(4)
)
"""All cards of each suit, both copies."""

FIRST_COPIES: Final[Cards] = (1 << _DECK_BITS) - 1
"""Room for every card of the first deck."""


def card_of(suit: Suit, rank: int, copy: int = 0) -> Card:
    """The card of this suit, rank (0 for the two … 12 for the ace) and copy (0 or 1)."""
    return copy * _DECK_BITS + suit * _SUIT_BITS + rank


def suit_of(card: Card) -> Suit:
    """The suit of a card."""
    return (card >> 4) & 3


def rank_of(card: Card) -> int:
    """The rank of a card: 0 for the two … 12 for the ace."""
    return card & 15


def copy_of(card: Card) -> int:
    """0 for the first deck's copy, 1 for the second's."""
    return card >> 6


def kind_of(card: Card) -> Card:
    """The first copy of the same card: what two copies have in common."""
    return card & (_DECK_BITS - 1)


def deck(decks: int) -> tuple[Card, ...]:
    """Every card of one or two decks in canonical order: by copy, then suit (S H D C), then rank from the two."""
    return _DECKS[decks - 1]


def _deck(decks: int) -> tuple[Card, ...]:
    return tuple(
        card_of(suit, rank, copy) for copy in range(decks) for suit in range(4) for rank in range(len(RANKS))
    )


_DECKS: Final = (_deck(1), _deck(2))


def cards_in(cards: Cards) -> Iterator[Card]:
    """Each card of a set, in canonical order."""
    while cards:
        lowest = cards & -cards
        yield lowest.bit_length() - 1
        cards ^= lowest


def set_of(cards: Iterable[Card]) -> Cards:
    """The set of these cards."""
    mask = 0
    for card in cards:
        mask |= 1 << card
    return mask


def top_rank(cards: Cards, suit: Suit) -> int:
    """The highest rank of `suit` in a set, −1 where it holds none."""
    either_copy = cards | cards >> _DECK_BITS
    return (either_copy >> (_SUIT_BITS * suit) & _SUIT_OF_ONE_DECK).bit_length() - 1


def pairs_in(cards: Cards) -> Cards:
    """The first copies of the cards of which a set holds both copies."""
    return cards & cards >> _DECK_BITS & FIRST_COPIES


def pair_of(card: Card) -> Cards:
    """Both copies of a card."""
    return (1 << kind_of(card)) * (1 + (1 << _DECK_BITS))


NAMES: Final[tuple[dict[Card, str], dict[Card, str]]] = (
    {card: SUITS[suit_of(card)] + RANKS[rank_of(card)] for card in deck(1)},
    {card: SUITS[suit_of(card)] + RANKS[rank_of(card)] + COPIES[copy_of(card)] for card in deck(2)},
)
"""The text of every card, for one deck (`SQ`) and for two (`SQa`)."""

_CARD_OF: Final = tuple({name: card for card, name in names.items()} for names in NAMES)


def name_of(card: Card, decks: int) -> str:
    """The text of a card: `SQ` in one deck, `SQa` in two."""
    return NAMES[decks - 1][card]


def names_of(cards: Iterable[Card], decks: int) -> tuple[str, ...]:
    """The texts of cards, in their order."""
    names = NAMES[decks - 1]
    return tuple([names[card] for card in cards])


def parse_card(name: str, decks: int) -> Card:
    """The card a text names in a game of `decks` decks. Raises `UnknownCard`."""
    try:
        return _CARD_OF[decks - 1][name]
    except (KeyError, TypeError):
        raise UnknownCard(card=str(name), decks=decks) from None


def parse_cards(names: Iterable[str], decks: int) -> tuple[Card, ...]:
    """The cards that texts name, in their order. Raises `UnknownCard`."""
    texts, card_of_text = tuple(names), _CARD_OF[decks - 1]
    try:
        return tuple([card_of_text[text] for text in texts])
    except (KeyError, TypeError):
        return tuple([parse_card(text, decks) for text in texts])


ALL_CARDS: Final[tuple[Cards, Cards]] = (set_of(deck(1)), set_of(deck(2)))
"""Every card of one deck, and of two."""


def card_key(name: str) -> str:
    """The text without its copy: `SQ` for `SQ`, `SQa` and `SQb`."""
    return name[:2]


PIG: Final = card_of(SPADES, RANKS.index("Q"))
SHEEP: Final = card_of(DIAMONDS, RANKS.index("J"))
TRANSFORMER: Final = card_of(CLUBS, RANKS.index("T"))
ACE_OF_HEARTS: Final = card_of(HEARTS, RANKS.index("A"))
TWO_OF_CLUBS: Final = card_of(CLUBS, RANKS.index("2"))

PIGS: Final[Cards] = pair_of(PIG)
SHEEP_CARDS: Final[Cards] = pair_of(SHEEP)
TRANSFORMERS: Final[Cards] = pair_of(TRANSFORMER)
ACES_OF_HEARTS: Final[Cards] = pair_of(ACE_OF_HEARTS)
TWOS_OF_CLUBS: Final[Cards] = pair_of(TWO_OF_CLUBS)

DECLARABLE: Final[Cards] = PIGS | SHEEP_CARDS | TRANSFORMERS | ACES_OF_HEARTS
"""The cards that may be declared: ♠Q ♦J ♣10 ♥A."""
SCORING: Final[Cards] = PIGS | SHEEP_CARDS | TRANSFORMERS | SUIT_CARDS[HEARTS]
"""The cards that count: pig, sheep, transformer and every heart."""
