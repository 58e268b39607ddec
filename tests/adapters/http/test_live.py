"""Live sockets: snapshot, numbered changes, commands with ids, and coming back after anything was lost."""

import asyncio
import random
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import msgspec
import pytest
import websockets
from eventsourcing.persistence import OperationalError

from adapters.http.site import Terms
from domain.commands import DealHand
from tests.adapters.http.test_matches import on_site, opened, seated, view
from tests.support.feeds import eventually
from tests.support.http import Client, Served, served_on
from tests.support.live import ManualClock


async def done_by_all(clients: list[Client]) -> None:
    for client in clients:
        assert (await client.ask("done"))["status"] == 200


async def step(clients: list[Client], chance: random.Random) -> int:
    """The number after the seat whose turn it is has played; the others have seen it too."""
    hand = (await clients[0].see(max(client.number for client in clients)))["hand"]
    turn = hand["turn"]
    player = clients[turn]
    await player.see(clients[0].number)
    answer = await player.ask("play", cards=chance.choice(player.view["hand"]["legal"]))
    assert answer["status"] == 200, answer
    number: int = answer["body"]["number"]
    for client in clients:
        await client.see(number)
    return number


def test_four_clients_and_a_spectator_play_a_hand_over_sockets(database_url: str, tmp_path: Path) -> None:
    async def play(served: Served) -> None:
        match, chance = await seated(served), random.Random(1)
        clients = [served.socket(match, seat) for seat in range(4)]
        async with clients[0], clients[1], clients[2], clients[3], served.socket(match) as spectator:
            await done_by_all(clients)
            for client in clients:
                await client.see(clients[3].number)
            while clients[0].view["phase"] == "playing":
                number = await step(clients, chance)
                assert await spectator.see(number) == await view(served, match)
                for seat, client in enumerate(clients):
                    assert client.view == await view(served, match, seat)
            assert clients[0].view["phase"] == "settled"
            # The change comes before the answer: whoever has the answer has seen what it led to.
            assert clients[0].events[-1]["type"] == "MatchSettled"

    on_site(database_url, tmp_path, play)


def test_seats_frames_carry_turn_deadline_time_and_own_legal_plays(database_url: str, tmp_path: Path) -> None:
    async def play(served: Served) -> None:
        match = await seated(served)
        clients = [served.socket(match, seat) for seat in range(4)]
        async with clients[0], clients[1], clients[2], clients[3]:
            await done_by_all(clients)
            frames = []
            for client in clients:
                await client.see(clients[3].number)
                frames.append(
                    msgspec.json.decode(client.raw[-1] if client is not clients[3] else client.raw[-2])
                )
            turn = clients[0].view["hand"]["turn"]
            for seat, (client, frame) in enumerate(zip(clients, frames, strict=True)):
                assert (client.view["hand"]["legal"] is not None) == (seat == turn)
                assert frame["now"] < frame["deadline"]
                assert client.view["hand"]["deadline"] == frame["deadline"]

    on_site(database_url, tmp_path, play)


def test_client_that_drops_frames_and_resumes_at_any_number_ends_with_the_same_view(
    database_url: str, tmp_path: Path
) -> None:
    async def play(served: Served) -> None:
        match, chance = await seated(served), random.Random(2)
        clients = [served.socket(match, seat) for seat in range(4)]
        async with clients[0], clients[1], clients[2], clients[3]:
            await done_by_all(clients)
            kept: list[tuple[int, int, dict[str, Any]]] = []
            for client in clients:
                await client.see(clients[3].number)
            while clients[0].view["phase"] == "playing":
                await step(clients, chance)
                kept += [(seat, client.number, client.view) for seat, client in enumerate(clients)]
            for seat, number, seen in kept:
                async with served.socket(match, seat, after=number) as back:
                    back.view = seen
                    await back.next()
                    assert back.view == clients[seat].view
                    assert back.number == clients[seat].number

    on_site(database_url, tmp_path, play)


def test_command_over_a_socket_is_answered_as_over_http(database_url: str, tmp_path: Path) -> None:
    async def play(served: Served) -> None:
        match = await seated(served)
        async with served.socket(match, 1) as client:
            for do, body in (
                ("play", {"cards": ["SQ"]}),
                ("declare", {"card": "S2"}),
                ("reveal", {"nonce": "00" * 32}),
                ("take", {}),
                ("take-back", {}),
            ):
                over_http = await served.act(match, 1, do, **body)
                answer = await client.ask(do, **body)
                assert answer["status"] == over_http.status_code >= 400
                assert answer["body"] == over_http.json()
            command_id = str(uuid4())
            answer = await client.ask("done", command_id=command_id)
            again = await served.act(match, 1, "done", command_id=command_id)
            assert again.json() == answer["body"]
            assert answer["command_id"] == command_id

    on_site(database_url, tmp_path, play)


