"""The commands as a person meets them: what they print, what they refuse, and how they live side by side."""

import json
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from adapters import embedded
from adapters.record_files import BUNDLED_HANDS
from adapters.settings import read
from tests.support.gongzhu import Gongzhu, gongzhu_over
from tests.support.waiting import eventually

VECTORS = Path(__file__).parents[1] / "recorded" / "vectors"


@pytest.fixture
def gongzhu(tmp_path: Path) -> Iterator[Gongzhu]:
    with gongzhu_over(tmp_path / "data") as command:
        yield command


def owning(gongzhu: Gongzhu, *arguments: str) -> subprocess.Popen[str]:
    """A command that runs the servers, as soon as others can use them."""
    process = gongzhu.start(*arguments)
    gongzhu.wait_until_ready(process)
    return process


def change_log(gongzhu: Gongzhu, statement: str) -> None:
    """Damages the log behind the program's back."""
    settings = read(data=gongzhu.data, environment={})
    with (
        embedded.servers(settings, role="test") as servers,
        psycopg.connect(servers.database_url) as connection,
    ):
        connection.execute(statement.encode())


def test_matches_are_played_listed_ranked_replayed_audited_and_verified(gongzhu: Gongzhu) -> None:
    assert "2 matches played" in gongzhu.run(
        "play", "--ruleset", "zero_sum-1", "--matches", "2", "--hands", "2"
    )
    listed = gongzhu.json("matches")
    assert listed["behind"] == 0
    assert [row["phase"] for row in listed["rows"]] == ["settled", "settled"]
    board = gongzhu.json("leaderboard", "--origin", "bots")
    assert sum(row["points"] for row in board["rows"]) == 0
    assert gongzhu.json("leaderboard")["rows"] == []
    match = listed["rows"][0]["match"]
    shown = gongzhu.run("replay", match, "--hand", "2")
    assert "hand 2" in shown
    assert "raw score" in shown
    assert "step 9 of" in gongzhu.run("replay", match, "--at", "9", "--as", "seat1")
    assert "2" in gongzhu.run("audit")
    assert "verified" in gongzhu.run("verify", match)
    exported = gongzhu.data / "match.jsonl"
    gongzhu.run("events", "export", match, "--output", str(exported))
    assert "verified" in gongzhu.run("verify", str(exported))
    assert gongzhu.json("tables")["rows"] == []


def test_before_anything_is_played_everything_is_empty_and_up_to_date(gongzhu: Gongzhu) -> None:
    assert "no matches yet" in gongzhu.run("matches")
    assert "no live tables" in gongzhu.run("tables")
    assert gongzhu.json("leaderboard") == {"behind": 0, "rows": []}
    assert gongzhu.json("hands") == {"behind": 0, "rows": []}


def test_recorded_hands_are_imported_once(gongzhu: Gongzhu) -> None:
    assert "18 hands imported" in gongzhu.run("import", str(BUNDLED_HANDS))
    assert "0 hands imported, 18 were there already" in gongzhu.run("import", str(BUNDLED_HANDS))
    board = gongzhu.json("leaderboard", "--origin", "all", "--limit", "100")
    assert board["behind"] == 0


def test_faulty_records_are_named_and_the_others_stored(gongzhu: Gongzhu, tmp_path: Path) -> None:
    lines = BUNDLED_HANDS.read_text().splitlines()[:4]
    wrong_card = json.loads(lines[1])
    wrong_card["tricks"][0]["cards"][0] = "X9"
    wrong_score = json.loads(lines[2])
    wrong_score["raw_scores"][0] += 10
    path = tmp_path / "hands.jsonl"
    path.write_text("\n".join([lines[0], json.dumps(wrong_card), json.dumps(wrong_score), "{", lines[3]]))
    output, errors = gongzhu.finish(gongzhu.start("import", str(path)), exit_code=1)
    assert "2 hands imported" in output
    assert "hands.jsonl line 2, tricks[0].cards[0]" in errors
    assert "hands.jsonl line 3, raw_scores" in errors
    assert "hands.jsonl line 4" in errors


def test_worked_cases_are_counted_by_file(gongzhu: Gongzhu) -> None:
    report = gongzhu.json("conformance", str(VECTORS))
    assert report["failed"] == 0
    assert report["passed"] == sum(counts["passed"] for counts in report["files"].values()) > 0


def test_wrong_usage_ends_with_2(gongzhu: Gongzhu) -> None:
    assert "no ruleset 'whist'" in gongzhu.complaint("play", "--ruleset", "whist", exit_code=2)
    assert "no viewer" in gongzhu.complaint("replay", "abc", "--as", "cat", exit_code=2)
    assert "no period" in gongzhu.complaint("leaderboard", "--period", "soon", exit_code=2)
    gongzhu.complaint("dance", exit_code=2)


def test_unknown_match_is_named(gongzhu: Gongzhu) -> None:
    assert "there is no match abc" in gongzhu.complaint("replay", "abc")
    assert "cannot read" in gongzhu.complaint("import", "nowhere.jsonl")


