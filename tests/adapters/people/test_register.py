"""What is known of people: names, reports and sealed connection records; exported, pruned, and erased."""

import asyncio
import random
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import psycopg
import pytest

from adapters.composition import Ports, old_records_deleted, register_of
from adapters.people.connections import CommandSent, Connection
from adapters.people.names import NameRefused, PlayerErased, checked_name, named_in, without_names
from adapters.people.player_keys import Unreadable
from adapters.people.trail import TrailUnwritten
from adapters.postgres.recorder import open_pool
from adapters.randomness import SeededRandomness
from tests.adapters.http.test_matches import on_site, play_hand, seated
from tests.support.http import Served, served_on
from tests.support.live import ManualClock, player
from tests.support.services import START
from tests.support.traces import columns_holding, files_of

ANNA, BERT = UUID(int=1), UUID(int=2)
NAME = "Qiūmíng-小猪-7261"


def connection(address: str = "aa", minutes: int = 0) -> Connection:
    at = START + timedelta(minutes=minutes)
    return Connection(
        match=UUID(int=9),
        opened_at=at,
        closed_at=at + timedelta(seconds=5),
        address=address,
        device="bb",
        after=3,
        commands=(CommandSent(at, 123, "play"),),
    )


@pytest.mark.parametrize(
    ("given", "kept"), [("  Ann   B ", "Ann B"), ("é", "é"), ("小猪", "小猪"), ("x" * 40, "x" * 40)]
)
def test_name_is_kept_composed_and_with_single_spaces(given: str, kept: str) -> None:
    assert checked_name(given) == kept


@pytest.mark.parametrize("given", ["", "   ", "x" * 41, "a\u200bb", "a\u202eb", "\ud800"])
def test_text_that_cannot_be_seen_is_no_name(given: str) -> None:
    with pytest.raises(NameRefused):
        checked_name(given)


def test_connection_records_are_sealed_per_player_and_pruned(database_url: str, tmp_path: Path) -> None:
    with open_pool(database_url) as pool:
        people = register_of(pool, tmp_path, Ports(ManualClock(), SeededRandomness(1)))
        people.connections.add(ANNA, connection())
        people.connections.add(ANNA, connection(minutes=10))
        people.connections.add(BERT, connection())
        assert people.connections.of(ANNA) == [connection(), connection(minutes=10)]
        assert people.connections.digest("192.0.2.1") != people.connections.digest("192.0.2.2")
        # What a record says stands nowhere in the clear.
        assert columns_holding(database_url, ['"opened_at"', '"closed_at"']) == []
        assert people.connections.prune(START + timedelta(minutes=5), keep=timedelta(0)) == 2
        assert people.connections.of(BERT) == []
        # Another service's keys, as after a theft of the database alone, open nothing.
        stolen = register_of(pool, tmp_path / "other", Ports(ManualClock(), SeededRandomness(2)))
        with pytest.raises(Unreadable):
            stolen.connections.of(ANNA)


def test_running_site_deletes_old_connection_records_once_a_day(database_url: str, tmp_path: Path) -> None:
    clock = ManualClock()

    async def run() -> None:
        async with served_on(database_url, tmp_path, clock) as served:
            records = served.site.people.connections
            await asyncio.to_thread(records.add, ANNA, connection())
            clock.move(89 * 86_400)
            assert len(await asyncio.to_thread(records.of, ANNA)) == 1
            for _ in range(1_000):
                clock.move(3_600)
                if not await asyncio.to_thread(records.of, ANNA):
                    return
            pytest.fail("old records are kept")

    asyncio.run(run())


