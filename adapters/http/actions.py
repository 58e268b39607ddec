"""Commands of clients: who may give them, and what they become. The same over HTTP and over a socket.

Everything about the seat is checked on the very state the command is decided on, so a seat that changes hands in the
meantime, or a turn that has passed, is noticed.
"""

from collections.abc import Callable
from typing import Any, Final, cast
from uuid import UUID

import msgspec

from adapters.http.bodies import (
    Body,
    DeclareBody,
    DoneBody,
    HandOverBody,
    LeaveSeatBody,
    OpenMatchBody,
    PlayBody,
    PublicEvent,
    Receipt,
    RevealNonceBody,
    TakeBackBody,
    TakeSeatBody,
)
from adapters.http.refusals import NotAMatchId, NotYourSeat, RoleRefused, TooManyTables
from adapters.http.site import Site
from adapters.identifiers import new_match_id
from adapters.identity.bearers import Bearer
from adapters.live.frames import public_forms
from adapters.match_service import Accepted, Guard, Overtaken
from domain.commands import (
    Command,
    DeclareCard,
    HandOverSeat,
    LeaveSeat,
    OpenMatch,
    PlayCards,
    RevealNonce,
    SayDone,
    TakeBackSeat,
    TakeSeat,
)
from domain.dealing import ROOT_BYTES
from domain.declarations import OPENING_BYTES
from domain.errors import WrongTerms
from domain.events import Clocks
from domain.match import Match
from domain.rulesets import ruleset_named
from domain.seats import Seat
from domain.secret import Secret

_ID_AGE_MS: Final = 600_000

SEAT_ACTIONS: Final[dict[str, type[Body]]] = {
    "take": TakeSeatBody,
    "leave": LeaveSeatBody,
    "reveal": RevealNonceBody,
    "declare": DeclareBody,
    "done": DoneBody,
    "play": PlayBody,
    "hand-over": HandOverBody,
    "take-back": TakeBackBody,
}
"""What a player may do at his seat, and the body of each."""
ACTIONS: Final[dict[type[Body], str]] = {body: action for action, body in SEAT_ACTIONS.items()}
"""What each body asks for."""


def player_of(bearer: Bearer) -> UUID:
    """The player who asks. Raises `RoleRefused` where it is none."""
    if bearer.player is None:
        raise RoleRefused(needed="player")
    return bearer.player


async def open_match(site: Site, bearer: Bearer, body: OpenMatchBody) -> Receipt:
    """Opens a match for a player, or for the service."""
    opener = bearer.player
    if opener is None and bearer.role != "service":
        raise RoleRefused(needed="player")
    if body.origin == "bots" and bearer.role != "service":
        raise RoleRefused(needed="service")
    _check_clocks(site, body.clocks)
    _check_offers(site, opener)
    match = _match_id(site, body.match)
    command = OpenMatch(
        match=match,
        ruleset=ruleset_named(body.ruleset),
        hands_agreed=body.hands,
        clocks=body.clocks,
        abandonment=body.abandonment,
        origin=body.origin,
        opened_by=opener or SERVICE,
        root=Secret(site.randomness.bytes(ROOT_BYTES)),
    )
    return receipt(await site.live.service.handle(match, command, command_id=body.command_id))


def _check_clocks(site: Site, clocks: Clocks) -> None:
    """Refuses clocks so long that a table never ends, or so short that it plays itself."""
    if max(msgspec.structs.astuple(clocks)) > site.terms.most_clock_s:
        raise WrongTerms(what=f"clocks of more than {site.terms.most_clock_s} seconds are not offered")
    if min(clocks.seat_s, clocks.declare_s, clocks.play_s) < 1:
        raise WrongTerms(what="players have at least 1 second for a nonce, to declare and to play")


def _check_offers(site: Site, opener: UUID | None) -> None:
    """Refuses one table too many. A player's own are counted while they wait for company."""
    tables = site.live.tables.tended()
    if len(tables) >= site.terms.most_tables:
        raise TooManyTables(most=site.terms.most_tables)
    offers = [t for t in tables if t.match.phase == "seating" and t.match.opened.opened_by == opener]
    if opener is not None and len(offers) >= site.terms.most_offers:
        raise TooManyTables(most=site.terms.most_offers)


SERVICE: Final = UUID(int=0)
"""Who opened a match that no player opened."""


def _match_id(site: Site, asked: UUID | None) -> UUID:
    """A new match's id. Raises `NotAMatchId` for one that was not made just now."""
    now = site.clock.now()
    if asked is None:
        return new_match_id(now, site.randomness)
    age_ms = int(now.timestamp() * 1000) - (asked.int >> 80)
    if asked.version != 7 or abs(age_ms) > _ID_AGE_MS:
        raise NotAMatchId(match=asked)
    return asked


async def act(site: Site, bearer: Bearer, match: UUID, seat: Seat, body: Body) -> Receipt:
    """Does what a player asks at a seat. Raises a `CommandRefused`, `LogBusy`, `LogUnavailable`."""
    player = player_of(bearer)
    command = _COMMANDS[type(body)](site, seat, player, body)
    guard = None if isinstance(command, TakeSeat) else _own_seat(seat, player, body)
    accepted = await site.live.service.handle(
        match, command, seat=seat, command_id=body.command_id, guard=guard
    )
    return receipt(accepted)


def receipt(accepted: Accepted) -> Receipt:
    """The answer to an accepted command; the same when it comes again."""
    events = cast("tuple[PublicEvent, ...]", tuple(public_forms(accepted.events)))
    return Receipt(match=accepted.match, number=accepted.last_version, events=events)


def _own_seat(seat: Seat, player: UUID, body: Body) -> Guard:
    """Refuses where somebody else sits there, or where the play was meant for an earlier trick."""

    def check(match: Match) -> None:
        if not (0 <= seat < 4) or match.players[seat] != player:
            raise NotYourSeat(seat=seat)
        if isinstance(body, PlayBody) and not _is_meant_for(match, body):
            raise Overtaken(seat=seat, version=match.version)

    return check


def _is_meant_for(match: Match, body: PlayBody) -> bool:
    hand = match.hand
    if hand is None:
        return body.hand_no is None or body.hand_no > match.hands_ended
    return body.hand_no in (None, hand.number) and body.trick_no in (None, hand.trick_no)


def _take(_site: Site, seat: Seat, player: UUID, body: TakeSeatBody) -> Command:
    return TakeSeat(seat=seat, player=player, commitment=body.commitment)


def _declare(site: Site, seat: Seat, _player: UUID, body: DeclareBody) -> Command:
    opening = Secret(site.randomness.bytes(OPENING_BYTES)) if body.level == "hidden" else None
    return DeclareCard(seat=seat, card=body.card, level=body.level, opening=opening)


_COMMANDS: Final[dict[type[Body], Callable[[Site, Seat, UUID, Any], Command]]] = {
    TakeSeatBody: _take,
    LeaveSeatBody: lambda _site, seat, _player, _body: LeaveSeat(seat=seat),
    RevealNonceBody: lambda _site, seat, _player, body: RevealNonce(seat=seat, nonce=body.nonce),
    DeclareBody: _declare,
    DoneBody: lambda _site, seat, _player, _body: SayDone(seat=seat),
    PlayBody: lambda _site, seat, _player, body: PlayCards(seat=seat, cards=body.cards),
    HandOverBody: lambda _site, seat, _player, _body: HandOverSeat(seat=seat),
    TakeBackBody: lambda _site, seat, _player, _body: TakeBackSeat(seat=seat),
}
"""What each body becomes."""
