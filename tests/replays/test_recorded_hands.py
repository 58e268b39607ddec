"""Recorded hands become imported matches, always the same, or an error that names the exact field."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from domain.events import CardDeclared, CardsPlayed, Event, HandDealt, HandEnded, MatchAbandoned, MatchOpened
from domain.match import fold
from domain.rulesets import RULESETS
from domain.seats import SEATS
from replays.audit import audit
from replays.hand_records import MOST_BYTES
from replays.recorded_hands import RecordedMatch, RecordError, read_records
from replays.timeline import Timeline
from tests.replays.matches import public, recorded_match

AT = datetime(2026, 5, 6, 7, 8, 9, tzinfo=UTC)
ARENA = Path(__file__).parents[2] / "adapters" / "data" / "arena_hands.jsonl"
GOLDEN = Path(__file__).parent / "arena_matches.txt"
LINES = ARENA.read_bytes().splitlines()


def read(*lines: bytes) -> list[RecordedMatch | RecordError]:
    return list(read_records(lines, "arena.jsonl", AT))


def matches_in(*lines: bytes) -> list[RecordedMatch]:
    found = read(*lines)
    assert not [str(error) for error in found if isinstance(error, RecordError)]
    return [match for match in found if isinstance(match, RecordedMatch)]


def ended(events: Sequence[Event]) -> HandEnded:
    return next(event for event in events if isinstance(event, HandEnded))


def test_arena_hands_import_with_the_scores_they_record() -> None:
    matches = matches_in(*LINES)
    assert len(matches) == 18
    for line, match in zip(LINES, matches, strict=True):
        record = msgspec.json.decode(line)
        assert list(ended(match.events).raw_scores) == record["raw_scores"]
        assert match.id == record["id"]
        assert audit(match.events).ok
        assert Timeline(public(match.events)).failure is None


def test_arena_matches_are_as_ever() -> None:
    """Ids, players, scores and points; a difference means that importing again would store the hands twice."""
    lines = [
        f"{match.id} {match.match} {[str(player)[:8] for player in end.players]} {end.raw_scores} {end.points}"
        for match in matches_in(*LINES)
        for end in [ended(match.events)]
    ]
    assert "\n".join(lines) + "\n" == GOLDEN.read_text(encoding="utf-8")


def test_imported_match_says_what_it_is() -> None:
    (match,) = matches_in(LINES[0])
    opened, dealt = match.events[0], next(e for e in match.events if isinstance(e, HandDealt))
    assert isinstance(opened, MatchOpened)
    assert (opened.origin, opened.anchor, opened.hands_agreed) == ("imported", None, 1)
    assert opened.ruleset.first_lead == "as_given"
    assert dealt.deal is not None
    assert dealt.deal.order == "unknown"
    assert dealt.leader == 0
    assert match.match.version == 8
    assert {player.version for player in ended(match.events).players} == {8}
    assert len(set(ended(match.events).players)) == 4
    assert all(event.at == AT for event in match.events)


def test_importing_twice_gives_the_same_but_for_the_time() -> None:
    (first,) = matches_in(LINES[0])
    later = AT + timedelta(days=1)
    (second,) = read_records([LINES[0]], "again.jsonl", later)
    assert isinstance(second, RecordedMatch)
    assert [replace(event, at=AT) for event in second.events] == list(first.events)


def test_same_hand_under_another_name_and_in_another_spelling_is_the_same_match() -> None:
    record = msgspec.json.decode(LINES[0])
    record["id"] = "elsewhere"
    record["ruleset"] = "zero_sum-1"
    del record["declared"]
    spelled = msgspec.json.format(msgspec.json.encode(dict(reversed(record.items()))), indent=1).replace(
        b"\n", b" "
    )
    (first,), (second,) = matches_in(LINES[0]), matches_in(spelled)
    assert first.events == second.events


def test_another_fact_gives_another_match() -> None:
    changed = msgspec.json.decode(LINES[0])
    changed["ruleset"] = "zero_sum-1-partners"
    (first,), (second,) = matches_in(LINES[0]), matches_in(msgspec.json.encode(changed))
    assert first.match != second.match


def test_blank_lines_line_ends_and_a_byte_order_mark_are_let_pass() -> None:
    lines = [b"\xef\xbb\xbf" + LINES[0] + b"\r\n", b"\r\n", b"  \n", LINES[1] + b"\n", b""]
    found = matches_in(*lines)
    assert [(match.line, match.id) for match in found] == [(1, "arena-01-1"), (4, "arena-01-2")]


def record_of(events: Sequence[Event]) -> dict[str, Any]:
    """The record of a match's first hand, in the text form."""
    opened = events[0]
    assert isinstance(opened, MatchOpened)
    end = ended(events)
    plays = [event for event in events[: events.index(end)] if isinstance(event, CardsPlayed)]
    tricks = [plays[first : first + 4] for first in range(0, len(plays), 4)]
    return {
        "id": "one",
        "decks": opened.ruleset.decks,
        "ruleset": opened.ruleset.name,
        "declared": {declaration.card: declaration.level for declaration in end.declarations},
        "tricks": [
            {"leader": trick[0].seat, "cards": [card for play in trick for card in play.cards]}
            for trick in tricks
        ],
        "raw_scores": end.raw_scores,
    }


