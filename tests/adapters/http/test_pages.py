"""Pages and their files: content types, caching, the policy they carry, and nothing else of the disk."""

from collections.abc import Iterator
from pathlib import Path
from zipfile import ZipFile

import httpx
import pytest
from hatchling.builders.wheel import WheelBuilder

from adapters.http.pages import PAGES
from tests.support.live import ManualClock
from tests.support.served_in_thread import Elsewhere, served_elsewhere

ROOT = Path(__file__).parents[3]


@pytest.fixture
def site(database_url: str, tmp_path: Path) -> Iterator[Elsewhere]:
    with served_elsewhere(database_url, tmp_path, ManualClock()) as elsewhere:
        yield elsewhere


def test_pages_and_their_files_are_served_as_what_they_are(site: Elsewhere) -> None:
    with httpx.Client(base_url=site.url, trust_env=False) as client:
        for path in PAGES:
            page = client.get(path.replace("{match:str}", "any"))
            assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8"), path
            assert page.text.startswith("<!doctype html>")
            _is_guarded(page)
        missing = [
            client.get(f"/assets/{name}")
            for name in ("live/no.js", "no/lobby.html", "live/../app.py", "live/%2e%2e/app.py")
        ]
        assert {answer.status_code for answer in missing} == {404}


def test_file_that_is_known_is_not_sent_again(site: Elsewhere) -> None:
    with httpx.Client(base_url=site.url, trust_env=False) as client:
        first = client.get("/assets/live/lobby.html")
        again = client.get("/assets/live/lobby.html", headers={"If-None-Match": first.headers["etag"]})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", first.headers["etag"])
        _is_guarded(again)
        told = client.head("/assets/live/lobby.html")
        assert (told.status_code, told.content, told.headers["etag"]) == (200, b"", first.headers["etag"])


def _is_guarded(answer: httpx.Response) -> None:
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-cache"
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'self';")
    assert "unsafe" not in policy


def test_every_page_and_file_ships_with_the_packages(tmp_path: Path) -> None:
    [wheel] = WheelBuilder(str(ROOT)).build(directory=str(tmp_path))
    shipped = set(ZipFile(wheel).namelist())
    files = [
        path
        for folder in ("adapters/http/assets", "replays/viewer/assets")
        for path in (ROOT / folder).rglob("*.*")
    ]
    assert files
    assert {str(path.relative_to(ROOT)) for path in files} <= shipped
