"""Routes of the read models: matches, leaderboards, and a player's ledger."""

import asyncio
from typing import Annotated, Final, Literal
from uuid import UUID

import msgspec
from litestar import get
from litestar.exceptions import NotFoundException, ValidationException
from litestar.params import FromPath, FromQuery, QueryParameter

from adapters.http.asking import TheBearer, TheSite
from adapters.http.documented import errors
from adapters.http.freshness import CHECKED, FRESHNESS
from adapters.postgres.queries import BoardLine, ReadModels
from domain.events import Origin
from domain.rulesets import RULESETS
from projections.leaderboards.rows import Entry
from projections.periods import end_of
from projections.tables import ListedMatch

RulesetFilter = Annotated[str | None, QueryParameter(max_length=40, description="a ruleset's name")]
Before = Annotated[
    int | None, QueryParameter(ge=1, le=2**62, description="`next` of the page before, to read on")
]
Limit = Annotated[int, QueryParameter(ge=1, le=200, description="how many at most")]
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


@get(
    "/matches",
    tags=_TAGS,
    summary="List all matches",
    responses=errors(400, 401),
    opt={"query": ("ruleset", "origin", "player", "before", "limit"), FRESHNESS: CHECKED},
)
async def list_matches(
    site: TheSite,
    bearer: TheBearer,  # noqa: ARG001 - a token that is brought must be good
    ruleset: RulesetFilter = None,
    origin: FromQuery[Origin | None] = None,
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
    "/leaderboards/{ruleset:str}",
    tags=_TAGS,
    summary="Read a leaderboard",
    responses=errors(400, 401, 404),
    opt={"query": ("period", "origin", "limit"), FRESHNESS: CHECKED},
)
async def read_board(
    site: TheSite,
    bearer: TheBearer,  # noqa: ARG001 - a token that is brought must be good
    ruleset: FromPath[str],
    period: Period = "all",
    origin: FromQuery[Origin | Literal["all"]] = "served",
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
    opt={"query": ("ruleset", "limit"), FRESHNESS: CHECKED},
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


ROUTES: Final = (list_matches, read_board, read_entries)


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
