"""The viewer's document says everything of finished hands, in both languages, and nothing of a hand in progress."""

import re
from typing import Any
from uuid import UUID

import msgspec
import pytest

from adapters.http.words import CHINESE
from domain.events import CardDeclared, Event, HandEnded, MatchSettled
from domain.rulesets import RULESETS
from replays.notation import Comment
from replays.timeline import Timeline
from replays.viewer.document import ReplayDocument, Sources, replay_document
from tests.replays.matches import abandoned_match, match_with, public, recorded_match, until_last_hand_ends


def shown(events: tuple[Event, ...], **sources: Any) -> ReplayDocument:
    return replay_document(Timeline(events), Sources(**{"names": {}, "chinese": CHINESE, **sources}))


@pytest.mark.parametrize("ruleset", RULESETS)
def test_steps_are_those_of_the_timeline(ruleset: str) -> None:
    events = public(recorded_match(ruleset, seed=3))
    document = shown(events)
    assert [step.event for step in document.steps] == list(events)
    assert [step.en for step in document.steps] == [step.caption.text for step in Timeline(events)]
    assert all(re.search("[\u4e00-\u9fff]", step.zh) for step in document.steps)
    assert document.in_play != isinstance(events[-1], MatchSettled)


def test_full_events_make_the_same_document_as_public_ones() -> None:
    events = recorded_match("blood-2", seed=3, hands=1)
    assert msgspec.json.encode(shown(events)) == msgspec.json.encode(shown(public(events)))


def test_nothing_of_a_hand_in_progress_is_in_it() -> None:
    whole = recorded_match("blood-2", seed=3, hands=2)
    ended = [number for number, event in enumerate(whole) if isinstance(event, HandEnded)]
    upto = tuple(until_last_hand_ends(whole))
    assert len(upto) > ended[0] + 20, "the second hand is well under way"
    document = shown(upto)
    assert document.in_play
    assert len(document.steps) == ended[0] + 1
    assert [hand.number for hand in document.hands] == [1]
    assert msgspec.json.encode(document) == msgspec.json.encode(shown(upto[: ended[0] + 2]))


def test_match_without_a_finished_hand_has_no_steps_but_its_terms() -> None:
    events = recorded_match("blood-1", seed=3)[:9]
    document = shown(events)
    assert (document.steps, document.hands, document.in_play) == ((), (), True)
    assert document.ruleset.name == "blood-1"
    assert document.failure is None


def test_hidden_declarations_of_finished_hands_are_known() -> None:
    events = match_with("blood-1", lambda event: isinstance(event, CardDeclared) and event.card is None)
    for step in shown(events).steps:
        if isinstance(step.event, CardDeclared):
            assert (step.card is None) == (step.event.card is not None)


def test_abandoned_hand_is_shown_where_its_cards_became_public() -> None:
    with_key = shown(abandoned_match("blood-1", seed=5, plays=7))
    without = shown(abandoned_match("blood-1", seed=5, plays=7, with_key=False))
    assert with_key.hands[0].deal is not None
    assert without.hands[0].deal is None
    assert with_key.hands[0].scores is without.hands[0].scores is None
    assert not with_key.in_play


def test_settlement_and_every_hand_are_explained() -> None:
    for ruleset in ("blood-1", "zero_sum-1-partners"):
        events = recorded_match(ruleset, seed=1, hands=40)
        assert any(isinstance(event, MatchSettled) for event in events)
        document = shown(events)
        assert document.settlement
        for hand in document.hands:
            assert hand.scores is not None
            assert (hand.scores.points is None) == document.ruleset.by_blood


def test_broken_record_is_shown_up_to_its_break() -> None:
    events = list(public(recorded_match("blood-1", seed=3)))
    del events[30]
    document = shown(tuple(events))
    assert len(document.steps) == 30
    assert "version 31" in str(document.failure)


def test_names_and_comments_are_joined() -> None:
    events = public(recorded_match("blood-1", seed=3))
    player = next(player for player in Timeline(events).state(len(events)).players if player is not None)
    stranger = UUID(int=1)
    document = shown(
        events, names={player: "小猪", stranger: "someone else"}, comments=(Comment(3, "well played"),)
    )
    assert document.names == {str(player): "小猪"}
    assert document.comments == (Comment(3, "well played"),)
