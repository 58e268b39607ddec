"""Routes of the read models: matches, finished hands, leaderboards, and a player's ledger."""

import asyncio
from datetime import datetime
from typing import Annotated, Final, Literal
from uuid import UUID

import msgspec
from litestar import get
from litestar.exceptions import NotFoundException, ValidationException
from litestar.params import FromPath, FromQuery, PathParameter, QueryParameter

from adapters.http.asking import MatchPath, TheBearer, TheSite
from adapters.http.documented import errors
from adapters.postgres.queries import BoardLine, ListedHand, ReadModels
from domain.rulesets import RULESETS
from domain.seats import BySeat
from projections.hand_replays.rows import FinishedHand
from projections.leaderboards.rows import Entry
from projections.periods import end_of
from projections.tables import ListedMatch

RulesetFilter = Annotated[str | None, QueryParameter(max_length=40, description="a ruleset's name")]
Before = Annotated[
    int | None, QueryParameter(ge=1, le=2**62, description="`next` of the page before, to read on")
]
Limit = Annotated[int, QueryParameter(ge=1, le=200, description="how many at most")]
OriginFilter = Literal["served", "bots", "seeded", "imported"]
Special = Literal["slam", "all_hearts", "lone_transformer", "pig_to_declarer", "autopilot"]
Period = Annotated[
    str,
    QueryParameter(
        pattern=r"^(all|\d{4}(-\d{2}(-\d{2})?)?)$", description="`all`, a year, a month or a day, in UTC"
    ),
]
_TAGS: Final = ["read models"]


class MatchList(msgspec.Struct, frozen=True, kw_only=True):
    """Matches, newest first. `next`: give it as `before` to read on; None at the end."""

    matches: tuple[ListedMatch, ...]
    next: int | None


class HandLine(msgspec.Struct, frozen=True, kw_only=True):
    """A finished hand in short; its document has every card."""

    match: UUID
    hand_no: int
    ruleset: str
    origin: str
    dealt_at: datetime
    ended_at: datetime
    players: BySeat[UUID]
    raw_scores: BySeat[int]
    points: BySeat[int] | None
    specials: tuple[str, ...]
    annulled: bool


class HandList(msgspec.Struct, frozen=True, kw_only=True):
    """Finished hands, newest first. `next`: give it as `before` to read on; None at the end."""

    hands: tuple[HandLine, ...]
    next: int | None


@get(
    "/matches",
    tags=_TAGS,
    summary="List all matches",
    responses=errors(400, 401),
    opt={"query": ("ruleset", "origin", "player", "before", "limit")},
)
async def list_matches(
    site: TheSite,
    bearer: TheBearer,  # noqa: ARG001 - a token that is brought must be good
    ruleset: RulesetFilter = None,
    origin: FromQuery[OriginFilter | None] = None,
    player: FromQuery[UUID | None] = None,
    before: Before = None,
    limit: Limit = 50,
) -> MatchList:
    """Live and ended, newest first; as far behind the log as the read models are."""
    known_ruleset(ruleset)
    found = await asyncio.to_thread(
        _models(site).matches, ruleset=ruleset, origin=origin, player=player, before=before, limit=limit + 1
    )
    page = tuple(found[:limit])
    return MatchList(matches=page, next=page[-1].opened_at_position if len(found) > limit else None)


@get(
    "/hands",
    tags=_TAGS,
    summary="Search finished hands",
    responses=errors(400, 401),
    opt={"query": ("ruleset", "player", "special", "before", "limit")},
)
async def list_hands(
    site: TheSite,
    bearer: TheBearer,  # noqa: ARG001 - a token that is brought must be good
    ruleset: RulesetFilter = None,
    player: FromQuery[UUID | None] = None,
    special: FromQuery[Special | None] = None,
    before: Before = None,
    limit: Limit = 50,
) -> HandList:
    """Newest first, by ruleset, player and what made them special."""
    known_ruleset(ruleset)
    found = await asyncio.to_thread(
        _models(site).hands, ruleset=ruleset, player=player, special=special, before=before, limit=limit + 1
    )
    page = found[:limit]
    return HandList(
        hands=tuple(_line(hand) for hand in page), next=page[-1].position if len(found) > limit else None
    )


@get(
    "/hands/{match:uuid}/{hand_no:int}",
    tags=_TAGS,
    summary="Read a finished hand",
    responses=errors(400, 401, 404),
    opt={"query": ()},
)
async def read_hand(
    site: TheSite,
    bearer: TheBearer,  # noqa: ARG001 - a token that is brought must be good
    match: MatchPath,
    hand_no: Annotated[int, PathParameter(ge=1, le=256)],
) -> FinishedHand:
    """The whole document: deal, declarations, every play with its think time, the scores and the proof."""
    found = await asyncio.to_thread(_models(site).hand, match, hand_no)
    if found is None:
        raise NotFoundException(f"there is no finished hand {hand_no} of match {match}")
    return found


@get(
    "/leaderboards/{ruleset:str}",
    tags=_TAGS,
    summary="Read a leaderboard",
    responses=errors(400, 401, 404),
    opt={"query": ("period", "origin", "limit")},
)
async def read_board(
    site: TheSite,
    bearer: TheBearer,  # noqa: ARG001 - a token that is brought must be good
    ruleset: FromPath[str],
    period: Period = "all",
    origin: FromQuery[OriginFilter | Literal["all"]] = "served",
    limit: Limit = 50,
) -> list[BoardLine]:
    """By points; the rating is that of one origin at the period's end."""
    if ruleset not in RULESETS:
        raise NotFoundException(f"there is no ruleset {ruleset[:40]!r}; choose one of {', '.join(RULESETS)}")
    _known_period(period)
    one_origin = None if origin == "all" else origin
    return await asyncio.to_thread(
        _models(site).leaderboard, ruleset, period=period, origin=one_origin, limit=limit
    )


@get(
    "/players/{player:uuid}/entries",
    tags=_TAGS,
    summary="Read a player's ledger",
    responses=errors(400, 401),
    opt={"query": ("ruleset", "limit")},
)
async def read_entries(
    site: TheSite,
    bearer: TheBearer,  # noqa: ARG001 - a token that is brought must be good
    player: FromPath[UUID],
    ruleset: RulesetFilter = None,
    limit: Limit = 50,
) -> list[Entry]:
    """What each hand and settlement gave the player, newest first."""
    known_ruleset(ruleset)
    return await asyncio.to_thread(_models(site).entries, player, ruleset=ruleset, limit=limit)


ROUTES: Final = (list_matches, list_hands, read_hand, read_board, read_entries)


def known_ruleset(name: str | None) -> None:
    """Raises `ValidationException` for a name that no ruleset has."""
    if name is not None and name not in RULESETS:
        raise ValidationException(f"ruleset: there is no {name!r}; choose one of {', '.join(RULESETS)}")


def _known_period(period: str) -> None:
    try:
        end_of(period)
    except (ValueError, OverflowError):
        raise ValidationException(f"period: {period} is not in the calendar") from None


def _models(site: TheSite) -> ReadModels:
    return ReadModels(site.live.log.pool)


def _line(hand: ListedHand) -> HandLine:
    return HandLine(
        match=hand.match,
        hand_no=hand.hand_no,
        ruleset=hand.ruleset,
        origin=hand.origin,
        dealt_at=hand.dealt_at,
        ended_at=hand.ended_at,
        players=hand.players,
        raw_scores=hand.raw_scores,
        points=hand.points,
        specials=hand.specials,
        annulled=hand.annulled,
    )
