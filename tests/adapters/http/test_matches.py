"""Matches over HTTP: opened, joined, played, looked at and abandoned."""

import asyncio
import hashlib
import random
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest

from adapters.group_commit import LogBusy, LogUnavailable
from adapters.http.site import Terms
from tests.support.http import FREELY, Served, served_on
from tests.support.live import ManualClock, player

Play = Callable[[Served], Awaitable[None]]


def on_site(database_url: str, folder: Path, play: Play, terms: Terms = FREELY) -> None:
    async def run() -> None:
        async with served_on(database_url, folder, ManualClock(), terms=terms) as served:
            await play(served)

    asyncio.run(run())


async def opened(served: Served, **terms: Any) -> UUID:
    answer = await served.post("/matches", 0, **{"ruleset": "zero_sum-1", "hands": 1, **terms})
    assert answer.status_code == 201, answer.text
    return UUID(answer.json()["match"])


async def seated(served: Served, **terms: Any) -> UUID:
    match = await opened(served, **terms)
    for seat in range(4):
        answer = await served.act(match, seat, "take")
        assert answer.status_code == 200, answer.text
    return match


async def view(served: Served, match: UUID, seat: int | None = None) -> dict[str, Any]:
    as_ = "spectator" if seat is None else "seat"
    answer = await served.get(f"/matches/{match}?as={as_}", headers=served.headers(seat))
    assert answer.status_code == 200, answer.text
    seen: dict[str, Any] = answer.json()["view"]
    return seen


async def play_hand(served: Served, match: UUID, chance: random.Random, *, declared: bool = False) -> None:
    for seat in () if declared else range(4):
        assert (await served.act(match, seat, "done")).status_code == 200
    while (seen := await view(served, match))["phase"] == "playing":
        turn = seen["hand"]["turn"]
        legal = (await view(served, match, turn))["hand"]["legal"]
        answer = await served.act(match, turn, "play", cards=chance.choice(legal))
        assert answer.status_code == 200, answer.text


def test_hand_is_played_to_its_score_over_http(database_url: str, tmp_path: Path) -> None:
    async def play(served: Served) -> None:
        match = await seated(served)
        await play_hand(served, match, random.Random(1))
        seen = await view(served, match)
        assert seen["phase"] == "settled"
        assert sum(seen["points"]) == 0
        read = (await served.get(f"/matches/{match}/events?limit=50")).json()
        events = read["events"]
        while read["next"] is not None:
            read = (await served.get(f"/matches/{match}/events?limit=50&after={read['next']}")).json()
            events += read["events"]
        assert [event["version"] for event in events] == list(range(1, seen["version"] + 1))
        assert events[-1]["type"] == "MatchSettled"

    on_site(database_url, tmp_path, play)


def test_events_are_read_up_to_the_last_finished_hand_only(database_url: str, tmp_path: Path) -> None:
    async def play(served: Served) -> None:
        match = await seated(served, hands=2)
        assert (await served.get(f"/matches/{match}/events")).json() == {"events": [], "next": None}
        await play_hand(served, match, random.Random(1))
        read = (await served.get(f"/matches/{match}/events?limit=200")).json()
        assert read["events"][-1]["type"] == "HandEnded"

    on_site(database_url, tmp_path, play)


def test_nonces_are_committed_and_revealed(database_url: str, tmp_path: Path) -> None:
    nonces = [bytes([seat + 1]) * 32 for seat in range(4)]

    async def play(served: Served) -> None:
        match = await opened(served)
        for seat, nonce in enumerate(nonces):
            await served.act(match, seat, "take", commitment=hashlib.sha256(nonce).hexdigest())
        wrong = await served.act(match, 0, "reveal", nonce="00" * 32)
        assert (wrong.status_code, wrong.json()["reason"]) == (422, "NonceDiffers")
        for seat, nonce in enumerate(nonces):
            answer = await served.act(match, seat, "reveal", nonce=nonce.hex())
        assert [event["type"] for event in answer.json()["events"]] == ["NonceRevealed", "HandDealt"]

    on_site(database_url, tmp_path, play)


