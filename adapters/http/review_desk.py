"""Reviews that were asked for and are not made yet: one at a time, in a process of its own, so that play goes on.

Only finished hands are reviewed, from their public events. The process ends with its work, or when the site does.
"""

import asyncio
import logging
import sys
from typing import Final
from uuid import UUID

import msgspec

from adapters.errors import AdapterError
from adapters.postgres.match_rows import Pool, rows_of_match
from adapters.postgres.reviews import StoredReviews
from adapters.review_process import MOST_S, Asked
from replays.review import HandReview, ReviewSettings

_log = logging.getLogger(__name__)

MOST_WAITING: Final = 32
"""So many hands wait at most; whoever asks for more asks again later."""

Hand = tuple[UUID, int]


class ReviewDesk:
    """Takes orders for reviews. `settings`: what all of them are made with."""

    def __init__(self, pool: Pool, settings: ReviewSettings | None = None) -> None:
        self.settings = settings or ReviewSettings()
        self.stored = StoredReviews(pool)
        self._pool = pool
        self._turn = asyncio.Semaphore()
        self._orders: dict[Hand, asyncio.Task[None]] = {}

    @property
    def orders(self) -> tuple[asyncio.Task[None], ...]:
        """What is being done, or waits to be."""
        return tuple(self._orders.values())

    def order(self, match: UUID, hand_no: int) -> bool:
        """Has a hand reviewed, once; gives whether there is room for it."""
        hand = (match, hand_no)
        if hand in self._orders:
            return True
        if len(self._orders) >= MOST_WAITING:
            return False
        self._orders[hand] = asyncio.create_task(
            self._review(hand), name=f"review of hand {hand_no} of {match}"
        )
        self._orders[hand].add_done_callback(lambda _: self._orders.pop(hand, None))
        return True

    async def close(self) -> None:
        """Breaks off what is not done."""
        for order in self.orders:
            order.cancel()
        await asyncio.gather(*self.orders, return_exceptions=True)

    async def _review(self, hand: Hand) -> None:
        async with self._turn:
            try:
                review = await self._made(hand)
                await asyncio.to_thread(self.stored.keep, review)
            except (AdapterError, msgspec.DecodeError, TimeoutError):
                _log.exception("hand %d of match %s was not reviewed", hand[1], hand[0])

    async def _made(self, hand: Hand) -> HandReview:
        rows = await asyncio.to_thread(rows_of_match, self._pool, hand[0])
        asked = msgspec.msgpack.encode(Asked(rows=rows, hand_no=hand[1], settings=self.settings))
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "adapters.review_process",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            start_new_session=True,  # an interrupt of the terminal is the site's to answer
        )
        try:
            answer, _ = await asyncio.wait_for(process.communicate(asked), 2 * MOST_S)
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        return msgspec.json.decode(answer, type=HandReview)
