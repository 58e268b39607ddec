"""Health and metrics: alive, ready only where every part does what it should, and gauges without a secret."""

import asyncio
from collections.abc import Sequence

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from adapters.health import Health
from adapters.http.health import Vitals, health_app
from adapters.postgres.standings import ProjectionStanding
from projections.read_model import RowsUnavailable


def parts() -> list[Health]:
    relay, tables = Health("relay"), Health("tables")
    relay.work_at(12)
    tables.work_at(10)
    return [relay, tables]


def two_behind() -> list[ProjectionStanding]:
    return [
        ProjectionStanding(
            projection="tables", generation=3, position=10, behind=2, behind_s=1.5, epoch="e", stopped=None
        )
    ]


def away() -> Sequence[ProjectionStanding]:
    raise RowsUnavailable("PostgreSQL is away")


def ask(vitals: Vitals, path: str) -> httpx.Response:
    async def asked() -> httpx.Response:
        transport = httpx.ASGITransport(app=health_app(vitals))  # type: ignore[arg-type]
        async with httpx.AsyncClient(transport=transport, base_url="http://health") as client:
            return await client.get(path)

    return asyncio.run(asked())


def gauges(vitals: Vitals) -> dict[tuple[str, ...], float]:
    """Every sample by its name and the values of its labels."""
    answer = ask(vitals, "/metrics")
    assert answer.headers["content-type"].startswith("text/plain")
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


def test_a_process_that_answers_is_alive_whatever_else_is_red() -> None:
    stopped = parts()
    stopped[0].stop("the stream is another")
    answer = ask(Vitals(lambda: stopped, away), "/health/live")
    assert (answer.status_code, answer.json()) == (200, {"status": "alive"})


def test_it_is_ready_when_every_part_works_or_stands_by() -> None:
    found = parts()
    found[0].state = "standby"
    answer = ask(Vitals(lambda: found, two_behind), "/health/ready")
    assert answer.status_code == 200
    assert answer.json()["ready"]
    assert [part["position"] for part in answer.json()["parts"]] == [12, 10]


@pytest.mark.parametrize("state", ["red", "waiting", "starting"])
def test_one_part_that_does_not_work_makes_it_unready(state: str) -> None:
    found = [*parts(), Health("leaderboards")]
    if state == "red":
        found[2].stop("projection leaderboards stopped at position 7; run it again")
    elif state == "waiting":
        found[2].wait_for("PostgreSQL at an address with a name is away")
    answer = ask(Vitals(lambda: found, two_behind), "/health/ready")
    assert answer.status_code == 503
    told = answer.json()["parts"][2]
    assert told["state"] == state
    assert ("position 7" in told["error"]) == (state == "red")
    assert "address" not in answer.text


def test_metrics_tell_states_positions_and_lags() -> None:
    found = gauges(Vitals(parts, two_behind))
    assert found["gongzhu_part_state", "relay", "working"] == 1
    assert found["gongzhu_part_state", "relay", "red"] == 0
    assert found["gongzhu_part_position", "tables"] == 10
    assert found["gongzhu_projection_lag_events", "tables"] == 2
    assert found["gongzhu_projection_lag_seconds", "tables"] == 1.5
    assert found["gongzhu_log_last_position",] == 12
    assert found["gongzhu_database_up",] == 1


def test_metrics_are_there_while_the_database_is_away() -> None:
    found = gauges(Vitals(parts, away))
    assert found["gongzhu_database_up",] == 0
    assert found["gongzhu_part_position", "relay"] == 12
