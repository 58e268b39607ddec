"""`gongzhu player erase`, from end to end: people play at a served table, one is erased, and nothing tells of him.

Everything is looked through: every column of every table, every file of the data folder (what PostgreSQL and NATS have
stored and logged), what the service said, every export, and what the API and the commands answer. The matches stand.
"""

import asyncio
import re
import signal
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx
import msgspec
import psycopg

from adapters.data_folder import DataFolder
from adapters.ownership import OwnerRecord
from adapters.socket_bots.seat import BotSeat
from adapters.socket_bots.tables import BotTables, GuestPasses, Order, ask
from tests.support.gongzhu import Gongzhu, gongzhu_over
from tests.support.traces import columns_holding
from tests.support.waiting import eventually

NAME, FORMER = "Qiuming-小猪-7261", "Qiumings-formername-8362"
DEVICE, ADDRESS = "pigbrowser/7261-of-nobody", "198.51.100.77"
SENT_MS = 1_700_007_261_111
WAL = "pg_wal"
"""What `infra/people.md` says may hold a name for a while."""


class Table:
    """A served match of four people, played to its end, and a report of it."""

    def __init__(self) -> None:
        self.match = ""
        self.players: list[str] = []
        self.tokens: list[str] = []

    @property
    def erased(self) -> str:
        """The player who will be erased."""
        return self.players[2]


async def play(url: str, table: Table) -> None:
    """Four guests take names, play a hand, and two of them report it."""
    told = {"User-Agent": DEVICE, "X-Forwarded-For": ADDRESS}
    async with httpx.AsyncClient(base_url=url, headers=told, trust_env=False) as client:
        for seat in range(4):
            guest = (await client.post("/guests")).json()
            table.players.append(guest["player"])
            table.tokens.append(guest["token"])
            for name in (FORMER, NAME) if seat == 2 else (f"player {seat}",):
                path = f"/players/{guest['player']}/name"
                headers = {"Authorization": f"Bearer {guest['token']}"}
                assert (await client.put(path, json={"name": name}, headers=headers)).status_code == 200
        order = Order(ruleset="zero_sum-1", hands=1, pace_s=0, clocks={"pause_s": 0})
        match = await BotTables(url, client, GuestPasses(client, None), order).open(table.tokens)
        table.match = str(match)
        hand_over = f"/matches/{match}/seats/2/hand-over"
        await ask(client, hand_over, table.tokens[2], {"sent_ms": SENT_MS})
        await ask(client, f"/matches/{match}/seats/2/take-back", table.tokens[2], {})
        seats = [BotSeat(url, match, seat, token) for seat, token in enumerate(table.tokens)]
        await asyncio.gather(*(seat.play() for seat in seats))
        report = f"/matches/{match}/hands/1/report"
        await ask(client, report, table.tokens[1], {"reason": f"{NAME.upper()} winked at player 0"})
        await ask(client, report, table.tokens[2], {"reason": f"I, {NAME}, saw nothing"})


def run(gongzhu: Gongzhu, *arguments: str) -> str:
    """What a command says: its notes, then its answer."""
    answer, notes = gongzhu.told(*arguments)
    return notes + answer


def database_of(gongzhu: Gongzhu) -> str:
    record = msgspec.json.decode((gongzhu.data / "owner.json").read_bytes(), type=OwnerRecord)
    assert record.connections.database_url is not None
    return record.connections.database_url


def files_holding(folder: Path, texts: Sequence[bytes]) -> list[Path]:
    """The files under a folder in which any of these stands, but for the write-ahead log."""
    files = (path for path in folder.rglob("*") if path.is_file() and WAL not in path.parts)
    return [path for path in files if any(text in path.read_bytes() for text in texts)]


def answers(url: str, table: Table, investigator: str) -> Iterator[str]:
    """What the API answers about the players and their match."""
    seated, staff = ({"Authorization": f"Bearer {token}"} for token in (table.tokens[2], investigator))
    match, erased = table.match, table.erased
    asked: list[tuple[str, dict[str, str]]] = [
        (f"/names?player={erased}&player={table.players[1]}", {}),
        ("/tables", {}),
        ("/matches", {}),
        (f"/matches/{match}", {}),
        (f"/matches/{match}?as=seat", seated),
        (f"/matches/{match}/events?limit=200", {}),
        (f"/matches/{match}/steps/9?viewer=all", {}),
        ("/hands", {}),
        (f"/hands/{match}/1", {}),
        ("/leaderboards/zero_sum-1", {}),
        (f"/players/{erased}/entries", {}),
        ("/reports", staff),
        (f"/players/{erased}/connections?case=17", staff),
    ]
    for path, headers in asked:
        answer = httpx.get(f"{url}{path}", headers=headers, trust_env=False)
        assert answer.status_code == 200, (path, answer.text)
        yield f"{path} {answer.headers} {answer.text}"