def test_command_that_comes_again_gets_its_first_answer_byte_for_byte(
    database_url: str, tmp_path: Path
) -> None:
    async def play(served: Served) -> None:
        match = await seated(served)
        ids = str(uuid4())
        first = await served.act(match, 2, "done", command_id=ids)
        again = await served.act(match, 2, "done", command_id=ids)
        assert (again.status_code, again.content) == (first.status_code, first.content)
        other = await served.act(match, 2, "hand-over", command_id=ids)
        assert (other.status_code, other.json()["reason"]) == (409, "CommandIdReused")
        async with served.socket(match, 2) as client:
            answer = await client.ask("done", command_id=ids)
            assert answer["body"] == first.json()

    on_site(database_url, tmp_path, play)


def test_match_is_opened_once_under_an_id_of_the_clients_making(database_url: str, tmp_path: Path) -> None:
    from adapters.identifiers import new_match_id
    from adapters.randomness import SeededRandomness

    async def play(served: Served) -> None:
        match = str(new_match_id(served.site.clock.now(), SeededRandomness(9)))
        terms: dict[str, Any] = {"ruleset": "blood-1", "match": match, "command_id": str(uuid4())}
        first, again = [await served.post("/matches", 0, **terms) for _ in range(2)]
        assert first.status_code == again.status_code == 201
        assert first.content == again.content
        other = await served.post("/matches", 1, **terms)
        assert other.status_code == 409
        old = await served.post("/matches", 0, ruleset="blood-1", match=str(UUID(int=7 << 76 | 2 << 62)))
        assert (old.status_code, old.json()["reason"]) == (422, "NotAMatchId")

    on_site(database_url, tmp_path, play)


def test_player_acts_for_his_own_seat_only(database_url: str, tmp_path: Path) -> None:
    async def play(served: Served) -> None:
        match = await seated(served)
        path = f"/matches/{match}/seats/1"
        bodies: dict[str, dict[str, Any]] = {
            "leave": {}, "reveal": {"nonce": "00" * 32}, "declare": {"card": "SQ"}, "done": {},
            "play": {"cards": ["SQ"]}, "hand-over": {}, "take-back": {},
        }  # fmt: skip
        before = (await view(served, match))["version"]
        for action, body in bodies.items():
            answer = await served.post(f"{path}/{action}", 0, **body)
            assert (answer.status_code, answer.json()["reason"]) == (403, "NotYourSeat"), action
            for role in ("operator", "service", "investigator", None):
                refused = await served.post(f"{path}/{action}", role=role, **body)
                assert (refused.status_code, refused.json()["reason"]) == (403, "RoleRefused")
        assert (await view(served, match))["version"] == before
        looked = await served.get(f"/matches/{match}?as=seat", headers=served.headers(7))
        assert looked.status_code == 403

    on_site(database_url, tmp_path, play)


def test_bad_and_expired_tokens_are_refused_everywhere(database_url: str, tmp_path: Path) -> None:
    clock = ManualClock()

    async def run() -> None:
        async with served_on(database_url, tmp_path, clock) as served:
            match = await seated(served)
            expired = served.headers(0)
            clock.move(3_601)
            for headers in ({"Authorization": "Bearer x.y.z"}, {"Authorization": "Basic eDp5"}, expired):
                for path in (f"/matches/{match}", f"/matches/{match}/events", "/tables", "/rulesets"):
                    answer = await served.get(path, headers=headers)
                    assert (answer.status_code, answer.json()["reason"]) == (401, "TokenRefused")
                    assert answer.headers["www-authenticate"] == "Bearer"
                answer = await served.client.post(f"/matches/{match}/seats/0/done", json={}, headers=headers)
                assert answer.status_code == 401

    asyncio.run(run())


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("limit=0", "limit"),
        ("limit=x", "limit"),
        ("phase=ended", "phase"),
        ("after=1", "after"),
        ("colour=red", "colour"),
    ],
)
def test_bad_filter_is_a_400_that_names_it(database_url: str, tmp_path: Path, query: str, named: str) -> None:
    async def play(served: Served) -> None:
        answer = await served.get(f"/tables?{query}")
        assert answer.status_code == 400
        assert answer.headers["content-type"].startswith("application/problem+json")
        assert named in answer.json()["detail"]

    on_site(database_url, tmp_path, play)


