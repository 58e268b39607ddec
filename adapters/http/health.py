"""What those who run the service look at: whether it lives, whether it is ready, and its metrics.

It answers on a port of its own, apart from players. A metric holds only what the public log shows as well: positions,
counts and states. How often a command was refused is not among them, since that may hang on cards nobody sees.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import msgspec
from litestar import Litestar, Response, get
from litestar.di import NamedDependency, Provide
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from adapters.health import Health, State
from adapters.postgres.standings import ProjectionStanding
from projections.read_model import RowsUnavailable

_STATES: Final[tuple[State, ...]] = ("starting", "working", "standby", "waiting", "red")
_READY: Final = ("working", "standby")


class Vitals(msgspec.Struct, frozen=True):
    """What is looked at: the parts of the feed as they are now, and how the projections stand in the database."""

    parts: Callable[[], Sequence[Health]]
    standings: Callable[[], Sequence[ProjectionStanding]]


class Part(msgspec.Struct, frozen=True):
    """A part of the feed. `error` says what to do about one that is red."""

    name: str
    state: State
    position: int
    error: str = ""


class Readiness(msgspec.Struct, frozen=True):
    """Whether every part does what it should."""

    ready: bool
    parts: tuple[Part, ...]


TheVitals = NamedDependency[Vitals]


def readiness(parts: Sequence[Health]) -> Readiness:
    """Whether every part works or stands by; one that waits or is red makes the whole unready."""
    told = [Part(one.name, one.state, one.position, one.error if one.state == "red" else "") for one in parts]
    return Readiness(all(part.state in _READY for part in told), tuple(told))


@get("/health/live", sync_to_thread=False)
def live() -> dict[str, str]:
    """The process runs and answers."""
    return {"status": "alive"}


@get("/health/ready", sync_to_thread=False)
def ready(vitals: TheVitals) -> Response[Readiness]:
    """200 where relay and projections do what they should, 503 where one does not; with what is wrong."""
    found = readiness(vitals.parts())
    return Response(found, status_code=200 if found.ready else 503, headers={"Cache-Control": "no-store"})


@get("/metrics")
async def metrics(vitals: TheVitals) -> Response[bytes]:
    """Everything as Prometheus reads it; also while the database is away."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Metrics(vitals))
    text = await asyncio.to_thread(generate_latest, registry)
    return Response(text, headers={"Content-Type": CONTENT_TYPE_LATEST})


def health_app(vitals: Vitals) -> Litestar:
    """The application of these three."""
    return Litestar(
        route_handlers=[live, ready, metrics],
        dependencies={"vitals": Provide(lambda: vitals, sync_to_thread=False)},
        openapi_config=None,
        logging_config=None,
    )


class _Metrics(Collector):
    """The gauges, as they are when somebody looks."""

    def __init__(self, vitals: Vitals) -> None:
        self._vitals = vitals

    def collect(self) -> Iterator[Metric]:
        """Every metric."""
        yield from _of_parts(self._vitals.parts())
        try:
            found = self._vitals.standings()
        except RowsUnavailable:
            found = None
        yield GaugeMetricFamily(
            "gongzhu_database_up", "Whether the database answers", value=float(found is not None)
        )
        yield from _of_standings(found or ())


def _of_parts(parts: Sequence[Health]) -> Iterator[Metric]:
    states = GaugeMetricFamily(
        "gongzhu_part_state", "1 for the state a part of the feed is in", labels=["part", "state"]
    )
    positions = GaugeMetricFamily(
        "gongzhu_part_position", "Log position a part of the feed has reached", labels=["part"]
    )
    for part in parts:
        positions.add_metric([part.name], part.position)
        for state in _STATES:
            states.add_metric([part.name, state], float(part.state == state))
    yield from (states, positions)


def _of_standings(found: Sequence[ProjectionStanding]) -> Iterator[Metric]:
    gauges: tuple[tuple[str, str, Callable[[ProjectionStanding], Any]], ...] = (
        ("position", "Log position a projection has applied", lambda one: one.position),
        ("lag_events", "Events of the log a projection has not applied", lambda one: one.behind),
        ("lag_seconds", "From the last event applied to the log's last one", lambda one: one.behind_s),
        (
            "generation",
            "Generation of a projection that is read, 0 for none",
            lambda one: one.generation or 0,
        ),
    )
    for name, what, value in gauges:
        gauge = GaugeMetricFamily(f"gongzhu_projection_{name}", what, labels=["projection"])
        for one in found:
            gauge.add_metric([one.projection], value(one))
        yield gauge
    last = max((one.position + one.behind for one in found), default=None)
    if last is not None:
        yield GaugeMetricFamily("gongzhu_log_last_position", "The log's last position", value=last)