@pytest.mark.parametrize("ruleset", RULESETS)
def test_hands_of_every_ruleset_come_back_with_their_scores(ruleset: str) -> None:
    for seed in range(8):
        events = recorded_match(ruleset, seed, hands=1)
        (match,) = matches_in(msgspec.json.encode(record_of(events)))
        assert ended(match.events).accounts == ended(events).accounts
        report = audit(public(match.events))
        assert report.ok, report.first_difference and report.first_difference.describe()
        state = fold(match.events)
        assert state is not None
        assert state.ended


def test_blood_hand_that_settles_nothing_is_closed_without_points() -> None:
    (match,) = matches_in(msgspec.json.encode(record_of(recorded_match("blood-2", 1, hands=1))))
    last = match.events[-1]
    assert isinstance(last, MatchAbandoned)
    assert last.cause == "the record has one hand"


def test_hidden_declarations_are_imported_hidden() -> None:
    record = next(
        record
        for seed in range(30)
        if "hidden" in (record := record_of(recorded_match("blood-1", seed, hands=1)))["declared"].values()
    )
    (match,) = matches_in(msgspec.json.encode(record))
    assert any(isinstance(event, CardDeclared) and event.commitment for event in match.events)


def _changed(path: str, value: object) -> bytes:
    """The first arena line with the field at this path replaced, or removed where `value` is None."""
    record = msgspec.json.decode(LINES[0])
    *steps, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    place = record
    for step in steps:
        place = place[step]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return msgspec.json.encode(record)


FAULTS: dict[str, tuple[bytes, str, str]] = {
    "no JSON": (b"{", "", "not one JSON object in UTF-8: Input data was truncated"),
    "no object": (b"[]", "", "Expected `object`, got `array`"),
    "two objects": (LINES[0] + LINES[0], "", "not one JSON object"),
    "UTF-16": ('{"id":"a"}'.encode("utf-16"), "", "not one JSON object in UTF-8"),
    "Latin-1": ('{"id":"é"}'.encode("latin-1"), "", "Invalid UTF-8"),
    "too long": (b" " * 10 + b"x" * (MOST_BYTES + 1), "", f"more than {MOST_BYTES} bytes"),
    "nested without end": (b'{"tricks":' + b"[" * 60_000, "", "not one JSON object"),
    "unknown field": (_changed("who", "me"), "", "unknown field `who`"),
    "unknown field of a trick": (_changed("tricks.2.took", 1), "tricks[2]", "unknown field `took`"),
    "no id": (_changed("id", None), "", "missing required field `id`"),
    "id with a control character": (_changed("id", "a\x1b[2J"), "id", "matching regex"),
    "decks": (_changed("decks", 3), "decks", "Invalid enum value 3"),
    "decks that are text": (_changed("decks", "1"), "decks", "Expected `int`, got `str`"),
    "unknown ruleset": (_changed("ruleset", "whist"), "ruleset", "no ruleset 'whist'"),
    "ruleset of other decks": (_changed("ruleset", "blood-2"), "decks", "blood-2 is played with 2 deck(s)"),
    "leader that is no seat": (_changed("tricks.3.leader", 4), "tricks[3].leader", "Expected `int` <= 3"),
    "leader who did not take the trick": (
        _changed("tricks.3.leader", 1),
        "tricks[3].leader",
        "seat 1 leads; seat 2 took the trick before (rules §4)",
    ),
    "no card": (_changed("tricks.4.cards.2", "1S"), "tricks[4].cards[2]", "'1S' is not a card of 1 deck(s)"),
    "card of two decks": (
        _changed("tricks.4.cards.2", "C9a"),
        "tricks[4].cards[2]",
        "not a card of 1 deck(s)",
    ),
    "card that is a number": (
        _changed("tricks.4.cards.2", 9),
        "tricks[4].cards[2]",
        "Expected `str`, got `int`",
    ),
    "card without end": (
        _changed("tricks.4.cards.2", "S" * 50_000),
        "tricks[4].cards[2]",
        "'SSSS' is not a card",
    ),
    "card played twice": (
        _changed("tricks.4.cards.2", "SA"),
        "tricks[4].cards[2]",
        "SA is played a second time",
    ),
    "five cards in a trick": (
        _changed("tricks.4.cards", ["C8"] * 5),
        "tricks[4].cards",
        "5 cards; a trick has 4",
    ),
    "pair in one deck": (_changed("tricks.4.cards", ["C8"] * 8), "tricks[4].cards", "8 cards; a trick has 4"),
    "trick missing": (
        _changed("tricks.12", None),
        "tricks",
        "48 cards are played; a hand of 1 deck(s) has 52",
    ),
    "no tricks": (_changed("tricks", []), "tricks", "0 cards are played"),
    "raw score": (
        _changed("raw_scores.1", -110),
        "raw_scores[1]",
        "recorded -110, by the rules -120 (rules §5)",
    ),
    "three scores": (_changed("raw_scores", [1, 2, 3]), "raw_scores", "length 4"),
    "score that is text": (_changed("raw_scores.2", "x"), "raw_scores[2]", "Expected `int`, got `str`"),
    "score without end": (_changed("raw_scores.2", 10**9), "raw_scores[2]", "Expected `int` <= 1000000"),
    "declared card that is none": (_changed("declared.X", "open"), "declared", "'X' is not a card"),
    "declared card that cannot be": (
        _changed("declared.S2", "open"),
        "declared.S2",
        "only SQ, DJ, CT and HA can",
    ),
    "level": (_changed("declared.SQ", "loud"), "declared.SQ", "Invalid enum value 'loud'"),
    "hidden where there is none": (
        _changed("declared.SQ", "hidden"),
        "declared.SQ",
        "no hidden declarations",
    ),
}


