"""A finished hand's document holds everything that happened in it, and only finished hands have one."""

from collections.abc import Iterator, Sequence
from itertools import count
from random import Random

import pytest

from domain.events import (
    CardDeclared,
    CardsPlayed,
    Event,
    HandDealt,
    HandEnded,
    MatchOpened,
    PublishedDeclaration,
    TrickTaken,
    public_form,
)
from domain.match import fold
from domain.rulesets import RULESETS
from domain.seats import SEATS, Seat
from projections.hand_replays import HAND_REPLAYS
from projections.hand_replays.document import HandReplay
from projections.hand_replays.rows import FinishedHand, HandSeat
from projections.hand_replays.specials import BIG_SWINGS
from tests.support.read_models import Content, folded
from tests.support.stored_matches import abandoned, annulled, corrected, lifted, messages_of, played


def replays(events: Sequence[Event]) -> Content:
    return folded(HAND_REPLAYS, messages_of([public_form(event) for event in events]))


def hands_of(events: Sequence[Event]) -> list[FinishedHand]:
    return [row for _, row in sorted(replays(events)["hands"].items())]


def two_hands(name: str) -> list[Event]:
    """A match with two finished hands; not every match of blood gets that far."""
    matches = (played(RULESETS[name], Random(seed), hands=2) for seed in count(7))
    return next(events for events in matches if len(hands_of(events)) == 2)


def of_hand(events: Sequence[Event], hand_no: int) -> list[Event]:
    return [event for event in events if getattr(event, "hand_no", None) == hand_no]


@pytest.mark.parametrize("name", sorted(RULESETS))
def test_a_document_holds_every_play_with_its_time_and_who_played(name: str) -> None:
    events = two_hands(name)
    hands = hands_of(events)
    assert [hand.hand_no for hand in hands] == [1, 2]
    for hand in hands:
        own, document = of_hand(events, hand.hand_no), hand.document
        plays = [event for event in own if isinstance(event, CardsPlayed)]
        assert [
            (p.trick_no, p.seat, p.cards, p.by, p.think_ms, p.at, p.openings) for p in document.plays
        ] == [(p.trick_no, p.seat, p.cards, p.by, p.think_ms, p.at, p.openings) for p in plays]
        assert list(document.takers) == [event.seat for event in own if isinstance(event, TrickTaken)]
        declared = [event for event in own if isinstance(event, CardDeclared)]
        assert [(d.seat, d.level, d.card, d.commitment) for d in document.declared] == [
            (d.seat, d.level, d.card, d.commitment) for d in declared
        ]
        assert hand.autopilot_plays == sum(play.by == "autopilot" for play in plays)


@pytest.mark.parametrize("name", sorted(RULESETS))
def test_a_document_holds_the_result_and_the_proof_of_the_deal(name: str) -> None:
    events = two_hands(name)
    opened, match = events[0], fold(events)
    assert isinstance(opened, MatchOpened)
    assert match is not None
    for hand in hands_of(events):
        (ended,) = [event for event in of_hand(events, hand.hand_no) if isinstance(event, HandEnded)]
        document = hand.document
        for field in (
            "players",
            "raw_scores",
            "accounts",
            "blood",
            "points",
            "next_leader",
            "deal",
            "declarations",
        ):
            assert getattr(document, field) == getattr(ended, field), field
        proof = document.proof
        assert (proof.anchor, proof.chain_length, proof.seed) == (
            opened.anchor,
            opened.chain_length,
            ended.seed,
        )
        assert proof.nonces == tuple(None if nonce is None else nonce.hex() for nonce in match.nonces)
        assert proof.commitments == match.commitments
        assert (hand.raw_scores, hand.points, hand.players) == (ended.raw_scores, ended.points, ended.players)


def test_a_hand_in_play_has_no_document_and_leaves_nothing_when_its_match_ends() -> None:
    events = two_hands("blood-1")
    dealt = [i for i, event in enumerate(events) if isinstance(event, HandDealt)]
    in_second = events[: dealt[1] + 20]
    content = replays(in_second)
    assert [key[1] for key in content["hands"]] == [1]
    (row,) = content["hands_in_play"].values()
    assert row.hand_no == 2
    assert len(row.plays) == sum(isinstance(event, CardsPlayed) for event in events[dealt[1] : dealt[1] + 20])
    over = replays(abandoned(in_second))
    assert not over["hands_in_play"]
    assert over["hands"] == content["hands"]


def test_every_player_of_a_hand_has_a_row_to_be_found_by() -> None:
    events = played(RULESETS["zero_sum-2"], Random(7), hands=2)
    content = replays(events)
    for (match, hand_no), hand in content["hands"].items():
        for seat in SEATS:
            row = content["hand_seats"][match, hand_no, seat]
            assert (row.player, row.raw_score) == (hand.players[seat], hand.raw_scores[seat])
            assert row.points == hand.points[seat]
            assert set(row.specials) <= set(hand.specials)


