"""Who takes a trick: a row for each clause of rules.md §4."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.cards import CLUBS, SUITS, card_of, deck, parse_cards, rank_of, set_of, suit_of
from domain.rulesets import ruleset_named
from domain.tricks import highest_card, winning_play

PAIR_TRICKS = [
    # led suit, who plays what in order, the winner in zero_sum, the winner in blood
    ("the rules' own example", "S4a S4b, SKa SKb, SQa S8a, CJa HKa", 2, 2),
    ("diamonds: pair beats two diamonds", "D2a D2b, DAa DKa, D3a D4a, C2a C3a", 0, 0),
    ("diamonds: the higher pair", "D2a D2b, DAa DKa, D3a D3b, D9a D4a", 2, 2),
    ("diamonds: one diamond never wins", "D2a D2b, DAa CAa, DKa HAa, DQa SAa", 0, 0),
    ("spades: two spades beat the pair", "SAa SAb, S2a S3a, C2a C3a, H2a H3a", 1, 1),
    ("spades: the highest card of two spades", "SAa SAb, S9a S3a, STa S2a, H2a H3a", 2, 2),
    ("spades: the lower card never counts", "SAa SAb, STa S2a, STb S9a, H2a H3a", 1, 1),
    ("spades: one spade never wins", "S2a S2b, SAa CAa, SKa HAa, SQa DAa", 0, 0),
    ("spades: a later pair is lower than two spades", "S2a S2b, SAa SAb, S3a S4a, C2a C3a", 2, 2),
    ("spades: no two spades, the higher pair", "S2a S2b, S3a S3b, CAa DAa, H2a H3a", 1, 1),
    ("hearts: two hearts beat the pair", "HAa HAb, H2a H3a, C2a C3a, D2a D3a", 1, 1),
    ("hearts: one heart wins in blood only", "HAa HAb, H2a C3a, S2a C4a, D2a D3a", 0, 1),
    ("hearts: two hearts and one heart are equal in class", "HAa HAb, H9a H3a, HTa C4a, D2a D3a", 1, 2),
    ("hearts: on equal hearts who played first, two first", "HAa HAb, HTa H3a, HTb C4a, D2a D3a", 1, 1),
    ("hearts: on equal hearts who played first, one first", "HAa HAb, HTa C3a, HTb H4a, D2a D3a", 2, 1),
    ("clubs: two clubs beat the pair", "CAa CAb, C2a C3a, S2a S3a, D2a D3a", 1, 1),
    ("clubs: club and diamond win in blood only", "CAa CAb, C2a D3a, S2a S3a, D2a D4a", 0, 1),
    ("clubs: club and spade win in blood only", "CAa CAb, C2a S3a, S2a S4a, D2a D4a", 0, 1),
    ("clubs: club and heart never win", "C2a C2b, CAa H3a, CKa H4a, D2a D4a", 0, 0),
    ("clubs: club and heart rank below the pair in blood", "C2a C2b, CAa H3a, C3a D4a, D2a D5a", 0, 2),
    ("clubs: equal top, two clubs beat one in blood", "C2a C2b, CTa S3a, CTb C4a, D2a D5a", 2, 2),
    ("clubs: equal top, both two clubs, who played first", "C2a C2b, CTa C9a, CTb C8a, D2a D5a", 1, 1),
    ("clubs: equal top, both one club, who played first", "C2a C2b, CTa S9a, CTb D8a, H2a H5a", 0, 1),
    ("clubs: a higher top outranks two clubs", "C2a C2b, CTa C9a, CJb D8a, H2a H5a", 1, 2),
    ("nobody follows", "C5a C5b, SAa SAb, HAa HAb, DAa DAb", 0, 0),
]


@pytest.mark.parametrize(("clause", "trick", "zero_sum", "blood"), PAIR_TRICKS)
@pytest.mark.parametrize("partners", ["", "-partners"])
def test_trick_led_with_a_pair_goes_by_its_clause(
    clause: str, trick: str, zero_sum: int, blood: int, partners: str
) -> None:
    plays = [set_of(parse_cards(play.split(), 2)) for play in trick.split(", ")]
    suit = SUITS.index(trick[0])
    for family, winner in (("zero_sum-2", zero_sum), ("blood-2", blood)):
        rules = ruleset_named(family + partners).pair_tricks
        assert winning_play(plays, suit, rules) == winner, f"{clause}, {family}"


SINGLE_TRICKS = [
    ("highest card of the led suit", 1, "S9 SK ST SJ", 1),
    ("the leader's where nobody is higher", 1, "SA SK ST SJ", 0),
    ("another suit never wins", 1, "S2 HA DA CA", 0),
    ("equal cards: the first played, its copy does not matter", 2, "S2a SKb SKa S9a", 1),
    ("a higher card outranks an earlier equal pair", 2, "SKa SKb SAb S9a", 2),
    ("a low first copy does not hide a high second", 2, "S2b S3a SAb SKa", 2),
]


@pytest.mark.parametrize(("clause", "decks", "trick", "winner"), SINGLE_TRICKS)
def test_highest_card_of_led_suit_takes_the_trick(clause: str, decks: int, trick: str, winner: int) -> None:
    plays = [1 << card for card in parse_cards(trick.split(), decks)]
    assert highest_card(plays, SUITS.index(trick[0])) == winner, clause


@given(st.permutations(deck(2)).map(lambda cards: cards[:4]))
def test_no_card_of_the_led_suit_is_above_the_taker_s(cards: list[int]) -> None:
    winner = highest_card([1 << card for card in cards], suit_of(cards[0]))
    best = cards[winner]
    assert suit_of(best) == suit_of(cards[0])
    for place, card in enumerate(cards):
        if suit_of(card) == suit_of(best):
            assert rank_of(card) < rank_of(best) or (rank_of(card) == rank_of(best) and place >= winner)


def test_part_of_a_trick_has_a_highest_card_too() -> None:
    plays = [1 << card_of(CLUBS, 3), 1 << card_of(CLUBS, 9)]
    assert highest_card(plays[:1], CLUBS) == 0
    assert highest_card(plays, CLUBS) == 1
