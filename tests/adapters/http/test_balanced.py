"""Two processes behind one address: whoever comes lands on either, and sees and does the same."""

import asyncio
import random
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import httpx
import msgspec
import psycopg
import pytest
import websockets

from adapters.clock import SystemClock
from adapters.composition import keys_path, match_log, system_ports
from adapters.identity.bearers import Bearers
from adapters.identity.token_keys import ensure_token_keys
from adapters.keys import load_keys
from adapters.randomness import SystemRandomness
from adapters.socket_bots.seat import BotSeat
from adapters.socket_bots.tables import BotTables, Order, OwnPasses
from domain.events import CardsPlayed, DeclarationsClosed, MatchSettled, SeatHandedOver
from domain.match import Match, fold
from domain.visibility import view
from replays.audit import audit
from tests.adapters.http.test_killed import public_events, service
from tests.support.balancer import Balancer, balanced
from tests.support.waiting import eventually

CLOCKS = {"declare_s": 3_000, "play_s": 3_000, "pause_s": 0}


class Roamer(BotSeat):
    """A bot that gives half of its commands over HTTP, each twice, and cuts its socket off now and then.

    Every request and every socket is a new connection, so it may land on another process than the one before. What it
    cannot know to be done it asks again under the same id, as clients should.
    """

    def __init__(
        self, client: httpx.AsyncClient, match: UUID, seat: int, token: str, chance: random.Random
    ) -> None:
        super().__init__(str(client.base_url).rstrip("/"), match, seat, token)
        self._client = client
        self._path = f"/matches/{match}/seats/{seat}"
        self._chance = chance
        self.ids: dict[str, str] = {}
        self.cut_off = 0

    @property
    def seen(self) -> dict[str, Any]:
        """The view as its client keeps it."""
        return self._seen

    async def _send(self, socket: websockets.ClientConnection, command: dict[str, Any]) -> None:
        hand = self._seen["hand"]
        situation = f"{hand['number']} {hand['trick_no']} {command}"
        command_id = self.ids.setdefault(situation, str(uuid4()))
        command = {**command, "body": {**command.get("body", {}), "command_id": command_id}}
        if self._chance.random() < 0.5:
            await self._ask(command)
        else:
            await super()._send(socket, command)
        if self._chance.random() < 0.2:
            self.cut_off += 1
            await socket.close()

    async def _ask(self, command: dict[str, Any]) -> None:
        path = f"{self._path}/{command['do']}"
        first, again = [
            await self._client.post(path, json=command["body"], headers=self._headers) for _ in range(2)
        ]
        assert first.status_code == again.status_code == 200, (first.text, again.text)
        assert first.content == again.content


async def roam(url: str, data: Path) -> list[tuple[UUID, list[Roamer]]]:
    """Matches played to their end by four roamers each; those roamers."""
    bearers = Bearers(ensure_token_keys(data, SystemRandomness()), SystemClock())
    passes = OwnPasses(bearers, SystemRandomness())
    limits = httpx.Limits(max_keepalive_connections=0)
    played: list[tuple[UUID, list[Roamer]]] = []
    async with httpx.AsyncClient(base_url=url, trust_env=False, limits=limits, timeout=60) as client:
        for number, ruleset in enumerate(("zero_sum-1", "zero_sum-1-partners", "zero_sum-2")):
            order = Order(ruleset=ruleset, hands=1, clocks=CLOCKS)
            tokens = [await passes.player() for _ in range(4)]
            match = await BotTables(url, client, passes, order).open(tokens)
            chances = [random.Random(10 * number + seat) for seat in range(4)]
            roamers = [
                Roamer(client, match, seat, token, chance)
                for seat, (token, chance) in enumerate(zip(tokens, chances, strict=True))
            ]
            played.append((match, roamers))
        await asyncio.gather(*(seat.play() for _, seats in played for seat in seats))
    return played


def test_clients_that_land_on_either_process_end_with_the_logs_own_view(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adapters.socket_bots.seat._RETRY_S", 0.01)

    async def run(ports: list[int]) -> tuple[list[tuple[UUID, list[Roamer]]], Balancer]:
        async with balanced(ports) as (url, balancer):
            return await roam(url, tmp_path), balancer

    with service(database_url, tmp_path) as one, service(database_url, tmp_path) as other:
        played, balancer = asyncio.run(run([one.port, other.port]))
        shares = balancer.served
        assert min(shares[one.port], shares[other.port]) > 100, shares
    for match, seats in played:
        assert_all_agree(database_url, tmp_path, match, seats)


def assert_all_agree(database_url: str, data: Path, match: UUID, seats: list[Roamer]) -> None:
    """What the four clients hold is the view of the log; each command stands in it once, all of it by the rules."""
    final = final_state(database_url, data, match)
    events = public_events(database_url, match, data)
    assert isinstance(events[-1], MatchSettled)
    assert audit(events).first_difference is None
    for number, seat in enumerate(seats):
        assert seat.seen == msgspec.json.decode(msgspec.json.encode(view(final, number)))
        assert seat.refusals == 0
        assert seat.cut_off > 0
    plays = [event for event in events if isinstance(event, CardsPlayed)]
    assert {play.by for play in plays} == {"player"}
    assert len(plays) == sum("play" in situation for seat in seats for situation in seat.ids)
    asked = {command_id for seat in seats for command_id in seat.ids.values()}
    with psycopg.connect(database_url) as connection:
        rows = connection.execute(
            "SELECT command_id::text FROM log.commands WHERE match = %s AND seat >= 0", [match]
        ).fetchall()
    assert sorted(asked) == sorted(command_id for (command_id,) in rows if command_id is not None)


def final_state(database_url: str, data: Path, match: UUID) -> Match:
    with match_log(database_url, load_keys(keys_path(data)), system_ports()) as log:
        state = fold(log.events_of(match))
    assert state is not None
    return state


def test_what_is_due_at_two_processes_is_done_once_by_either(database_url: str, tmp_path: Path) -> None:
    """Eight tables that nobody plays at: windows and turns of one second end at both processes at the same time."""

    async def open_tables(url: str) -> list[UUID]:
        bearers = Bearers(ensure_token_keys(tmp_path, SystemRandomness()), SystemClock())
        passes = OwnPasses(bearers, SystemRandomness())
        clocks = {"declare_s": 1, "play_s": 1, "grace_s": 0}
        async with httpx.AsyncClient(base_url=url, trust_env=False) as client:
            tables = BotTables(url, client, passes, Order(ruleset="zero_sum-1", hands=1, clocks=clocks))
            return [await tables.open([await passes.player() for _ in range(4)]) for _ in range(8)]

    with service(database_url, tmp_path) as one, service(database_url, tmp_path):
        matches = asyncio.run(open_tables(one.url))
        eventually(
            lambda: all(len(plays_of(database_url, match, tmp_path)) >= 4 for match in matches),
            what="four turns have passed at every table",
        )
    for match in matches:
        events = public_events(database_url, match, tmp_path)
        assert audit(events).first_difference is None
        assert [type(event) for event in events].count(DeclarationsClosed) == 1
        handed_over = {event.seat for event in events if isinstance(event, SeatHandedOver)}
        for play in plays_of(database_url, match, tmp_path):
            # A turn's time had passed each time, so no second play was recorded for a turn that was over.
            assert play.think_ms >= 1_000 or play.seat in handed_over


def plays_of(database_url: str, match: UUID, data: Path) -> list[CardsPlayed]:
    return [event for event in public_events(database_url, match, data) if isinstance(event, CardsPlayed)]
