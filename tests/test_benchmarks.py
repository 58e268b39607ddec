"""The frame around the benchmarks: fair rounds, peers that fail, and the one object that programs read."""

import os
import time

import msgspec
import pytest

from tests.bench import __main__ as bench
from tests.bench.measured import (
    Aim,
    Measured,
    OutOfTime,
    at_least,
    at_most,
    limit,
    machine,
    one_core,
    rates_in_rounds,
    ratio,
)


def _fine() -> int:
    return 1


def _fails() -> int:
    raise RuntimeError("no such peer")


def test_peer_that_fails_is_left_out_and_named_and_the_others_go_on() -> None:
    rates, failed = rates_in_rounds({"fine": _fine, "fails": _fails}, rounds=3, for_s=0.001)
    assert (len(rates["fine"]), failed) == (3, {"fails": "RuntimeError: no such peer"})
    assert ratio(rates, "fine", "fails") is None


def test_peer_that_hangs_is_stopped_at_its_limit() -> None:
    def hangs() -> int:
        while True:
            pass

    _, failed = rates_in_rounds({"hangs": hangs}, rounds=2, for_s=0.001, limit_s=0.02)
    assert failed == {"hangs": "OutOfTime: not finished within 0.02 s"}


def test_limit_that_is_kept_rings_no_more() -> None:
    with limit(0.01):
        pass
    time.sleep(0.02)
    with pytest.raises(OutOfTime), limit(0.01):
        time.sleep(1)


def test_ratio_compares_round_by_round() -> None:
    assert ratio({"a": [2.0, 30.0, 4.0], "b": [1.0, 10.0, 4.0]}, "a", "b") == 2.0


@pytest.mark.parametrize(
    ("aim", "holds"),
    [
        (at_least("speed", 1.0, 1.0), True),
        (at_least("speed", 1.0, 0.99), False),
        (at_most("time", 1.0, 1.0), True),
        (at_most("time", 1.0, 1.01), False),
        (at_least("speed", 1.0, None), False),
        (at_most("time", 1.0, None), False),
    ],
)
def test_aim_holds_at_its_bound_and_not_where_it_is_missing(aim: Aim, holds: bool) -> None:
    assert aim.holds is holds


def test_one_core_is_given_back() -> None:

    before = os.sched_getaffinity(0)
    with one_core():
        assert len(os.sched_getaffinity(0)) == 1
    assert os.sched_getaffinity(0) == before


def _measured() -> Measured:
    return Measured(
        name="sample",
        machine=machine(),
        figures={"hands_per_s": 12345.678, "peer_note": "not installed"},
        aims=(at_least("speed", 1.0, 1.5), at_least("other", 1.0, None)),
    )


def test_program_reads_exactly_one_object(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench, "benchmark", lambda _name: _measured)
    assert bench.main(["sample", "--json"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    read = msgspec.json.decode(line)
    assert list(read) == ["name", "machine", "figures", "aims"]
    assert read["aims"][1] == {"what": "other", "want": 1.0, "got": None, "holds": False}


def test_person_reads_figures_and_aims(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench, "benchmark", lambda _name: _measured)
    assert bench.main(["sample"]) == 0
    shown = capsys.readouterr().out
    for text in ("sample", "hands per s", "not installed", "not measured", "yes", "no"):
        assert text in shown


@pytest.mark.parametrize("name", ["nothing", "../rules", "measured", "__main__", "tests.bench.rules"])
def test_unknown_benchmark_is_refused_and_the_known_ones_are_told(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench.main([name]) == 2
    assert "rules" in capsys.readouterr().err
