"""The match service: replies follow commits, commands are idempotent, and several services agree."""

import asyncio
import random
from pathlib import Path
from uuid import UUID

import psycopg
import pytest

from adapters.composition import keys_path, match_log, match_service
from adapters.first_results import CommandIdReused
from adapters.keys import KeyRing, load_keys
from domain.commands import AbandonMatch, DealHand, PlayCards, SayDone
from domain.errors import AlreadyDone, DealUnavailable, MatchNotOpen, NotYourTurn
from domain.events import MatchAbandoned, secret_of
from tests.support.services import match_id, next_command, opening, play_on, ports, seated, service_on

MATCH = match_id(1)
ID = UUID(int=77)


def run_match(database_url: str, folder: Path, seed: int = 1) -> None:
    async def play() -> None:
        async with service_on(database_url, folder) as service:
            match = await seated(service, MATCH)
            await play_on(service, match, random.Random(seed))

    asyncio.run(play())


def test_reply_comes_after_the_events_are_stored(database_url: str, tmp_path: Path) -> None:
    async def play() -> None:
        async with service_on(database_url, tmp_path) as service:
            accepted = await service.handle(MATCH, opening(MATCH))
            with psycopg.connect(database_url) as connection:
                rows = connection.execute("SELECT position, version, tag FROM log.events").fetchall()
            assert rows == [(1, 1, "MatchOpened.1")]
            assert accepted.last_version == 1

    asyncio.run(play())


def test_log_snapshot_and_live_state_agree_with_the_events_alone(database_url: str, tmp_path: Path) -> None:
    async def play() -> None:
        async with service_on(database_url, tmp_path) as service:
            match = await seated(service, MATCH, hands=3)
            match = await play_on(
                service, match, random.Random(1), until=lambda m: m.hands_ended == 2 and bool(m.hand)
            )
            await service.settle_down()
            with match_log(database_url, load_keys(keys_path(tmp_path)), ports()) as log:
                assert log.snapshots is not None
                assert [s.originator_version for s in log.snapshots.get(MATCH)]
                assert log.match(MATCH) == log.match_from_events(MATCH) == match

    asyncio.run(play())


def test_refused_command_appends_nothing(database_url: str, tmp_path: Path) -> None:
    async def play() -> None:
        async with service_on(database_url, tmp_path) as service:
            match = await seated(service, MATCH)
            await service.handle(MATCH, SayDone(seat=0))
            with pytest.raises(AlreadyDone):
                await service.handle(MATCH, SayDone(seat=0))
            with pytest.raises(MatchNotOpen):
                await service.handle(match_id(9), SayDone(seat=0))
            assert (await service.match(MATCH)).version == match.version + 1

    asyncio.run(play())


def test_repeated_command_returns_its_first_result(database_url: str, tmp_path: Path) -> None:
    async def play() -> None:
        async with service_on(database_url, tmp_path) as service:
            await seated(service, MATCH)
            first = await service.handle(MATCH, SayDone(seat=0), seat=0, command_id=ID)
            again = await service.handle(MATCH, SayDone(seat=0), seat=0, command_id=ID)
            assert again.events == first.events
            assert again.repeated
            with pytest.raises(CommandIdReused):
                await service.handle(MATCH, DealHand(), seat=0, command_id=ID)
            # Another seat's ids are its own.
            await service.handle(MATCH, SayDone(seat=1), seat=1, command_id=ID)
        async with service_on(database_url, tmp_path) as restarted:
            again = await restarted.handle(MATCH, SayDone(seat=0), seat=0, command_id=ID)
            assert again.events == first.events

    asyncio.run(play())


