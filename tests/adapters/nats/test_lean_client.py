"""What stands in for the library's methods does what they do."""

import asyncio

import pytest
from nats.aio.client import Client

from adapters.nats.headers import headers_of, parse_headers, source_of
from adapters.nats.launcher import NatsServer
from adapters.nats.lean_client import LeanClient, published, rendered
from adapters.serialization import Row, encode_body, row_digest, tag_of
from tests.support.stored_matches import sealer, season

HEADS = [
    b"",
    b"NATS/1.0\r\nce-id: 1:2\r\nce-time: 2026-01-01T00:00:00Z\r\n\r\n",
    b"NATS/1.0\r\nName:Value\r\nOther:\tspaced \r\nEmpty: \r\n\r\n",
    b"NATS/1.0\r\nUrn: urn:gongzhu:log:main:abc\r\nUrn: twice\r\n\r\n",
    "NATS/1.0\r\nWord: 猪\r\n\r\n".encode(),
    b"NATS/1.0 100 Idle Heartbeat\r\nNats-Last-Consumer: 3\r\n\r\n",
    b"NATS/1.0 404 No Messages\r\n\r\n",
    b"NATS/1.0 503\r\n\r\n",
]


@pytest.mark.parametrize("head", HEADS)
def test_headers_are_read_as_the_library_reads_them(head: bytes) -> None:
    async def both() -> None:
        assert await LeanClient()._process_headers(head) == await Client()._process_headers(head)

    asyncio.run(both())


def test_headers_come_back_as_they_were_made() -> None:
    sealing = sealer()
    for position, event in enumerate(season(1, matches=1), 1):
        body = encode_body(event, sealing)
        digest = row_digest(position, event.match, event.version, tag_of(event), body)
        row = Row(position, event.match, event.version, tag_of(event), body, digest)
        headers = headers_of(row, row.public, source_of("main", "abcd"))
        assert parse_headers(rendered(headers)) == headers


def test_a_command_is_sent_as_the_library_sends_it(nats_server: NatsServer) -> None:
    headers, body = {"ce-id": "1:2", "ce-source": "urn:x:y"}, b'{"a": "\xe7\x8c\xaa"}\r\n'

    async def work() -> list[tuple[str, str, bytes, dict[str, str] | None]]:
        client = LeanClient()
        await client.connect(nats_server.projections_url)
        relay = LeanClient()
        await relay.connect(nats_server.relay_url)
        heard = await client.subscribe("gongzhu.v1.>")
        await client.flush()
        await relay.publish("gongzhu.v1.x.Y", body, reply="_INBOX.r", headers=headers)
        await relay.publish_all([published("gongzhu.v1.x.Y", "_INBOX.r", rendered(headers), body)] * 2)
        found = [await heard.next_msg(5) for _ in range(3)]
        await client.close()
        await relay.close()
        return [(m.subject, m.reply, m.data, m.headers) for m in found]

    first, *others = asyncio.run(work())
    assert others == [first, first]
    assert first == ("gongzhu.v1.x.Y", "_INBOX.r", body, headers)