@pytest.mark.parametrize(("line", "field", "what"), FAULTS.values(), ids=FAULTS.keys())
def test_fault_is_named_and_the_other_lines_are_imported(line: bytes, field: str, what: str) -> None:
    first, faulty, last = read(LINES[1], line, LINES[2])
    assert isinstance(first, RecordedMatch)
    assert isinstance(last, RecordedMatch)
    assert isinstance(faulty, RecordError)
    assert (faulty.source, faulty.line, faulty.field) == ("arena.jsonl", 2, field)
    where = "arena.jsonl line 2" + (f", {field}" if field else "")
    assert str(faulty).startswith(f"{where}: ")
    assert what in str(faulty)
    assert str(faulty).isprintable()
    assert len(str(faulty)) < 400


def test_suit_not_followed_is_named_by_card_and_rule() -> None:
    text = LINES[0].replace(b'"SA"', b'"x"').replace(b'"D6"', b'"SA"').replace(b'"x"', b'"D6"')
    (error,) = read(text)
    assert isinstance(error, RecordError)
    assert error.field == "tricks[0].cards[1]"
    assert error.rule == "rules §4"
    assert "seat 1: D6 does not follow suit; this hand still holds spades (rules §4)" in str(error)


def test_play_of_two_cards_names_the_card_that_is_wrong() -> None:
    for record in _pairs_followed_by_two_of_suit():
        trick = next(i for i, t in enumerate(record["tricks"]) if len(t["cards"]) == 8)
        assert matches_in(msgspec.json.encode(record))
        cards = record["tricks"][trick]["cards"]
        later = record["tricks"][-1]
        place = next(
            i for i in SEATS if (later["leader"] + i) % 4 == (record["tricks"][trick]["leader"] + 1) % 4
        )
        if later["cards"][place][0] == cards[0][0] or cards[3][0] != cards[0][0] or len(later["cards"]) != 4:
            continue
        cards[3], later["cards"][place] = later["cards"][place], cards[3]
        (error,) = read(msgspec.json.encode(record))
        assert isinstance(error, RecordError)
        assert error.field in (f"tricks[{trick}].cards[2]", f"tricks[{trick}].cards[3]")
        return
    raise AssertionError("no hand with a pair followed by two of its suit")


def _pairs_followed_by_two_of_suit() -> Iterator[dict[str, Any]]:
    for seed in range(40):
        record = record_of(recorded_match("zero_sum-2", seed, hands=1))
        if any(len(trick["cards"]) == 8 for trick in record["tricks"]):
            yield record
