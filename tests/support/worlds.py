"""Pairs of worlds that differ only in what a viewer may not know, and all that he could read of each (design P2).

Both worlds have the same ids, times, nonces, root and anchor; the deal, or the card of a hidden declaration, differs,
and the same commands are admitted in both. Until the rules disclose the difference, everything in clear must be
byte-identical, and what is sealed must be equally long.
"""

import random
import re
from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Final, Literal, NamedTuple
from uuid import UUID

import psycopg

from adapters.nats.headers import ROW_DIGEST, SEALED_DIGEST
from adapters.nats.stream import StoredMessage
from adapters.serialization import public_part, sealed_part
from domain.cards import (
    DECLARABLE,
    FIRST_COPIES,
    TWOS_OF_CLUBS,
    Card,
    Cards,
    cards_in,
    deck,
    name_of,
    names_of,
    suit_of,
)
from domain.commands import Command, DeclareCard, OpenMatch, PlayCards, SayDone, TakeSeat
from domain.dealing import first_dealt
from domain.decisions import decide_and_evolve
from domain.decisions.playing import legal_plays
from domain.decisions.story import Dealer
from domain.errors import CommandRefused
from domain.events import DealSecret, Event, public_form
from domain.match import Match
from domain.rulesets import Level, Ruleset
from domain.secret import Secret
from tests.support.services import START, match_id

ROOT: Final = b"\x11" * 64
SEED: Final = b"\x22" * 64

Difference = Literal["cards", "leader", "declaration"]


class World(NamedTuple):
    """One of two worlds: its deal, and the commands given in it."""

    order: tuple[Card, ...]
    commands: tuple[Command, ...]

    def dealer(self) -> Dealer:
        """Deals this world's cards."""
        return lambda _match: DealSecret(bytes(self.order), SEED, first_dealt(self.order, TWOS_OF_CLUBS))


class Pair(NamedTuple):
    """Two worlds that a spectator, and the seats not named in `concerned`, cannot tell apart."""

    first: World
    second: World
    concerned: frozenset[int]


MATCH: Final = match_id(7)


def pairs(ruleset: Ruleset, difference: Difference, count: int, seed: int = 1) -> Iterator[Pair]:
    """`count` pairs of worlds that differ in one way."""
    chance, found = random.Random(f"{seed}/{ruleset.name}/{difference}"), 0
    while found < count:
        pair = _MAKERS[difference](ruleset, chance)
        if pair is not None:
            found += 1
            yield pair


def _opening_commands(ruleset: Ruleset) -> list[Command]:
    hands = None if ruleset.by_blood else 1
    opened = OpenMatch(match=MATCH, ruleset=ruleset, hands_agreed=hands, origin="bots", root=Secret(ROOT))
    return [opened, *(TakeSeat(seat=seat, player=UUID(int=900 + seat)) for seat in range(4))]


def _shuffled(ruleset: Ruleset, chance: random.Random) -> tuple[Card, ...]:
    order = list(deck(ruleset.decks))
    chance.shuffle(order)
    return tuple(order)


def _events(world: World) -> list[Event]:
    """The events of a world. Raises `CommandRefused` where it does not admit its commands."""
    match: Match | None = None
    events: list[Event] = []
    for number, command in enumerate(world.commands):
        decision = decide_and_evolve(match, command, START + timedelta(seconds=number), world.dealer())
        match, events = decision.match, [*events, *decision.events]
    return events