def test_nothing_names_a_player_who_was_erased(database_url: str, tmp_path: Path) -> None:
    with open_pool(database_url) as pool:
        people = register_of(pool, tmp_path, Ports(ManualClock(), SeededRandomness(1)))
        people.names.rename(ANNA, "first " + NAME, START)
        people.names.rename(ANNA, NAME, START)
        people.names.rename(BERT, "Bert", START)
        people.connections.add(ANNA, connection())
        people.reports.add(UUID(int=9), 1, ANNA, f"I am {NAME}", START)
        people.reports.add(UUID(int=9), 1, BERT, f"{NAME.upper()} winked", START)
        with pool.connection() as connected:
            connected.execute("ANALYZE")
        known = people.export(ANNA, by="operator", at=START)
        assert (known.name, len(known.reports), len(known.connections)) == (NAME, 1, 1)
        people.erase(ANNA, by="operator", at=START)
        gone = people.export(ANNA, by="operator", at=START)
        assert (gone.name, gone.connections) == (None, ())
        assert gone.reports[0].reason == ""
        assert people.reports.of(BERT)[0].reason == f"player {ANNA} winked"
        assert people.names.of([ANNA, BERT]) == {BERT: "Bert"}
        assert [entry.what for entry in gone.accesses] == [
            "exported what is known of a player",
            "erased a player",
            "exported what is known of a player",
        ]
        assert columns_holding(database_url, [NAME]) == []
        tables = [f"people.{table}" for table in ("names", "player_keys", "connections", "reports")]
        assert NAME.encode() not in files_of(database_url, tables)


def test_old_records_are_deleted_where_nothing_but_the_feed_is_served(
    database_url: str, tmp_path: Path
) -> None:
    clock = ManualClock()

    async def run() -> None:
        with open_pool(database_url) as pool:
            people = register_of(pool, tmp_path, Ports(clock, SeededRandomness(1)))
            people.connections.add(ANNA, connection())
            people.connections.add(ANNA, connection(minutes=3 * 24 * 60))
            async with old_records_deleted(database_url, clock, timedelta(days=7)):
                for _ in range(100):
                    clock.move(3 * 3_600)
                    await asyncio.sleep(0.001)
                    if len(left := await asyncio.to_thread(people.connections.of, ANNA)) < 2:
                        break
            assert left == [connection(minutes=3 * 24 * 60)]

    asyncio.run(run())


def test_statistics_would_name_players_if_they_were_taken(database_url: str, tmp_path: Path) -> None:
    """What the erasure's test looks through holds names where they are, in the clear and in bytes."""
    with open_pool(database_url) as pool:
        people = register_of(pool, tmp_path, Ports(ManualClock(), SeededRandomness(1)))
        for number in range(4):
            people.names.rename(UUID(int=number), f"{NAME} {number}", START)
        with pool.connection() as connected:
            connected.execute("ALTER TABLE people.names ALTER COLUMN name SET STATISTICS 100")
            connected.execute("ANALYZE people.names")
            connected.execute("CREATE TABLE live.somewhere AS SELECT convert_to(%s, 'UTF8') AS body", [NAME])
        held = columns_holding(database_url, [NAME])
        assert held == ["live.somewhere.body", "people.names.name", "pg_catalog.pg_statistic.stavalues1"]


def test_nothing_is_kept_again_of_a_player_who_was_erased(database_url: str, tmp_path: Path) -> None:
    with open_pool(database_url) as pool:
        people = register_of(pool, tmp_path, Ports(ManualClock(), SeededRandomness(1)))
        people.names.rename(ANNA, NAME, START)
        people.erase(ANNA, by="operator", at=START)
        people.erase(ANNA, by="operator", at=START)
        with pytest.raises(PlayerErased):
            people.names.rename(ANNA, NAME, START)
        with pytest.raises(PlayerErased):
            people.reports.add(UUID(int=9), 1, ANNA, "again", START)
        people.connections.add(ANNA, connection())
        known = people.export(ANNA, by="operator", at=START)
        assert (known.name, known.reports, known.connections) == (None, (), ())


