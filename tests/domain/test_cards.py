"""Cards, sets of cards and their texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.cards import (
    ALL_CARDS,
    DECLARABLE,
    SCORING,
    SUIT_CARDS,
    cards_in,
    copy_of,
    deck,
    kind_of,
    name_of,
    names_of,
    pair_of,
    pairs_in,
    parse_card,
    parse_cards,
    rank_of,
    set_of,
    suit_of,
    top_rank,
)
from domain.errors import UnknownCard

both_decks = pytest.mark.parametrize("decks", [1, 2])
sets_of_cards = st.sets(st.sampled_from(deck(2)))


@both_decks
def test_deck_has_52_different_cards_a_deck_in_canonical_order(decks: int) -> None:
    cards = deck(decks)
    assert len(set(cards)) == 52 * decks
    assert list(cards) == sorted(cards, key=lambda card: (copy_of(card), suit_of(card), rank_of(card)))
    assert set_of(cards) == ALL_CARDS[decks - 1]


@both_decks
def test_every_text_names_its_card_and_back(decks: int) -> None:
    names = names_of(deck(decks), decks)
    assert len(set(names)) == 52 * decks
    assert parse_cards(names, decks) == deck(decks)


@pytest.mark.parametrize(
    ("decks", "text"),
    [(1, "SQa"), (2, "SQ"), (1, "sq"), (1, ""), (1, "S10"), (2, "SQc"), (1, "XQ"), (1, "S1")],
)
def test_text_that_names_no_card_is_refused(decks: int, text: str) -> None:
    with pytest.raises(UnknownCard) as refused:
        parse_card(text, decks)
    assert refused.value.card == text


def test_text_of_another_kind_is_refused_too() -> None:
    with pytest.raises(UnknownCard):
        parse_card(["SQ"], 1)  # type: ignore[arg-type]


@given(sets_of_cards)
def test_set_holds_its_cards_in_canonical_order(cards: set[int]) -> None:
    assert list(cards_in(set_of(cards))) == sorted(cards)


@given(sets_of_cards)
def test_pairs_are_the_cards_of_which_both_copies_are_held(cards: set[int]) -> None:
    pairs = {kind_of(card) for card in cards if {kind_of(card), kind_of(card) + 64} <= cards}
    assert set(cards_in(pairs_in(set_of(cards)))) == pairs
    for kind in pairs:
        assert names_of(cards_in(pair_of(kind)), 2) == (name_of(kind, 2), name_of(kind + 64, 2))


@given(sets_of_cards, st.sampled_from(range(4)))
def test_top_rank_is_the_highest_of_the_suit_whatever_the_copy(cards: set[int], suit: int) -> None:
    ranks = [rank_of(card) for card in cards if suit_of(card) == suit]
    assert top_rank(set_of(cards), suit) == max(ranks, default=-1)


@both_decks
def test_suits_share_out_the_deck(decks: int) -> None:
    sizes = [(suit & ALL_CARDS[decks - 1]).bit_count() for suit in SUIT_CARDS]
    assert sizes == [13 * decks] * 4
    assert sum(SUIT_CARDS) & ALL_CARDS[decks - 1] == ALL_CARDS[decks - 1]


@both_decks
def test_four_cards_a_deck_are_declarable_and_sixteen_score(decks: int) -> None:
    declarable, scoring = DECLARABLE & ALL_CARDS[decks - 1], SCORING & ALL_CARDS[decks - 1]
    assert {name_of(card, decks)[:2] for card in cards_in(declarable)} == {"SQ", "DJ", "CT", "HA"}
    assert (declarable.bit_count(), scoring.bit_count()) == (4 * decks, 16 * decks)
    assert not declarable & ~scoring


def test_wrong_text_from_an_iterator_is_refused_as_well() -> None:
    with pytest.raises(UnknownCard):
        parse_cards(iter(("SQ", "XX", "DJ")), decks=1)
