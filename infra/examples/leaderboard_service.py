"""A leaderboard of settled matches, kept by another service from the feed, with plain nats-py and SQLite.

    python leaderboard_service.py nats://NAME:PASSWORD@HOST:PORT board.db

Its position is stored in the transaction of what a message changes, so each event counts once, through kill -9 at any
moment. It begins at position 1, goes on live, and begins again when the stream is a new one. README.md says how.
"""

import asyncio
import json
import sqlite3
import sys
from typing import Any

import nats
from nats.aio.msg import Msg
from nats.js.api import AckPolicy, ConsumerConfig, DeliverPolicy
from nats.js.client import JetStreamContext

STREAM = "GONGZHU"
TABLES = """
CREATE TABLE IF NOT EXISTS place (epoch TEXT, position INTEGER, digest TEXT);
INSERT INTO place SELECT '', 0, '' WHERE NOT EXISTS (SELECT * FROM place);
CREATE TABLE IF NOT EXISTS results
    (match TEXT, player TEXT, points INTEGER, counts INTEGER, PRIMARY KEY (match, player));
CREATE VIEW IF NOT EXISTS board AS SELECT player, sum(points) AS points, count(*) AS matches
    FROM results WHERE counts GROUP BY player ORDER BY points DESC, player;
"""


class LookAgain(Exception):
    """What came is not what follows our position."""


def apply(db: sqlite3.Connection, event: dict[str, Any]) -> None:
    """What one event changes. Types and fields it does not know, it ignores."""
    kind, match, players = event["type"], event["match"], event.get("players", ())
    if kind == "MatchSettled":
        rows = [(match, player, points) for player, points in zip(players, event["points"], strict=True)]
        db.executemany("INSERT INTO results VALUES (?, ?, ?, 1)", rows)
    elif kind in ("MatchAnnulled", "AnnulmentLifted"):
        db.execute("UPDATE results SET counts = ? WHERE match = ?", (kind == "AnnulmentLifted", match))
    elif kind == "HandCorrected" and event["match_points"] is not None:
        rows = [
            (points, match, player) for player, points in zip(players, event["match_points"], strict=True)
        ]
        db.executemany("UPDATE results SET points = ? WHERE match = ? AND player = ?", rows)


def apply_batch(db: sqlite3.Connection, messages: list[Msg]) -> None:
    """Applies messages and moves the position behind them, in one transaction; all of them or none."""
    with db:
        epoch, position, _ = db.execute("SELECT * FROM place").fetchone()
        for message in messages:
            headers, sequence = message.headers or {}, message.metadata.sequence.stream
            if sequence != position + 1 or not headers["ce-source"].endswith(f":{epoch}"):
                raise LookAgain(
                    f"message {sequence} of {headers['ce-source']} came after {position} of {epoch}"
                )
            apply(db, json.loads(message.data))
            position, digest = sequence, headers["ce-rowdigest"]
        db.execute("UPDATE place SET position = ?, digest = ?", (position, digest))


async def digest_at(js: JetStreamContext, position: int) -> str:
    """The digest of the stream's message at a position. Raises where the stream does not reach it (yet)."""
    message = await js.get_msg(STREAM, position)
    return str((message.headers or {})["ce-rowdigest"])


async def position_in_stream(js: JetStreamContext, db: sqlite3.Connection) -> int:
    """The position to go on behind: our own; 0, with nothing kept, if the stream is not the one that we read."""
    epoch, position, digest = db.execute("SELECT * FROM place").fetchone()
    newest = ((await js.stream_info(STREAM)).config.metadata or {})["gongzhu.epoch"]
    if epoch == newest and (position == 0 or await digest_at(js, position) == digest):
        return int(position)
    print(f"the stream is a new one, of epoch {newest}: beginning at position 1", flush=True)
    with db:
        db.execute("DELETE FROM results")
        db.execute("UPDATE place SET epoch = ?, position = 0, digest = ''", (newest,))
    return 0


async def follow(js: JetStreamContext, db: sqlite3.Connection) -> None:
    """Reads through a consumer of our own, made at our position, until something is wrong with it."""
    config = ConsumerConfig(
        deliver_policy=DeliverPolicy.BY_START_SEQUENCE,
        opt_start_seq=await position_in_stream(js, db) + 1,
        ack_policy=AckPolicy.NONE,
        mem_storage=True,
        inactive_threshold=30,
    )
    consumer = await js.add_consumer(STREAM, config)
    pulling = await js.pull_subscribe_bind(consumer.name, STREAM)
    while True:
        try:
            messages = await pulling.fetch(500, timeout=2)
        except nats.errors.TimeoutError:
            messages = []
        if messages:
            apply_batch(db, messages)
        else:
            # Nothing new. Or the consumer is gone: then this raises.
            await pulling.consumer_info()


async def main(url: str, path: str) -> None:
    """Follows the feed for ever. Whatever goes wrong, it looks again where it stands."""
    db = sqlite3.connect(path)
    db.executescript(TABLES)
    js = (await nats.connect(url, name="leaderboard", max_reconnect_attempts=-1)).jetstream()
    while True:
        try:
            await follow(js, db)
        except (nats.errors.Error, LookAgain) as trouble:
            print(f"looking again: {trouble!r}", flush=True)
            await asyncio.sleep(1)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
