"""`gongzhu bots --join`: bots that sit down beside others, and what is said where they cannot."""

from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from typer.testing import CliRunner, Result

from adapters.command_line.app import app
from tests.adapters.http.test_matches import opened
from tests.support.live import ManualClock
from tests.support.served_in_thread import served_elsewhere

LONG = {"declare_s": 3_000, "play_s": 3_000, "pause_s": 0}


def test_bots_join_a_match_of_others_and_play_to_its_end(database_url: str, tmp_path: Path) -> None:
    def bots(url: str, match: UUID, *more: str) -> Result:
        data = ["--data", str(tmp_path / "empty")]
        return CliRunner().invoke(
            app, [*data, "bots", "--url", url, "--join", str(match), "--pace", "0", *more]
        )

    async def phase(served: Any, match: UUID) -> str:
        return str((await served.live.service.fresh(match)).phase)

    with served_elsewhere(database_url, tmp_path, ManualClock()) as site:
        match = site.run(lambda served: opened(served, clocks=LONG))
        played = bots(site.url, match, "--seats", "4")
        assert (played.exit_code, played.stdout) == (0, "the match has ended: 52 plays, 0 refused\n")
        assert site.run(lambda served: phase(served, match)) == "settled"
        assert "no seat of match" in str(bots(site.url, match).exception)
        assert "404" in str(bots(site.url, uuid4()).exception)
