"""Our rules against worked cases that others made: one JSON line a case, six kinds of them.

Each check gives what differs as data; an empty list says that the case holds. A line that cannot be read, and a kind
that is not known here, are differences like any other and name what is wrong.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec

from domain.cards import SUITS, Card, Cards, cards_in, names_of, parse_cards, set_of, suit_of
from domain.dealing import deal_of
from domain.declarations import held_back, led_suits
from domain.errors import CommandRefused
from domain.plays import legal_follows, legal_leads
from domain.rulesets import Ruleset, as_recorded, ruleset_named
from domain.seats import Seat
from domain.settlement import hand_points, settle
from domain.tariff import Levels, raw_score
from domain.tricks import winning_play
from replays.recorded_play import (
    PlayedHand,
    RecordedHand,
    RecordRefused,
    imported_table,
    play_recorded,
)
from replays.worked_cases import (
    Declared,
    HandLine,
    MatchHand,
    MatchLine,
    PairTrickLine,
    PositionLine,
    ScoreLine,
    SeatPlay,
    SettlementLine,
)

Compared: TypeAlias = Iterator[tuple[str, object, object]]
"""What is compared, what the case wants, what we got."""


class Mismatch(msgspec.Struct, frozen=True):
    """One thing that a case wants otherwise. `want` and `got` are plain JSON values."""

    what: str
    want: Any
    got: Any


class Kind(NamedTuple):
    """How one kind of line is read and checked, and the field that no other kind has."""

    shape: type[msgspec.Struct]
    check: Callable[[Any], Compared]
    mark: str


class _Unreadable(Exception):
    """A field that does not say what it has to."""


def check_line(file: str, line: bytes) -> list[Mismatch]:
    """What a line of the file with this name (`scores`, `hands`, …) has otherwise than our rules.

    In a file of another name a line's own fields tell its kind.
    """
    try:
        kind = KINDS.get(file) or _kind_by_fields(line)
        case = msgspec.json.decode(line, type=kind.shape)
        compared = list(kind.check(case))
    except (msgspec.DecodeError, _Unreadable) as error:
        return [Mismatch("line", "a line of a known kind with its fields", str(error))]
    except RecordRefused as error:
        return [Mismatch(error.step, "admitted", error.problem)]
    except CommandRefused as error:
        return [Mismatch("line", "cards and rulesets that exist", str(error))]
    return [Mismatch(what, _plain(want), _plain(got)) for what, want, got in compared if want != got]


def _plain(value: object) -> Any:
    """The value as JSON has it: tuples are lists."""
    return msgspec.json.decode(msgspec.json.encode(value))


def _kind_by_fields(line: bytes) -> Kind:
    fields = msgspec.json.decode(line)
    for kind in KINDS.values():
        if isinstance(fields, dict) and kind.mark in fields:
            return kind
    raise _Unreadable(
        f"neither the file's name nor the fields of the line tell its kind; known: {', '.join(KINDS)}"
    )


def _cards(field: str, names: Sequence[str], ruleset: Ruleset) -> tuple[Card, ...]:
    """The cards of a field, each of them once."""
    try:
        cards = parse_cards(names, ruleset.decks)
    except CommandRefused as error:
        raise _Unreadable(f"field `{field}`: {error}") from error
    if len(set(cards)) != len(cards):
        raise _Unreadable(f"field `{field}`: a card stands there twice")
    return cards


def _levels(declared: Declared, ruleset: Ruleset) -> Levels:
    return dict(zip(_cards("declared", tuple(declared), ruleset), declared.values(), strict=True))


def _check_score(line: ScoreLine) -> Compared:
    ruleset = ruleset_named(line.ruleset)
    taken = set_of(_cards("taken", line.taken, ruleset))
    yield "raw_score", line.raw_score, raw_score(ruleset, taken, _levels(line.declared, ruleset))


def _check_pair_trick(line: PairTrickLine) -> Compared:
    ruleset = ruleset_named(line.ruleset)
    plays = _plays("plays", line.plays, ruleset)
    winner = winning_play([set_of(play) for play in plays], suit_of(plays[0][0]), ruleset.pair_tricks)
    yield "winner", line.winner, line.plays[winner][0]


def _plays(field: str, plays: Sequence[SeatPlay], ruleset: Ruleset) -> list[tuple[Card, ...]]:
    found = [_cards(f"{field}[{place}]", names, ruleset) for place, (_, names) in enumerate(plays)]
    if any(len(play) != len(found[0]) or len(play) not in (1, 2) for play in found):
        raise _Unreadable(f"field `{field}`: each play has one card, or each has two")
    return found


def _check_position(line: PositionLine) -> Compared:
    ruleset = ruleset_named(line.ruleset)
    legal = _legal(line, ruleset)
    got = sorted(sorted(names_of(cards_in(play), ruleset.decks)) for play in legal)
    yield "legal", sorted(sorted(play) for play in line.legal), got


def _legal(line: PositionLine, ruleset: Ruleset) -> list[Cards]:
    hand = set_of(_cards("hand", line.hand, ruleset))
    led = [_suit("suits_already_led", name) for name in line.suits_already_led]
    held = held_back(set_of(_levels(line.declared, ruleset)), led_suits(led))
    trick = _plays("trick_so_far", line.trick_so_far, ruleset)
    if trick:
        return legal_follows(hand, suit_of(trick[0][0]), len(trick[0]), held)
    return legal_leads(
        hand,
        held,
        decks=ruleset.decks,
        ban=ruleset.ban_when_leading,
        must_lead_two_of_clubs=line.first_lead_of_match and ruleset.first_lead == "two_of_clubs_leads_it",
    )


def _suit(field: str, name: str) -> int:
    if name not in tuple(SUITS):
        raise _Unreadable(f"field `{field}`: {name!r} is not a suit")
    return SUITS.index(name)


def _check_hand(line: HandLine) -> Compared:
    ruleset = ruleset_named(line.ruleset)
    table = imported_table(
        ruleset if line.first_hand else as_recorded(ruleset), None if ruleset.by_blood else 1
    )
    given = None if line.first_hand else line.leader
    played = play_recorded(table, _recorded(line, ruleset, leader=given))
    yield "leader", line.leader, played.leader
    yield "legal_counts", line.legal_counts, played.legal_counts
    yield "tricks", line.tricks, played.tricks
    yield "taken", line.taken, played.taken
    yield "raw_scores", line.raw_scores, played.ended.raw_scores
    yield "next_leader", line.next_leader, played.ended.next_leader
    yield "points", line.points, played.ended.points
    yield from _check_partners_points(line, ruleset, played)


def _check_partners_points(line: HandLine, ruleset: Ruleset, played: PlayedHand) -> Compared:
    """A hand's cards and play do not know partners, so its points with partners are the same hand's."""
    if line.points_partners is not None and not ruleset.partners:
        partners = ruleset_named(f"{ruleset.name}-partners")
        yield "points_partners", line.points_partners, hand_points(partners, played.ended.raw_scores)


def _recorded(hand: HandLine | MatchHand, ruleset: Ruleset, *, leader: Seat | None = None) -> RecordedHand:
    order = _cards("deal_order", hand.deal_order, ruleset)
    return RecordedHand(
        deal=deal_of(order, ruleset.decks), declared=hand.declared, plays=hand.plays, leader=leader
    )


def _check_match(line: MatchLine) -> Compared:
    ruleset = ruleset_named(line.ruleset)
    match = imported_table(ruleset, line.hands_agreed)
    for place, hand in enumerate(line.hands):
        try:
            played = play_recorded(match, _recorded(hand, ruleset))
        except RecordRefused as error:
            raise RecordRefused(f"hands[{place}].{error.step}", error.problem) from error
        match = played.match
        yield from _check_match_hand(f"hands[{place}]", hand, ruleset, played)
        yield f"hands[{place}]: the match is over", place == len(line.hands) - 1, match.phase == "settled"
    yield "points", line.points, match.points


def _check_match_hand(where: str, hand: MatchHand, ruleset: Ruleset, played: PlayedHand) -> Compared:
    yield f"{where}.leader", hand.leader, played.leader
    yield f"{where}.raw_scores", hand.raw_scores, played.ended.raw_scores
    if ruleset.by_blood:
        yield f"{where}.blood_after", hand.blood_after, played.ended.blood
    else:
        yield f"{where}.points", hand.points, played.ended.points


def _check_settlement(line: SettlementLine) -> Compared:
    yield "points", line.points, settle(ruleset_named(line.ruleset), line.blood)


KINDS: Final[dict[str, Kind]] = {
    "scores": Kind(ScoreLine, _check_score, "raw_score"),
    "pair_tricks": Kind(PairTrickLine, _check_pair_trick, "winner"),
    "positions": Kind(PositionLine, _check_position, "legal"),
    "hands": Kind(HandLine, _check_hand, "deal_order"),
    "matches": Kind(MatchLine, _check_match, "hands"),
    "settlements": Kind(SettlementLine, _check_settlement, "blood"),
}
"""Every kind of line, by the name of its usual file."""
