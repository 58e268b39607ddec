"""Recorded hands of others, made into imported matches of ours (design §7).

A line of the recorded-hands format becomes the events of one match of origin `imported`, all of them through live
decisions: the hands are dealt as the cards played tell them, declared and played as recorded. The same facts always
give the same match id and, but for their time, the same events. A record that the rules do not admit, or whose scores
are not ours, gives an error and no event.
"""

import hashlib
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Final
from uuid import UUID

import msgspec

from domain import commands
from domain.cards import cards_in, deck, name_of, names_of, parse_cards, set_of
from domain.dealing import Deal
from domain.decisions import decide_and_evolve
from domain.errors import CommandRefused, GongzhuError
from domain.events import Event, HandEnded
from domain.match import Match
from domain.rulesets import as_recorded
from domain.seats import SEATS, BySeat, Seat
from domain.secret import Secret
from replays.hand_records import Fault, HandRecord, TrickRecord, fault_of, read_hand_record

BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
ONE_HAND_ONLY: Final = "the record has one hand"
"""Why an imported match that this hand does not settle is abandoned after it."""


class RecordError(GongzhuError):
    """A record that cannot be imported: where it stands, which field is wrong and how, and the rule if one."""

    def __init__(self, source: str, line: int, fault: Fault) -> None:
        self.source = source
        self.line = line
        self.field = fault.field
        self.what = fault.what
        self.rule = fault.rule
        where = f"{source} line {line}" + (f", {fault.field}" if fault.field else "")
        super().__init__(f"{where}: {fault.what}" + (f" ({fault.rule})" if fault.rule else ""))


class RecordedMatch(msgspec.Struct, frozen=True, kw_only=True):
    """An imported match: where its record stands and what it is called there, and its events from the first."""

    source: str
    line: int
    id: str
    match: UUID
    events: tuple[Event, ...]


def read_records(lines: Iterable[bytes], source: str, at: datetime) -> Iterator[RecordedMatch | RecordError]:
    """What each line that is not blank comes to, in order. Lines count from 1; `at` is the time of the import."""
    for number, line in enumerate(lines, start=1):
        text = line.removeprefix(BYTE_ORDER_MARK if number == 1 else b"").strip(b" \t\r\n")
        if text:
            yield _read_record(text, source, number, at)


def _read_record(text: bytes, source: str, line: int, at: datetime) -> RecordedMatch | RecordError:
    try:
        record = read_hand_record(text)
        events = imported_match(record, at)
    except Fault as fault:
        return RecordError(source, line, fault)
    return RecordedMatch(source=source, line=line, id=record.id, match=events[0].match, events=events)


def imported_match(record: HandRecord, at: datetime) -> tuple[Event, ...]:
    """The events of the match a record is imported as. Raises `Fault`."""
    import_ = _Import(at)
    digest = record.digest()
    import_.open_table(record, digest)
    import_.deal(record)
    import_.declare(record, digest)
    for index, trick in enumerate(record.tricks):
        import_.play_trick(trick, f"tricks[{index}]")
    import_.end(record)
    return tuple(import_.events)


def uuid_of(digest: bytes) -> UUID:
    """The UUID of version 8 (RFC 9562) that the first 16 bytes of a digest make."""
    number = int.from_bytes(digest[:16], "big")
    number = number & ~(0xF << 76) | 8 << 76
    return UUID(int=number & ~(0b11 << 62) | 0b10 << 62)


def player_of(digest: bytes, seat: Seat) -> UUID:
    """The id of the unnamed player of a seat, from the record's digest."""
    return uuid_of(hashlib.sha256(digest + bytes([seat])).digest())


class _Import:
    """An imported match as it grows, command by command, all at one time."""

    def __init__(self, at: datetime) -> None:
        self.at = at
        self.events: list[Event] = []
        self._match: Match | None = None

    @property
    def match(self) -> Match:
        assert self._match is not None
        return self._match

    def _ask(self, command: commands.Command, field: str) -> None:
        try:
            events, self._match = decide_and_evolve(self._match, command, self.at)
        except CommandRefused as refusal:
            raise fault_of(field, refusal) from refusal
        self.events += events

    def open_table(self, record: HandRecord, digest: bytes) -> None:
        opening = commands.OpenMatch(
            match=uuid_of(digest),
            ruleset=as_recorded(record.ruleset),
            hands_agreed=None if record.ruleset.by_blood else 1,
            origin="imported",
        )
        self._ask(opening, "ruleset")
        for seat in SEATS:
            self._ask(commands.TakeSeat(seat=seat, player=player_of(digest, seat)), "")

    def deal(self, record: HandRecord) -> None:
        deal = Deal(_dealt_hands(record), "unknown")
        self._ask(commands.DealRecordedHand(deal=deal, leader=record.tricks[0].leader), "tricks[0].leader")

    def declare(self, record: HandRecord, digest: bytes) -> None:
        """Everything declared, in the order of the pack, then the window's close."""
        holder = {card: seat for seat, hand in enumerate(_dealt_hands(record)) for card in hand}
        for card in (name_of(card, record.decks) for card in deck(record.decks)):
            level = record.declared.get(card)
            if level is not None:
                opening = Secret(hashlib.sha256(digest + card.encode()).digest())
                command = commands.DeclareCard(seat=holder[card], card=card, level=level, opening=opening)
                self._ask(command, f"declared.{card}")
        for seat in SEATS:
            self._ask(commands.SayDone(seat=seat), "declared")

    def play_trick(self, trick: TrickRecord, path: str) -> None:
        turn = self.match.hand.turn if self.match.hand is not None else None
        if turn != trick.leader:
            raise Fault(
                f"{path}.leader", f"seat {trick.leader} leads; seat {turn} took the trick before", "rules §4"
            )
        for place in range(4):
            seat, first = (trick.leader + place) % 4, place * trick.owed
            cards = trick.cards[first : first + trick.owed]
            self._play(commands.PlayCards(seat=seat, cards=cards), path, first)

    def _play(self, play: commands.PlayCards, path: str, first: int) -> None:
        """Asks for a play whose first card stands at place `first` of its trick."""
        try:
            self._ask(play, f"{path}.cards[{first}]")
        except Fault as fault:
            cause = fault.__cause__
            if isinstance(cause, CommandRefused) and cause.card in play.cards:
                fault.field = f"{path}.cards[{first + play.cards.index(cause.card)}]"
            raise

    def end(self, record: HandRecord) -> None:
        """The scores compared, and a match that one hand does not settle brought to its end."""
        ended = next(event for event in self.events if isinstance(event, HandEnded))
        for seat in SEATS:
            if record.raw_scores[seat] != ended.raw_scores[seat]:
                what = f"recorded {record.raw_scores[seat]}, by the rules {ended.raw_scores[seat]}"
                raise Fault(f"raw_scores[{seat}]", what, "rules §5")
        if not self.match.ended:
            self._ask(commands.AbandonMatch(cause=ONE_HAND_ONLY, by="import"), "")


def _dealt_hands(record: HandRecord) -> BySeat[tuple[str, ...]]:
    """Each seat's hand, in the order of the pack: the cards it played."""
    played: list[list[str]] = [[], [], [], []]
    for trick in record.tricks:
        for place, card in enumerate(trick.cards):
            played[(trick.leader + place // trick.owed) % 4].append(card)
    first, second, third, fourth = (
        names_of(cards_in(set_of(parse_cards(hand, record.decks))), record.decks) for hand in played
    )
    return (first, second, third, fourth)
