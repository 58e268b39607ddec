"""The pages of a site: HTML, modules and styles that ship with the packages, served as they are.

A page is a line of `PAGES`, a folder of assets a line of `FOLDERS`; nothing else of the disk is ever read. Everything
is held in memory, answers to its ETag with 304, and carries a policy under which a page loads nothing but this site's
own files and runs no script that stands in the page itself.
"""

from collections.abc import Iterator
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import PurePosixPath
from typing import Any, Final

import msgspec
from litestar import Request, Response, route
from litestar.exceptions import NotFoundException
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

FOLDERS: Final[dict[str, tuple[str, str]]] = {
    "live": ("adapters.http", "assets"),
    "viewer": ("replays", "viewer/assets"),
}
"""Folders of assets by their name in `/assets/NAME/…`: the package, and the folder in it."""

PAGES: Final[dict[str, tuple[str, str]]] = {
    "/": ("live", "lobby.html"),
    "/table/{match:str}": ("live", "table.html"),
    "/replay/{match:str}": ("viewer", "viewer.html"),
}
"""Pages by their path: the folder and the file. What stands for `{match}` is read by the page itself."""

TWINS: Final[dict[str, tuple[str, str]]] = {"/hands": ("live", "hands.html")}
"""Pages that share their address with data of the API: who would rather have HTML, as a browser, gets the page."""

_TYPES: Final = {
    ".html": "text/html",
    ".js": "text/javascript",
    ".css": "text/css",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".woff2": "font/woff2",
}
"""The files that are served, by their ending."""

_HEADERS: Final = {
    "Cache-Control": "no-cache",
    "Content-Security-Policy": (
        "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}

FREELY_ASKED: Final = "freely_asked"
"""The option of routes whose requests are not counted against their client: a page has many files, and is cheap."""

_OPTIONS: Final[dict[str, Any]] = {
    "http_method": ["GET", "HEAD"],
    "include_in_schema": False,
    "opt": {FREELY_ASKED: True},
    "sync_to_thread": False,
}


class Asset(msgspec.Struct, frozen=True):
    """A file as it is served. `etag` follows from its content."""

    content: bytes
    media_type: str
    etag: str


class Pages:
    """All pages and assets, with the files as they were when this was made."""

    def __init__(self) -> None:
        self._assets = {name: dict(_assets(package, folder)) for name, (package, folder) in FOLDERS.items()}

    def routes(self) -> list[HTTPRouteHandler]:
        """Their routes."""
        return [_asset_route(self._assets), *(_page_route(path, self._assets) for path in PAGES)]

    def instead_of_data(self, request: Request[Any, Any, Any]) -> Response[bytes] | None:
        """The page that stands at the address of data, where it is rather wanted; None where the data is."""
        twin = TWINS.get(request.url.path) if request.method == "GET" else None
        if twin is None or request.accept.best_match(["application/json", "text/html"]) != "text/html":
            return None
        folder, name = twin
        return _answer(request, self._assets[folder][name])


def _asset_route(assets: dict[str, dict[str, Asset]]) -> HTTPRouteHandler:
    @route("/assets/{folder:str}/{name:path}", **_OPTIONS)
    def read_asset(
        request: Request[Any, Any, Any], folder: FromPath[str], name: FromPath[str]
    ) -> Response[bytes]:
        found = assets.get(folder, {}).get(name.lstrip("/"))
        if found is None:
            raise NotFoundException("there is no such file")
        return _answer(request, found)

    return read_asset


def _page_route(path: str, assets: dict[str, dict[str, Asset]]) -> HTTPRouteHandler:
    folder, name = PAGES[path]
    page = assets[folder][name]

    @route(path, **_OPTIONS)
    def read_page(request: Request[Any, Any, Any]) -> Response[bytes]:
        return _answer(request, page)

    return read_page


def _answer(request: Request[Any, Any, Any], asset: Asset) -> Response[bytes]:
    headers = {**_HEADERS, "ETag": asset.etag, **({"Vary": "Accept"} if request.url.path in TWINS else {})}
    if asset.etag in request.headers.get("if-none-match", ""):
        return Response(b"", status_code=304, headers=headers)
    return Response(asset.content, status_code=200, media_type=asset.media_type, headers=headers)


def _assets(package: str, folder: str) -> Iterator[tuple[str, Asset]]:
    """Every file of a folder that may be served, by its path in it."""
    root = files(package).joinpath(folder)
    return _inside(root, PurePosixPath()) if root.is_dir() else iter(())


def _inside(folder: Traversable, path: PurePosixPath) -> Iterator[tuple[str, Asset]]:
    for entry in folder.iterdir():
        here = path / entry.name
        if entry.is_dir():
            yield from _inside(entry, here)
        elif here.suffix in _TYPES:
            content = entry.read_bytes()
            yield str(here), Asset(content, _TYPES[here.suffix], f'"{sha256(content).hexdigest()[:32]}"')
