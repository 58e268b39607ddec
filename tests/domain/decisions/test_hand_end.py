"""The end of a hand, and of its match (rules.md §5–§8)."""

from collections.abc import Iterator
from random import Random

import msgspec
import pytest

from domain import commands
from domain.cards import parse_card
from domain.dealing import deal_of, link
from domain.decisions import Decision, decide_and_evolve
from domain.declarations import commitment_of
from domain.errors import WrongPhase
from domain.events import (
    CardDeclared,
    CardsPlayed,
    Event,
    HandDealt,
    HandEnded,
    MatchSettled,
    PublishedDeclaration,
    TrickTaken,
)
from domain.match import Match
from domain.rulesets import RULESETS, Ruleset, ruleset_named
from domain.scoring import accounts_of
from domain.seats import SEATS
from domain.secret import Secret
from domain.settlement import hand_points, match_is_decided, settle
from tests.support.random_play import random_events
from tests.support.scenarios import given, happened
from tests.support.tables import Table, hand_of, seated

BLOOD, ZERO_SUM = ruleset_named("blood-1"), ruleset_named("zero_sum-1")
every_ruleset = pytest.mark.parametrize("ruleset", RULESETS.values(), ids=RULESETS)
OPENING = bytes(range(32))


def _last_card(table: Table) -> commands.PlayCards:
    """The command that plays the last card of the hand, all others having been played."""
    table.everyone_done().play_any(51)
    turn = table.hand.turn
    assert turn is not None
    return commands.PlayCards(seat=turn, cards=hand_of(table, turn))


def _added(numbers: Iterator[tuple[int, ...]]) -> tuple[int, ...]:
    return tuple(map(sum, zip(*numbers, strict=True)))


def test_last_card_brings_trick_scores_and_the_next_leader() -> None:
    table = seated(ZERO_SUM, hands=2)
    last = _last_card(table)
    match = (
        given(table)
        .when(last)
        .then(
            happened(CardsPlayed, trick_no=13),
            happened(TrickTaken, trick_no=13),
            happened(HandEnded, hand_no=1, players=table.match.players, blood=None),
        )
    )
    assert (match.phase, match.hands_ended, match.hand) == ("between_hands", 1, None)


def test_last_hand_agreed_settles_the_match_by_the_sum_of_its_hands() -> None:
    table = seated(ZERO_SUM, hands=2).play_hand().ask(commands.DealHand())
    first = table.match.points
    last = _last_card(table)
    match = (
        given(table)
        .when(last)
        .then(
            happened(CardsPlayed),
            happened(TrickTaken),
            happened(HandEnded, hand_no=2),
            happened(MatchSettled, cause="hands_played", blood=None),
        )
    )
    second = hand_points(ZERO_SUM, match.raw_scores[1])
    assert match.points == _added(iter([first, second]))
    assert match.phase == "settled"


def test_nothing_is_played_or_dealt_after_the_settlement() -> None:
    table = seated(ZERO_SUM, hands=1).play_hand()
    given(table).when(commands.DealHand()).is_refused(WrongPhase)
    given(table).when(commands.PlayCards(seat=0, cards=("SA",))).is_refused(WrongPhase)
    given(table).when(commands.HandOverSeat(seat=0)).is_refused(WrongPhase)


def test_end_of_the_hand_publishes_what_was_secret() -> None:
    table = seated(BLOOD)
    holder, card = next((seat, c) for seat in SEATS for c in hand_of(table, seat) if c in ("SQ", "HA"))
    table.ask(commands.DeclareCard(seat=holder, card=card, level="hidden", opening=Secret(OPENING)))
    order, root = table.hand.order, table.match.root
    assert order is not None
    assert root is not None
    ended = table.play_hand().match.last_hand
    assert ended is not None
    assert ended.deal == deal_of(order, 1)
    assert ended.seed == link(root, 1).hex()
    assert ended.declarations == (
        PublishedDeclaration(seat=holder, card=card, level="hidden", opening=OPENING.hex()),
    )
    (declared,) = [event for event in table.events if isinstance(event, CardDeclared)]
    assert declared.commitment == commitment_of(table.match.id.bytes, 1, holder, card, OPENING)


def _hands(events: list[Event]) -> Iterator[tuple[list[TrickTaken], HandEnded]]:
    """The tricks of each finished hand, with its end."""
    tricks: list[TrickTaken] = []
    for event in events:
        if isinstance(event, TrickTaken):
            tricks.append(event)
        elif isinstance(event, HandEnded):
            yield tricks, event
            tricks = []


