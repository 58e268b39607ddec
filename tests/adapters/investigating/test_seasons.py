"""Seasons played into a file: whole, the same again, and gone on with where a run was broken off."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from adapters.investigating.seasons import OtherSeason, play_season, read_season
from replays.investigation.evaluators import Evaluator
from replays.investigation.simulation.seasons import Season, SeasonTable

SMALL = Evaluator(worlds=3, rollouts=1)
SEASON = Season(
    name="honest",
    ruleset="zero_sum-1",
    tables=(SeasonTable(("plain", "weak", "plain", "weak")),),
    deals=25,
    seed=7,
)


def test_a_run_that_was_broken_off_goes_on_and_comes_to_the_same(tmp_path: Path) -> None:
    whole, broken = tmp_path / "whole.jsonl", tmp_path / "broken.jsonl"
    told: list[int] = []
    assert play_season(SEASON, SMALL, whole, jobs=1, told=lambda done, _: told.append(done)) == 25
    assert told == [10, 20, 25]
    content = whole.read_bytes()
    broken.write_bytes(content[: len(content) // 2])
    assert play_season(SEASON, SMALL, broken, jobs=2) == 15
    assert broken.read_bytes() == content
    assert play_season(SEASON, SMALL, broken, jobs=1) == 0
    season, evaluator, scores = read_season(whole)
    assert (season, evaluator) == (SEASON, SMALL)
    assert len(list(scores)) == 100


def test_another_season_is_not_played_into_the_file(tmp_path: Path) -> None:
    path = tmp_path / "season.jsonl"
    play_season(replace(SEASON, deals=1), SMALL, path, jobs=1)
    with pytest.raises(OtherSeason, match="another season"):
        play_season(replace(SEASON, deals=1, seed=8), SMALL, path, jobs=1)
    path.write_bytes(b"not a season\n")
    with pytest.raises(OtherSeason, match="no simulated season"):
        read_season(path)
