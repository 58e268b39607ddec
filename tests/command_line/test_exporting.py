"""`export`, `export verify` and `import` as a person meets them."""

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from adapters.command_line import exporting
from tests.support.exports import ended_matches, files_in, store
from tests.support.gongzhu import Gongzhu, gongzhu_over
from tests.support.read_models_built import command


@pytest.fixture
def gongzhu(tmp_path: Path) -> Iterator[Gongzhu]:
    with gongzhu_over(tmp_path / "data") as running:
        yield running


def test_export_is_checked_and_imported_into_another_installation(gongzhu: Gongzhu, tmp_path: Path) -> None:
    gongzhu.run("play", "--matches", "2", "--hands", "1")
    folder, again = tmp_path / "export", tmp_path / "again"
    said = gongzhu.run("export", "--format", "parquet", "--to", str(folder))
    assert "2 matches with 2 hands" in said
    assert "sound (5 files, 2 matches" in gongzhu.run("export", "verify", str(folder))
    with gongzhu_over(tmp_path / "other") as other:
        assert "2 matches restored, 0 were there already, 0 refused" in other.run("import", str(folder))
        assert len(other.json("matches", "--origin", "bots")["rows"]) == 2
        other.run("export", "-f", "parquet", "--to", str(again))
        assert files_in(again) == files_in(folder)
        (folder / "events" / "part-00001.parquet").write_bytes(b"PAR1")
        assert "cut off" in other.complaint("import", str(folder))
        assert "imports matches or hands" in other.run("trail", "--json")


def test_what_cannot_be_exported_is_said(database_url: str, tmp_path: Path) -> None:
    store(database_url, ended_matches()[:2])

    def say(*arguments: str, code: int) -> str:
        result = command(database_url, exporting, "export", *arguments)
        assert result.exit_code == code, (arguments, result.output, result.exception)
        return f"{result.output} {result.stderr} {result.exception}"

    folder = str(tmp_path / "export")
    assert "there is no format 'xml'" in say("-f", "xml", code=2)
    assert "no ruleset 'whist'" in say("--ruleset", "whist", code=2)
    assert "there is no origin 'mars'" in say("--origin", "mars", code=2)
    assert "'someone' is no player" in say("--player", "someone", code=2)
    assert "there is no match abc" in say("--match", "abc", code=1)
    assert "give a folder with --to" in say("-f", "parquet", "--to", "-", code=2)
    assert "give a folder with --to" in say("--names", "--to", "-", code=2)
    assert "2 matches with" in say("--to", folder, code=0)
    assert "holds a finished export of 2 matches" in say("--to", folder, code=1)
    assert "1 matches with" in say("--to", folder, "--overwrite", "--ruleset", "blood-1", "--names", code=0)
    assert "no match that has ended fits" in say(
        "--to", str(tmp_path / "none"), "--since", "2100-01-01", "--player", "bot 1", code=0
    )
    assert '"kind": "notation"' in say("-f", "notation", "--to", str(tmp_path / "text"), "--json", code=0)
    assert '"wrong": 0' in say("verify", str(tmp_path / "text"), "--json", code=0)
    assert "holds no finished export" in say("verify", str(tmp_path), code=1)
    with psycopg.connect(database_url) as connection:
        trail = connection.execute("SELECT what, about FROM people.trail").fetchall()
    assert trail == [("exports players' names", folder)]
