"""What each user of a NATS server may do, as a table of every role and every call, tried against a real one.

In a cell: yes; DENIED, which the caller is told at once; refused by the stream itself, whoever asks; or nobody is there
to answer.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, Final

import nats.errors
import psycopg
import pytest

from adapters.nats.connection import JetStreamRefused, NatsAway, NatsConnection, connected
from adapters.nats.denials import Denied, flushed
from adapters.nats.launcher import NatsServer
from adapters.nats.stream import FeedStream, configuration
from adapters.nats.user_file import UserFile
from adapters.randomness import SystemRandomness
from tests.support.feeds import relay_of
from tests.support.stored_matches import append, season

Call = Callable[[NatsConnection], Awaitable[object]]

ROLES: Final = ("relay", "projections", "reader", "service", "operator")
_EVENT: Final = "gongzhu.v1.00000000-0000-0000-0000-000000000001.CardsPlayed"
_STORE_NOT_CREATED: Final = 10049
_FEED: Final = configuration("main", "00", 1)
_OTHER: Final = {"name": "OTHER", "subjects": ["other.>"]}
_OPEN: Final = {**_FEED, "deny_purge": False}
_CONSUMER: Final = {"ack_policy": "none", "mem_storage": True, "inactive_threshold": 10**10}


def _ask(subject: str, question: Any = None) -> Call:
    """A request to JetStream."""
    return lambda connection: connection.ask(subject, question, dict)


def _consumer(subject: str, **config: Any) -> Call:
    """A request for a consumer."""
    question = {"stream_name": "GONGZHU", "config": {**_CONSUMER, **config}}
    return _ask(f"CONSUMER.{subject}", question)


async def _publish_an_event(connection: NatsConnection) -> None:
    await connection.denials.told(_EVENT, connection.client.request(_EVENT, b"{}", timeout=5))


def _publish(subject: str) -> Call:
    """A plain publish, which nobody answers."""

    async def call(connection: NatsConnection) -> None:
        publishing = connection.client.publish(subject, b"forged")
        await connection.denials.told(subject, flushed(connection.client, publishing))

    return call


def _subscribe(subject: str) -> Call:
    """A plain subscription."""

    async def call(connection: NatsConnection) -> None:
        subscribing = connection.client.subscribe(subject)
        await connection.denials.told(subject, flushed(connection.client, subscribing))

    return call


async def _fetch(connection: NatsConnection) -> None:
    """One message through a consumer that is there."""
    subject = "$JS.API.CONSUMER.MSG.NEXT.GONGZHU.probe"
    # A message comes under its own subject, so the client has to listen to an inbox of its own.
    pulling = connection.client.request(subject, b'{"batch": 1}', timeout=5, old_style=True)
    message = await connection.denials.told(subject, pulling)
    assert message.data == b"first"


_ACK: Final = "$JS.ACK.GONGZHU.probe.1.1.1.1700000000000000000.0"
_SNAPSHOT: Final = {"deliver_subject": "_INBOX.backup"}
_RESTORE: Final = {"config": _FEED, "state": {}}
_PAUSE: Final = {"pause_until": "2000-01-01T00:00:00Z"}
_FEW: Final = {"name": "few", "filter_subject": _EVENT}

YES, NO, REFUSED, NOBODY = "yes", "DENIED", "refused", "nobody"

# The cells of a row are those of ROLES, in that order.
TABLE: Final[list[tuple[str, Call, list[str]]]] = [
    ("publish an event", _publish_an_event, [YES, NO, NO, NO, NO]),
    ("publish an event plainly", _publish(_EVENT), [YES, NO, NO, NO, NO]),
    ("publish elsewhere", _publish("orders.new"), [NO, NO, NO, NO, NO]),
    ("answer for the server", _publish("_INBOX.a.b"), [NO, NO, NO, NO, NO]),
    ("hear events as they come", _subscribe("gongzhu.>"), [NO, YES, YES, YES, YES]),
    ("hear everything", _subscribe(">"), [NO, NO, NO, NO, NO]),
    ("hear requests", _subscribe("$JS.API.>"), [NO, NO, NO, NO, NO]),
    ("hear advisories", _subscribe("$JS.EVENT.>"), [NO, NO, NO, NO, YES]),
    ("hear the relay", _subscribe("_INBOX_relay.>"), [YES, NO, NO, NO, NO]),
    ("hear projections", _subscribe("_INBOX_projections.>"), [NO, YES, NO, NO, NO]),
    ("hear operators", _subscribe("_INBOX_operator.>"), [NO, NO, NO, NO, YES]),
    ("account", _ask("INFO"), [YES, YES, YES, YES, YES]),
    ("list streams", _ask("STREAM.NAMES"), [YES, YES, YES, YES, YES]),
    ("describe streams", _ask("STREAM.LIST"), [YES, YES, YES, YES, YES]),
    ("stream", _ask("STREAM.INFO.GONGZHU"), [YES, YES, YES, YES, YES]),
    ("message", _ask("STREAM.MSG.GET.GONGZHU", {"seq": 2}), [YES, YES, YES, YES, YES]),
    ("message, directly", _ask("DIRECT.GET.GONGZHU", {"seq": 2}), [NO, NO, NO, NO, NOBODY]),
    ("create the stream", _ask("STREAM.CREATE.GONGZHU", _FEED), [YES, NO, NO, NO, YES]),
    ("create a stream", _ask("STREAM.CREATE.OTHER", _OTHER), [YES, NO, NO, NO, YES]),
    ("update the stream", _ask("STREAM.UPDATE.GONGZHU", _FEED), [YES, NO, NO, NO, YES]),
    ("allow purging", _ask("STREAM.UPDATE.GONGZHU", _OPEN), [REFUSED, NO, NO, NO, REFUSED]),
    ("purge the stream", _ask("STREAM.PURGE.GONGZHU"), [NO, NO, NO, NO, REFUSED]),
    ("delete a message", _ask("STREAM.MSG.DELETE.GONGZHU", {"seq": 2}), [NO, NO, NO, NO, REFUSED]),
    ("delete the stream", _ask("STREAM.DELETE.GONGZHU"), [NO, NO, NO, NO, YES]),
    ("back the stream up", _ask("STREAM.SNAPSHOT.GONGZHU", _SNAPSHOT), [NO, NO, NO, NO, YES]),
    ("restore a stream", _ask("STREAM.RESTORE.GONGZHU", _RESTORE), [NO, NO, NO, NO, REFUSED]),
    ("move the stream's leader", _ask("STREAM.LEADER.STEPDOWN.GONGZHU"), [NO, NO, NO, NO, REFUSED]),
    ("make a consumer", _consumer("CREATE.GONGZHU"), [NO, YES, YES, YES, YES]),
    ("make a named consumer", _consumer("CREATE.GONGZHU.mine", name="mine"), [NO, YES, YES, YES, YES]),
    ("make a filtered consumer", _consumer(f"CREATE.GONGZHU.few.{_EVENT}", **_FEW), [NO, YES, YES, YES, YES]),
    (
        "make a durable consumer",
        _consumer("DURABLE.CREATE.GONGZHU.d", durable_name="d"),
        [NO, NO, NO, NO, YES],
    ),
    ("fetch", _fetch, [NO, YES, YES, YES, YES]),
    ("consumer", _ask("CONSUMER.INFO.GONGZHU.probe"), [NO, YES, YES, YES, YES]),
    ("list consumers", _ask("CONSUMER.NAMES.GONGZHU"), [NO, NO, NO, NO, YES]),
    ("describe consumers", _ask("CONSUMER.LIST.GONGZHU"), [NO, NO, NO, NO, YES]),
    ("remove a consumer", _ask("CONSUMER.DELETE.GONGZHU.probe"), [NO, YES, YES, YES, YES]),
    ("pause a consumer", _ask("CONSUMER.PAUSE.GONGZHU.probe", _PAUSE), [NO, NO, NO, NO, YES]),
    ("acknowledge", _publish(_ACK), [NO, NO, NO, NO, NO]),
    ("control the flow", _publish("$JS.FC.GONGZHU.probe.a"), [NO, YES, YES, YES, NO]),
]

CELLS: Final = [
    pytest.param(role, call, expected, id=f"{role}: {name}")
    for name, call, row in TABLE
    for role, expected in zip(ROLES, row, strict=True)
]


class Site:
    """A server with a feed of three messages, a consumer `probe`, and a URL for each role."""

    def __init__(self, server: NatsServer, service_password: str) -> None:
        address = server.reader_url.rpartition("@")[2]
        self.urls = {
            "relay": server.relay_url,
            "projections": server.projections_url,
            "reader": server.reader_url,
            "service": f"nats://statistics:{service_password}@{address}",
            "operator": server.operator_url,
        }

    async def prepare(self) -> None:
        """Makes the stream anew, and what the calls need."""
        async with connected(self.urls["operator"], "prepare") as operator:
            for name in (await operator.ask("STREAM.NAMES", None, dict))["streams"] or ():
                await operator.ask(f"STREAM.DELETE.{name}", None, dict)
            await _create_feed(operator)
            await _consumer("CREATE.GONGZHU.probe", name="probe")(operator)
        async with connected(self.urls["relay"], "prepare") as relay:
            for body in (b"first", b"second", b"third"):
                await relay.client.request(_EVENT, body, timeout=5)


async def _create_feed(operator: NatsConnection) -> None:
    """The stream, as soon as the server has cleared away the one that was deleted."""
    async with asyncio.timeout(10):
        while True:
            try:
                await operator.ask("STREAM.CREATE.GONGZHU", _FEED, dict)
            except JetStreamRefused as refused:
                if refused.code != _STORE_NOT_CREATED:
                    raise
                await asyncio.sleep(0.01)
            else:
                return


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("permissions") / "nats"
    server = NatsServer(folder)
    try:
        server.start()
        yield Site(server, UserFile(folder).add_service("statistics"))
    finally:
        server.stop()


async def _outcome(connection: NatsConnection, call: Call) -> str:
    try:
        # A denied call is told at once; unanswered, it would take five seconds.
        async with asyncio.timeout(4):
            await call(connection)
    except Denied as denied:
        return f"DENIED {denied.user} {denied.subject}"
    except JetStreamRefused:
        return REFUSED
    except NatsAway as away:
        return NOBODY if isinstance(away.__cause__, nats.errors.NoRespondersError) else "no answer"
    return YES


@pytest.mark.parametrize(("role", "call", "expected"), CELLS)
def test_role_may_do_what_the_table_says(site: Site, role: str, call: Call, expected: str) -> None:
    async def attempt() -> str:
        await site.prepare()
        async with connected(site.urls[role], role) as connection:
            return await _outcome(connection, call)

    outcome, *about = asyncio.run(attempt()).split(" ")
    assert outcome == expected
    if outcome == NO:
        user, subject = about
        assert user == ("statistics" if role == "service" else role)
        assert subject.startswith(("gongzhu.", "$JS.", "_INBOX", "orders.", ">"))


def test_denied_call_says_who_what_and_where_to_look(site: Site) -> None:
    async def attempt() -> None:
        await site.prepare()
        async with connected(site.urls["reader"], "reader") as connection:
            await connection.ask("STREAM.DELETE.GONGZHU", None, dict)

    expected = (
        r"NATS does not allow the user reader to publish to \$JS\.API\.STREAM\.DELETE\.GONGZHU; infra/nats"
    )
    with pytest.raises(Denied, match=expected):
        asyncio.run(attempt())


@pytest.mark.parametrize("stream_is_there", [True, False])
def test_relay_without_the_rights_of_one_says_so_at_once(
    database_url: str, nats_server: NatsServer, stream_is_there: bool
) -> None:
    with psycopg.connect(database_url, autocommit=True) as log:
        last = append(log, season(1, matches=1)[:20])

    async def attempt() -> None:
        if stream_is_there:
            async with connected(nats_server.operator_url, "operator") as operator:
                await FeedStream(operator, "main").create(SystemRandomness())
        async with connected(nats_server.operator_url, "relay") as wrong, asyncio.timeout(4):
            await relay_of(database_url, wrong).run(last)

    with pytest.raises(Denied, match=r"the user operator to publish to gongzhu\.v1\.>"):
        asyncio.run(attempt())


def test_denial_reaches_the_call_it_is_about_and_no_other(site: Site) -> None:
    async def attempts() -> list[object]:
        await site.prepare()
        async with connected(site.urls["reader"], "reader") as connection:
            calls = [
                _ask("STREAM.INFO.GONGZHU"),
                _ask("STREAM.DELETE.GONGZHU"),
                _ask("STREAM.INFO.GONGZHU"),
                _publish(_EVENT),
                _ask("STREAM.MSG.GET.GONGZHU", {"seq": 3}),
            ]
            return await asyncio.gather(*(call(connection) for call in calls), return_exceptions=True)

    given = asyncio.run(attempts())
    assert [type(one).__name__ for one in given] == ["dict", "Denied", "dict", "Denied", "dict"]
    assert [one.subject for one in given if isinstance(one, Denied)] == [
        "$JS.API.STREAM.DELETE.GONGZHU",
        _EVENT,
    ]


def test_caller_is_told_when_it_cannot_hear_its_answer(site: Site) -> None:
    async def attempt() -> None:
        await site.prepare()
        async with connected(site.urls["reader"], "reader") as connection:
            connection.client._inbox_prefix = bytearray(b"_INBOX_relay")
            connection.denials._inbox_prefix = "_inbox_relay"
            await connection.ask("STREAM.INFO.GONGZHU", None, dict)

    with pytest.raises(Denied, match=r"the user reader to subscribe to _inbox_relay"):
        asyncio.run(attempt())


def test_new_service_reads_at_once_and_others_stay_connected(tmp_path: Path) -> None:
    server = NatsServer(tmp_path / "nats")
    server.start()

    async def work() -> None:
        async with connected(server.relay_url, "relay") as relay:
            await relay.ask("STREAM.CREATE.GONGZHU", _FEED, dict)
            password = await asyncio.to_thread(UserFile(tmp_path / "nats").add_service, "statistics")
            address = server.reader_url.rpartition("@")[2]
            async with connected(f"nats://statistics:{password}@{address}", "statistics") as service:
                await service.ask("STREAM.INFO.GONGZHU", None, dict)
            await relay.ask("STREAM.INFO.GONGZHU", None, dict)
            assert relay.interruptions == 0
            assert UserFile(tmp_path / "nats").add_service("statistics") == password

    try:
        asyncio.run(work())
    finally:
        server.stop()
