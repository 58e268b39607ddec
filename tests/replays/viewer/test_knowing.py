"""What is embedded of knowledge says, for every step and knower, exactly what `knowledge_at` says."""

import pytest

from domain.cards import cards_in, names_of
from domain.visibility import SPECTATOR
from replays.knowledge import knowledge_at, told
from replays.timeline import Timeline
from replays.viewer.knowing import KNOWERS, knowledge_shown
from tests.replays.matches import abandoned_match, public, recorded_match


@pytest.mark.parametrize("ruleset", ["blood-1", "zero_sum-2-partners", "blood-2"])
def test_embedded_knowledge_is_the_knowledge_at_every_step(ruleset: str) -> None:
    timeline = Timeline(public(recorded_match(ruleset, seed=2, hands=1)))
    embedded = knowledge_shown(timeline, timeline.hands)
    assert list(knowledge_shown(timeline, timeline.hands, [1]).hands["1"]) == ["1"]
    for knower in KNOWERS:
        held = embedded.hands["1"][str(knower)]
        for step in range(timeline.hands[0].first, timeline.hands[0].last):
            known = knowledge_at(timeline, step, knower)
            now = [one for one in held if one.first <= step <= one.last]
            assert sorted(
                (one.seat, card, reason.en, reason.zh, reason.step, reason.rule)
                for one in now
                if one.reason is not None
                for reason in [embedded.reasons[one.reason]]
                for card in one.cards
            ) == sorted(
                (one.seat, card, one.why, one.why_zh, one.step, one.rule)
                for one in told(known).exclusions
                for card in one.cards
            )
            for seat in known.seen.others:
                of_seat = {
                    card for one in now if one.reason is None and one.seat == seat for card in one.cards
                }
                assert of_seat == set(names_of(cards_in(known.no_pairs[seat]), 1)), step


def test_hand_whose_cards_never_became_public_has_no_knowledge_but_is_no_error() -> None:
    timeline = Timeline(abandoned_match("blood-1", seed=5, plays=7, with_key=False))
    assert knowledge_shown(timeline, timeline.hands).hands == {}
    assert SPECTATOR in KNOWERS
