"""Abandoning a match: its opener before the deal, an operator at any time, or all four seats together."""

import asyncio
from uuid import UUID

from adapters.http.actions import player_of, receipt
from adapters.http.bodies import AbandonAnswer, AbandonBody
from adapters.http.refusals import NotTheOpener, NotYourSeat
from adapters.http.site import Site
from adapters.identity.bearers import Bearer
from adapters.match_service import Guard, Overtaken
from adapters.postgres.abandon_votes import forget_votes, vote
from domain.commands import AbandonMatch
from domain.match import Match
from domain.seats import BySeat

_OPERATORS = ("operator", "service")
_EVERYONE = (True, True, True, True)
_NOBODY = (False, False, False, False)


async def abandon(site: Site, bearer: Bearer, match_id: UUID, body: AbandonBody) -> AbandonAnswer:
    """Abandons a match, or records that one seat wants it. Raises a `CommandRefused`, `TrailUnwritten`."""
    match = await site.live.service.fresh(match_id)
    if bearer.role in _OPERATORS:
        now, trail = site.clock.now(), site.people.trail
        await asyncio.to_thread(trail.add, now, bearer.told, "abandoned a match", match_id)
        return await _abandon(site, match_id, body, by=bearer.role, agreed=_NOBODY)
    player = player_of(bearer)
    if match.phase == "seating":
        if match.opened.opened_by != player:
            raise NotTheOpener
        return await _abandon(site, match_id, body, by="opener", agreed=_NOBODY, guard=_in_seating)
    if player not in match.players:
        raise NotYourSeat
    seat, pool = match.players.index(player), site.live.log.pool
    agreed = await asyncio.to_thread(
        vote, pool, match_id, seat, player, match.players, agree=body.agree and not match.ended
    )
    if match.ended or agreed == _EVERYONE:
        return await _abandon(site, match_id, body, by="all four seats", agreed=agreed)
    return AbandonAnswer(match=match_id, agreed=agreed, receipt=None)


async def _abandon(
    site: Site, match: UUID, body: AbandonBody, *, by: str, agreed: BySeat[bool], guard: Guard | None = None
) -> AbandonAnswer:
    command = AbandonMatch(cause=body.cause, by=by)
    accepted = await site.live.service.handle(match, command, command_id=body.command_id, guard=guard)
    await asyncio.to_thread(forget_votes, site.live.log.pool, match)
    return AbandonAnswer(match=match, agreed=agreed, receipt=receipt(accepted))


def _in_seating(match: Match) -> None:
    if match.phase != "seating":
        raise Overtaken(version=match.version)
