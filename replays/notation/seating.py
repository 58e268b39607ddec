"""Words for sitting down, getting up and revealing nonces."""

from uuid import UUID

from domain.events import NonceRevealed, PlayerLeft, PlayerSeated
from replays.notation.course import Course, Unsayable
from replays.notation.lexing import Cursor
from replays.notation.texts import quoted
from replays.notation.words import Lines, named, time_since


def seated(event: PlayerSeated, course: Course) -> Lines:
    """`sits SEAT [player ID] (SECONDS) [commitment HEX]`; the player is the header's unless named."""
    words = ["sits", str(event.seat), *_player(event.player, course.sitters[event.seat])]
    words += time_since(course.at, event.at)
    if event.commitment is not None:
        words += named("commitment", event.commitment)
    return [words]


def read_seated(cursor: Cursor, course: Course) -> PlayerSeated:
    """What `sits` means."""
    cursor.expect("sits")
    seat = cursor.seat()
    player = _read_player(cursor) or course.sitters[seat]
    if player is None:
        raise Unsayable(f"`player`, or a tag [Player{seat} …] at the top")
    stamp = course.stamp(course.at, cursor.span())
    commitment = cursor.string("a commitment") if cursor.skips("commitment") else None
    return PlayerSeated(**stamp, seat=seat, player=player, commitment=commitment)


def left(event: PlayerLeft, course: Course) -> Lines:
    """`leaves SEAT [player ID] (SECONDS) cause TEXT`; the player is the one who sits there unless named."""
    words = ["leaves", str(event.seat), *_player(event.player, course.players[event.seat])]
    return [[*words, *time_since(course.at, event.at), *named("cause", event.cause)]]


def read_left(cursor: Cursor, course: Course) -> PlayerLeft:
    """What `leaves` means."""
    cursor.expect("leaves")
    seat = cursor.seat()
    player = _read_player(cursor) or course.players[seat]
    if player is None:
        raise Unsayable("a seat that is taken")
    stamp = course.stamp(course.at, cursor.span())
    cursor.expect("cause")
    return PlayerLeft(**stamp, seat=seat, player=player, cause=cursor.string("why, in quotes"))


def nonce(event: NonceRevealed, course: Course) -> Lines:
    """`nonce SEAT (SECONDS) HEX`."""
    return [["nonce", str(event.seat), *time_since(course.at, event.at), *quoted(event.nonce)]]


def read_nonce(cursor: Cursor, course: Course) -> NonceRevealed:
    """What `nonce` means."""
    cursor.expect("nonce")
    seat = cursor.seat()
    stamp = course.stamp(course.at, cursor.span())
    return NonceRevealed(**stamp, seat=seat, nonce=cursor.string("a nonce, in quotes"))


def _player(player: UUID, implied: UUID | None) -> list[str]:
    return [] if player == implied else named("player", str(player))


def _read_player(cursor: Cursor) -> UUID | None:
    return cursor.uuid("a player's id, in quotes") if cursor.skips("player") else None
