"""Which plays are legal: the ban and following a pair, a row for each clause of rules.md §4."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.cards import (
    DECLARABLE,
    FIRST_COPIES,
    SUITS,
    Cards,
    cards_in,
    deck,
    names_of,
    pair_of,
    parse_card,
    parse_cards,
    set_of,
)
from domain.errors import (
    CardNotHeld,
    CommandRefused,
    HeldBack,
    MustFollowSuit,
    MustLeadTwoOfClubs,
    MustPlayPair,
    MustUseHeldBack,
    NotAPair,
    WrongNumberOfCards,
)
from domain.plays import follow_refusal, lead_refusal, legal_follows, legal_leads


def _set(text: str, decks: int) -> Cards:
    return set_of(parse_cards(text.split(), decks))


def _texts(plays: list[Cards], decks: int) -> set[str]:
    assert len(set(plays)) == len(plays), "a play is offered twice"
    return {" ".join(names_of(cards_in(play), decks)) for play in plays}


def _plays(text: str) -> set[str]:
    return set(text.split(", "))


LEADS = [
    # clause, decks, ban when leading, hand, held back, must lead ♣2, legal leads
    ("any card", 1, True, "S2 HA DJ", "", False, "S2, HA, DJ"),
    ("blood leads a held-back card", 1, False, "SQ S2 HA", "SQ HA", False, "SQ, S2, HA"),
    ("zero_sum keeps one with a free card of the suit", 1, True, "SQ S2 HA", "SQ", False, "S2, HA"),
    ("zero_sum leads it where the suit has nothing else", 1, True, "SQ HA H2", "SQ HA", False, "SQ, H2"),
    ("another seat's declaration holds nothing back here", 1, True, "S2 HA", "SQ", False, "S2, HA"),
    ("♣2 leads the match", 1, True, "C2 CT S3", "", True, "C2"),
    ("♣2 leads the match even beside a held-back club", 1, True, "C2 CT", "CT", True, "C2"),
    ("two decks: cards and pairs", 2, True, "S2a S2b H3a", "", False, "S2a, S2b, H3a, S2a S2b"),
    ("two decks: either ♣2, or the pair", 2, True, "C2a C2b S3a", "", True, "C2a, C2b, C2a C2b"),
    ("two decks: one ♣2", 2, True, "C2b S3a S3b", "", True, "C2b"),
    ("nothing but both copies, held back", 2, True, "SQa SQb", "SQa SQb", False, "SQa, SQb, SQa SQb"),
    ("one copy held back, the other is free", 2, True, "SQa SQb", "SQa", False, "SQb"),
    ("blood leads a pair with a held-back copy", 2, False, "SQa SQb", "SQa", False, "SQa, SQb, SQa SQb"),
    ("held back alone in one suit only", 2, True, "HAa HAb SQa S2a", "HAa HAb SQa", False, "HAa, HAb, HAa HAb, S2a"),
]  # fmt: skip


@pytest.mark.parametrize(("clause", "decks", "ban", "hand", "held", "must_lead", "legal"), LEADS)
def test_leads_follow_their_clause(
    clause: str, decks: int, ban: bool, hand: str, held: str, must_lead: bool, legal: str
) -> None:
    leads = legal_leads(
        _set(hand, decks), _set(held, decks), decks=decks, ban=ban, must_lead_two_of_clubs=must_lead
    )
    assert _texts(leads, decks) == _plays(legal), clause


FOLLOWS = [
    # clause, decks, led suit, cards owed, hand, held back, legal plays
    ("follow suit", 1, "S", 1, "S2 S3 HA", "", "S2, S3"),
    ("void: any card", 1, "S", 1, "H2 HA DJ", "", "H2, HA, DJ"),
    ("a held-back card waits", 1, "S", 1, "S2 SQ HA", "SQ", "S2"),
    ("the only card of the suit, held back, must be played", 1, "S", 1, "SQ HA", "SQ", "SQ"),
    ("discarding a held-back card is allowed", 1, "S", 1, "HA DJ C2", "HA DJ", "HA, DJ, C2"),
    ("a held-back card elsewhere does not matter", 1, "S", 1, "S2 S3", "SQ", "S2, S3"),
    ("the ban is on the physical card", 2, "S", 1, "SQa SQb", "SQa", "SQb"),
    ("following one card may break a pair", 2, "S", 1, "S2a S2b", "", "S2a, S2b"),
    ("only held-back cards of the suit: either", 2, "S", 1, "SQa SQb HAa", "SQa SQb", "SQa, SQb"),
    ("a pair must be played", 2, "S", 2, "S2a S2b S3a S4a", "", "S2a S2b"),
    ("any such pair", 2, "S", 2, "S2a S2b S3a S3b S4a", "", "S2a S2b, S3a S3b"),
    ("a pair of another suit is none", 2, "S", 2, "H2a H2b S3a S4a", "", "S3a S4a"),
    ("no pair: any two of the suit", 2, "S", 2, "S2a S3a S4a", "", "S2a S3a, S2a S4a, S3a S4a"),
    ("the ban breaks a pair with one held-back copy", 2, "S", 2, "SQa SQb S2a S3a", "SQa", "SQb S2a, SQb S3a, S2a S3a"),
    ("a pair held back is not asked for", 2, "S", 2, "SQa SQb S2a S3a", "SQa SQb", "S2a S3a"),
    ("a free pair stands before other free cards", 2, "S", 2, "SQa SQb S2a S2b", "SQa SQb", "S2a S2b"),
    ("one free card, filled up with a held-back one", 2, "S", 2, "SQa SQb S2a HAa", "SQa SQb", "SQa S2a, SQb S2a"),
    ("nothing free: the held-back ones", 2, "S", 2, "SQa SQb HAa", "SQa SQb", "SQa SQb"),
    ("one of the suit and any other card", 2, "S", 2, "S2a HAa D3a", "", "S2a HAa, S2a D3a"),
    ("one held-back of the suit and any other, held back too", 2, "S", 2, "SQa HAa D3a", "SQa HAa", "SQa HAa, SQa D3a"),
    ("one free, one held back: both", 2, "S", 2, "SQa S2a HAa", "SQa", "SQa S2a"),
    ("void: any two cards", 2, "S", 2, "HAa HAb D3a", "HAa", "HAa HAb, HAa D3a, HAb D3a"),
]  # fmt: skip


@pytest.mark.parametrize(("clause", "decks", "suit", "owed", "hand", "held", "legal"), FOLLOWS)
def test_follows_obey_their_clause(
    clause: str, decks: int, suit: str, owed: int, hand: str, held: str, legal: str
) -> None:
    plays = legal_follows(_set(hand, decks), SUITS.index(suit), owed, _set(held, decks))
    wanted = {" ".join(names_of(cards_in(_set(play, decks)), decks)) for play in _plays(legal)}
    assert _texts(plays, decks) == wanted, clause


LEAD_REFUSALS = [
    ("S3", "S2 HA", "", False, CardNotHeld, "S3"),
    ("S2 S2", "S2 HA", "", False, WrongNumberOfCards, None),
    ("S2 HA", "S2 HA", "", False, WrongNumberOfCards, None),
    ("SQ", "SQ S2", "SQ", False, HeldBack, "SQ"),
    ("S2", "S2 C2", "", True, MustLeadTwoOfClubs, "S2"),
    ("S2a S3a", "S2a S3a", "", False, NotAPair, None),
    ("SQa SQb", "SQa SQb", "SQb", False, HeldBack, "SQb"),
    ("S2a S2b H2a", "S2a S2b H2a", "", False, WrongNumberOfCards, None),
]


@pytest.mark.parametrize(("cards", "hand", "held", "must_lead", "refusal", "named"), LEAD_REFUSALS)
def test_refused_lead_names_its_reason_and_card(
    cards: str, hand: str, held: str, must_lead: bool, refusal: type[CommandRefused], named: str | None
) -> None:
    decks = 2 if len(hand.split(maxsplit=1)[0]) == 3 else 1
    refused = lead_refusal(
        _set(hand, decks),
        _set(held, decks),
        parse_cards(cards.split(), decks),
        decks=decks,
        ban=True,
        must_lead_two_of_clubs=must_lead,
        seat=1,
    )
    assert (type(refused), refused and refused.seat, refused and refused.card) == (refusal, 1, named)


FOLLOW_REFUSALS = [
    ("S2", 1, "S3 HA", "", CardNotHeld, "S2"),
    ("S3 HA", 1, "S3 HA", "", WrongNumberOfCards, None),
    ("HA", 1, "S3 HA", "", MustFollowSuit, "HA"),
    ("SQ", 1, "S3 SQ", "SQ", HeldBack, "SQ"),
    ("HA", 1, "SQ HA", "SQ", MustUseHeldBack, "HA"),
    ("S2a", 2, "S2a S3a", "", WrongNumberOfCards, None),
    ("S2a S3a", 2, "S2a S2b S3a", "", MustPlayPair, "S2a"),
    ("SQa S2a", 2, "SQa S2a S3a", "SQa", HeldBack, "SQa"),
    ("S2a HAa", 2, "S2a S3a HAa", "", MustFollowSuit, "HAa"),
    ("S2a HAa", 2, "S2a SQa HAa", "SQa", MustUseHeldBack, "HAa"),
]


@pytest.mark.parametrize(("cards", "owed", "hand", "held", "refusal", "named"), FOLLOW_REFUSALS)
def test_refused_follow_names_its_reason_and_card(
    cards: str, owed: int, hand: str, held: str, refusal: type[CommandRefused], named: str | None
) -> None:
    decks = 2 if len(hand.split(maxsplit=1)[0]) == 3 else 1
    refused = follow_refusal(
        _set(hand, decks),
        SUITS.index("S"),
        owed,
        _set(held, decks),
        parse_cards(cards.split(), decks),
        decks=decks,
        seat=2,
    )
    assert (type(refused), refused and refused.seat, refused and refused.card) == (refusal, 2, named)


@st.composite
def _hands(draw: st.DrawFn) -> tuple[Cards, Cards]:
    """A two-deck hand rich in pairs and in cards that can be declared, and some declared cards of it."""
    declarable = list(cards_in(DECLARABLE & FIRST_COPIES))
    kinds = draw(
        st.lists(st.sampled_from(declarable) | st.sampled_from(deck(1)), min_size=1, max_size=6, unique=True)
    )
    copies = draw(st.lists(st.sampled_from((1, 2, 3)), min_size=len(kinds), max_size=len(kinds)))
    hand = 0
    for kind, which in zip(kinds, copies, strict=True):
        hand |= pair_of(kind) if which == 3 else 1 << kind + (64 if which == 2 else 0)
    held = set_of(card for card in cards_in(hand & DECLARABLE) if draw(st.booleans()))
    return hand, held


@given(_hands(), st.booleans(), st.booleans())
def test_a_lead_is_refused_exactly_where_it_is_not_offered(
    drawn: tuple[Cards, Cards], ban: bool, must_lead: bool
) -> None:
    hand, held = drawn
    must_lead = must_lead and bool(hand & pair_of(parse_card("C2a", 2)))
    offered = legal_leads(hand, held, decks=2, ban=ban, must_lead_two_of_clubs=must_lead)
    for number in (1, 2):
        for cards in combinations(cards_in(hand), number):
            refused = lead_refusal(
                hand, held, cards, decks=2, ban=ban, must_lead_two_of_clubs=must_lead, seat=0
            )
            assert (refused is None) == (set_of(cards) in offered), names_of(cards, 2)


@given(_hands(), st.sampled_from(range(4)), st.sampled_from((1, 2)))
def test_a_follow_is_refused_exactly_where_it_is_not_offered(
    drawn: tuple[Cards, Cards], suit: int, owed: int
) -> None:
    hand, held = drawn
    if hand.bit_count() < owed:
        owed = 1
    offered = legal_follows(hand, suit, owed, held)
    assert offered, "some play is always legal"
    for cards in combinations(cards_in(hand), owed):
        refused = follow_refusal(hand, suit, owed, held, cards, decks=2, seat=0)
        assert (refused is None) == (set_of(cards) in offered), names_of(cards, 2)
