"""Reviews in PostgreSQL: a hand reviewed once is there at once the next time, by the same evaluator and settings."""

from collections.abc import Iterator
from typing import Final, LiteralString
from uuid import UUID

import msgspec

from adapters.postgres.match_rows import Pool
from adapters.postgres.recorder import translated_errors
from replays.review import EVALUATOR, HandReview, ReviewSettings

_FIND: Final[LiteralString] = """
SELECT review FROM reviews.hands WHERE match = %s AND hand_no = %s AND evaluator = %s AND settings = %s
"""
_OF_PLAYER: Final[LiteralString] = """
SELECT review FROM reviews.hands WHERE evaluator = %s AND settings = %s AND players @> %s ORDER BY match, hand_no
"""
_KEEP: Final[LiteralString] = """
INSERT INTO reviews.hands (match, hand_no, evaluator, settings, players, review) VALUES (%s, %s, %s, %s, %s, %s)
ON CONFLICT (match, hand_no, evaluator, settings) DO NOTHING
"""


class StoredReviews:
    """The reviews of one database. May be used by several threads."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._decode = msgspec.json.Decoder(HandReview).decode

    def find(self, match: UUID, hand_no: int, settings: ReviewSettings) -> HandReview | None:
        """The review of a hand by the evaluator of this program, if it was made with these settings."""
        with translated_errors(), self._pool.connection() as connection:
            row = connection.execute(_FIND, [match, hand_no, EVALUATOR, key_of(settings)]).fetchone()
        return None if row is None else self._decode(row[0])

    def of_player(self, player: UUID, settings: ReviewSettings) -> Iterator[HandReview]:
        """Every such review of a hand that this player sat in."""
        with translated_errors(), self._pool.connection() as connection:
            rows = connection.execute(_OF_PLAYER, [EVALUATOR, key_of(settings), [player]]).fetchall()
        return (self._decode(row[0]) for row in rows)

    def keep(self, review: HandReview) -> None:
        """Stores a review; one that is there already stays."""
        values = [
            review.match,
            review.hand_no,
            review.evaluator,
            key_of(review.settings),
            list(review.players),
        ]
        with translated_errors(), self._pool.connection() as connection:
            connection.execute(_KEEP, [*values, msgspec.json.encode(review)])


def key_of(settings: ReviewSettings) -> str:
    """The settings as one text, the same for the same settings."""
    return msgspec.json.encode(settings).decode()