def _played(ruleset: Ruleset, order: tuple[Card, ...], chance: random.Random) -> tuple[World, Match]:
    """A world played to somewhere in the middle of its hand, and how it stands there."""
    commands, match = _opening_commands(ruleset), None
    dealer = World(order, ()).dealer()
    plays_left = chance.randrange(1, 4 * ruleset.hand_size // (2 if ruleset.decks == 2 else 1) - 6)

    def give(command: Command) -> Match:
        commands.append(command)
        return decide_and_evolve(match, command, START, dealer).match

    for command in list(commands):
        match = decide_and_evolve(match, command, START, dealer).match
    assert match is not None
    assert match.hand is not None
    for seat in range(4):
        for card in cards_in(match.hand.holdings[seat] & _declarable(ruleset) if match.hand.holdings else 0):
            if chance.random() < 0.4:
                match = give(_declaration(ruleset, seat, card, chance))
                assert match.hand is not None
    for seat in range(4):
        match = give(SayDone(seat=seat))
    while match.phase == "playing" and match.hand is not None and match.hand.turn is not None and plays_left:
        play = chance.choice(legal_plays(ruleset, match.hand, match.hand.turn))
        match = give(PlayCards(seat=match.hand.turn, cards=names_of(cards_in(play), ruleset.decks)))
        plays_left -= 1
    return World(order, tuple(commands)), match


def _declarable(ruleset: Ruleset) -> Cards:
    return DECLARABLE if ruleset.decks == 2 else DECLARABLE & FIRST_COPIES


def _declaration(ruleset: Ruleset, seat: int, card: Card, chance: random.Random) -> DeclareCard:
    hidden = ruleset.hidden_declarations and chance.random() < 0.6
    level: Level = "hidden" if hidden else "open"
    opening = Secret(chance.randbytes(32)) if hidden else None
    return DeclareCard(seat=seat, card=name_of(card, ruleset.decks), level=level, opening=opening)


def _cards_differ(ruleset: Ruleset, chance: random.Random) -> Pair | None:
    """Two cards of one suit, not yet seen, are exchanged between two seats."""
    world, match = _played(ruleset, _shuffled(ruleset, chance), chance)
    if match.hand is None or match.hand.holdings is None:
        return None
    declared = {declaration.card for declaration in match.hand.declarations}
    one, other = chance.sample(range(4), 2)
    mine = [card for card in cards_in(match.hand.holdings[one]) if card not in declared]
    theirs = [card for card in cards_in(match.hand.holdings[other]) if card not in declared]
    swaps = [(a, b) for a in mine for b in theirs if suit_of(a) == suit_of(b)]
    if not swaps:
        return None
    first, second = chance.choice(swaps)
    exchanged = {first: second, second: first}
    other_world = World(tuple(exchanged.get(card, card) for card in world.order), world.commands)
    return _checked(world, other_world, frozenset((one, other)))


def _leaders_differ(ruleset: Ruleset, chance: random.Random) -> Pair | None:
    """♣2 lies in two different hands; nobody but the holders may know before the window closes."""
    order = _shuffled(ruleset, chance)
    commands = [*_opening_commands(ruleset), *(SayDone(seat=seat) for seat in chance.sample(range(4), 3))]
    clubs = [card for card in cards_in(TWOS_OF_CLUBS) if card in order]
    holder = first_dealt(order, TWOS_OF_CLUBS)
    other = chance.choice([seat for seat in range(4) if seat != holder])
    place = {card: index for index, card in enumerate(order)}
    exchange = chance.choice(
        [card for card in order[other::4] if suit_of(card) == suit_of(clubs[0])] or [None]
    )
    if exchange is None or exchange in clubs:
        return None
    mine = next(card for card in clubs if place[card] % 4 == holder)
    exchanged = {mine: exchange, exchange: mine}
    second = tuple(exchanged.get(card, card) for card in order)
    if first_dealt(second, TWOS_OF_CLUBS) == holder:
        return None
    return _checked(World(order, tuple(commands)), World(second, tuple(commands)), frozenset((holder, other)))


def _declarations_differ(ruleset: Ruleset, chance: random.Random) -> Pair | None:
    """A seat that holds two declarable cards declares one or the other of them face down."""
    order = _shuffled(ruleset, chance)
    seat = chance.randrange(4)
    held = [card for card in order[seat::4] if _declarable(ruleset) >> card & 1]
    if len(held) < 2:
        return None
    one, other = chance.sample(held, 2)
    worlds = []
    for card in (one, other):
        opening = Secret(bytes([card]) * 32)
        name = name_of(card, ruleset.decks)
        declaration = DeclareCard(seat=seat, card=name, level="hidden", opening=opening)
        commands = [*_opening_commands(ruleset), declaration, *(SayDone(seat=other) for other in range(4))]
        worlds.append(World(order, tuple(commands)))
    return _checked(worlds[0], worlds[1], frozenset((seat,)))


def _checked(first: World, second: World, concerned: frozenset[int]) -> Pair | None:
    """The pair, if both worlds admit their commands and the rules disclose no difference yet."""
    try:
        one, other = _events(first), _events(second)
    except CommandRefused:
        return None
    told = [[_masked(repr(public_form(event))) for event in events] for events in (one, other)]
    return Pair(first, second, concerned) if told[0] == told[1] else None


_MAKERS: Final = {"cards": _cards_differ, "leader": _leaders_differ, "declaration": _declarations_differ}

# --- what can be read -----------------------------------------------------------------------------------------------

_COMMITMENT: Final = re.compile(r"(commitment[\"']?[:=] ?[\"'])([0-9a-f]+)")
SEALED_COLUMNS: Final = {"digest", "content", "state"}
"""Columns that hold sealed parts, or digests of them: only their lengths may be compared."""


def _masked(text: str) -> str:
    """The text with commitments, which count as sealed, replaced by their lengths."""
    return _COMMITMENT.sub(lambda found: f"{found[1]}<{len(found[2])}>", text)


def readable(database_url: str) -> list[str]:
    """Every row of every table, sealed parts and their digests as lengths."""
    with psycopg.connect(database_url) as connection:
        tables = connection.execute(
            "SELECT table_schema, table_name FROM information_schema.tables"
            " WHERE table_schema NOT IN ('pg_catalog', 'information_schema') ORDER BY 1, 2"
        ).fetchall()
        return [line for schema, table in tables for line in _rows(connection, schema, table)]


def _rows(connection: psycopg.Connection[tuple[object, ...]], schema: str, table: str) -> list[str]:
    query = psycopg.sql.SQL("SELECT * FROM {}").format(psycopg.sql.Identifier(schema, table))
    cursor = connection.execute(query)
    names = [column.name for column in cursor.description or ()]
    rows = [
        " ".join(f"{name}={_cell(name, value)}" for name, value in zip(names, row, strict=True))
        for row in cursor
    ]
    return [f"{schema}.{table}: {row}" for row in sorted(rows)]


def _cell(name: str, value: object) -> str:
    if isinstance(value, bytes) and name == "body":
        return f"{_masked(public_part(value).decode())} sealed={len(sealed_part(value) or b'')}"
    if isinstance(value, bytes) and name in SEALED_COLUMNS:
        return f"<{len(value)} bytes>"
    return _masked(repr(value))


def readable_message(message: StoredMessage) -> str:
    """A message of the stream; the digests among its headers as lengths."""
    headers = {
        name: f"<{len(value)}>" if name in (ROW_DIGEST, SEALED_DIGEST) else value
        for name, value in message.headers.items()
    }
    return f"message GONGZHU {message.sequence} {message.subject} {headers} {_masked(message.body.decode())}"


def first_difference(one: Sequence[str], other: Sequence[str]) -> str | None:
    """The first line that differs, as seen in both worlds, or None."""
    for left, right in zip(one, other, strict=False):
        if left != right:
            return f"{left}\n!=\n{right}"
    return None if len(one) == len(other) else f"{len(one)} lines in one world, {len(other)} in the other"
