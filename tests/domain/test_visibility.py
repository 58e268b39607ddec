"""Nothing secret leaves early: what a viewer may not know changes no byte he gets."""

from random import Random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain import commands
from domain.cards import DECLARABLE, cards_in, set_of
from domain.declarations import Declaration
from domain.events import public_form
from domain.match import Hand, Match, evolve
from domain.rulesets import RULESETS, Ruleset, ruleset_named
from domain.seats import SEATS, Seat
from domain.secret import Secret
from domain.visibility import EVERYTHING, SPECTATOR, Viewer, view
from tests.support.random_play import random_match
from tests.support.strategies import live_matches
from tests.support.tables import Table, dealt, hand_of, seated

BLOOD, ZERO_SUM = ruleset_named("blood-1"), ruleset_named("zero_sum-1")
OPENING = bytes(range(32))
EVERYONE: tuple[Viewer, ...] = (*SEATS, SPECTATOR)
viewers = st.sampled_from(EVERYONE)


def _bytes(match: Match, viewer: Viewer) -> bytes:
    return msgspec.json.encode(view(match, viewer))


def _swapped(match: Match, viewer: Viewer, random: Random) -> Match:
    """The match with everything that this viewer may not know drawn anew: cards in hand, deal, seed, hidden cards."""
    hand = match.hand
    assert hand is not None
    assert hand.holdings is not None
    assert hand.order is not None
    unseen = [seat for seat in SEATS if seat != viewer]
    pool = [card for seat in unseen for card in cards_in(hand.holdings[seat])]
    random.shuffle(pool)
    holdings = list(hand.holdings)
    for seat in unseen:
        size = holdings[seat].bit_count()
        holdings[seat], pool = set_of(pool[:size]), pool[size:]
    declarations = tuple(_redrawn(d, viewer, random) for d in hand.declarations)
    order = list(hand.order)
    random.shuffle(order)
    changed = msgspec.structs.replace(
        hand,
        holdings=tuple(holdings),
        declarations=declarations,
        order=tuple(order),
        seed=random.randbytes(64),
        leader=random.choice(SEATS) if _leader_is_secret(match, hand) else hand.leader,
    )
    return msgspec.structs.replace(match, hand=changed, root=random.randbytes(64))


def _leader_is_secret(match: Match, hand: Hand) -> bool:
    return match.phase == "declaring" and hand.number == 1


def _redrawn(declaration: Declaration, viewer: Viewer, random: Random) -> Declaration:
    """The declaration with another card and opening where this viewer does not see them."""
    if declaration.public or declaration.seat == viewer:
        return declaration
    return msgspec.structs.replace(
        declaration, card=random.choice(list(cards_in(DECLARABLE))[:4]), opening=random.randbytes(32)
    )


@given(live_matches(), viewers, st.integers(0, 2**32 - 1))
def test_what_a_viewer_may_not_know_changes_no_byte_he_gets(match: Match, viewer: Viewer, seed: int) -> None:
    assert _bytes(_swapped(match, viewer, Random(seed)), viewer) == _bytes(match, viewer)


def test_the_test_above_sees_what_it_changes() -> None:
    match = seated(BLOOD).everyone_done().play_any(3).match
    assert _bytes(_swapped(match, SPECTATOR, Random(1)), EVERYTHING) != _bytes(match, EVERYTHING)
    assert _bytes(_swapped(match, 1, Random(1)), 2) != _bytes(match, 2)


@pytest.mark.parametrize("ruleset", RULESETS.values(), ids=RULESETS)
def test_spectator_sees_the_same_from_public_forms_alone(ruleset: Ruleset) -> None:
    live: Match | None = None
    sealed: Match | None = None
    for step in random_match(ruleset, Random(4), hands=2):
        for event in step.events:
            live, sealed = evolve(live, event), evolve(sealed, public_form(event))
            assert _bytes(sealed, SPECTATOR) == _bytes(live, SPECTATOR)


