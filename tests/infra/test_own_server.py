"""A NATS server of an operator's own, configured as the README says: alone, with hashes, and as a cluster of three."""

import asyncio
import re
import shutil
import socket
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from adapters.health import Patience
from adapters.nats.connection import JetStreamRefused, NatsAway, connected
from adapters.nats.denials import Denied
from adapters.nats.launcher import binary
from adapters.nats.stream_check import StreamReport, ensure_stream
from adapters.nats.users import PERMISSIONS
from adapters.randomness import SystemRandomness
from adapters.settings import NATS_USERS, nats_password_variable, read

README = PERMISSIONS.with_name("README.md").read_text(encoding="utf-8")
PASSWORDS = {nats_password_variable(user): f"{user}-sesame" for user in NATS_USERS}
# Of the password U*U, from the test vectors of crypt_blowfish.
HASH = "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"


def _free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    try:
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()


def _block(beginning: str) -> str:
    """A configuration of the README, by what it begins with."""
    blocks: list[str] = re.findall(r"^```\w*\n(.*?)^```", README, re.DOTALL | re.MULTILINE)
    return next(block for block in blocks if block.startswith(beginning))


@contextmanager
def _servers(folder: Path, environment: Mapping[str, str], *, cluster: bool) -> Iterator[list[int]]:
    """One server, or three, configured as the README says; their ports."""
    ports, routes = _free_ports(3 if cluster else 1), _free_ports(3)
    processes = []
    try:
        for number, port in enumerate(ports):
            path = _configure(folder / str(number), number, port, routes if cluster else [])
            log = (folder / str(number) / "log").open("wb")
            with log:
                processes.append(
                    subprocess.Popen([binary(), "-c", path], env=environment, stdout=log, stderr=log)
                )
        yield ports
    finally:
        for process in processes:
            process.kill()
            process.wait()


def _configure(folder: Path, number: int, port: int, routes: list[int]) -> Path:
    folder.mkdir(parents=True)
    shutil.copy(PERMISSIONS, folder)
    text = _block("# nats-server.conf").replace("/var/lib/nats", str(folder / "store"))
    text = text.replace("0.0.0.0:4222", f"127.0.0.1:{port}").replace("nats-1", f"nats-{number + 1}")
    if routes:
        told = _block("cluster {").replace("0.0.0.0:6222", f"127.0.0.1:{routes[number]}")
        text += re.sub(r"nats://nats-(\d):6222", lambda m: f"nats://127.0.0.1:{routes[int(m[1]) - 1]}", told)
    path = folder / "nats-server.conf"
    path.write_text(text, encoding="utf-8")
    return path


async def _ensured(url: str, replicas: int | None) -> StreamReport:
    """The stream, as soon as the servers have found each other."""
    patience = Patience(60)
    async with connected(url, "test") as connection:
        while True:
            try:
                report = await ensure_stream(connection, "main", SystemRandomness(), replicas)
            except (JetStreamRefused, NatsAway) as trouble:
                await patience.wait(trouble)
            else:
                if report.holds:
                    return report
                await patience.wait(AssertionError(report))


def _url(ports: list[int], user: str) -> str:
    address = ",".join(f"nats://127.0.0.1:{port}" for port in ports)
    url = read(nats_url=address, environment=PASSWORDS).nats_url_as(user)
    assert url is not None
    return url


def test_server_of_the_readme_knows_the_users_and_their_rights(tmp_path: Path) -> None:
    async def work(ports: list[int]) -> None:
        assert (await _ensured(_url(ports, "operator"), None)).created
        async with connected(_url(ports, "relay"), "test") as relay:
            await relay.client.request("gongzhu.v1.a.b", b"{}", timeout=5)
        async with connected(_url(ports, "reader"), "test") as reader:
            assert (await reader.ask("STREAM.INFO.GONGZHU", None, dict))["state"]["messages"] == 1
            with pytest.raises(Denied):
                await reader.ask("STREAM.PURGE.GONGZHU", None, dict)

    with _servers(tmp_path, PASSWORDS, cluster=False) as ports:
        asyncio.run(work(ports))


def test_server_of_the_readme_takes_hashes(tmp_path: Path) -> None:
    async def work(port: int) -> None:
        async with connected(f"nats://reader:U*U@127.0.0.1:{port}", "test") as reader:
            await reader.ask("INFO", None, dict)

    hashes = dict.fromkeys(PASSWORDS, HASH)
    with _servers(tmp_path, hashes, cluster=False) as (port,):
        asyncio.run(work(port))


def test_stream_is_spread_over_a_cluster(tmp_path: Path) -> None:
    async def work(ports: list[int]) -> None:
        alone = await _ensured(_url(ports, "operator"), None)
        spread = await _ensured(_url(ports, "operator"), 3)
        assert (alone.replicas, spread.replicas, spread.epoch) == (1, 3, alone.epoch)

    with _servers(tmp_path, PASSWORDS, cluster=True) as ports:
        asyncio.run(work(ports))