@pytest.mark.parametrize(
    "message",
    [
        "",
        "{",
        "[]",
        "null",
        '{"do": "fly"}',
        '{"do": "play"}',
        '{"do": "play", "body": {"cards": []}}',
        '{"do": "play", "body": {"cards": ["SQ"], "x": 1}}',
        '{"do": "done", "body": null}',
        '{"do": "done", "body": {"command_id": "x"}}',
        '{"do": "done", "seat": "1"}',
        '{"do": "done", "more": 1}',
        '{"do": "\\ud800"}',
        b"\xff\xfe",
    ],
)
def test_message_that_is_no_command_is_answered_with_what_is_wrong(
    database_url: str, tmp_path: Path, message: str | bytes
) -> None:
    async def play(served: Served) -> None:
        match = await seated(served)
        async with served.socket(match, 0) as client:
            await client.connection.send(message)
            answer = await client.answer()
            assert answer["status"] == 400
            assert answer["body"]["reason"] == "BadRequest"
            # The socket goes on.
            assert (await client.ask("done"))["status"] == 200

    on_site(database_url, tmp_path, play)


def test_oversized_message_closes_the_socket_and_nothing_else(database_url: str, tmp_path: Path) -> None:
    async def play(served: Served) -> None:
        match = await seated(served)
        async with served.socket(match, 0) as client, served.socket(match, 1) as other:
            await client.connection.send("x" * 5_000)
            with pytest.raises(websockets.ConnectionClosedError) as closed:
                await client.answer()
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == 1009
            assert (await other.ask("done"))["status"] == 200
        assert served.site.sockets == 0

    on_site(database_url, tmp_path, play)


def test_others_seats_are_refused_over_a_socket(database_url: str, tmp_path: Path) -> None:
    async def play(served: Served) -> None:
        match = await seated(served)
        async with served.socket(match, 0) as client, served.socket(match) as spectator:
            await client.connection.send('{"do": "done", "seat": 1}')
            answer = await client.answer()
            assert (answer["status"], answer["body"]["reason"]) == (403, "NotYourSeat")
            await spectator.connection.send('{"do": "done", "seat": 1}')
            answer = await spectator.answer()
            assert (answer["status"], answer["body"]["reason"]) == (403, "RoleRefused")

    on_site(database_url, tmp_path, play)


@pytest.mark.parametrize(
    ("query", "status", "reason"),
    [
        ("as=king", 400, "BadRequest"),
        ("after=x", 400, "BadRequest"),
        ("colour=red", 400, "BadRequest"),
        ("as=seat", 403, "RoleRefused"),
    ],
)
def test_who_is_not_admitted_is_told_why(
    database_url: str, tmp_path: Path, query: str, status: int, reason: str
) -> None:
    async def play(served: Served) -> None:
        match = await seated(served)
        await refused(served, f"/matches/{match}/live?{query}", {}, status, reason)

    on_site(database_url, tmp_path, play)


async def refused(
    served: Served, path: str, headers: dict[str, str], status: int, reason: str
) -> websockets.Response:
    url = served.url.replace("http", "ws", 1) + path
    with pytest.raises(websockets.InvalidStatus) as refusal:
        await websockets.connect(url, additional_headers=headers, proxy=None)
    assert refusal.value.response.status_code == status
    assert msgspec.json.decode(refusal.value.response.body)["reason"] == reason
    return refusal.value.response


def test_socket_too_many_is_told_to_come_back(database_url: str, tmp_path: Path) -> None:
    async def play(served: Served) -> None:
        match = await seated(served)
        async with served.socket(match, 0) as first:
            await first.next()
            answer = await refused(served, f"/matches/{match}/live", {}, 503, "TooManySockets")
            assert answer.headers["retry-after"] == "5"
        await eventually(lambda: served.site.sockets == 0, what="the socket is known to be closed")
        async with served.socket(match, 1) as second:
            await second.next()

    on_site(database_url, tmp_path, play, Terms(most_sockets=1, requests_a_second=1e6))


