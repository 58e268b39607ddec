"""The feed read as the examples' README says for other languages: with the bare protocol of NATS, over a socket."""

import asyncio
import base64
import json
import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import psycopg
import pytest

from adapters.nats.headers import parse_headers
from adapters.nats.launcher import NatsServer
from adapters.nats.user_file import UserFile
from tests.support.contract import faults_of_message
from tests.support.feeds import relayed
from tests.support.stored_matches import append, season, stored_rows

README = Path(__file__).parents[2] / "infra" / "examples" / "README.md"


def _told(name: str) -> Any:
    """A JSON of the README, by its name."""
    (text,) = re.findall(rf"```json {name}\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    return json.loads(text)


class Delivered(NamedTuple):
    subject: str
    reply: str
    headers: dict[str, str]
    status: str
    body: bytes


class PlainClient:
    """The protocol's verbs: CONNECT, SUB, PUB, MSG and HMSG."""

    def __init__(self, connection: socket.socket, user: str, password: str) -> None:
        self._connection = connection
        self._lines = connection.makefile("rb")
        options = {"user": user, "pass": password, "verbose": False, "headers": True, "no_responders": True}
        self._send(b"CONNECT %s\r\nSUB _INBOX.plain.* 1\r\n" % json.dumps(options).encode())

    def request(self, subject: str, question: Any = None) -> Any:
        """The answer to a request."""
        self.publish(subject, question, "_INBOX.plain.answer")
        return json.loads(self.next().body)

    def publish(self, subject: str, question: Any, reply: str) -> None:
        body = b"" if question is None else json.dumps(question).encode()
        self._send(f"PUB {subject} {reply} {len(body)}\r\n".encode() + body + b"\r\n")

    def next(self) -> Delivered:
        """The next message."""
        while True:
            verb, *words = self._lines.readline().decode().split()
            if verb == "PING":
                self._send(b"PONG\r\n")
            elif verb in ("MSG", "HMSG"):
                return self._delivered(verb, words)
            else:
                assert verb in ("INFO", "PONG"), (verb, words)

    def _delivered(self, verb: str, words: list[str]) -> Delivered:
        sizes = [int(words.pop())]
        sizes = [int(words.pop()), *sizes] if verb == "HMSG" else [0, *sizes]
        content = self._lines.read(sizes[1] + 2)[:-2]
        head, body = content[: sizes[0]], content[sizes[0] :]
        status = head.decode().partition("\r\n")[0].removeprefix("NATS/1.0").strip()
        return Delivered(words[0], words[2] if len(words) > 2 else "", parse_headers(head), status, body)

    def _send(self, what: bytes) -> None:
        self._connection.sendall(what)

    def close(self) -> None:
        self._lines.close()


@contextmanager
def plain_client(url: str) -> Iterator[PlainClient]:
    """A client at this URL, for the block."""
    parts = urlsplit(url)
    assert parts.username
    assert parts.password
    with socket.create_connection((str(parts.hostname), int(parts.port or 0)), timeout=20) as connection:
        client = PlainClient(connection, parts.username, parts.password)
        try:
            yield client
        finally:
            client.close()


@pytest.fixture
def url(nats_server: NatsServer, tmp_path: Path) -> str:
    """The server for a service of its own."""
    password = UserFile(tmp_path / "nats-server").add_service("other-language")
    return f"nats://other-language:{password}@{nats_server.reader_url.rpartition('@')[2]}"


def _pulled(client: PlainClient, name: str, last: int) -> Iterator[Delivered]:
    """Every message up to the last position, as the README says to pull."""
    sequence = 0
    while sequence < last:
        client.publish(f"$JS.API.CONSUMER.MSG.NEXT.GONGZHU.{name}", _told("pull"), "_INBOX.plain.inbox")
        left = _told("pull")["batch"]
        while left and sequence < last:
            delivered = client.next()
            if not delivered.status.startswith("100"):
                assert not delivered.status, delivered
                sequence, left = int(delivered.reply.split(".")[5]), left - 1
                yield delivered


def test_steps_of_the_readme_read_the_whole_feed(
    database_url: str, nats_server: NatsServer, url: str
) -> None:
    with psycopg.connect(database_url, autocommit=True) as log:
        last = append(log, season(5, matches=6))
        rows = stored_rows(log)
    asyncio.run(relayed(database_url, nats_server, last))
    with plain_client(url) as client:
        info = client.request("$JS.API.STREAM.INFO.GONGZHU")
        assert info["state"]["last_seq"] == last
        first = client.request("$JS.API.STREAM.MSG.GET.GONGZHU", _told("get"))["message"]
        assert base64.b64decode(first["data"]) == rows[0].public
        name = client.request("$JS.API.CONSUMER.CREATE.GONGZHU", _told("consumer"))["name"]
        messages = list(_pulled(client, name, last))
    assert [message.body for message in messages] == [row.public for row in rows]
    assert [int(message.headers["ce-sequence"]) for message in messages] == [row.position for row in rows]
    assert {m.headers["ce-source"].rpartition(":")[2] for m in messages} == {
        info["config"]["metadata"]["gongzhu.epoch"]
    }
    assert all(
        m.subject == f"gongzhu.v1.{row.match}.{row.tag.partition('.')[0]}"
        for m, row in zip(messages, rows, strict=True)
    )
    assert [fault for message in messages for fault in faults_of_message(message.headers, message.body)] == []