def test_rename_keeps_no_old_name(database_url: str, tmp_path: Path) -> None:
    with open_pool(database_url) as pool:
        people = register_of(pool, tmp_path, Ports(ManualClock(), SeededRandomness(1)))
        people.names.rename(ANNA, NAME, START)
        people.names.rename(ANNA, "Anna", START)
        assert columns_holding(database_url, [NAME]) == []


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Ann B winked", f"player {ANNA} winked"),
        ("ANN  b\nwinked", f"player {ANNA}\nwinked"),
        ("Ann Bo winked", "Ann Bo winked"),
        ("小猪偷看牌", f"player {BERT}偷看牌"),
        ("猪", "猪"),
    ],
)
def test_names_in_a_text_give_way_to_ids(text: str, left: str) -> None:
    assert without_names(text, {ANNA: "Ann B", BERT: "小猪", UUID(int=3): "猪"}) == left
    assert bool(named_in(text, {ANNA: "Ann B", BERT: "小猪"})) == (left != text)


def test_log_stays_as_it_is_when_a_player_is_erased(database_url: str, tmp_path: Path) -> None:
    async def play(served: Served) -> None:
        match = await seated(served)
        named = await served.client.put(
            f"/players/{player(1)}/name", json={"name": NAME}, headers=served.headers(1)
        )
        assert named.json() == {"player": str(player(1)), "name": NAME}
        async with served.socket(match, 1) as client:
            await client.next()
        before = await served.live.service.events(match)
        await served.site.settle_down()
        people = served.site.people
        assert {record.via for record in people.connections.of(player(1))} == {"http", "socket"}
        await asyncio.to_thread(people.erase, player(1), by="operator", at=START)
        assert await served.live.service.events(match) == before
        found = (await served.get(f"/names?player={player(1)}")).json()
        assert found == [{"player": str(player(1)), "name": None}]
        assert columns_holding(database_url, [NAME]) == []

    on_site(database_url, tmp_path, play)


def test_names_are_ones_own_and_looked_up_by_anyone(database_url: str, tmp_path: Path) -> None:
    async def play(served: Served) -> None:
        path = f"/players/{player(1)}/name"
        refused = await served.client.put(path, json={"name": "x"}, headers=served.headers(2))
        assert refused.status_code == 403
        invisible = await served.client.put(path, json={"name": "a\u200b"}, headers=served.headers(1))
        assert (invisible.status_code, invisible.json()["reason"]) == (422, "NameRefused")
        await served.client.put(path, json={"name": "猪"}, headers=served.headers(1))
        found = (await served.get(f"/names?player={player(2)}&player={player(1)}")).json()
        assert [named["name"] for named in found] == [None, "猪"]

    on_site(database_url, tmp_path, play)


def investigator(served: Served) -> dict[str, str]:
    token = served.site.bearers.issue("investigator", None, timedelta(hours=1), "anna")
    return {"Authorization": f"Bearer {token}"}


def test_players_report_finished_hands_and_investigators_read_it(database_url: str, tmp_path: Path) -> None:
    async def play(served: Served) -> None:
        match = await seated(served)
        path = f"/matches/{match}/hands/1/report"
        early = await served.post(path, 2, reason="signals")
        assert (early.status_code, early.json()["reason"]) == (404, "NoSuchHand")
        await play_hand(served, match, random.Random(1))
        assert (await served.post(path, 7, reason="envy")).status_code == 403
        kept = await served.post(path, 2, reason="signals")
        assert kept.status_code == 201
        assert (await served.get("/reports", headers=served.headers(2))).status_code == 403
        read = await served.get("/reports", headers=investigator(served))
        assert [(report["id"], report["reason"]) for report in read.json()] == [
            (kept.json()["report"], "signals")
        ]
        entry = served.site.people.trail.last()[0]
        assert (entry.what, entry.by) == ("read reports", "investigator anna")

    on_site(database_url, tmp_path, play)


