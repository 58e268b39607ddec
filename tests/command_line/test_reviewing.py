"""`gongzhu review`: a match, a file and a player reviewed; kept for the next time; exercises; limits under it all."""

import json
from pathlib import Path
from typing import Any

from adapters.record_files import BUNDLED_HANDS
from replays.review import LIMITS
from tests.support.gongzhu import Gongzhu, gongzhu_over

QUICK = ("--worlds", "24")
MATCH = "1148d6f0"
"""A recorded hand; seats 2 and 3 made decisions that are costly even by so few worlds."""


def test_matches_files_and_players_are_reviewed_and_exercises_made(tmp_path: Path) -> None:
    with gongzhu_over(tmp_path / "data") as gongzhu:
        gongzhu.wait_until_ready(gongzhu.start("serve"))
        gongzhu.run("import", str(BUNDLED_HANDS))
        review = _match(gongzhu)
        _file(gongzhu, review, tmp_path / "match.txt")
        _exercises(gongzhu, tmp_path)
        _player(gongzhu, review["players"][2])
        assert "ended hands: 1" in gongzhu.complaint("review", MATCH, "--hand", "2")
        assert "give a match, or --player" in gongzhu.complaint("review", exit_code=2)


def _match(gongzhu: Gongzhu) -> dict[str, Any]:
    """A hand is reviewed, kept, and said with its limits."""
    said = gongzhu.complaint("review", MATCH, *QUICK, "--within", "0")
    assert "the review of hand 1 ran out of time at decision 1 of" in said
    told = gongzhu.run("review", MATCH, *QUICK)
    assert "hand 1: costs in value, ×12 points;" in told
    assert "luck of the deal" in told
    assert LIMITS[0] in told
    assert "With fewer than 1000 worlds nothing is called a mistake." in told
    # What was kept is read again, not made again: no decision would be in time.
    found = gongzhu.json("review", MATCH, *QUICK, "--within", "0")
    review: dict[str, Any]
    (review,) = found["reviews"]
    assert found["limits"] == list(LIMITS)
    assert (review["hand_no"], review["settings"]["worlds"]) == (1, 24)
    assert len([one for one in review["decisions"] if one["kind"] == "play"]) == 52
    return review


def _file(gongzhu: Gongzhu, review: object, file: Path) -> None:
    gongzhu.run("notation", MATCH, "--output", str(file))
    assert gongzhu.json("review", str(file), *QUICK)["reviews"] == [review]


def _exercises(gongzhu: Gongzhu, folder: Path) -> None:
    """Answers stand apart from questions; a filter leaves out others and what was good."""
    seats = ("--seat", "0", "--seat", "2")
    found = gongzhu.json("review", MATCH, *QUICK, *seats, "--costly")["reviews"][0]["decisions"]
    assert {one["seat"] for one in found} == {2}
    assert {one["size"] for one in found} == {"inaccuracy"}
    text, data = folder / "mine.md", folder / "mine.json"
    for file in (text, data):
        gongzhu.run("review", MATCH, *QUICK, *seats, "--exercises", str(file))
    exercises = json.loads(data.read_text(encoding="utf-8"))["exercises"]
    asked, answered = text.read_text(encoding="utf-8").split("# Answers\n")
    assert len(exercises) == asked.count("you can choose") == len(found)
    assert "costs" not in asked
    assert all(f"| {one['answer']['best']} |" in answered for one in exercises)
    assert all(one["view"]["viewer"] == one["seat"] for one in exercises)
    assert LIMITS[0] in answered


def _player(gongzhu: Gongzhu, player: str) -> None:
    told = gongzhu.run("review", "--player", player, *QUICK)
    assert "zero_sum-1" in told
    assert "result less luck" in told
    assert LIMITS[-1] in told
    (row,) = gongzhu.json("review", "--player", player, *QUICK)["players"]
    assert (row["ruleset"], row["hands"]) == ("zero_sum-1", 1)
