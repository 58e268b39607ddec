"""Real recorded hands, replayed through our rules: 18 hands of an arena, scored as they were recorded."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from domain.cards import names_of, parse_cards
from domain.dealing import Deal
from domain.rulesets import as_recorded, ruleset_named
from domain.seats import SEATS
from replays.recorded_play import RecordedHand, RecordRefused, imported_table, play_recorded

RECORDS = Path(__file__).parents[1] / "recorded" / "records" / "arena_hands.jsonl"
ARENA = [msgspec.json.decode(line) for line in RECORDS.read_bytes().splitlines()]
RULESET = as_recorded(ruleset_named("zero_sum-1"))


def _recorded(record: dict[str, Any]) -> RecordedHand:
    """A record of the arena as a hand: who plays what, in order; what a seat played is what it was dealt."""
    plays = [
        ((trick["leader"] + place) % 4, (card,))
        for trick in record["tricks"]
        for place, card in enumerate(trick["cards"])
    ]
    hands = [tuple(card for seat, (card,) in plays if seat == holder) for holder in SEATS]
    return RecordedHand(
        deal=Deal((hands[0], hands[1], hands[2], hands[3]), order="unknown"),
        plays=tuple(plays),
        declared=record["declared"],
        leader=record["tricks"][0]["leader"],
    )


@pytest.mark.parametrize("record", ARENA, ids=[record["id"] for record in ARENA])
def test_arena_hand_is_played_and_scored_as_recorded(record: dict[str, Any]) -> None:
    played = play_recorded(imported_table(RULESET, 1), _recorded(record))
    assert played.ended.raw_scores == tuple(record["raw_scores"])
    leaders = [trick["leader"] for trick in record["tricks"]]
    assert (played.leader, *played.tricks[:-1]) == tuple(leaders)
    assert played.ended.deal.order == "unknown"
    assert played.match.phase == "settled"


def test_there_are_eighteen() -> None:
    assert len(ARENA) == 18


def test_first_step_that_the_rules_refuse_is_named_with_its_reason() -> None:
    good = _recorded(ARENA[0])
    seat, _ = good.plays[1]
    held = parse_cards(good.deal.hands[seat], 1)
    wrong = next(name for name in names_of(held, 1) if name.startswith("D"))
    plays = (good.plays[0], (seat, (wrong,)), *good.plays[2:])
    with pytest.raises(RecordRefused, match="MustFollowSuit") as refused:
        play_recorded(imported_table(RULESET, 1), msgspec.structs.replace(good, plays=plays))
    assert refused.value.step == "plays[1]"


def test_play_after_the_end_is_refused() -> None:
    good = _recorded(ARENA[0])
    with pytest.raises(RecordRefused, match="WrongPhase") as refused:
        play_recorded(
            imported_table(RULESET, 1), msgspec.structs.replace(good, plays=(*good.plays, good.plays[0]))
        )
    assert refused.value.step == "plays[52]"