def hands_and_seats(name: str, seeds: int) -> Iterator[tuple[FinishedHand, list[HandSeat]]]:
    """Hands of matches played at random, each with the rows of its seats."""
    for seed in range(seeds):
        content = replays(played(RULESETS[name], Random(seed), hands=2))
        for (match, hand_no), hand in content["hands"].items():
            yield hand, [content["hand_seats"][match, hand_no, seat] for seat in SEATS]


def pigs_taken(document: HandReplay, seat: Seat) -> list[PublishedDeclaration]:
    """The declarations of the pigs that a seat took, told trick by trick."""
    cards = {
        card
        for play in document.plays
        if document.takers[play.trick_no - 1] == seat
        for card in play.cards
        if card.startswith("SQ")
    }
    return [declaration for declaration in document.declarations if declaration.card in cards]


@pytest.mark.parametrize("name", ["blood-1", "blood-2", "zero_sum-2"])
def test_specials_are_what_the_accounts_and_plays_say(name: str) -> None:
    found = set()
    for hand, seats in hands_and_seats(name, 30):
        document = hand.document
        for seat, row in enumerate(seats):
            account = document.accounts[seat]
            assert ("slam" in row.specials) == (account.rule == "slam")
            assert ("all_hearts" in row.specials) == account.all_hearts
            assert ("lone_transformer" in row.specials) == (account.rule == "lone_transformer")
            own = [play.by for play in document.plays if play.seat == seat]
            assert ("autopilot" in row.specials) == ("autopilot" in own)
            pigs = pigs_taken(document, seat)
            assert ("pig_to_declarer" in row.specials) == any(pig.seat == seat for pig in pigs)
            assert ("hidden_pig_caught" in row.specials) == any(
                pig.seat != seat and pig.level == "hidden" for pig in pigs
            )
            found |= set(row.specials)
        assert set(hand.specials) == {special for row in seats for special in row.specials}
    assert {"lone_transformer", "pig_to_declarer", "autopilot"} <= found
    assert ("hidden_pig_caught" in found) == name.startswith("blood")


@pytest.mark.parametrize("name", sorted(RULESETS))
def test_swing_is_big_for_the_seats_at_its_ends(name: str) -> None:
    family, decks = name.split("-")[:2]
    big = BIG_SWINGS[family, int(decks)]
    for hand, seats in hands_and_seats(name, 12):
        scores = hand.raw_scores
        assert (hand.highest, hand.lowest, hand.swing) == (
            max(scores),
            min(scores),
            max(scores) - min(scores),
        )
        for row in seats:
            assert (row.swing, row.partners) == (hand.swing, name.endswith("partners"))
            at_end = row.raw_score in (hand.highest, hand.lowest)
            assert ("big_swing" in row.specials) == (at_end and hand.swing >= big)


def test_correction_moves_the_swing_and_nothing_else_that_is_special() -> None:
    events = played(RULESETS["zero_sum-1"], Random(7), hands=2)
    before = replays(events)
    after = replays(corrected(events, 1, (10, 900, -300, 0)))
    (hand,) = [hand for hand in after["hands"].values() if hand.hand_no == 1]
    assert (hand.swing, hand.highest, hand.lowest) == (1200, 900, -300)
    for seat in SEATS:
        key = (hand.match, 1, seat)
        old = [special for special in before["hand_seats"][key].specials if special != "big_swing"]
        kept = [special for special in after["hand_seats"][key].specials if special != "big_swing"]
        assert kept == old
        assert ("big_swing" in after["hand_seats"][key].specials) == (seat in (1, 2))
    assert "big_swing" in hand.specials
    again = replays(corrected(corrected(events, 1, (10, 900, -300, 0)), 1, (0, 0, 0, 0)))
    (calm,) = [hand for hand in again["hands"].values() if hand.hand_no == 1]
    assert "big_swing" not in calm.specials
    assert calm.swing == 0


def test_annulments_and_corrections_mark_documents_and_leave_what_was_recorded() -> None:
    events = played(RULESETS["zero_sum-1"], Random(7), hands=2)
    first, second = hands_of(events)
    assert [hand.annulled for hand in hands_of(annulled(events))] == [True, True]
    assert hands_of(lifted(annulled(events))) == [first, second]
    changed = hands_of(corrected(corrected(events, 2, (40, 0, 0, 0)), 2, (80, 0, 0, 0)))
    assert changed[0] == first
    assert changed[1].document == second.document
    assert changed[1].raw_scores == (80, 0, 0, 0)
    assert [c.raw_scores for c in changed[1].corrections] == [(40, 0, 0, 0), (80, 0, 0, 0)]
    assert changed[1].corrections[1].case == "18"