def test_socket_that_cannot_be_served_while_the_log_is_away_is_told_to_come_back(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object, **__: object) -> None:
        raise OperationalError("away")

    async def play(served: Served) -> None:
        match = await seated(served)
        monkeypatch.setattr(served.live.log, "events_of", away)
        for path in ("live", "live?after=3"):
            answer = await refused(served, f"/matches/{match}/{path}", {}, 503, "LogUnavailable")
            assert answer.headers["retry-after"] == "5"
        monkeypatch.undo()
        assert served.site.sockets == 0
        async with served.socket(match) as client:
            await client.next()

    on_site(database_url, tmp_path, play)


def test_strangers_bad_tokens_and_unknown_matches_get_no_socket(database_url: str, tmp_path: Path) -> None:
    async def play(served: Served) -> None:
        match = await seated(served)
        await refused(served, f"/matches/{match}/live?as=seat", served.headers(7), 403, "NotYourSeat")
        await refused(served, f"/matches/{match}/live", {"Authorization": "Bearer x"}, 401, "TokenRefused")
        await refused(served, f"/matches/{UUID(int=5)}/live", {}, 404, "MatchNotOpen")
        assert served.site.sockets == 0

    on_site(database_url, tmp_path, play)


def test_browser_brings_its_token_as_a_subprotocol(database_url: str, tmp_path: Path) -> None:
    async def play(served: Served) -> None:
        match = await seated(served)
        url = f"{served.url.replace('http', 'ws', 1)}/matches/{match}/live?as=seat"
        token = served.headers(2)["Authorization"].removeprefix("Bearer ")
        protocols: Any = ["gongzhu", f"bearer.{token}"]
        async with websockets.connect(url, subprotocols=protocols, proxy=None) as connection:
            assert connection.subprotocol == "gongzhu"
            assert msgspec.json.decode(await connection.recv())["view"]["viewer"] == 2

    on_site(database_url, tmp_path, play)


def test_seat_that_was_left_gets_no_more_frames(database_url: str, tmp_path: Path) -> None:
    async def play(served: Served) -> None:
        match = await opened(served)
        await served.act(match, 1, "take")
        async with served.socket(match, 1) as client:
            await client.next()
            await served.act(match, 1, "leave")
            with pytest.raises(websockets.ConnectionClosedError) as closed:
                await client.next()
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == 4403

    on_site(database_url, tmp_path, play)


def test_socket_ends_when_its_token_expires(database_url: str, tmp_path: Path) -> None:
    clock = ManualClock()

    async def run() -> None:
        async with served_on(database_url, tmp_path, clock) as served:
            match = await seated(served, clocks={"declare_s": 3_600, "play_s": 3_600})
            async with served.socket(match, 0) as client:
                await client.next()
                clock.move(3_600)
                with pytest.raises(websockets.ConnectionClosedError) as closed:
                    await client.ask("hand-over")
                assert closed.value.rcvd is not None
                assert closed.value.rcvd.code == 4401

    asyncio.run(run())


async def forever(client: Client) -> None:
    while True:
        await client.next()


def test_flooding_client_is_refused_and_then_cut_off(database_url: str, tmp_path: Path) -> None:
    async def play(served: Served) -> None:
        match = await seated(served)
        async with served.socket(match, 0) as client:
            for _ in range(400):
                await client.connection.send('{"do": "done"}')
            with pytest.raises(websockets.ConnectionClosedError) as closed:
                await forever(client)
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code in (1008, 1013)
            statuses = [answer["status"] for answer in client.answers]
            assert statuses.count(200) == 1
            assert 429 in statuses

    on_site(database_url, tmp_path, play, Terms(requests_a_second=1, burst=20))


def test_two_services_behind_one_address_serve_the_same_match(database_url: str, tmp_path: Path) -> None:
    async def run() -> None:
        clock, chance = ManualClock(), random.Random(3)
        async with (
            served_on(database_url, tmp_path, clock, seed=1) as one,
            served_on(database_url, tmp_path, clock, seed=2) as other,
        ):
            match = await seated(one, hands=2)
            # Every client is at one of the services, and half of the commands go to the other.
            clients = [(one, other)[seat % 2].socket(match, seat) for seat in range(4)]
            async with clients[0], clients[1], clients[2], clients[3]:
                await done_by_all(clients)
                for client in clients:
                    await client.see(clients[3].number)
                for _ in range(52):
                    number = await step(clients, chance)
                    at = chance.choice((one, other))
                    assert (await view(at, match))["version"] == number
                accepted = await one.live.service.handle(match, DealHand())
                for client in clients:
                    await client.see(accepted.last_version)
                    assert client.view["phase"] == "declaring"

    asyncio.run(run())
