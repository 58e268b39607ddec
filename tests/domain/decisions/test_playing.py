"""Playing cards and taking tricks (rules.md §4)."""

import pytest

from domain import commands
from domain.cards import names_of, parse_card
from domain.errors import (
    CardNotHeld,
    CommandRefused,
    DealUnavailable,
    HeldBack,
    MustFollowSuit,
    MustLeadTwoOfClubs,
    MustUseHeldBack,
    NotAPair,
    NotASeat,
    NotYourTurn,
    UnknownCard,
    WrongNumberOfCards,
    WrongPhase,
)
from domain.events import CardsPlayed, PublishedDeclaration, TrickTaken, public_form
from domain.rulesets import Level, as_recorded, ruleset_named
from domain.secret import Secret
from tests.support.scenarios import given, happened
from tests.support.tables import Table, dealt, hand_of, seated

BLOOD, ZERO_SUM = ruleset_named("blood-1"), ruleset_named("zero_sum-1")
BLOOD_2, ZERO_SUM_2 = ruleset_named("blood-2"), ruleset_named("zero_sum-2")
OPENING = bytes(range(32))
CLUBS = {0: "C2 C3 SQ S2 S5", 1: "C4 S3 S6", 2: "CA S4 S7", 3: "C5 SK S8"}


def _playing(table: Table, *declared: tuple[int, str, Level]) -> Table:
    """The table once these cards are declared and the window is closed."""
    for seat, card, level in declared:
        opening = Secret(OPENING) if level == "hidden" else None
        table.ask(commands.DeclareCard(seat=seat, card=card, level=level, opening=opening))
    return table.everyone_done()


def _plays(seat: int, cards: str) -> commands.PlayCards:
    return commands.PlayCards(seat=seat, cards=tuple(cards.split()))


def test_holder_of_the_two_of_clubs_leads_and_the_others_follow_in_turn() -> None:
    table = _playing(dealt(BLOOD, CLUBS))
    given(table).when(_plays(0, "C3")).then(
        happened(CardsPlayed, seat=0, cards=("C3",), trick_no=1, by="player", openings=())
    )
    given(table.play("C3")).when(_plays(1, "C4")).then(happened(CardsPlayed, seat=1))


def test_fourth_card_brings_the_taker_who_leads_next() -> None:
    table = _playing(dealt(BLOOD, CLUBS)).play("C2", "C4", "CA")
    match = (
        given(table)
        .when(_plays(3, "C5"))
        .then(
            happened(CardsPlayed, seat=3, trick_no=1),
            happened(TrickTaken, seat=2, trick_no=1, cards=("C2", "C4", "CA", "C5")),
        )
    )
    assert match.hand is not None
    assert (match.hand.turn, match.hand.trick_no, match.hand.takers) == (2, 2, (2,))


def test_taker_keeps_the_scoring_cards_in_the_order_played() -> None:
    hands = {0: "SA SQ S2", 1: "S3 S4", 2: "SK HA", 3: "C2 S6"}
    table = _playing(dealt(as_recorded(BLOOD), hands, leader=1)).play("S3", "SK", "S6", "SQ")
    assert [names_of(cards, 1) for cards in table.hand.taken] == [(), (), ("SQ",), ()]
    assert table.hand.pig_taker == 2


REFUSED = [
    pytest.param(_plays(1, "C4"), NotYourTurn, id="out of turn"),
    pytest.param(_plays(4, "C4"), NotASeat, id="no such seat"),
    pytest.param(_plays(2, "S4"), MustFollowSuit, id="another suit"),
    pytest.param(_plays(2, "C5"), CardNotHeld, id="a card of another seat"),
    pytest.param(_plays(2, "C0"), UnknownCard, id="no card"),
    pytest.param(_plays(2, ""), WrongNumberOfCards, id="nothing"),
    pytest.param(_plays(2, "CA S4"), WrongNumberOfCards, id="two cards"),
    pytest.param(_plays(2, "CA CA"), WrongNumberOfCards, id="one card twice"),
    pytest.param(commands.SayDone(seat=2), WrongPhase, id="declaring"),
    pytest.param(commands.DealHand(), WrongPhase, id="dealing"),
]


@pytest.mark.parametrize(("command", "refusal"), REFUSED)
def test_play_is_refused(command: commands.Command, refusal: type[CommandRefused]) -> None:
    given(_playing(dealt(BLOOD, CLUBS)).play("C2", "C4")).when(command).is_refused(refusal)


def test_nothing_is_played_before_the_window_closes() -> None:
    given(dealt(BLOOD, CLUBS)).when(_plays(0, "C2")).is_refused(WrongPhase)


def test_zero_sum_begins_with_the_two_of_clubs_itself() -> None:
    table = _playing(dealt(ZERO_SUM, CLUBS))
    given(table).when(_plays(0, "C3")).is_refused(MustLeadTwoOfClubs, card="C3")
    given(table).when(_plays(0, "C2")).then(happened(CardsPlayed, cards=("C2",)))


