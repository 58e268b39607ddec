"""Routes of seats: what a player does at his own. Each answers with what it led to, after the commit."""

from typing import Annotated, Any, Final
from uuid import UUID

from litestar import post
from litestar.params import Body, PathParameter

from adapters.http.actions import ACTIONS, act
from adapters.http.asking import MatchPath, TheCaller, TheSite
from adapters.http.bodies import (
    Body as Command,
)
from adapters.http.bodies import (
    DeclareBody,
    DoneBody,
    HandOverBody,
    LeaveSeatBody,
    PlayBody,
    Receipt,
    RevealNonceBody,
    TakeBackBody,
    TakeSeatBody,
)
from adapters.http.callers import Caller, note_command
from adapters.http.documented import COMMAND_ERRORS, errors, example
from adapters.http.site import Site

SeatPath = Annotated[int, PathParameter(ge=0, le=3, description="0 to 3")]
_HEX: Final = "5f" * 32
_PATH: Final = "/matches/{match:uuid}/seats/{seat:int}"
_COMMON: Final[dict[str, Any]] = {
    "tags": ["seats"],
    "status_code": 200,
    "responses": errors(*COMMAND_ERRORS),
    "opt": {"query": ()},
}


@post(f"{_PATH}/take", summary="Sit down", **_COMMON)
async def take(
    site: TheSite,
    caller: TheCaller,
    match: MatchPath,
    seat: SeatPath,
    data: Annotated[TakeSeatBody, Body(examples=[example("with a nonce to come", commitment=_HEX)])],
) -> Receipt:
    """Sitting is being ready: the fourth to sit brings the deal, or the time to reveal nonces."""
    return await _act(site, caller, match, seat, data)


@post(f"{_PATH}/leave", summary="Get up before the deal", **_COMMON)
async def leave(
    site: TheSite,
    caller: TheCaller,
    match: MatchPath,
    seat: SeatPath,
    data: Annotated[LeaveSeatBody, Body(examples=[example("get up")])],
) -> Receipt:
    """After the deal a seat is handed over instead."""
    return await _act(site, caller, match, seat, data)


@post(f"{_PATH}/reveal", summary="Reveal the nonce committed to", **_COMMON)
async def reveal(
    site: TheSite,
    caller: TheCaller,
    match: MatchPath,
    seat: SeatPath,
    data: Annotated[RevealNonceBody, Body(examples=[example("the nonce", nonce=_HEX)])],
) -> Receipt:
    """The last one revealed brings the deal."""
    return await _act(site, caller, match, seat, data)


@post(f"{_PATH}/declare", summary="Declare a card", **_COMMON)
async def declare(
    site: TheSite,
    caller: TheCaller,
    match: MatchPath,
    seat: SeatPath,
    data: Annotated[DeclareBody, Body(examples=[example("the pig, openly", card="SQ", level="open")])],
) -> Receipt:
    """Open, or face down where the ruleset has it. A declaration is not taken back."""
    return await _act(site, caller, match, seat, data)


@post(f"{_PATH}/done", summary="Declare no more", **_COMMON)
async def done(
    site: TheSite,
    caller: TheCaller,
    match: MatchPath,
    seat: SeatPath,
    data: Annotated[DoneBody, Body(examples=[example("done")])],
) -> Receipt:
    """The last seat to say so closes the window."""
    return await _act(site, caller, match, seat, data)


@post(f"{_PATH}/play", summary="Play a card, or a pair", **_COMMON)
async def play(
    site: TheSite,
    caller: TheCaller,
    match: MatchPath,
    seat: SeatPath,
    data: Annotated[
        PlayBody, Body(examples=[example("in the first trick", cards=["H7"], hand_no=1, trick_no=1)])
    ],
) -> Receipt:
    """The fourth play of a trick brings its taker; the last of a hand its scores."""
    return await _act(site, caller, match, seat, data)


@post(f"{_PATH}/hand-over", summary="Let the autopilot play", **_COMMON)
async def hand_over(
    site: TheSite,
    caller: TheCaller,
    match: MatchPath,
    seat: SeatPath,
    data: Annotated[HandOverBody, Body(examples=[example("away for a while")])],
) -> Receipt:
    """It acts after a constant delay, from the seat's own view."""
    return await _act(site, caller, match, seat, data)


@post(f"{_PATH}/take-back", summary="Play again oneself", **_COMMON)
async def take_back(
    site: TheSite,
    caller: TheCaller,
    match: MatchPath,
    seat: SeatPath,
    data: Annotated[TakeBackBody, Body(examples=[example("back again")])],
) -> Receipt:
    """From the next turn on."""
    return await _act(site, caller, match, seat, data)


async def _act(site: Site, caller: Caller, match: UUID, seat: int, body: Command) -> Receipt:
    await site.live.service.match(match)
    note_command(site, caller, match, ACTIONS[type(body)], body.sent_ms)
    return await act(site, caller.bearer, match, seat, body)


ROUTES: Final = (take, leave, reveal, declare, done, play, hand_over, take_back)
