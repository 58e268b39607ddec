"""Dealing: from the chain of seeds, and as a record has it."""

from random import Random

import pytest

from domain import commands
from domain.cards import TWOS_OF_CLUBS
from domain.dealing import Deal, deal_order, first_dealt, link, next_link
from domain.errors import CommandRefused, DealUnavailable, NotASeat, WrongDeal, WrongPhase, WrongTerms
from domain.events import DealSecret, HandDealt, public_form, secret_of
from domain.rulesets import Ruleset, as_recorded, ruleset_named
from tests.support.random_play import random_match
from tests.support.scenarios import given, happened
from tests.support.tables import PLAYERS, Table, deal_with, seated

BLOOD, ZERO_SUM = ruleset_named("blood-1"), ruleset_named("zero_sum-1")
TWO_DECKS = ruleset_named("blood-2")


def _imported(ruleset: Ruleset) -> Table:
    """An imported match whose four players sit; nothing is dealt."""
    table = Table().ask(
        commands.OpenMatch(
            match=PLAYERS[0],
            ruleset=ruleset,
            hands_agreed=None if ruleset.by_blood else 2,
            origin="imported",
        )
    )
    return table.ask(*[commands.TakeSeat(seat=seat, player=PLAYERS[seat]) for seat in range(4)])


def _deals(cards: dict[int, str], *, decks: int = 1, leader: int | None = None) -> commands.DealRecordedHand:
    return commands.DealRecordedHand(deal=deal_with(cards, decks), leader=leader)


def _after_one_hand(ruleset: Ruleset) -> Table:
    """A served match between its first hand and its second, on which it agreed."""
    table = Table()
    for step in random_match(ruleset, Random(5), hands=2):
        table.decide(step.command)
        if table.match.phase == "between_hands":
            return table
    raise AssertionError("the match ended with its first hand")


def test_first_leader_is_the_seat_dealt_the_two_of_clubs() -> None:
    table = seated(BLOOD)
    secret = secret_of(table.events[-1])
    assert isinstance(secret, DealSecret)
    assert secret.leader == first_dealt(tuple(secret.order), TWOS_OF_CLUBS) == table.hand.leader


def test_later_hand_is_led_by_the_taker_of_the_pig_and_dealt_from_the_next_link() -> None:
    table = _after_one_hand(ZERO_SUM)
    match = table.match
    assert match.last_hand is not None
    assert match.root is not None
    pig_taker = match.last_hand.next_leader
    given(table).when(commands.DealHand()).then(happened(HandDealt, hand_no=2, leader=pig_taker))
    table.ask(commands.DealHand())
    assert table.hand.leader == pig_taker
    assert table.hand.order == deal_order(link(match.root, 2), match.id, 2, match.nonces, 1)
    assert table.hand.seed is not None
    assert match.last_hand.seed == next_link(table.hand.seed).hex()


@pytest.mark.parametrize(
    "table", [seated(BLOOD), seated(BLOOD).everyone_done()], ids=["declaring", "playing"]
)
def test_nothing_is_dealt_during_a_hand(table: Table) -> None:
    given(table).when(commands.DealHand()).is_refused(WrongPhase)


def test_nobody_deals_without_the_key() -> None:
    sealed = [public_form(event) for event in _after_one_hand(ZERO_SUM).events]
    given(sealed).when(commands.DealHand()).is_refused(DealUnavailable)


def test_import_has_no_chain_to_deal_from() -> None:
    given(_imported(BLOOD)).when(commands.DealHand()).is_refused(DealUnavailable)


def test_recorded_deal_is_public_and_led_by_the_two_of_clubs() -> None:
    match = (
        given(_imported(ZERO_SUM))
        .when(_deals({2: "C2 SQ"}))
        .then(happened(HandDealt, hand_no=1, leader=2, deal=deal_with({2: "C2 SQ"}, 1)))
    )
    assert match.hand is not None
    assert (match.hand.leader, match.hand.order_known) == (2, True)


def test_first_dealt_two_of_clubs_leads_a_recorded_hand_of_two_decks() -> None:
    deals = _deals({1: "C2b", 3: "C2a"}, decks=2)
    given(_imported(TWO_DECKS)).when(deals).then(happened(HandDealt, leader=1))


def test_record_may_name_the_leader_the_rules_name() -> None:
    given(_imported(BLOOD)).when(_deals({2: "C2"}, leader=2)).then(happened(HandDealt, leader=2))


def test_ruleset_that_takes_the_leader_as_given_takes_any() -> None:
    given(_imported(as_recorded(ZERO_SUM))).when(_deals({2: "C2"}, leader=0)).then(
        happened(HandDealt, leader=0)
    )


UNKNOWN_ORDER = commands.DealRecordedHand(
    deal=Deal(deal_with({1: "C2b", 3: "C2a"}, 2).hands, order="unknown")
)
RECORDED = [
    pytest.param(BLOOD, _deals({2: "C2"}, leader=1), WrongTerms, id="a leader the rules do not name"),
    pytest.param(as_recorded(BLOOD), _deals({}), WrongTerms, id="no leader where he is as given"),
    pytest.param(as_recorded(BLOOD), _deals({}, leader=4), NotASeat, id="no such seat"),
    pytest.param(TWO_DECKS, UNKNOWN_ORDER, WrongTerms, id="two holders of ♣2 and no order"),
    pytest.param(BLOOD, _deals({}, decks=2), CommandRefused, id="too many cards"),
    pytest.param(
        BLOOD, commands.DealRecordedHand(deal=Deal((("SA",) * 13,) * 4)), WrongDeal, id="a card dealt twice"
    ),
]


@pytest.mark.parametrize(("ruleset", "command", "refusal"), RECORDED)
def test_recorded_deal_is_refused(
    ruleset: Ruleset, command: commands.Command, refusal: type[CommandRefused]
) -> None:
    table = _imported(ruleset)
    with pytest.raises(refusal):
        table.decide(command)
    assert table.match.phase == "seating"


def test_order_does_not_matter_where_one_seat_holds_both_twos_of_clubs() -> None:
    unknown = commands.DealRecordedHand(deal=Deal(deal_with({3: "C2a C2b"}, 2).hands, order="unknown"))
    match = given(_imported(TWO_DECKS)).when(unknown).then(happened(HandDealt, leader=3))
    assert match.hand is not None
    assert not match.hand.order_known


def test_served_match_takes_no_recorded_hand() -> None:
    table = _after_one_hand(ZERO_SUM)
    given(table).when(_deals({})).is_refused(WrongTerms)
