"""Seats that are away, and matches that are abandoned (rules.md §6)."""

import hashlib

import pytest

from domain import commands
from domain.dealing import deal_of, link
from domain.errors import AlreadyHandedOver, NotASeat, NotHandedOver, WrongPhase
from domain.events import MatchAbandoned, PublishedDeclaration, SeatHandedOver, SeatTakenBack, public_form
from domain.rulesets import ruleset_named
from domain.seats import SEATS
from domain.secret import Secret
from tests.support.scenarios import given, happened
from tests.support.tables import PLAYERS, Table, hand_of, opened, seated

BLOOD, ZERO_SUM = ruleset_named("blood-1"), ruleset_named("zero_sum-1")
ABANDON = commands.AbandonMatch(cause="two seats gone", by="service")
OPENING = bytes(range(32))


def _with_hidden_card() -> Table:
    """A hand in play in which one seat has declared a card face down and another one openly."""
    table = seated(BLOOD)
    holder = next(seat for seat in SEATS if "SQ" in hand_of(table, seat))
    other = next(seat for seat in SEATS if "DJ" in hand_of(table, seat))
    table.ask(
        commands.DeclareCard(seat=holder, card="SQ", level="hidden", opening=Secret(OPENING)),
        commands.DeclareCard(seat=other, card="DJ", level="open"),
    )
    return table.everyone_done().play_any(6)


@pytest.mark.parametrize(
    ("table", "hand_no"),
    [
        pytest.param(seated(BLOOD), 1, id="declaring"),
        pytest.param(seated(BLOOD).everyone_done(), 1, id="playing"),
        pytest.param(seated(ZERO_SUM).play_hand(), None, id="between hands"),
    ],
)
def test_seat_is_handed_over_once_and_taken_back_once(table: Table, hand_no: int | None) -> None:
    hand_over, take_back = commands.HandOverSeat(seat=2, cause="disconnected"), commands.TakeBackSeat(seat=2)
    given(table).when(take_back).is_refused(NotHandedOver, seat=2)
    match = (
        given(table)
        .when(hand_over)
        .then(happened(SeatHandedOver, seat=2, hand_no=hand_no, cause="disconnected"))
    )
    assert match.autopilot == (False, False, True, False)
    table.ask(hand_over)
    given(table).when(hand_over).is_refused(AlreadyHandedOver, seat=2)
    given(table).when(take_back).then(happened(SeatTakenBack, seat=2, hand_no=hand_no))


def test_seat_that_does_not_exist_is_not_handed_over() -> None:
    given(seated(BLOOD)).when(commands.HandOverSeat(seat=4)).is_refused(NotASeat)
    given(seated(BLOOD)).when(commands.TakeBackSeat(seat=9)).is_refused(NotASeat)


def test_seat_is_not_handed_over_before_the_deal() -> None:
    given(opened(BLOOD)).when(commands.HandOverSeat(seat=0)).is_refused(WrongPhase)


def test_abandoned_hand_becomes_public_where_the_key_is() -> None:
    table = _with_hidden_card()
    order, root = table.hand.order, table.match.root
    assert order is not None
    assert root is not None
    (pig, sheep) = table.hand.declarations
    match = (
        given(table)
        .when(ABANDON)
        .then(
            happened(
                MatchAbandoned,
                players=PLAYERS,
                cause="two seats gone",
                by="service",
                hand_no=1,
                deal=deal_of(order, 1),
                seed=link(root, 1).hex(),
                declarations=(
                    PublishedDeclaration(seat=pig.seat, card="SQ", level="hidden", opening=OPENING.hex()),
                    PublishedDeclaration(seat=sheep.seat, card="DJ", level="open"),
                ),
                deal_unavailable=False,
            )
        )
    )
    assert (match.phase, match.hand, match.points) == ("abandoned", None, (0, 0, 0, 0))


def test_abandoned_hand_is_missed_where_the_key_is_not() -> None:
    sealed = [public_form(event) for event in _with_hidden_card().events]
    given(sealed).when(ABANDON).then(
        happened(MatchAbandoned, hand_no=1, deal=None, seed=None, declarations=(), deal_unavailable=True)
    )


def test_match_abandoned_before_the_deal_has_no_hand_to_publish() -> None:
    table = opened(BLOOD).ask(commands.TakeSeat(seat=1, player=PLAYERS[1]))
    given(table).when(ABANDON).then(
        happened(
            MatchAbandoned,
            players=(None, PLAYERS[1], None, None),
            hand_no=None,
            deal=None,
            deal_unavailable=False,
        )
    )


def test_zero_sum_hands_that_ended_keep_their_points() -> None:
    table = seated(ZERO_SUM, hands=3).play_hand()
    points = table.match.points
    table.ask(commands.DealHand()).everyone_done().play_any(3)
    match = given(table).when(ABANDON).then(happened(MatchAbandoned, hand_no=2))
    assert match.points == points
    assert any(points)


def test_blood_match_that_is_abandoned_gives_no_points() -> None:
    table = seated(BLOOD).play_hand()
    match = given(table).when(ABANDON).then(happened(MatchAbandoned, hand_no=None, deal_unavailable=False))
    assert match.points == (0, 0, 0, 0)


@pytest.mark.parametrize(
    "table",
    [
        pytest.param(seated(ZERO_SUM, hands=1).play_hand(), id="settled"),
        pytest.param(seated(ZERO_SUM).ask(ABANDON), id="abandoned"),
    ],
)
def test_match_that_has_ended_is_not_abandoned(table: Table) -> None:
    given(table).when(ABANDON).is_refused(WrongPhase)
    given(table).when(commands.TakeSeat(seat=0, player=PLAYERS[0])).is_refused(WrongPhase)


def test_seed_of_an_abandoned_hand_hashes_to_the_published_anchor() -> None:
    table = _with_hidden_card()
    table.ask(ABANDON)
    abandoned = table.events[-1]
    assert isinstance(abandoned, MatchAbandoned)
    assert abandoned.seed is not None
    assert hashlib.sha512(bytes.fromhex(abandoned.seed)).hexdigest() == table.match.opened.anchor