def told(gongzhu: Gongzhu, table: Table, exports: Path) -> Iterator[str]:
    """What the commands tell, and export."""
    erased = table.erased
    run(gongzhu, "export", "--to", str(exports))
    for arguments in (
        ("matches", "--json"),
        ("hands",),
        ("leaderboard", "--ruleset", "zero_sum-1"),
        ("leaderboard", "explain", erased),
        ("replay", table.match),
        ("notation", table.match),
        ("events", "export", table.match),
        ("player", "show", erased),
        ("player", "export", erased),
        ("player", "connections", erased, "--case", "17"),
        ("reports", "list"),
        ("trail", "--json"),
    ):
        yield run(gongzhu, *arguments)
    for path in exports.rglob("*"):
        if path.is_file():
            yield path.read_bytes().decode("utf-8", "replace")


def test_nothing_tells_of_a_player_who_was_erased_and_every_match_stands(tmp_path: Path) -> None:
    table = Table()
    with gongzhu_over(tmp_path / "data") as gongzhu:
        serving = gongzhu.start("serve", "--http", "127.0.0.1:0")
        url, health = urls(serving)
        asyncio.run(play(url, table))
        eventually(
            lambda: table.match in httpx.get(f"{url}/hands", trust_env=False).text, what="the hand is read"
        )
        investigator = run(gongzhu, "token", "new", "--role", "investigator", "--for", "anna").splitlines()[
            -1
        ]
        database = database_of(gongzhu)
        analyze(database)
        secrets = assert_all_is_known(gongzhu, database, table)
        metrics = httpx.get(f"{health}/metrics", trust_env=False).text
        before = run(gongzhu, "events", "export", table.match)

        said = run(gongzhu, "player", "erase", table.erased, "--yes", "--by", "data protection")
        assert f"player {table.erased} is erased" in said
        assert "others reported matches he sat at" in said

        # The log, and all that is made of it, are what they were.
        assert run(gongzhu, "events", "export", table.match) == before
        assert "rebuilt" in run(gongzhu, "projections", "rebuild")
        run(gongzhu, "projections", "verify", "--all")
        assert msgspec.json.decode(json_of(run(gongzhu, "audit", "--json")))[0]["ok"]
        assert "verified" in run(gongzhu, "verify", table.match)
        # And nothing in it, or anywhere else, tells of him.
        texts = [NAME, FORMER, DEVICE, ADDRESS, str(SENT_MS)]
        assert columns_holding(database, [*texts, *secrets]) == []
        heard = [*answers(url, table, investigator), *told(gongzhu, table, tmp_path / "exports"), metrics]
        assert [text for text in heard if any(trace.lower() in text.lower() for trace in texts)] == []
        assert f"player {table.erased} winked" in "".join(heard)
        serving.send_signal(signal.SIGINT)
        _, lines = gongzhu.finish(serving, 130)
        assert not any(trace in lines for trace in texts)
    traces = [text.encode() for text in (*texts, *secrets)] + [bytes.fromhex(one) for one in secrets]
    assert files_holding(DataFolder.open(tmp_path / "data").path, traces) == []


def urls(serving: subprocess.Popen[str]) -> tuple[str, str]:
    """Where the API and the health of a service are, as it says."""
    assert serving.stderr is not None
    found: dict[str, str] = {}
    for line in serving.stderr:
        found |= dict(re.findall(r"(pages|health) at (http://[\d.:]+)/", line))
        if len(found) == 2:
            break
    return found["pages"], found["health"]


def analyze(database: str) -> None:
    """Lets PostgreSQL take its statistics, as it does by itself sooner or later."""
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("ANALYZE")


def what_is_known(gongzhu: Gongzhu, table: Table) -> dict[str, Any]:
    known: dict[str, Any] = msgspec.json.decode(json_of(run(gongzhu, "player", "export", table.erased)))
    return known


def json_of(output: str) -> str:
    """The JSON in what a command said; it stands after its notes."""
    return output[re.search(r"^[\[{]", output, re.MULTILINE).start() :]  # type: ignore[union-attr]


def assert_all_is_known(gongzhu: Gongzhu, database: str, table: Table) -> list[str]:
    """Before the erasure the looking finds what is there; the digests of address and device among it."""
    eventually(
        lambda: len(what_is_known(gongzhu, table)["connections"]) > 0, what="the socket's record is kept"
    )
    known = what_is_known(gongzhu, table)
    assert (known["player"], known["name"], known["matches"]) == (table.erased, NAME, [table.match])
    assert [report["reason"] for report in known["reports"]] == [f"I, player {table.erased}, saw nothing"]
    assert known["accesses"][0]["what"] == "exported what is known of a player"
    assert columns_holding(database, [NAME]) == ["people.names.name"]
    assert columns_holding(database, [FORMER, DEVICE, ADDRESS, str(SENT_MS)]) == []
    return [known["connections"][0]["address"], known["connections"][0]["device"]]
