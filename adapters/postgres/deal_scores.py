"""Deal scores in PostgreSQL: what each finished hand said of its players, and how far the log was read for it."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Final, LiteralString
from uuid import UUID

import msgspec

from adapters.postgres.match_rows import Pool
from adapters.postgres.recorder import translated_errors
from replays.investigation.deal_scores import DealScore

_ENDED: Final[LiteralString] = """
SELECT match, max(position) FROM log.events
WHERE tag LIKE 'HandEnded.%%' AND position > %s AND position <= %s GROUP BY match ORDER BY max(position)
"""
_UPSERT: Final[LiteralString] = """
INSERT INTO investigation.deal_scores
    (evaluator, match, hand_no, seat, player, ruleset, origin, ended_at, directed, score)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
ON CONFLICT (evaluator, match, hand_no, seat) DO UPDATE SET score = excluded.score, directed = excluded.directed
WHERE NOT deal_scores.directed
"""
_REACHED: Final[LiteralString] = "SELECT position FROM investigation.scored WHERE evaluator = %s"
_REACH: Final[LiteralString] = """
INSERT INTO investigation.scored VALUES (%s, %s)
ON CONFLICT (evaluator) DO UPDATE SET position = greatest(scored.position, excluded.position)
"""
_SCORES: Final[LiteralString] = """
SELECT score FROM investigation.deal_scores
WHERE evaluator = %(evaluator)s AND (%(ruleset)s::text IS NULL OR ruleset LIKE %(ruleset)s)
  AND (%(origin)s::text IS NULL OR origin = %(origin)s)
  AND (%(player)s::uuid IS NULL OR player = %(player)s) AND (%(match)s::uuid IS NULL OR match = %(match)s)
  AND (%(since)s::timestamptz IS NULL OR ended_at >= %(since)s)
ORDER BY match, hand_no, seat
"""
_PLAYERS: Final[LiteralString] = (
    "SELECT count(DISTINCT player) FROM investigation.deal_scores WHERE evaluator = %s"
)
_UNDIRECTED: Final[LiteralString] = """
SELECT DISTINCT match FROM investigation.deal_scores
WHERE evaluator = %s AND player = %s AND NOT directed ORDER BY match
"""


class ScoredDeal(msgspec.Struct, frozen=True, kw_only=True):
    """A deal score as it is stored, with the match's origin and when the hand ended."""

    score: DealScore
    origin: str
    ended_at: datetime
    directed: bool


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """Which deal scores are asked for; None leaves a condition out. `ruleset` is a name, of any revision."""

    ruleset: str | None = None
    origin: str | None = None
    player: UUID | None = None
    match: UUID | None = None
    since: datetime | None = None


def matches_with_hands(pool: Pool, after: int, until: int) -> list[tuple[UUID, int]]:
    """Matches of which a hand ended between two positions, each with the position of the last such hand, in order."""
    with translated_errors(), pool.connection() as connection:
        return [(match, position) for match, position in connection.execute(_ENDED, [after, until])]


def reached(pool: Pool, evaluator: str) -> int:
    """The position up to which an evaluator has read the log, 0 at first."""
    with translated_errors(), pool.connection() as connection:
        row = connection.execute(_REACHED, [evaluator]).fetchone()
    return int(row[0]) if row else 0


def keep(pool: Pool, evaluator: str, deals: Sequence[ScoredDeal], position: int) -> None:
    """Stores the scores and how far the log is read with them, in one transaction; what was directed stays so."""
    with translated_errors(), pool.connection() as connection, connection.transaction():
        with connection.cursor() as cursor:
            cursor.executemany(_UPSERT, [_row(evaluator, deal) for deal in deals])
        connection.execute(_REACH, [evaluator, position])


def _row(evaluator: str, deal: ScoredDeal) -> tuple[object, ...]:
    score = deal.score
    return (
        evaluator, score.match, score.hand_no, score.seat, score.player, score.ruleset, deal.origin,
        deal.ended_at, deal.directed, msgspec.json.encode(score),
    )  # fmt: skip


def stored_scores(pool: Pool, evaluator: str, wanted: Wanted) -> Iterator[DealScore]:
    """The scores asked for, in order of match, hand and seat."""
    ruleset = f"{wanted.ruleset} revision %" if wanted.ruleset else None
    values = {**msgspec.structs.asdict(wanted), "ruleset": ruleset, "evaluator": evaluator}
    decoder = msgspec.json.Decoder(DealScore)
    with (
        translated_errors(),
        pool.connection() as connection,
        connection.transaction(),
        connection.cursor("scores") as cursor,
    ):
        cursor.execute(_SCORES, values)
        for (score,) in cursor:
            yield decoder.decode(score)


def players_scored(pool: Pool, evaluator: str) -> int:
    """How many players have deals that an evaluator has scored."""
    with translated_errors(), pool.connection() as connection:
        row = connection.execute(_PLAYERS, [evaluator]).fetchone()
    return int(row[0]) if row else 0


def undirected_matches(pool: Pool, evaluator: str, player: UUID) -> Iterable[UUID]:
    """The matches of a player whose deals have no leaks and softness measured yet."""
    with translated_errors(), pool.connection() as connection:
        return [match for (match,) in connection.execute(_UNDIRECTED, [evaluator, player])]
