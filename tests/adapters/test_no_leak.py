"""Nothing in clear tells two worlds apart that differ only in what may not be known (P2).

Log, snapshots, stream, read models, metrics, error texts and log lines are compared, sealed parts and their digests by
length.

Each kind of output is also seen to fail the test when a leak is planted in it.
"""

import asyncio
import logging
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID
from zlib import crc32

import pytest
from prometheus_client.core import GaugeMetricFamily, Metric

from adapters.composition import Ports, match_service
from adapters.feed import PROJECTIONS, Feed
from adapters.first_results import content_of
from adapters.health import Health
from adapters.http import health
from adapters.http.health import Vitals, health_app
from adapters.keys import KeyRing
from adapters.match_service import MatchService
from adapters.nats.launcher import NatsServer
from adapters.postgres.appending import NewRow
from adapters.postgres.standings import standings
from adapters.randomness import SeededRandomness
from adapters.sealing import Sealer
from domain.commands import DeclareCard, PlayCards, SayDone
from domain.decisions.dealing import chain_deal
from domain.errors import GongzhuError
from domain.events import Event, secret_of
from domain.rulesets import RULESETS
from tests.support.asgi import request
from tests.support.courses import World
from tests.support.feeds import stream_content
from tests.support.in_clear import first_difference, readable, readable_message
from tests.support.read_models_built import ReadModelsKept
from tests.support.services import TickingClock
from tests.support.worlds import CASES, Difference, Pair, pairs

EACH = 1
STREAMED: tuple[Difference, ...] = ("cards", "leader", "order", "second hand")
"""For one difference of each ruleset the feed runs too; its messages are made from the rows alone."""

Composed = Callable[[MatchService], None]


class Captured(logging.Handler):
    """Keeps every log line of the process."""

    def __init__(self) -> None:
        super().__init__(level=logging.DEBUG)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keeps one line."""
        self.lines.append(
            f"log: {record.name} {record.levelname} {record.getMessage()} {record.exc_info or ''}"
        )


@pytest.fixture
def log_lines() -> Iterator[Captured]:
    captured = Captured()
    root = logging.getLogger()
    level = root.level
    root.addHandler(captured)
    root.setLevel(logging.DEBUG)
    yield captured
    root.removeHandler(captured)
    root.setLevel(level)


class Place(NamedTuple):
    """Where one of two worlds is kept: a database, and a folder for its keys."""

    database_url: str
    folder: Path


Places = tuple[Place, Place]


@pytest.fixture
def places(database_url: str, other_database_url: str, tmp_path: Path) -> Places:
    folders = [tmp_path / "first", tmp_path / "second"]
    for folder in folders:
        folder.mkdir()
    return Place(database_url, folders[0]), Place(other_database_url, folders[1])


def both(
    places: Places,
    pair: Pair,
    log_lines: Captured,
    plant: Composed = lambda _: None,
    *,
    streamed: bool = False,
) -> list[list[str]]:
    """What each world of a pair leaves behind in its place, log lines last."""
    left = []
    for place, world in zip(places, (pair.first, pair.second), strict=True):
        log_lines.lines.clear()
        errors = unfolded(place, pair, world, plant)
        messages = published(place) if streamed else projected(place)
        kept = [
            line for line in log_lines.lines if not line.startswith(("log: asyncio", "log: psycopg.pool"))
        ]
        left.append([*readable(place.database_url), *messages, *errors, *kept])
    return left


def unfolded(place: Place, pair: Pair, world: World, plant: Composed) -> list[str]:
    """The texts of errors, once a world has unfolded in its place."""
    errors: list[str] = []
    ports = Ports(TickingClock(), SeededRandomness(5), world.dealer())

    async def live() -> None:
        async with match_service(*place, ports) as service:
            plant(service)
            for number, command in enumerate(world.commands):
                await service.handle(
                    world.match, command, seat=getattr(command, "seat", -1), command_id=UUID(int=number + 1)
                )
                errors.extend(await _attempts(service, pair))

    asyncio.run(live())
    return errors


def projected(place: Place) -> list[str]:
    """No messages: the read models are brought up to date without a stream."""
    models = ReadModelsKept(place.database_url)
    models.catch_up()
    models.close()
    return []


def published(place: Place) -> list[str]:
    """The stream's messages with their headers, and the metrics, once the read models have them too."""
    with tempfile.TemporaryDirectory(dir=place.folder) as own:
        server = NatsServer(Path(own) / "nats")
        server.start()
        try:
            feed = Feed(place.database_url, server.relay_url, server.projections_url, SeededRandomness(6))
            asyncio.run(feed.catch_up())
            messages = [readable_message(message) for message in asyncio.run(stream_content(server))]
            return [*messages, asyncio.run(metrics(place, feed))]
        finally:
            server.stop()


async def metrics(place: Place, feed: Feed) -> str:
    """Every metric as it is read."""
    vitals = Vitals(lambda: feed.healths, lambda: standings(place.database_url, PROJECTIONS, try_next=False))
    return (await request(health_app(vitals), "GET", "/metrics", {})).text


async def _attempts(service: MatchService, pair: Pair) -> list[str]:
    """What seats that may not know the difference hear when they ask for what they may not do."""
    unconcerned = next((seat for seat in range(4) if seat not in pair.concerned), None)
    if unconcerned is None:
        return []
    asked = (
        PlayCards(seat=unconcerned, cards=("XX",)),
        DeclareCard(seat=unconcerned, card="S3", level="open"),
        DeclareCard(seat=9, card="S3", level="open"),
    )
    return [await _refusal(service, pair.match, command) for command in asked]


