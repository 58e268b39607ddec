"""A timeline shows any step of a match, forwards and back, and of a broken one what stands before the break."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from domain import commands
from domain.errors import BrokenLog
from domain.events import (
    CardDeclared,
    CardsPlayed,
    Event,
    HandDealt,
    HandEnded,
    MatchAbandoned,
    MatchOpened,
    NonceRevealed,
    PlayerSeated,
    PublishedDeclaration,
    TrickTaken,
)
from domain.match import evolve, fold
from domain.rulesets import RULESETS
from domain.seats import SEATS
from domain.visibility import view
from replays.captions import caption
from replays.disclosure import disclosed
from replays.timeline import CardsNotPublic, NoSuchStep, Timeline
from tests.replays.matches import (
    abandoned_match,
    asked,
    match_with,
    public,
    recorded_match,
    until_last_hand_ends,
)

EVERY_RULESET = pytest.mark.parametrize("ruleset", RULESETS)


@EVERY_RULESET
def test_jumping_to_a_step_gives_what_stepping_to_it_gives(ruleset: str) -> None:
    events = recorded_match(ruleset, seed=1)
    timeline = Timeline(public(events))
    assert timeline.failure is None
    assert len(timeline) == len(events)
    match = None
    for number, event in enumerate(events, start=1):
        match = evolve(match, event)
        stepped = replace(match, root=None)
        assert timeline.state(number) == stepped
        assert timeline.view(number, "spectator") == view(stepped, "spectator")
        assert timeline.view(number, 2) == view(stepped, 2)
        assert timeline.view(number, "all") == view(stepped, "all")


def test_steps_run_forwards_and_back() -> None:
    timeline = Timeline(recorded_match("blood-1", seed=1))
    forwards = list(timeline)
    assert [step.number for step in forwards] == list(range(1, len(timeline) + 1))
    assert list(reversed(timeline)) == forwards[::-1]


@EVERY_RULESET
def test_public_events_of_finished_hands_disclose_all_that_was_secret(ruleset: str) -> None:
    events = recorded_match(ruleset, seed=2)
    assert disclosed(public(events))[1:] == events[1:]


@EVERY_RULESET
def test_spectator_sees_of_finished_hands_what_he_saw_live(ruleset: str) -> None:
    events = public(recorded_match(ruleset, seed=3))
    timeline = Timeline(events)
    match = None
    for number, event in enumerate(events, start=1):
        match = evolve(match, event)
        assert timeline.view(number, "spectator") == view(match, "spectator")


@pytest.mark.parametrize("given", ["full", "public"])
def test_cards_of_an_unfinished_hand_are_refused_to_all_but_the_spectator(given: str) -> None:
    events = recorded_match("blood-1", seed=1, hands=1)
    events = tuple(until_last_hand_ends(events if given == "full" else public(events)))
    timeline = Timeline(events)
    dealt = timeline.step_of(1)
    assert timeline.view(dealt - 1, 0).hand is None
    for number in range(dealt, len(timeline) + 1):
        assert timeline.view(number, "spectator").hand is not None
        for viewer in (*SEATS, "all"):
            with pytest.raises(CardsNotPublic, match="hand 1, whose cards are not public"):
                timeline.view(number, viewer)
    assert not timeline.hands[0].public


def test_timeline_of_an_unfinished_hand_keeps_no_secret() -> None:
    events = recorded_match("blood-1", seed=1, hands=1)
    unfinished = tuple(until_last_hand_ends(events))
    assert disclosed(unfinished) == public(unfinished)


def test_abandoned_hand_is_shown_to_everyone() -> None:
    timeline = Timeline(abandoned_match("blood-1", 5, plays=7))
    assert timeline.hands[0].public
    hand = timeline.view(timeline.step_of(1), "all").hand
    assert hand is not None
    assert hand.all_cards is not None
    assert [len(cards) for cards in hand.all_cards] == [13] * 4


def test_hand_abandoned_without_its_key_stays_closed() -> None:
    timeline = Timeline(abandoned_match("blood-1", 5, plays=7, with_key=False))
    with pytest.raises(CardsNotPublic):
        timeline.view(timeline.step_of(1), 0)
    assert timeline.view(len(timeline), 0).phase == "abandoned"


@pytest.mark.parametrize("ruleset", ["blood-1", "zero_sum-2"])
def test_hands_and_tricks_are_found_by_number(ruleset: str) -> None:
    timeline = Timeline(recorded_match(ruleset, seed=1))
    for hand in timeline.hands:
        assert isinstance(timeline.step(timeline.step_of(hand.number)).event, HandDealt)
        assert isinstance(timeline.step(hand.last).event, HandEnded)
        for trick_no in range(1, len(hand.tricks) + 1):
            shown = timeline.view(timeline.step_of(hand.number, trick_no), "spectator").hand
            assert shown is not None
            assert shown.trick_no == trick_no
            assert shown.trick == ()


def test_what_is_not_there_is_refused() -> None:
    timeline = Timeline(recorded_match("blood-1", seed=1, hands=1))
    for ask in (lambda: timeline.step(0), lambda: timeline.view(len(timeline) + 1, "spectator")):
        with pytest.raises(NoSuchStep, match=f"steps go from 1 to {len(timeline)}"):
            ask()
    with pytest.raises(NoSuchStep, match="no hand 2; hands dealt: 1"):
        timeline.step_of(2)
    with pytest.raises(NoSuchStep, match="no trick 14; tricks begun: 13"):
        timeline.step_of(1, 14)


def test_every_event_has_a_caption_in_words() -> None:
    events = [
        *recorded_match("zero_sum-1", seed=4),
        *recorded_match("blood-1", seed=4),
        *abandoned_match("blood-1", 5, plays=7),
    ]
    for event in public(tuple(events)):
        shown = caption(event)
        assert shown.kind == type(event).__name__
        assert " " in shown.text
        assert re.search("[\u4e00-\u9fff]", shown.text_zh), shown.text_zh
        assert re.findall(r"[SHDC][2-9TJQKA]", shown.text) == re.findall(r"[SHDC][2-9TJQKA]", shown.text_zh)


def test_caption_of_a_hidden_declaration_says_nothing_of_its_card() -> None:
    def face_down(event: Event) -> bool:
        return isinstance(event, CardDeclared) and event.card is None

    shown = [caption(event) for event in match_with("blood-1", face_down) if face_down(event)]
    assert all(one.text.endswith("declares a card face down") for one in shown)
    assert all(one.text_zh.endswith("暗亮一张牌") for one in shown)


@dataclass
class Break:
    """One way to break a log, and what the failure says: the event meant, and a part of the text."""

    where: type[Event]
    change: Callable[[Any], Event]
    what: str


BREAKS = {
    "version that does not follow": Break(
        TrickTaken, lambda e: replace(e, version=e.version + 1), "expected version"
    ),
    "event of another match": Break(PlayerSeated, lambda e: replace(e, match=e.player), "of match"),
    "card that does not exist": Break(CardsPlayed, lambda e: replace(e, cards=("XX",)), "not a card"),
    "card the seat does not hold": Break(
        CardsPlayed, lambda e: replace(e, seat=(e.seat + 1) % 4), "does not hold"
    ),
    "hand that is not in progress": Break(CardsPlayed, lambda e: replace(e, hand_no=7), "hand 7 is not in"),
    "fifth seat": Break(CardsPlayed, lambda e: replace(e, seat=4), "out of range"),
    "nonce that is no hex": Break(NonceRevealed, lambda e: replace(e, nonce="zz"), "non-hexadecimal"),
    "opening of nothing": Break(
        CardsPlayed,
        lambda e: replace(e, openings=(PublishedDeclaration(seat=0, card="S2", level="hidden"),)),
        "no hidden declaration",
    ),
    "two beginnings": Break(
        PlayerSeated,
        lambda e: replace(recorded_match("blood-1", seed=7)[0], version=e.version),
        "cannot follow the first",
    ),
    "end of a hand that is not there": Break(HandEnded, lambda e: replace(e, hand_no=5), "hand 5 is not in"),
}


@pytest.mark.parametrize("broken", BREAKS.values(), ids=BREAKS.keys())
def test_broken_event_keeps_the_valid_prefix_and_is_named(broken: Break) -> None:
    events = list(public(recorded_match("blood-1", seed=7)))
    index = next(i for i, event in enumerate(events) if isinstance(event, broken.where))
    events[index] = broken.change(events[index])
    timeline = Timeline(events)
    assert len(timeline) == index
    failure = timeline.failure
    assert failure is not None
    assert broken.what in failure.what
    assert failure.place.version == events[index].version
    assert failure.place.event == type(events[index]).__name__
    assert "cannot go on at match" in failure.describe()


def test_failure_names_hand_trick_seat_and_card() -> None:
    events = list(public(recorded_match("blood-1", seed=7)))
    index = [i for i, event in enumerate(events) if isinstance(event, CardsPlayed)][9]
    play = events[index]
    assert isinstance(play, CardsPlayed)
    events[index] = replace(play, seat=(play.seat + 2) % 4)
    failure = Timeline(events).failure
    assert failure is not None
    assert f"hand 1, trick 3, seat {(play.seat + 2) % 4}, {play.cards[0]}: " in failure.describe()


def test_reader_that_stops_leaves_what_it_gave() -> None:
    events = public(recorded_match("blood-1", seed=7))

    def reader() -> Iterator[Event]:
        yield from events[:20]
        raise BrokenLog("unknown tag", version=21, tag="CardsBurnt.1")

    timeline = Timeline(reader())
    assert len(timeline) == 20
    assert timeline.failure is not None
    assert "version 21 (CardsBurnt.1): unknown tag" in timeline.failure.describe()


def test_match_that_does_not_begin_has_no_steps() -> None:
    timeline = Timeline(public(recorded_match("blood-1", seed=7))[1:])
    assert len(timeline) == 0
    assert timeline.failure is not None
    assert "begins with MatchOpened" in timeline.failure.what
    assert Timeline(()).failure is None


def test_deal_that_is_none_discloses_nothing() -> None:
    events = list(public(recorded_match("blood-1", seed=7, hands=1)))
    index = next(i for i, event in enumerate(events) if isinstance(event, HandEnded))
    ended = events[index]
    assert isinstance(ended, HandEnded)
    first, *others = ended.deal.hands
    events[index] = replace(ended, deal=replace(ended.deal, hands=((*first[:-1], "XX"), *others)))
    timeline = Timeline(events)
    assert timeline.failure is None
    with pytest.raises(CardsNotPublic):
        timeline.view(timeline.step_of(1), "all")


def test_steps_are_data() -> None:
    timeline = Timeline(recorded_match("zero_sum-1", seed=1, hands=1))
    assert all(msgspec.json.encode(step) for step in timeline)
    assert isinstance(timeline.step(1).event, MatchOpened)
    assert timeline.view(len(timeline), 0).phase == "settled"


def test_abandonment_outside_a_hand_has_no_span() -> None:
    opened = recorded_match("blood-1", seed=6)[:1]
    ending = asked(fold(opened), commands.AbandonMatch(cause="nobody came", by="service"))
    timeline = Timeline([*opened, *ending])
    assert timeline.hands == ()
    assert isinstance(timeline.step(2).event, MatchAbandoned)
