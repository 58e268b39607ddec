"""Whatever is sent, over HTTP or a socket, is answered: no error of ours, no stuck match, no flood in the log."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import msgspec
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import response_schema_conformance
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from adapters.http.actions import SEAT_ACTIONS
from tests.adapters.http.test_matches import play_hand, seated
from tests.support.live import ManualClock
from tests.support.served_in_thread import Elsewhere, served_elsewhere

COUNTS = [pytest.param(1, id="few"), pytest.param(10, id="many", marks=pytest.mark.long)]
"""How many times the examples that the suite has time for; the many run with `--long`."""
FUZZED = settings(
    max_examples=30,
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


class Target:
    """A served site with a match in play, and the token of its seat 0."""

    def __init__(self, site: Elsewhere) -> None:
        self.site = site
        self.match: UUID = site.run(seated)
        self.headers = site.served.headers(0)

    def last_position(self) -> int:
        async def positions(served: Any) -> int:
            with served.live.log.pool.connection() as connection:
                row = connection.execute("SELECT max(position) FROM log.events").fetchone()
                return int(row[0])

        return self.site.run(positions)

    def can_still_be_played(self) -> None:
        async def play(served: Any) -> None:
            for table in served.live.tables.tended():
                # What was put on offer meanwhile is as many as one player may.
                await served.post(f"/matches/{table.match.id}/abandon", 0)
            match = await seated(served)
            await play_hand(served, match, random.Random(1))

        self.site.run(play)


@pytest.fixture
def target(database_url: str, tmp_path: Path) -> Iterator[Target]:
    with served_elsewhere(database_url, tmp_path, ManualClock()) as site:
        yield Target(site)


def test_document_describes_every_route_with_its_errors_and_examples(target: Target) -> None:
    document = httpx.get(f"{target.site.url}/openapi/openapi.json", trust_env=False).json()
    assert document["info"]["title"] == "Gongzhu (拱猪)"
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            assert operation["summary"], path
            assert {"429", "503"} <= set(operation["responses"]), path
            if method == "post" and path != "/guests":
                body = operation["requestBody"]["content"]["application/json"]["schema"]
                assert body["examples"], path
    assert "secret" not in msgspec.json.encode(document).decode()


@pytest.mark.parametrize("times", COUNTS)
def test_requests_made_from_the_document_are_answered_as_it_says(target: Target, times: int) -> None:
    document = httpx.get(f"{target.site.url}/openapi/openapi.json", trust_env=False).json()
    schema = schemathesis.openapi.from_dict(document)
    before = target.last_position()
    for result in schema.get_all_operations():
        assert isinstance(result, Ok), result
        fuzz_operation(target, result.ok(), times)
    # Ten tables on offer, and what one seat can do at one table.
    assert target.last_position() - before < 200
    target.can_still_be_played()


def fuzz_operation(target: Target, operation: Any, times: int) -> None:
    @settings(FUZZED, max_examples=30 * times)
    @given(case=operation.as_strategy(), own=st.booleans(), signed=st.booleans())
    def fuzz(case: Any, own: bool, signed: bool) -> None:
        if own and "match" in case.path_parameters:
            case.path_parameters["match"] = str(target.match)
            if "seat" in case.path_parameters:
                case.path_parameters["seat"] = 0
        headers = target.headers if signed else {}
        response = case.call(base_url=target.site.url, headers=headers)
        assert response.status_code < 500 or response.status_code == 503, (case, response.text)
        documented = {int(status) for status in operation.definition.raw["responses"]}
        assert response.status_code in documented | {404, 405}, (case, response.status_code, response.text)
        if response.status_code != 304:
            case.validate_response(response, checks=[response_schema_conformance])
        if response.status_code >= 400:
            assert response.headers["content-type"][0].startswith("application/problem+json")
            problem = response.json()
            assert problem["detail"]
            assert problem["detail_zh"]

    fuzz()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda children: (
        st.lists(children, max_size=4) | st.dictionaries(st.text(max_size=10), children, max_size=4)
    ),
    max_leaves=10,
)
COMMANDS = st.fixed_dictionaries(
    {"do": st.sampled_from(sorted(SEAT_ACTIONS))},
    optional={
        "seat": st.integers() | st.integers(0, 3),
        "body": st.dictionaries(
            st.sampled_from(["cards", "card", "level", "nonce", "command_id", "hand_no", "commitment"]),
            JSON | st.sampled_from([["SQ"], "SQ", "HA", "open", "hidden", "00" * 32]) | st.uuids().map(str),
        ),
    },
)
MESSAGES = (
    st.binary(max_size=200)
    | st.text(max_size=200)
    | JSON.map(lambda value: msgspec.json.encode(value).decode())
    | COMMANDS.map(lambda value: msgspec.json.encode(value).decode())
)


@pytest.mark.parametrize("times", COUNTS)
def test_whatever_is_sent_over_a_socket_is_answered(target: Target, times: int) -> None:
    url = f"{target.site.url.replace('http', 'ws', 1)}/matches/{target.match}/live?as=seat"
    before = target.last_position()

    @settings(FUZZED, max_examples=300 * times)
    @given(messages=st.lists(MESSAGES, min_size=1, max_size=5))
    def fuzz(messages: list[str | bytes]) -> None:
        with connect(url, additional_headers=target.headers, proxy=None, compression=None) as socket:
            socket.recv(10)
            for message in messages:
                socket.send(message)
                assert answer_on(socket)["status"] in (200, 400, 403, 404, 409, 422)

    fuzz()
    assert target.last_position() - before < 200
    target.can_still_be_played()


def answer_on(socket: Any) -> dict[str, Any]:
    while True:
        try:
            frame: dict[str, Any] = msgspec.json.decode(socket.recv(10))
        except ConnectionClosed as closed:
            pytest.fail(f"the socket was closed: {closed}")
        if frame["frame"] == "answer":
            return frame