def test_tables_are_listed_by_pages_and_filters(database_url: str, tmp_path: Path) -> None:
    async def play(served: Served) -> None:
        made = [await opened(served, ruleset=name) for name in ("zero_sum-1", "zero_sum-2", "zero_sum-1")]
        first = (await served.get("/tables?limit=2")).json()
        assert len(first["tables"]) == 2
        rest = (await served.get(f"/tables?limit=2&after={first['next']}")).json()
        listed = [table["match"] for table in first["tables"] + rest["tables"]]
        assert sorted(listed) == sorted(map(str, made))
        assert rest["next"] is None
        only = (await served.get("/tables?ruleset=zero_sum-2&phase=seating")).json()["tables"]
        assert [table["match"] for table in only] == [str(made[1])]

    on_site(database_url, tmp_path, play)


def test_view_that_has_not_changed_is_not_sent_again(database_url: str, tmp_path: Path) -> None:
    async def play(served: Served) -> None:
        match = await seated(served)
        first = await served.get(f"/matches/{match}?as=seat", headers=served.headers(2))
        etag = {"If-None-Match": first.headers["etag"]}
        assert (
            await served.get(f"/matches/{match}?as=seat", headers=served.headers(2) | etag)
        ).status_code == 304
        assert (await served.get(f"/matches/{match}", headers=etag)).status_code == 200
        await served.act(match, 2, "done")
        assert (
            await served.get(f"/matches/{match}?as=seat", headers=served.headers(2) | etag)
        ).status_code == 200

    on_site(database_url, tmp_path, play)


def test_opener_abandons_before_the_deal_and_four_seats_or_an_operator_after_it(
    database_url: str, tmp_path: Path
) -> None:
    async def play(served: Served) -> None:
        match = await opened(served)
        refused = await served.post(f"/matches/{match}/abandon", 1)
        assert (refused.status_code, refused.json()["reason"]) == (403, "NotTheOpener")
        assert (await served.post(f"/matches/{match}/abandon", 0)).json()["receipt"] is not None
        match = await seated(served)
        for seat in (0, 1, 2):
            answer = (await served.post(f"/matches/{match}/abandon", seat)).json()
            assert answer["receipt"] is None
        assert answer["agreed"] == [True, True, True, False]
        await served.post(f"/matches/{match}/abandon", 1, agree=False)
        answer = (await served.post(f"/matches/{match}/abandon", 3)).json()
        assert answer["agreed"] == [True, False, True, True]
        assert (await view(served, match))["phase"] == "declaring"
        answer = (await served.post(f"/matches/{match}/abandon", 1, cause="late")).json()
        (event,) = answer["receipt"]["events"]
        assert (event["type"], event["by"], event["cause"]) == ("MatchAbandoned", "all four seats", "late")
        match = await seated(served)
        assert (await served.post(f"/matches/{match}/abandon", 9)).status_code == 403
        assert (await served.post(f"/matches/{match}/abandon", role="spectator")).status_code == 403
        answer = (await served.post(f"/matches/{match}/abandon", role="operator")).json()
        assert answer["receipt"]["events"][0]["by"] == "operator"
        entry = served.site.people.trail.last()[0]
        assert (entry.by, entry.what, entry.about) == ("operator", "abandoned a match", str(match))

    on_site(database_url, tmp_path, play)


def test_guest_becomes_a_player_with_a_random_id(database_url: str, tmp_path: Path) -> None:
    async def play(served: Served) -> None:
        match = await opened(served)
        one, other = [(await served.client.post("/guests")).json() for _ in range(2)]
        assert one["player"] != other["player"]
        taken = await served.client.post(
            f"/matches/{match}/seats/3/take", json={}, headers={"Authorization": f"Bearer {one['token']}"}
        )
        assert taken.json()["events"][0]["player"] == one["player"]

    on_site(database_url, tmp_path, play)


