"""Every address of an application that can be read, filled with what a match has: for whoever looks everywhere.

Routes are taken from the application itself, so one that is added is looked at without being named here.
"""

import itertools
from collections.abc import Iterator
from typing import Any, Final
from uuid import UUID

from litestar import Litestar
from litestar.handlers import HTTPRouteHandler
from litestar.routes import HTTPRoute

from adapters.http.pages import FREELY_ASKED
from tests.support.worlds import Pair

_FIXED: Final = ("/openapi", "/asyncapi.json")
_LATER: Final = ("/players/{player}/connections",)
"""What clients have sent, for investigators: it is written when the service comes to it, not when it happened."""
_ANY: Final = ("1",)
"""Values for a parameter of which nothing is known."""
_QUERIES: Final[dict[str, tuple[str, ...]]] = {
    "as": ("seat", "spectator", "seat0", "seat3", "all", "everyone"),
    "viewer": ("spectator", "seat0", "0", "all"),
    "step": ("3", "40"),
    "after": ("0", "4", "9999"),
    "before": ("5",),
    "limit": ("1",),
    "phase": ("playing", "declaring"),
    "origin": ("bots",),
    "special": ("slam", "pig_to_declarer"),
    "period": ("2026-01-01",),
    "case": ("7",),
}
"""Values for parameters whose names are known."""


def reading_paths(app: Litestar, pair: Pair) -> list[str]:
    """Every path of a GET route, and with its parameters one at a time; without documents and assets, which stay."""
    return [path for route in app.routes if isinstance(route, HTTPRoute) for path in _of_route(route, pair)]


def _of_route(route: HTTPRoute, pair: Pair) -> Iterator[str]:
    if route.path_format.startswith(_FIXED) or route.path_format in _LATER:
        return
    for handler in route.route_handlers:
        if "GET" in handler.http_methods and not handler.opt.get(FREELY_ASKED):
            for path in _filled(route, pair):
                yield path
                yield from (f"{path}?{query}" for query in _queries(handler, pair))


def _filled(route: HTTPRoute, pair: Pair) -> Iterator[str]:
    names = list(route.path_parameters)
    choices = [_values(name, route.path_parameters[name].type, pair) for name in names]
    for values in itertools.product(*choices):
        yield route.path_format.format(**dict(zip(names, values, strict=True)))


def _values(name: str, kind: type[Any], pair: Pair) -> tuple[str, ...]:
    if name == "ruleset":
        return (pair.ruleset.name,)
    if name == "player":
        return (str(UUID(int=900 + min(pair.concerned, default=0))),)
    if kind is UUID:
        return (str(pair.match),)
    return ("1", "2") if kind is int else ("1",)


def _queries(handler: HTTPRouteHandler, pair: Pair) -> Iterator[str]:
    known: tuple[str, ...] = handler.opt.get("query") or ()
    for name in known:
        if name in ("player", "partner", "opponent"):
            values = _values("player", UUID, pair)
        else:
            values = (pair.ruleset.name,) if name == "ruleset" else _QUERIES.get(name, _ANY)
        yield from (f"{name}={value}" for value in values)