@every_ruleset
def test_recorded_results_follow_from_the_tricks_by_the_rules(ruleset: Ruleset) -> None:
    """Accounts, blood, points and next leader of each hand, worked out again from its tricks alone."""
    for seed in range(8):
        blood = (0, 0, 0, 0)
        events = random_events(ruleset, Random(seed), hands=3)
        for tricks, ended in _hands(events):
            taken = [
                [parse_card(c, ruleset.decks) for t in tricks if t.seat == seat for c in t.cards]
                for seat in SEATS
            ]
            levels = {parse_card(d.card, ruleset.decks): d.level for d in ended.declarations}
            accounts = accounts_of(ruleset, taken, levels)
            raw = ended.raw_scores
            assert ended.accounts == tuple(accounts)
            assert raw == tuple(account.raw for account in accounts)
            assert ended.next_leader == next(t.seat for t in tricks if "SQ" in {c[:2] for c in t.cards})
            if ruleset.by_blood:
                blood = (blood[0] + raw[0], blood[1] + raw[1], blood[2] + raw[2], blood[3] + raw[3])
                assert (ended.blood, ended.points) == (blood, None)
            else:
                assert (ended.blood, ended.points) == (None, hand_points(ruleset, raw))


@every_ruleset
def test_match_ends_with_the_first_hand_that_decides_it_and_no_other(ruleset: Ruleset) -> None:
    for seed in range(8):
        events = random_events(ruleset, Random(seed))
        ends = [ended for _, ended in _hands(events)]
        settled = events[-1]
        assert isinstance(settled, MatchSettled)
        assert isinstance(events[-2], HandEnded)
        if ruleset.by_blood:
            decided = [ended.blood is not None and match_is_decided(ruleset, ended.blood) for ended in ends]
            assert decided == [False] * (len(ends) - 1) + [True]
            assert ends[-1].blood is not None
            assert (settled.cause, settled.points) == ("threshold", settle(ruleset, ends[-1].blood))
        else:
            points = _added(ended.points for ended in ends if ended.points is not None)
            assert (settled.cause, settled.points) == ("hands_played", points)


@every_ruleset
def test_each_later_hand_is_led_by_the_taker_of_the_first_pig(ruleset: Ruleset) -> None:
    events = random_events(ruleset, Random(3), hands=3)
    leaders = [event.leader for event in events if isinstance(event, HandDealt)]
    assert leaders[0] is None
    assert leaders[1:] == [ended.next_leader for _, ended in _hands(events)][: len(leaders) - 1]


def _at_hand_256(ruleset: Ruleset) -> Match:
    """A match in its 256th hand, as it stands before its declarations; nobody has scored in the other hands."""
    table = seated(ruleset, hands=256).play_hand()
    match = table.match
    quiet = msgspec.structs.replace(
        match,
        hands_ended=255,
        raw_scores=((0, 0, 0, 0),) * 255,
        blood=(0, 0, 0, 0),
        points=(0, 0, 0, 0),
    )
    return decide_and_evolve(quiet, commands.DealHand(), table.at).match


def _played_to_its_end(match: Match) -> Decision:
    """The decision on the last card of the hand."""
    table = Table()
    table.resume(match)
    table.play_hand()
    assert table.last is not None
    return table.last


@pytest.mark.parametrize("name", ["blood-2", "blood-2-partners"])
def test_blood_match_that_reaches_256_hands_is_a_draw(name: str) -> None:
    match = _at_hand_256(ruleset_named(name))
    assert match.hand is not None
    assert match.hand.number == 256
    *_, ended, settled = _played_to_its_end(match).events
    assert isinstance(ended, HandEnded)
    assert isinstance(settled, MatchSettled)
    assert ended.blood is not None
    assert not match_is_decided(ruleset_named(name), ended.blood), "the table is quiet enough for this test"
    assert (settled.cause, settled.points, settled.blood) == ("limit", (0, 0, 0, 0), ended.blood)


def test_256th_hand_uses_the_last_seed_and_the_root_stays_secret() -> None:
    match = _at_hand_256(BLOOD)
    assert match.root is not None
    assert match.hand is not None
    assert match.hand.seed == link(match.root, 256) != match.root


def test_zero_sum_match_of_256_hands_is_settled_by_its_points() -> None:
    *_, ended, settled = _played_to_its_end(_at_hand_256(ZERO_SUM)).events
    assert isinstance(ended, HandEnded)
    assert isinstance(settled, MatchSettled)
    assert (settled.cause, settled.points) == ("hands_played", ended.points)
