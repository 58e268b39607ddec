"""A folder of worked cases is checked file by file and reported as numbers."""

from pathlib import Path

import msgspec
import pytest

from adapters.conformance import FIRST_FAILURES, VectorsMissing, run

VECTORS = Path(__file__).parents[1] / "recorded" / "vectors"


def test_our_worked_cases_all_hold() -> None:
    report = run(VECTORS)
    assert report.first_failures == ()
    assert (report.passed, report.failed) == (2396, 0)
    assert sum(count.passed for count in report.files.values()) == 2396
    assert set(report.files) == {path.name for path in VECTORS.glob("*.jsonl")}


def test_failing_line_is_counted_and_shown_with_its_file_and_number(tmp_path: Path) -> None:
    good, other, *_ = (VECTORS / "settlements.jsonl").read_bytes().splitlines()
    wrong = {**msgspec.json.decode(other), "points": [1, 2, 3, 4]}
    (tmp_path / "settlements.jsonl").write_bytes(
        good + b"\n\n" + msgspec.json.encode(wrong) + b"\nnonsense\n"
    )
    (tmp_path / "README.md").write_text("not a case")
    report = msgspec.to_builtins(run(tmp_path))
    assert report["files"] == {"settlements.jsonl": {"passed": 1, "failed": 2}}
    first, second = report["first_failures"]
    assert (first["file"], first["line"], first["what"], first["want"]) == (
        "settlements.jsonl", 3, "points", [1, 2, 3, 4],
    )  # fmt: skip
    assert (second["line"], second["what"]) == (4, "line")


def test_report_has_the_shape_that_programs_read(tmp_path: Path) -> None:
    (tmp_path / "strange.jsonl").write_text('{"what": "is this"}\n')
    written = msgspec.json.decode(msgspec.json.encode(run(tmp_path)))
    assert {name: written[name] for name in ("passed", "failed", "files")} == {
        "passed": 0,
        "failed": 1,
        "files": {"strange.jsonl": {"passed": 0, "failed": 1}},
    }
    assert "kind" in written["first_failures"][0]["got"]


def test_only_the_first_failures_are_shown(tmp_path: Path) -> None:
    (tmp_path / "scores.jsonl").write_text("{}\n" * 100)
    report = run(tmp_path)
    assert (report.failed, len(report.first_failures)) == (100, FIRST_FAILURES)


@pytest.mark.parametrize("name", ["", "missing"])
def test_folder_without_cases_is_an_error_and_no_success(tmp_path: Path, name: str) -> None:
    with pytest.raises(VectorsMissing, match=r"no \*\.jsonl"):
        run(tmp_path / name)