def test_connection_records_say_when_a_client_says_it_sent(database_url: str, tmp_path: Path) -> None:
    async def play(served: Served) -> None:
        match = await seated(served)
        async with served.socket(match, 3, after=2) as client:
            await client.connection.send('{"do": "done", "sent_ms": 1700000000000}')
            client.number = 2
            await client.answer()
        await served.act(match, 3, "hand-over", sent_ms=1_700_000_000_777)
        await served.site.settle_down()
        records = await asyncio.to_thread(served.site.people.connections.of, player(3))
        asked, socket = sorted(records, key=lambda record: record.via)
        assert (asked.via, [sent.do for sent in asked.commands]) == ("http", ["take", "hand-over"])
        assert asked.commands[1].sent_ms == 1_700_000_000_777
        assert (socket.via, socket.after) == ("socket", 2)
        assert [(sent.do, sent.sent_ms) for sent in socket.commands] == [("done", 1_700_000_000_000)]
        assert len(asked.address) == len(asked.device) == 32

    on_site(database_url, tmp_path, play)


def test_investigators_read_connections_in_a_case_and_nobody_else_does(
    database_url: str, tmp_path: Path
) -> None:
    async def play(served: Served) -> None:
        match = await seated(served)
        async with served.socket(match, 2) as client:
            await client.next()
        await served.site.settle_down()
        path = f"/players/{player(2)}/connections"
        for headers in (
            {},
            served.headers(2),
            served.headers(role="operator"),
            served.headers(role="service"),
        ):
            assert (await served.get(f"{path}?case=17", headers=headers)).status_code == 403
        assert (await served.get(path, headers=investigator(served))).status_code == 400
        read = await served.get(f"{path}?case=17", headers=investigator(served))
        assert {known["connection"]["via"] for known in read.json()} == {"http", "socket"}
        entry = served.site.people.trail.last()[0]
        assert (entry.by, entry.what, entry.about, entry.case) == (
            "investigator anna",
            "read the connection records of a player",
            str(player(2)),
            "17",
        )

    on_site(database_url, tmp_path, play)


def test_what_the_trail_cannot_be_told_is_not_done(database_url: str, tmp_path: Path) -> None:
    async def play(served: Served) -> None:
        people = served.site.people
        people.names.rename(ANNA, NAME, START)
        people.connections.add(ANNA, connection())
        with served.live.log.pool.connection() as connected:
            connected.execute("ALTER TABLE people.trail ADD CONSTRAINT full_up CHECK (number < 0) NOT VALID")
        for act in (
            lambda: people.erase(ANNA, by="operator", at=START),
            lambda: people.export(ANNA, by="operator", at=START),
            lambda: people.connections_of(ANNA, by="investigator", at=START, case="17"),
        ):
            with pytest.raises(TrailUnwritten, match="nothing was done"):
                await asyncio.to_thread(act)
        for path in (f"/players/{ANNA}/connections?case=17", "/reports"):
            refused = await served.get(path, headers=investigator(served))
            assert (refused.status_code, refused.json()["reason"]) == (503, "TrailUnwritten")
            assert refused.headers["retry-after"]
        assert people.names.of([ANNA]) == {ANNA: NAME}
        assert len(people.connections.of(ANNA)) == 1

    on_site(database_url, tmp_path, play)


@pytest.mark.parametrize(
    "statement",
    ["UPDATE people.trail SET by = 'nobody'", "DELETE FROM people.trail", "TRUNCATE people.trail"],
)
def test_trail_is_only_ever_added_to(database_url: str, statement: str) -> None:
    with psycopg.connect(database_url, autocommit=True) as connected:
        connected.execute("INSERT INTO people.trail (at, by, what, about) VALUES (now(), 'a', 'b', 'c')")
        for replica in (False, True):
            if replica:
                connected.execute("SET session_replication_role = replica")
            with pytest.raises(psycopg.errors.RaiseException, match="only ever added to"):
                connected.execute(statement)
