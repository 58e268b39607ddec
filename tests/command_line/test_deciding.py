"""`gongzhu annul`, `unannul`, `correct`: decided without a key, and shown wherever the match is."""

from pathlib import Path

import pytest
import typer

from adapters.command_line import deciding
from tests.support.gongzhu import Gongzhu, gongzhu_over

BOARD = ("leaderboard", "--origin", "bots")


def test_decisions_need_no_key_and_show_everywhere(tmp_path: Path) -> None:
    with gongzhu_over(tmp_path / "data") as gongzhu:
        serving = gongzhu.start("serve")
        gongzhu.wait_until_ready(serving)
        gongzhu.run("play", "--matches", "2", "--hands", "2")
        (gongzhu.data / "keys.json").unlink()
        before = gongzhu.json(*BOARD)["rows"]
        match = gongzhu.json("matches")["rows"][0]["match"]
        why = ("--case", "17", "--cause", "shared cards", "--by", "a referee")
        assert "annulled by a referee in case 17: shared cards" in gongzhu.run("annul", match, *why)
        assert gongzhu.json("matches")["rows"][0]["annulled"]
        assert gongzhu.json(*BOARD)["rows"] != before
        lifted = gongzhu.json("unannul", match, "--case", "17", "--cause", "appeal")["events"]
        assert [event["type"] for event in lifted] == ["AnnulmentLifted"]
        assert gongzhu.json(*BOARD)["rows"] == before
        _correct(gongzhu, match)
        assert not (gongzhu.data / "keys.json").exists()


def _correct(gongzhu: Gongzhu, match: str) -> None:
    told = gongzhu.run(
        "correct", match, "--hand", "2", "--raw", "-200,0,100,-80", "--case", "18", "--cause", "scored twice"
    )
    assert "corrected  raw -200 +0 +100 -80" in told
    shown = gongzhu.run("replay", match)
    assert "annulled by a referee" in shown
    assert "annulment lifted by operator" in shown
    assert "recorded   raw" in shown
    assert "corrected  raw -200 +0 +100 -80" in shown


@pytest.mark.parametrize("raw", ["1,2,3", "a,b,c,d", ""])
def test_raw_scores_are_four_numbers(raw: str) -> None:
    with pytest.raises(typer.BadParameter, match="is not four raw scores"):
        deciding.raw_scores_of(raw)
