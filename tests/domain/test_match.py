"""The state of a match is the fold of its events, and a log that cannot be true is named and stops the reader."""

from random import Random
from uuid import UUID

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.cards import ALL_CARDS, set_of
from domain.errors import BrokenLog
from domain.events import (
    EVENT_TYPES,
    CardsPlayed,
    Event,
    HandCorrected,
    HandEnded,
    MatchOpened,
    TrickTaken,
    public_form,
)
from domain.match import Match, evolve, fold, match_result
from domain.rulesets import RULESETS, Ruleset, ruleset_named
from tests.support.random_play import random_events, random_match
from tests.support.strategies import beginnings, histories, live_matches

BLOOD = ruleset_named("blood-1")
HISTORY = random_events(BLOOD, Random(1), hands=1)


def _changed(event: Event, **fields: object) -> Event:
    return msgspec.structs.replace(event, **fields)


@pytest.mark.parametrize("ruleset", RULESETS.values(), ids=RULESETS)
def test_live_state_is_the_fold_of_the_events_after_every_command(ruleset: Ruleset) -> None:
    folded: Match | None = None
    for step in random_match(ruleset, Random(2), hands=2):
        folded = fold(step.events, folded)
        assert folded == step.after


@given(histories().flatmap(lambda events: st.tuples(st.just(events), beginnings(events))))
def test_fold_can_go_on_from_any_event(drawn: tuple[list[Event], tuple[list[Event], Match]]) -> None:
    events, (first, match) = drawn
    assert fold(events[len(first) :], match) == fold(events)


@given(live_matches())
def test_cards_are_conserved(match: Match) -> None:
    hand, deck = match.hand, ALL_CARDS[match.ruleset.decks - 1]
    assert hand is not None
    assert hand.holdings is not None
    assert hand.order is not None
    in_hand = sum(hand.holdings)
    on_the_table = sum(play.as_set for play in hand.plays)
    gone = deck - in_hand - on_the_table
    assert set_of(hand.order) == deck
    assert (in_hand & on_the_table, in_hand | on_the_table | gone) == (0, deck)
    assert gone.bit_count() == 4 * hand.cards_spent
    taken = set_of(card for cards in hand.taken for card in cards)
    assert taken & ~gone == 0


@given(histories())
def test_public_forms_fold_to_the_same_public_facts(events: list[Event]) -> None:
    sealed: Match | None = None
    live: Match | None = None
    for event in events:
        live, sealed = evolve(live, event), evolve(sealed, public_form(event))
        assert sealed.root is None
        facts = ("version", "at", "phase", "players", "hands_ended", "blood", "points", "next_leader")
        assert [getattr(sealed, fact) for fact in facts] == [getattr(live, fact) for fact in facts]
        if sealed.hand is not None and live.hand is not None:
            assert sealed.hand.holdings is None
            assert sealed.hand.taken == live.hand.taken
            assert [d.public for d in sealed.hand.declarations] == [d.public for d in live.hand.declarations]
    assert sealed == fold(public_form(event) for event in events)


def _where(event: Event) -> dict[str, object]:
    return {"match": event.match, "version": event.version, "tag": f"{type(event).__name__}.1"}


def _play() -> int:
    return next(place for place, event in enumerate(HISTORY) if isinstance(event, CardsPlayed))


@pytest.mark.parametrize(
    ("what", "before", "event"),
    [
        pytest.param("begins with MatchOpened", [], HISTORY[1], id="another first event"),
        pytest.param("at version 1", [], _changed(HISTORY[0], version=2), id="another first version"),
        pytest.param("expected version 3", HISTORY[:2], HISTORY[3], id="a gap"),
        pytest.param("expected version 3", HISTORY[:2], HISTORY[1], id="an event twice"),
        pytest.param("of match", HISTORY[:2], _changed(HISTORY[2], match=UUID(int=5)), id="another match's"),
        pytest.param("cannot follow", HISTORY[:2], _changed(HISTORY[0], version=3), id="a second opening"),
        pytest.param("not in progress", HISTORY[:2], _changed(HISTORY[-1], version=3), id="no hand"),
    ],
)
def test_event_that_cannot_follow_is_named(what: str, before: list[Event], event: Event) -> None:
    with pytest.raises(BrokenLog, match=what) as broken:
        fold([*before, event])
    assert {name: getattr(broken.value, name) for name in ("match", "version", "tag")} == _where(event)


def test_event_of_another_hand_cannot_follow() -> None:
    play = _changed(HISTORY[_play()], hand_no=2)
    with pytest.raises(BrokenLog, match="hand 2 is not in progress"):
        fold([*HISTORY[: _play()], play])


def test_play_of_a_card_the_seat_does_not_hold_cannot_follow() -> None:
    play = HISTORY[_play()]
    assert isinstance(play, CardsPlayed)
    other = _changed(play, seat=(play.seat + 1) % 4)
    with pytest.raises(BrokenLog, match="does not hold"):
        fold([*HISTORY[: _play()], other])


def test_trick_without_plays_cannot_follow() -> None:
    trick = next(event for event in HISTORY if isinstance(event, TrickTaken))
    with pytest.raises(BrokenLog, match="no trick"):
        fold([*HISTORY[: _play()], _changed(trick, version=_play() + 1)])


def test_correction_of_a_hand_that_has_not_ended_cannot_follow() -> None:
    ended = HISTORY[-1]
    assert isinstance(ended, HandEnded)
    correction = HandCorrected(
        match=ended.match, version=ended.version + 1, at=ended.at, case="", cause="", by="", hand_no=2,
        players=ended.players, raw_scores=ended.raw_scores, blood=None, points=None, match_points=None,
    )  # fmt: skip
    with pytest.raises(BrokenLog, match="hand 2 has not ended"):
        fold([*HISTORY, correction])


def test_event_of_an_unknown_type_cannot_follow() -> None:
    class Strange(Event, frozen=True, kw_only=True, tag="Strange"):
        pass

    strange = Strange(match=HISTORY[0].match, version=2, at=HISTORY[0].at)
    with pytest.raises(BrokenLog, match="Strange"):
        fold([HISTORY[0], strange])


def test_every_event_type_but_the_first_changes_a_match() -> None:
    from domain.match import _HANDLERS

    assert set(_HANDLERS) == set(EVENT_TYPES) - {MatchOpened}


def test_state_prints_without_its_secrets() -> None:
    match = fold(HISTORY[:-40])
    assert match is not None
    assert match.hand is not None
    assert match.root is not None
    for text in (repr(match), repr(match.hand), repr(HISTORY[0])):
        assert match.root.hex() not in text
        assert repr(match.root) not in text
        assert "holdings" not in text


@given(st.lists(st.tuples(*[st.integers(-50, 50).map(lambda n: 10 * n)] * 4), max_size=6))
def test_result_of_a_match_adds_up_its_hands(raw_scores: list[tuple[int, int, int, int]]) -> None:
    blood, points = match_result(BLOOD, raw_scores)
    assert blood == tuple(sum(raw[seat] for raw in raw_scores) for seat in range(4))
    assert points == (0, 0, 0, 0)
    blood, points = match_result(ruleset_named("zero_sum-1"), raw_scores)
    assert (blood, sum(points)) == ((0, 0, 0, 0), 0)