async def _refusal(service: MatchService, match: UUID, command: PlayCards | DeclareCard | SayDone) -> str:
    try:
        await service.handle(match, command)
    except GongzhuError as error:
        return f"error: {type(error).__name__} {error}"
    return "error: none"


@pytest.mark.parametrize(("ruleset", "difference"), CASES)
def test_two_worlds_leave_the_same_in_clear(
    ruleset: str, difference: Difference, places: Places, log_lines: Captured
) -> None:
    streamed = difference == STREAMED[list(RULESETS).index(ruleset) % len(STREAMED)]
    for pair in pairs(RULESETS[ruleset], difference, EACH):
        one, other = both(places, pair, log_lines, streamed=streamed)
        assert first_difference(one, other) is None
        assert any("log.events" in line for line in one)
        for expected in (
            "log.commands",
            *(["message GONGZHU", "gongzhu_projection_position"] if streamed else []),
            "tables_1.live_tables",
            "hand_replays_1.hands_in_play",
        ):
            assert any(expected in line for line in one), expected


def _in_a_row(service: MatchService) -> None:
    rows = service._rows

    def leaky(events: Sequence[Event]) -> list[NewRow]:
        leader = [getattr(secret_of(event), "leader", None) for event in events]
        return [
            NewRow(
                row.match,
                row.version,
                row.tag,
                row.body.replace(b'"leader":null', b'"leader":%d' % (seat or 0)),
            )
            for row, seat in zip(rows(events), leader, strict=True)
        ]

    service._rows = leaky  # type: ignore[method-assign]


def _in_a_sealed_length(service: MatchService) -> None:
    class Unpadded(Sealer):
        def seal(self, plaintext: bytes, bound: bytes) -> bytes:
            return super().seal(plaintext + bytes(crc32(plaintext) % 64), bound)

    service._sealer = Unpadded(service._results._keys, SeededRandomness(5))


def _in_a_log_line(service: MatchService) -> None:
    dealer = service._dealer

    def chatty(match: Any) -> Any:
        deal = dealer(match)
        logging.getLogger("gongzhu").debug("dealt %s", deal.order if deal else None)
        return deal

    service._dealer = chatty


def _in_an_error(service: MatchService) -> None:
    handle = service.handle

    async def telling(match_id: UUID, command: Any, **how: Any) -> Any:
        try:
            return await handle(match_id, command, **how)
        except GongzhuError as error:
            hand = service._live[match_id].hand if match_id in service._live else None
            raise GongzhuError(f"{error} ({hand.order if hand else ''})") from error

    service.handle = telling  # type: ignore[method-assign]


def _in_a_command_digest(service: MatchService) -> None:
    class Keyless(KeyRing):
        def command_digest(self, content: bytes, key_id: bytes | None = None) -> bytes:
            return (key_id or self.current) + bytes(crc32(content) % 64)

    keys = service._results._keys
    service._results._keys = Keyless({key_id: keys.get(key_id) or b"" for key_id in keys.ids})


PLANTS: list[tuple[Composed, str, Difference]] = [
    (_in_a_row, "zero_sum-1", "leader"),
    (_in_a_sealed_length, "blood-1", "cards"),
    (_in_a_log_line, "zero_sum-2", "cards"),
    (_in_an_error, "blood-2", "cards"),
    (_in_a_command_digest, "blood-2", "declaration"),
]


@pytest.mark.parametrize(
    ("plant", "ruleset", "difference"), PLANTS, ids=[plant[0].__name__ for plant in PLANTS]
)
def test_planted_leak_is_caught(
    plant: Composed,
    ruleset: str,
    difference: Difference,
    places: Places,
    log_lines: Captured,
) -> None:
    found = pairs(RULESETS[ruleset], difference, 4)
    assert any(first_difference(*both(places, pair, log_lines, plant)) for pair in found)


@pytest.mark.parametrize("kind", ["log.events", "message GONGZHU", "hand_replays_1", "tables_1"])
def test_leak_is_seen_in_every_output_it_reaches(kind: str, places: Places, log_lines: Captured) -> None:
    (pair,) = pairs(RULESETS["zero_sum-1"], "leader", 1)
    left = both(places, pair, log_lines, _in_a_row, streamed=kind.startswith("message"))
    seen = [[line for line in lines if line.startswith(kind)] for lines in left]
    assert seen[0]
    assert first_difference(*seen) is not None


def test_leak_into_the_metrics_is_caught(
    places: Places, log_lines: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    services: list[MatchService] = []
    of_parts = health._of_parts

    def telling(parts: Sequence[Health]) -> Iterator[Metric]:
        hands = repr([match.hand and match.hand.holdings for match in services[-1]._live.values()])
        yield from of_parts(parts)
        yield GaugeMetricFamily("gongzhu_refusals", "As a count of refusals.", value=crc32(hands.encode()))

    monkeypatch.setattr(health, "_of_parts", telling)
    (pair,) = pairs(RULESETS["zero_sum-1"], "cards", 1)
    left = both(places, pair, log_lines, services.append, streamed=True)
    seen = [[line for line in lines if line.startswith("GET /metrics")] for lines in left]
    assert len(seen[0]) == 1
    assert first_difference(*seen) is not None


def test_content_digest_depends_on_the_key_and_not_on_the_content_alone() -> None:
    command = DeclareCard(seat=1, card="SQ", level="hidden")
    rings = [KeyRing({bytes([n]) * 8: bytes([n]) * 32}) for n in (1, 2)]
    digests = [ring.command_digest(content_of(command))[8:] for ring in rings]
    assert digests[0] != digests[1]
    assert {len(digest) for digest in digests} == {32}


def test_dealer_of_services_is_the_chain_unless_given() -> None:
    assert Ports(TickingClock(), SeededRandomness(1)).dealer is chain_deal
