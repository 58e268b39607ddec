"""`gongzhu annul`, `unannul`, `correct`: decided without a key, and shown wherever the match is."""

import asyncio
from pathlib import Path
from uuid import UUID

import pytest
import typer

from adapters.command_line import deciding
from adapters.command_line.lasting_words import NamesAPlayer, refuse_names
from adapters.people.names import Names
from adapters.postgres.recorder import open_pool
from tests.support.gongzhu import Gongzhu, gongzhu_over
from tests.support.services import START, match_id, seated, service_on

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
        gongzhu.run("annul", match, *why)
        assert "annulled already" in gongzhu.complaint("annul", match, *why)
        told = [(entry["what"], entry["case"]) for entry in reversed(gongzhu.json("trail", "--about", match))]
        assert told == [
            ("annulled a match", "17"),
            ("lifted an annulment", "17"),
            ("corrected a hand", "18"),
            ("annulled a match", "17"),
            ("annulled a match", "17"),
            ("annulled a match: ended in an error", "17"),
        ]
        assert gongzhu.json("trail", "--about", match)[0]["by"].startswith("a referee (")
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


def test_words_that_the_log_would_keep_name_no_player(database_url: str, tmp_path: Path) -> None:
    async def sit_down() -> None:
        async with service_on(database_url, tmp_path) as service:
            await seated(service, match_id(1))

    asyncio.run(sit_down())
    player = UUID(int=match_id(1).int + 3)
    words = ("17", "小猪 saw cards", "operator")
    with open_pool(database_url) as pool:
        refuse_names(pool, match_id(1), *words)
        Names(pool).rename(player, "小猪", START)
        with pytest.raises(NamesAPlayer, match=str(player)):
            refuse_names(pool, match_id(1), *words)


@pytest.mark.parametrize("raw", ["1,2,3", "a,b,c,d", ""])
def test_raw_scores_are_four_numbers(raw: str) -> None:
    with pytest.raises(typer.BadParameter, match="is not four raw scores"):
        deciding.raw_scores_of(raw)