def test_site_may_admit_no_guests(database_url: str, tmp_path: Path) -> None:
    async def play(served: Served) -> None:
        assert (await served.client.post("/guests")).status_code == 404

    on_site(database_url, tmp_path, play, Terms(guests=False))


def test_too_many_requests_are_refused_until_time_passes(database_url: str, tmp_path: Path) -> None:
    clock = ManualClock()

    async def run() -> None:
        terms = Terms(requests_a_second=2, burst=3)
        async with served_on(database_url, tmp_path, clock, terms=terms) as served:
            statuses = [(await served.get("/tables")).status_code for _ in range(4)]
            assert statuses == [200, 200, 200, 429]
            # Another client has his own bucket.
            assert (await served.get("/tables", headers=served.headers(0))).status_code == 200
            answer = await served.get("/tables")
            assert (answer.status_code, answer.headers["retry-after"]) == (429, "1")
            clock.move(1)
            assert [(await served.get("/tables")).status_code for _ in range(3)] == [200, 200, 429]

    asyncio.run(run())


def test_oversized_and_malformed_bodies_are_refused(database_url: str, tmp_path: Path) -> None:
    async def play(served: Served) -> None:
        match = await seated(served)
        path = f"/matches/{match}/seats/0/play"
        large = await served.post(path, 0, cards=["x" * 20_000])
        assert large.status_code == 413
        for content in (
            b"",
            b"{",
            b"[]",
            b'{"cards": []}',
            b'{"cards": ["SQ"], "extra": 1}',
            b'{"cards": "SQ"}',
            b"\xff",
        ):
            answer = await served.client.post(path, content=content, headers=served.headers(0))
            assert answer.status_code == 400, content
            assert answer.json()["reason"] == "BadRequest"
        assert (await served.get("/nowhere")).status_code == 404
        assert (await served.client.delete("/tables")).status_code == 405

    on_site(database_url, tmp_path, play)


@pytest.mark.parametrize("clocks", [{"play_s": 0}, {"declare_s": 0}, {"seat_s": -1}, {"pause_s": 4_000}])
def test_clocks_are_neither_endless_nor_none(
    database_url: str, tmp_path: Path, clocks: dict[str, int]
) -> None:
    async def play(served: Served) -> None:
        refused = await served.post("/matches", 0, ruleset="blood-1", clocks=clocks)
        assert (refused.status_code, refused.json()["reason"]) == (422, "WrongTerms")

    on_site(database_url, tmp_path, play)


@pytest.mark.parametrize(("error", "wait"), [(LogBusy("full"), "1"), (LogUnavailable("away"), "5")])
def test_log_that_is_busy_or_away_is_a_503_that_says_when_to_ask_again(
    database_url: str, tmp_path: Path, error: Exception, wait: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object) -> None:
        raise error

    async def play(served: Served) -> None:
        match = await seated(served)
        async with served.socket(match, 0) as client:
            await client.next()
            monkeypatch.setattr(served.live.service._commits, "append", fail)
            answer = await served.act(match, 0, "done")
            assert (answer.status_code, answer.headers["retry-after"]) == (503, wait)
            assert (await client.ask("done"))["body"] == answer.json()
            monkeypatch.undo()
            assert (await client.ask("done"))["status"] == 200

    on_site(database_url, tmp_path, play)


def test_one_player_keeps_a_limited_number_of_tables_on_offer(database_url: str, tmp_path: Path) -> None:
    async def play(served: Served) -> None:
        for _ in range(2):
            await opened(served)
        refused = await served.post("/matches", 0, ruleset="blood-1")
        assert (refused.status_code, refused.json()["reason"]) == (409, "TooManyTables")
        assert (await served.post("/matches", 1, ruleset="blood-1")).status_code == 201

    on_site(database_url, tmp_path, play, Terms(most_offers=2, requests_a_second=1e6, burst=10**6))


def test_players_of_these_tests_have_ids_of_their_own() -> None:
    assert len({player(seat) for seat in range(4)}) == 4