@pytest.mark.parametrize("ruleset", RULESETS.values(), ids=RULESETS)
def test_first_leader_is_hidden_until_the_window_closes(ruleset: Ruleset) -> None:
    table = seated(ruleset)
    for viewer in EVERYONE:
        shown = view(table.match, viewer).hand
        assert shown is not None
        assert (shown.leader, shown.turn, shown.legal) == (None, None, None)
    leader = table.hand.leader
    shown = view(table.everyone_done().match, SPECTATOR).hand
    assert shown is not None
    assert (shown.leader, shown.turn) == (leader, leader)


def test_later_leader_is_seen_at_the_deal() -> None:
    table = seated(ZERO_SUM).play_hand().ask(commands.DealHand())
    shown = view(table.match, SPECTATOR).hand
    assert shown is not None
    assert shown.leader == table.match.next_leader


def _hidden_pig() -> Table:
    spades = {0: "C2 S2 S3 S4 S5", 1: "SQ HA", 2: "S6 S7 S8 S9", 3: "ST SJ SK SA DJ"}
    hidden = commands.DeclareCard(seat=1, card="SQ", level="hidden", opening=Secret(OPENING))
    return dealt(BLOOD, spades).ask(hidden, commands.DeclareCard(seat=3, card="DJ", level="open"))


def _cards_seen(table: Table, viewer: Viewer) -> list[tuple[Seat, str | None]]:
    shown = view(table.match, viewer).hand
    assert shown is not None
    return [(declaration.seat, declaration.card) for declaration in shown.declarations]


def test_hidden_declaration_is_counted_for_all_and_named_for_its_seat() -> None:
    table = _hidden_pig()
    others: tuple[Viewer, ...] = (0, 2, 3, SPECTATOR)
    for viewer in others:
        assert _cards_seen(table, viewer) == [(1, None), (3, "DJ")]
    assert _cards_seen(table, 1) == _cards_seen(table, EVERYTHING) == [(1, "SQ"), (3, "DJ")]
    shown = view(table.match, SPECTATOR).hand
    assert shown is not None
    assert shown.hidden_counts == (0, 1, 0, 0)


def test_hidden_declaration_is_named_for_all_once_it_is_played() -> None:
    table = _hidden_pig().everyone_done().play("S2", "SQ")
    for viewer in EVERYONE:
        assert _cards_seen(table, viewer) == [(1, "SQ"), (3, "DJ")]
    shown = view(table.match, SPECTATOR).hand
    assert shown is not None
    assert shown.hidden_counts == (0, 0, 0, 0)


def test_seat_sees_its_own_cards_and_its_legal_plays_in_its_turn() -> None:
    table = _hidden_pig().everyone_done().play("S2")
    for seat in SEATS:
        shown = view(table.match, seat).hand
        assert shown is not None
        assert shown.cards == hand_of(table, seat)
        assert shown.legal == ((("SQ",),) if seat == 1 else None)
        assert shown.all_cards is None


def test_spectator_sees_no_cards_in_hand_but_how_many_are_left() -> None:
    table = _hidden_pig().everyone_done().play("S2", "SQ")
    shown = view(table.match, SPECTATOR).hand
    assert shown is not None
    assert (shown.cards, shown.all_cards, shown.legal) == (None, None, None)
    assert shown.cards_left == (12, 12, 13, 13)


def test_all_cards_are_seen_by_whoever_may_see_everything() -> None:
    table = _hidden_pig()
    shown = view(table.match, EVERYTHING).hand
    assert shown is not None
    assert shown.all_cards == tuple(hand_of(table, seat) for seat in SEATS)


def test_raw_scores_are_seen_when_the_hand_has_ended_and_not_before() -> None:
    table = seated(ZERO_SUM)
    assert view(table.everyone_done().play_any(51).match, SPECTATOR).last_hand is None
    assert view(table.play_any(1).match, SPECTATOR).last_hand == table.match.last_hand is not None


def test_deadlines_are_those_of_the_log() -> None:
    table = seated(ZERO_SUM)
    shown = view(table.match, 0).hand
    assert shown is not None
    assert shown.deadline is not None
    assert (shown.deadline - table.at).total_seconds() == table.match.opened.clocks.declare_s
    shown = view(table.everyone_done().wait(3).play_any(1).match, 0).hand
    assert shown is not None
    assert shown.deadline is not None
    assert (shown.deadline - table.at).total_seconds() == table.match.opened.clocks.play_s