def test_repeated_command_is_known_after_the_keys_were_rotated(database_url: str, tmp_path: Path) -> None:
    from adapters.keys import rotate_keys

    async def play() -> None:
        async with service_on(database_url, tmp_path) as service:
            await seated(service, MATCH)
            first = await service.handle(MATCH, SayDone(seat=0), seat=0, command_id=ID)
        rotate_keys(keys_path(tmp_path), ports(2).randomness)
        async with service_on(database_url, tmp_path, seed=3) as service:
            assert (
                await service.handle(MATCH, SayDone(seat=0), seat=0, command_id=ID)
            ).events == first.events
            await play_on(service, await service.match(MATCH), random.Random(4))

    asyncio.run(play())


def test_refusal_is_decided_anew_under_the_same_id(database_url: str, tmp_path: Path) -> None:
    async def play() -> None:
        async with service_on(database_url, tmp_path) as service:
            await seated(service, MATCH)
            match = await play_on(
                service, await service.match(MATCH), random.Random(1), until=lambda m: m.phase == "playing"
            )
            assert match.hand is not None
            assert match.hand.turn is not None
            waiting = (match.hand.turn + 1) % 4
            later: PlayCards | None = None
            with pytest.raises(NotYourTurn):
                await service.handle(
                    MATCH, PlayCards(seat=waiting, cards=("S2",)), seat=waiting, command_id=ID
                )
            match = (await service.handle(MATCH, next_command(match, random.Random(1)))).state
            command = next_command(match, random.Random(1))
            assert isinstance(command, PlayCards)
            later = command
            assert (await service.handle(MATCH, later, seat=waiting, command_id=ID)).repeated is False

    asyncio.run(play())


def test_two_services_on_one_log_play_one_match_together(database_url: str, tmp_path: Path) -> None:
    async def play() -> None:
        async with (
            service_on(database_url, tmp_path, 1) as one,
            service_on(database_url, tmp_path, 2) as other,
        ):
            match = await seated(one, MATCH)
            chance = random.Random(5)
            while not match.ended:
                service = chance.choice((one, other))
                match = (await service.handle(MATCH, next_command(match, chance))).state

    asyncio.run(play())


def test_one_command_asked_of_two_services_at_once_is_stored_once(database_url: str, tmp_path: Path) -> None:
    async def play() -> None:
        async with (
            service_on(database_url, tmp_path, 1) as one,
            service_on(database_url, tmp_path, 2) as other,
        ):
            match = await seated(one, MATCH)
            for number in range(20):
                command = next_command(match, random.Random(number))
                answers = await asyncio.gather(
                    one.handle(MATCH, command, seat=0, command_id=UUID(int=number)),
                    other.handle(MATCH, command, seat=0, command_id=UUID(int=number)),
                )
                assert answers[0].events == answers[1].events
                assert sorted(answer.repeated for answer in answers) == [False, True]
                match = max((answer.state for answer in answers), key=lambda state: state.version)

    asyncio.run(play())


def test_without_the_key_a_live_hand_cannot_go_on_but_the_match_can_be_abandoned(
    database_url: str, tmp_path: Path
) -> None:
    async def play() -> None:
        async with service_on(database_url, tmp_path / "a") as service:
            await seated(service, MATCH)
        async with match_service(database_url, tmp_path / "b", ports(2)) as blind:
            with pytest.raises(DealUnavailable, match="key is not here"):
                await blind.handle(MATCH, SayDone(seat=0))
            accepted = await blind.handle(MATCH, AbandonMatch(cause="key lost", by="operator"))
        (abandoned,) = accepted.events
        assert isinstance(abandoned, MatchAbandoned)
        assert abandoned.deal_unavailable
        assert abandoned.deal is None

    asyncio.run(play())


def test_without_the_key_everything_public_can_be_read(database_url: str, tmp_path: Path) -> None:
    run_match(database_url, tmp_path)
    with match_log(database_url, KeyRing({}), ports()) as blind:
        events = blind.events_of(MATCH)
        assert blind.match(MATCH).phase == "settled"
        assert all(secret_of(event) is None for event in events)
        assert len(events) == blind.match(MATCH).version
