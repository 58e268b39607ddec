"""The text form of a recorded hand, read strictly: one JSON object a line (replays/README.md).

What a line must have is said here, with the exact field that is wrong. Whether the hand can have been played is asked
of the rules in `recorded_hands`.
"""

import hashlib
import re
from collections.abc import Iterator
from typing import Annotated, Any, Final, Literal, TypeVar

import msgspec

from domain.cards import parse_card
from domain.errors import CommandRefused
from domain.rulesets import Level, Ruleset, ruleset_named
from domain.seats import BySeat, Seat

MOST_BYTES: Final = 65_536
"""A longer line is no recorded hand; the longest real one has about 2,500."""

LONGEST_CARD: Final = 3

SeatNumber = Annotated[int, msgspec.Meta(ge=0, le=3)]
Score = Annotated[int, msgspec.Meta(ge=-(10**6), le=10**6)]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]*$")]


class Fault(Exception):
    """What is wrong with a record: the path of its field, what it says, and the rule it breaks if one."""

    def __init__(self, field: str, what: str, rule: str = "") -> None:
        self.field = field
        self.what = _printable(what)
        self.rule = rule
        super().__init__(self.what)


def _printable(text: str) -> str:
    """A text from a stranger's file, fit for a terminal and not without end."""
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text[:300])


def fault_of(field: str, refusal: CommandRefused) -> Fault:
    """The fault that a field asks for what the rules refuse."""
    who = "" if refusal.seat is None else f"seat {refusal.seat}: "
    return Fault(field, who + refusal.text.format(card=refusal.card, **refusal.details), refusal.rule)


class TrickRecord(msgspec.Struct, frozen=True):
    """A trick: its leader, and the cards in the order played from there on (two a seat where a pair was led)."""

    leader: Seat
    cards: tuple[str, ...]

    @property
    def owed(self) -> int:
        """How many cards each seat played."""
        return len(self.cards) // 4


class HandRecord(msgspec.Struct, frozen=True, kw_only=True):
    """The facts of a recorded hand. `id` is what its source calls it, and no fact of the hand."""

    id: str
    ruleset: Ruleset
    declared: dict[str, Level]
    tricks: tuple[TrickRecord, ...]
    raw_scores: BySeat[int]

    @property
    def decks(self) -> int:
        """How many decks it was played with."""
        return self.ruleset.decks

    def canonical(self) -> bytes:
        """The facts as JSON with sorted keys and no space: the same hand gives the same bytes."""
        facts = {
            "declared": self.declared,
            "decks": self.decks,
            "raw_scores": self.raw_scores,
            "ruleset": self.ruleset.name,
            "tricks": self.tricks,
        }
        return msgspec.json.encode(facts, order="sorted")

    def digest(self) -> bytes:
        """SHA-256 of the canonical form."""
        return hashlib.sha256(self.canonical()).digest()


class _Line(msgspec.Struct, forbid_unknown_fields=True):
    id: Name
    decks: Literal[1, 2]
    tricks: list[msgspec.Raw]
    raw_scores: tuple[Score, Score, Score, Score]
    declared: dict[str, msgspec.Raw] = {}
    ruleset: str | None = None


class _TrickLine(msgspec.Struct, forbid_unknown_fields=True):
    leader: SeatNumber
    cards: list[msgspec.Raw]


def read_hand_record(text: bytes) -> HandRecord:
    """The record a line holds. Raises `Fault`."""
    if len(text) > MOST_BYTES:
        raise Fault("", f"the line has more than {MOST_BYTES} bytes; a recorded hand is far shorter")
    line = _decoded(text, _Line, "")
    tricks = tuple(_trick(raw, f"tricks[{index}]", line.decks) for index, raw in enumerate(line.tricks))
    record = HandRecord(
        id=line.id,
        ruleset=_ruleset(line),
        declared={card: _level(card, raw, line.decks) for card, raw in line.declared.items()},
        tricks=tricks,
        raw_scores=line.raw_scores,
    )
    _check_cards(record)
    return record


T = TypeVar("T")

_WHERE: Final = re.compile(r" - at `(?:key in )?\$\.?(.*)`$", re.DOTALL)


def _decoded(text: bytes | msgspec.Raw, shape: Any, path: str) -> Any:
    """The value a text holds in this shape. Raises `Fault` with the path of the field that does not fit."""
    try:
        return msgspec.json.decode(text, type=shape)
    except msgspec.ValidationError as error:
        said = str(error)
        inner = _WHERE.search(said)
        field = ".".join(part for part in (path, inner.group(1) if inner else "") if part)
        raise Fault(field, _WHERE.sub("", said)) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Fault(path, f"not one JSON object in UTF-8: {error}") from error


def _trick(raw: msgspec.Raw, path: str, decks: int) -> TrickRecord:
    line = _decoded(raw, _TrickLine, path)
    cards = tuple(_decoded(card, str, f"{path}.cards[{index}]") for index, card in enumerate(line.cards))
    if len(cards) != 4 and not (decks == 2 and len(cards) == 8):
        raise Fault(
            f"{path}.cards", f"{len(cards)} cards; a trick has 4, or 8 where a pair is led in two decks"
        )
    return TrickRecord(line.leader, cards)


def _level(card: str, raw: msgspec.Raw, decks: int) -> Level:
    _check_card(card, "declared", decks)
    level: Level = _decoded(raw, Level, f"declared.{card}")
    return level


def _ruleset(line: _Line) -> Ruleset:
    try:
        ruleset = ruleset_named(f"zero_sum-{line.decks}" if line.ruleset is None else line.ruleset)
    except CommandRefused as refusal:
        raise fault_of("ruleset", refusal) from refusal
    if ruleset.decks != line.decks:
        raise Fault(
            "decks", f"{ruleset.name} is played with {ruleset.decks} deck(s), the record says {line.decks}"
        )
    return ruleset


def _check_cards(record: HandRecord) -> None:
    """Every card of the decks is played once. Raises `Fault`."""
    played: set[str] = set()
    for path, card in _cards_with_paths(record):
        _check_card(card, path, record.decks)
        if card in played:
            raise Fault(path, f"{card} is played a second time")
        played.add(card)
    if len(played) != 52 * record.decks:
        raise Fault(
            "tricks",
            f"{len(played)} cards are played; a hand of {record.decks} deck(s) has {52 * record.decks}",
        )


def _cards_with_paths(record: HandRecord) -> Iterator[tuple[str, str]]:
    for number, trick in enumerate(record.tricks):
        for place, card in enumerate(trick.cards):
            yield f"tricks[{number}].cards[{place}]", card


def _check_card(card: str, path: str, decks: int) -> None:
    try:
        # Of a longer text the beginning is enough to say that it is no card.
        parse_card(card[: LONGEST_CARD + 1], decks)
    except CommandRefused as refusal:
        raise Fault(
            path, refusal.text.format(card=refusal.card, **refusal.details), refusal.rule
        ) from refusal
