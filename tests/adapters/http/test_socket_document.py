"""The AsyncAPI document of the live socket holds for what is really sent."""

import random
from pathlib import Path
from typing import Any

import jsonschema
import msgspec

from adapters.http.actions import SEAT_ACTIONS
from adapters.http.live import Asked
from adapters.http.socket_document import socket_document
from tests.adapters.http.test_live import done_by_all, step
from tests.adapters.http.test_matches import on_site, seated
from tests.support.http import Served

BY_FRAME = {"snapshot": "Snapshot", "change": "Change", "answer": "Answered"}


def validator(name: str, document: dict[str, Any]) -> Any:
    schema = {"$ref": f"#/components/schemas/{name}", "components": document["components"]}
    return jsonschema.Draft202012Validator(schema)


def test_every_frame_of_a_hand_is_as_the_document_says(database_url: str, tmp_path: Path) -> None:
    async def play(served: Served) -> None:
        document = (await served.get("/asyncapi.json")).json()
        assert document == msgspec.json.decode(msgspec.json.encode(socket_document()))
        validators = {frame: validator(name, document) for frame, name in BY_FRAME.items()}
        match, chance = await seated(served), random.Random(1)
        clients = [served.socket(match, seat) for seat in range(4)]
        async with clients[0], clients[1], clients[2], clients[3]:
            assert (await clients[0].ask("play", cards=["XX"]))["status"] >= 400
            await done_by_all(clients)
            for client in clients:
                await client.see(clients[3].number)
            while clients[0].view["phase"] == "playing":
                await step(clients, chance)
            frames = [msgspec.json.decode(raw) for client in clients for raw in client.raw]
        assert {frame["frame"] for frame in frames} == set(BY_FRAME)
        for frame in frames:
            assert list(validators[frame["frame"]].iter_errors(frame)) == []

    on_site(database_url, tmp_path, play)


def test_document_refers_to_nothing_that_is_not_there_and_says_all_commands() -> None:
    document = socket_document()
    text = msgspec.json.encode(document).decode()
    for name in msgspec.json.decode(msgspec.json.encode(document["components"]["schemas"])):
        assert f"#/components/schemas/{name}" in text
    asked = document["components"]["schemas"]["Asked"]["properties"]
    assert asked["do"]["enum"] == list(SEAT_ACTIONS)
    assert set(asked) == {field.name for field in msgspec.structs.fields(Asked)}
    assert '"secret":' not in text