def test_two_decks_may_begin_with_the_pair_of_twos() -> None:
    table = _playing(dealt(ZERO_SUM_2, {1: "C2a C2b", 2: "C3a C4a", 3: "C3b C4b", 0: "C5a C6a"}))
    assert table.hand.leader == 1
    given(table).when(_plays(1, "C2a C2b")).then(happened(CardsPlayed, cards=("C2a", "C2b")))
    given(table).when(_plays(1, "C2b")).then(happened(CardsPlayed, cards=("C2b",)))


def test_two_cards_are_led_as_a_pair_only() -> None:
    table = _playing(dealt(BLOOD_2, {1: "C2a C2b S3a S4a"}))
    given(table).when(_plays(1, "S3a S4a")).is_refused(NotAPair)


def test_pair_trick_takes_two_cards_of_everyone() -> None:
    table = _playing(dealt(ZERO_SUM_2, {1: "C2a C2b", 2: "C3a C4a"})).play("C2a C2b")
    given(table).when(_plays(2, "C3a")).is_refused(WrongNumberOfCards, owed=2)
    table.play_any(3)
    assert table.hand.cards_spent == 2
    assert [len(play.cards) for play in table.hand.last_trick] == [2, 2, 2, 2]


SPADES = {0: "C2 S2 S5", 1: "SQ S3 S6", 2: "S4 S7", 3: "SK S8"}
LONE_PIG = {0: "C2 S2 S3 S4 S5", 1: "SQ", 2: "S6 S7 S8 S9", 3: "ST SJ SK SA"}


@pytest.mark.parametrize("level", ["open", "hidden"])
def test_declared_card_waits_until_a_trick_in_its_suit_is_complete(level: Level) -> None:
    table = _playing(dealt(BLOOD, SPADES), (1, "SQ", level)).play("S2")
    given(table).when(_plays(1, "SQ")).is_refused(HeldBack, card="SQ")
    table.play("S3", "S4", "SK", "S8", "S5")
    given(table).when(_plays(1, "SQ")).then(happened(CardsPlayed, seat=1, cards=("SQ",)))


def test_discards_of_a_suit_do_not_lift_its_ban() -> None:
    hands = {0: "C2 C3 C4 C5", 1: "SQ S3 HA H2", 2: "C6 C7 C8 C9", 3: "CT CJ CQ CK CA S9"}
    table = _playing(dealt(BLOOD, hands), (1, "SQ", "open")).play("C2", "S3", "C6", "CT")
    assert table.hand.held >> parse_card("SQ", 1) & 1


def test_blood_leads_a_declared_card_and_zero_sum_does_not() -> None:
    hands = {0: "C2 SQ S2"}
    blood = _playing(dealt(BLOOD, hands), (0, "SQ", "open"))
    given(blood).when(_plays(0, "SQ")).then(happened(CardsPlayed, cards=("SQ",)))
    zero_sum = _playing(dealt(as_recorded(ZERO_SUM), hands, leader=0), (0, "SQ", "open"))
    given(zero_sum).when(_plays(0, "SQ")).is_refused(HeldBack, card="SQ")


def test_only_card_of_the_suit_must_be_played_though_held_back() -> None:
    table = _playing(dealt(BLOOD, LONE_PIG), (1, "SQ", "hidden")).play("S2")
    given(table).when(_plays(1, hand_of(table, 1)[-1])).is_refused(MustUseHeldBack)
    given(table).when(_plays(1, "SQ")).then(happened(CardsPlayed, cards=("SQ",)))


def test_hidden_declaration_becomes_public_with_its_opening_when_played() -> None:
    table = _playing(dealt(BLOOD, LONE_PIG), (1, "SQ", "hidden")).play("S2")
    opening = PublishedDeclaration(seat=1, card="SQ", level="hidden", opening=OPENING.hex())
    match = given(table).when(_plays(1, "SQ")).then(happened(CardsPlayed, seat=1, openings=(opening,)))
    assert match.hand is not None
    assert match.hand.declarations[0].public


def test_open_declaration_needs_no_opening() -> None:
    table = _playing(dealt(BLOOD, LONE_PIG), (1, "SQ", "open")).play("S2")
    given(table).when(_plays(1, "SQ")).then(happened(CardsPlayed, openings=()))


def test_think_time_runs_from_the_turn_and_says_who_played() -> None:
    table = _playing(dealt(BLOOD, CLUBS)).wait(1.2345).play("C2").wait(0.0019)
    by_autopilot = commands.PlayCards(seat=1, cards=("C4",), by="autopilot")
    given(table).when(by_autopilot).then(happened(CardsPlayed, think_ms=1, by="autopilot"))
    (first,) = [event for event in table.events if isinstance(event, CardsPlayed)]
    assert first.think_ms == 1234


def test_time_never_goes_back_within_a_match() -> None:
    table = _playing(dealt(BLOOD, CLUBS)).play("C2")
    given(table.wait(-100)).when(_plays(1, "C4")).then(happened(CardsPlayed, at=table.match.at, think_ms=0))


def test_nothing_is_played_without_the_key() -> None:
    sealed = [public_form(event) for event in seated(BLOOD).everyone_done().events]
    turn = seated(BLOOD).everyone_done().hand.turn
    assert turn is not None
    given(sealed).when(_plays(turn, "C2")).is_refused(DealUnavailable)
