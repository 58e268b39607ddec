"""`gongzhu review`: a match, a file and a player reviewed; kept for the next time; exercises; limits under it all."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from replays.review import LIMITS
from tests.support.gongzhu import Gongzhu, gongzhu_over

QUICK = ("--worlds", "16")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Gongzhu, str]]:
    """A match of two hands, played by bots, while the servers stay up."""
    with gongzhu_over(tmp_path_factory.mktemp("review") / "data") as gongzhu:
        gongzhu.wait_until_ready(gongzhu.start("serve"))
        gongzhu.run("play", "--ruleset", "zero_sum-1", "--matches", "1", "--hands", "2")
        yield gongzhu, gongzhu.json("matches")["rows"][0]["match"]


def test_match_is_reviewed_kept_and_said_with_its_limits(played: tuple[Gongzhu, str]) -> None:
    gongzhu, match = played
    told = gongzhu.run("review", match, "--hand", "1", *QUICK)
    assert "hand 1: costs in value, ×12 points; 400 at stake" in told
    assert "luck of the deal" in told
    assert LIMITS[0] in told
    assert "With fewer than 1000 worlds nothing is called a mistake." in told
    found = gongzhu.json("review", match, "--hand", "1", *QUICK)
    assert found["limits"] == list(LIMITS)
    (review,) = found["reviews"]
    assert (review["hand_no"], review["settings"]["worlds"]) == (1, 16)
    assert len([one for one in review["decisions"] if one["kind"] == "play"]) == 52
    # what was kept is read again, not made again: no decision would be in time
    assert gongzhu.json("review", match, "--hand", "1", *QUICK, "--within", "0")["reviews"] == [review]


def test_filters_leave_out_others_and_what_was_good(played: tuple[Gongzhu, str]) -> None:
    gongzhu, match = played
    found = gongzhu.json("review", match, *QUICK, "--seat", "2", "--seat", "0", "--costly")
    decisions = [one for review in found["reviews"] for one in review["decisions"]]
    assert {one["seat"] for one in decisions} == {0, 2}
    assert {one["size"] for one in decisions} == {"inaccuracy"}


def test_review_that_runs_out_of_time_says_so(played: tuple[Gongzhu, str]) -> None:
    gongzhu, match = played
    said = gongzhu.complaint("review", match, "--seed", "5", *QUICK, "--within", "0")
    assert "the review of hand 1 ran out of time at decision 1 of" in said
    assert "has not been played to its end; ended hands: 1, 2" in gongzhu.complaint(
        "review", match, "--hand", "3"
    )


def test_exercises_keep_answers_apart(played: tuple[Gongzhu, str], tmp_path: Path) -> None:
    gongzhu, match = played
    text, data = tmp_path / "mine.md", tmp_path / "mine.json"
    for file in (text, data):
        gongzhu.run("review", match, "--hand", "1", *QUICK, "--exercises", str(file))
    exercises = json.loads(data.read_text(encoding="utf-8"))["exercises"]
    asked, answered = text.read_text(encoding="utf-8").split("# Answers\n")
    assert len(exercises) == asked.count("you can choose")
    assert "costs" not in asked
    assert all(f"| {one['answer']['best']} |" in answered for one in exercises)
    assert all(one["view"]["viewer"] == one["seat"] for one in exercises)
    assert LIMITS[0] in answered


def test_file_is_reviewed_without_servers(played: tuple[Gongzhu, str], tmp_path: Path) -> None:
    gongzhu, match = played
    file = tmp_path / "match.txt"
    gongzhu.run("notation", match, "--output", str(file))
    of_file = gongzhu.json("review", str(file), "--hand", "1", *QUICK)["reviews"]
    assert of_file == gongzhu.json("review", match, "--hand", "1", *QUICK)["reviews"]


def test_players_hands_are_taken_together(played: tuple[Gongzhu, str]) -> None:
    gongzhu, _ = played
    (row,) = gongzhu.json("review", "--player", "bot 3", *QUICK)["players"]
    assert (row["ruleset"], row["hands"]) == ("zero_sum-1", 2)
    told = gongzhu.run("review", "--player", "bot 3", *QUICK)
    assert "result less luck" in told
    assert LIMITS[-1] in told


def test_match_and_player_are_not_both_asked_for(played: tuple[Gongzhu, str]) -> None:
    gongzhu, match = played
    for asked in ((match, "--player", "bot 3"), ()):
        assert "give a match, or --player" in gongzhu.complaint("review", *asked, exit_code=2)