def test_row_with_an_unknown_tag_stops_its_reader_with_match_position_and_tag(gongzhu: Gongzhu) -> None:
    gongzhu.run("play", "--matches", "1", "--hands", "1")
    match = gongzhu.json("matches")["rows"][0]["match"]
    change_log(gongzhu, "UPDATE log.events SET tag = 'CardsPlayed.9' WHERE position = 14")
    said = gongzhu.complaint("replay", match)
    assert f"match {match}, version 14, position 14, tag CardsPlayed.9: unknown tag" in said
    assert "differs from the digest" in gongzhu.complaint("audit")


def test_simulated_players_play_real_matches_with_a_cheat_among_them(gongzhu: Gongzhu) -> None:
    said = gongzhu.run("simulate", "matches", "pair", "--matches", "1", "--hands", "1")
    assert "1 matches played" in said
    assert "bot 1 is pair" in said
    assert [row["phase"] for row in gongzhu.json("matches", "--origin", "seeded")["rows"]] == ["settled"]
    assert "sound" in gongzhu.run("audit")
    assert "there are no players 'psychic'" in gongzhu.complaint("simulate", "matches", "psychic")


def test_abandoned_match_says_so(gongzhu: Gongzhu) -> None:
    process = owning(gongzhu, "play", "--matches", "1", "--hands", "50", "--pace", "5")
    eventually(lambda: gongzhu.json("matches")["rows"], what="the match is listed")
    match = gongzhu.json("matches")["rows"][0]["match"]
    assert "is abandoned" in gongzhu.run("abandon", match, "--cause", "the table broke up")
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert gongzhu.json("matches")["rows"][0]["phase"] == "abandoned"
    assert "while the match is abandoned" in gongzhu.complaint("abandon", match, "--cause", "again")


def test_plays_and_readers_run_beside_a_serve_and_a_second_serve_is_refused(gongzhu: Gongzhu) -> None:
    owning(gongzhu, "serve")
    plays = [gongzhu.start("play", "--matches", "2", "--hands", "1") for _ in range(2)]
    gongzhu.run("leaderboard", "--origin", "all")
    for play in plays:
        assert "2 matches played" in gongzhu.finish(play)[0]
    assert len(gongzhu.json("matches")["rows"]) == 4
    assert gongzhu.json("matches")["behind"] == 0
    assert "is served already, by process" in gongzhu.complaint("serve")


def test_two_plays_at_once_without_a_serve(gongzhu: Gongzhu) -> None:
    for play in [gongzhu.start("play", "--matches", "2", "--hands", "1") for _ in range(2)]:
        gongzhu.finish(play)
    listed = gongzhu.json("matches")
    assert [row["phase"] for row in listed["rows"]] == ["settled"] * 4
    assert listed["behind"] == 0


def test_unfinished_matches_are_finished_by_the_next_play(gongzhu: Gongzhu) -> None:
    process = owning(gongzhu, "play", "--matches", "2", "--hands", "20", "--pace", "0.01")
    eventually(lambda: len(gongzhu.json("matches")["rows"]) == 2, what="both matches are listed")
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert "2 of them left over from before" in gongzhu.run("play", "--matches", "0")
    assert [row["phase"] for row in gongzhu.json("matches")["rows"]] == ["settled", "settled"]


def test_keys_are_listed_rotated_and_missed_where_they_are_lost(gongzhu: Gongzhu) -> None:
    process = owning(gongzhu, "play", "--matches", "1", "--hands", "20", "--pace", "0.05")
    eventually(lambda: gongzhu.json("matches")["rows"], what="the match is listed")
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert [key["seals"] for key in gongzhu.json("keys", "list")] == [True]
    gongzhu.run("keys", "rotate")
    keys = gongzhu.json("keys", "list")
    assert [key["seals"] for key in keys] == [False, True]
    (gongzhu.data / "keys.json").rename(gongzhu.data / "keys.lost")
    assert "its key is not here" in gongzhu.finish(gongzhu.start("play", "--matches", "0"))[1]
    match = gongzhu.json("matches")["rows"][0]["match"]
    gongzhu.run("abandon", match, "--cause", "the key is lost")
    assert gongzhu.json("audit")[0]["ok"]
    assert "nothing to verify yet" in gongzhu.run("verify", match)
    assert "CardsPlayed" in gongzhu.run("events", "list")


@pytest.mark.parametrize(
    ("variable", "url", "what"),
    [
        ("GONGZHU_DATABASE_URL", "postgresql://nobody@127.0.0.1:9/none", "PostgreSQL"),
        ("GONGZHU_NATS_URL", "nats://127.0.0.1:9", "NATS"),
    ],
)
def test_unreachable_server_is_one_clear_line(
    gongzhu: Gongzhu, monkeypatch: pytest.MonkeyPatch, variable: str, url: str, what: str
) -> None:
    monkeypatch.setenv(variable, url)
    said = gongzhu.complaint("play", "--matches", "1", "--hands", "1")
    lines = [line for line in said.splitlines() if line.startswith("gongzhu:")]
    assert len(lines) == 1, said
    assert what in lines[0]
