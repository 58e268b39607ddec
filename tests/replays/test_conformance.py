"""Worked cases: every one of ours holds, and what differs or cannot be read is named."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from replays.conformance import KINDS, Mismatch, check_line

VECTORS = Path(__file__).parents[1] / "recorded" / "vectors"


def _lines(kind: str) -> list[bytes]:
    return (VECTORS / f"{kind}.jsonl").read_bytes().splitlines()


def _changed(kind: str, number: int, **fields: object) -> bytes:
    """A line of ours with some fields changed, or left out where the value is `...`."""
    line: dict[str, Any] = msgspec.json.decode(_lines(kind)[number])
    line.update(fields)
    return msgspec.json.encode({name: value for name, value in line.items() if value is not ...})


@pytest.mark.parametrize("kind", KINDS)
def test_every_worked_case_holds(kind: str) -> None:
    lines = _lines(kind)
    assert lines
    assert {number: found for number, line in enumerate(lines, 1) if (found := check_line(kind, line))} == {}


@pytest.mark.parametrize("kind", KINDS)
def test_line_tells_its_kind_by_its_fields_in_a_file_of_any_name(kind: str) -> None:
    assert check_line("extra", _lines(kind)[0]) == []


WRONG = [
    ("scores", {"raw_score": 7}, "raw_score"),
    ("pair_tricks", {"winner": 3}, "winner"),
    ("positions", {"legal": [["D3"]]}, "legal"),
    ("hands", {"leader": 0}, "leader"),
    ("hands", {"legal_counts": [1]}, "legal_counts"),
    ("hands", {"tricks": [0]}, "tricks"),
    ("hands", {"taken": [["H4"], [], [], []]}, "taken"),
    ("hands", {"raw_scores": [0, 0, 0, 0]}, "raw_scores"),
    ("hands", {"next_leader": 1}, "next_leader"),
    ("hands", {"points": [0, 0, 0, 0]}, "points"),
    ("matches", {"points": [0, 0, 0, 1]}, "points"),
    ("settlements", {"points": [1, 2, 3, 4]}, "points"),
]


@pytest.mark.parametrize(("kind", "fields", "what"), WRONG)
def test_what_differs_is_named_with_both_values(kind: str, fields: dict[str, Any], what: str) -> None:
    (mismatch,) = check_line(kind, _changed(kind, 0, **fields))
    assert (mismatch.what, mismatch.want) == (what, fields[what])
    assert mismatch.got != mismatch.want
    assert check_line(kind, _changed(kind, 0, **{what: mismatch.got})) == []


def test_points_with_partners_are_checked_too() -> None:
    number = next(n for n, line in enumerate(_lines("hands")) if b'"zero_sum-1"' in line)
    (mismatch,) = check_line("hands", _changed("hands", number, points_partners=[0, 0, 0, 0]))
    assert mismatch.what == "points_partners"


MALFORMED = [
    pytest.param("scores", {"raw_score": ...}, "raw_score", id="a field is missing"),
    pytest.param("scores", {"raw_score": "7"}, "raw_score", id="a field has another type"),
    pytest.param("scores", {"taken": ["S1"]}, "`taken`", id="no such card"),
    pytest.param("scores", {"taken": ["SQ", "SQ"]}, "`taken`", id="a card twice"),
    pytest.param("scores", {"declared": {"SQa": "open"}}, "`declared`", id="a card of two decks"),
    pytest.param("scores", {"declared": {"SQ": "half"}}, "declared", id="no such level"),
    pytest.param("scores", {"ruleset": "blood-3"}, "blood-3", id="no such ruleset"),
    pytest.param("pair_tricks", {"winner": 4}, "winner", id="no such seat"),
    pytest.param("pair_tricks", {"plays": [[0, ["S7a", "S7b"]]]}, "plays", id="too few plays"),
    pytest.param("positions", {"suits_already_led": ["X"]}, "`suits_already_led`", id="no such suit"),
    pytest.param("positions", {"trick_so_far": [[0, []]]}, "`trick_so_far`", id="a play of nothing"),
    pytest.param("hands", {"deal_order": ["SA"] * 52}, "`deal_order`", id="a card dealt twice"),
    pytest.param("hands", {"plays": [[9, ["H4"]]]}, "plays", id="a play of nobody"),
    pytest.param("settlements", {"blood": [1, 2, 3]}, "blood", id="three players"),
]


@pytest.mark.parametrize(("kind", "fields", "named"), MALFORMED)
def test_malformed_line_names_its_field(kind: str, fields: dict[str, Any], named: str) -> None:
    (mismatch,) = check_line(kind, _changed(kind, 0, **fields))
    assert mismatch.what == "line"
    assert named in mismatch.got


@pytest.mark.parametrize("line", [b"", b"{", b"[1]", b"7", b"\xff", b'{"strange": 1}'])
def test_line_of_no_known_kind_is_named_and_does_not_crash(line: bytes) -> None:
    (mismatch,) = check_line("strange", line)
    assert mismatch.what == "line"


REFUSED_STEPS = [
    pytest.param("hands", {"declared": {"SK": "open"}}, "declared.SK", id="not declarable"),
    pytest.param("hands", {"declared": {"S0": "open"}}, "declared.S0", id="no card"),
    pytest.param("hands", {"plays": [[3, ["H4"]], [0, ["CA"]]]}, "plays[1]", id="an illegal play"),
    pytest.param("hands", {"plays": [[3, ["H4"]]]}, "plays", id="a hand that is not over"),
    pytest.param("hands", {"deal_order": ["SA"]}, "deal", id="a short deal"),
    pytest.param(
        "hands", {"first_hand": False, "leader": 0}, "plays[0]", id="another leader than plays first"
    ),
]


@pytest.mark.parametrize(("kind", "fields", "step"), REFUSED_STEPS)
def test_step_that_the_rules_refuse_is_named(kind: str, fields: dict[str, Any], step: str) -> None:
    (mismatch,) = check_line(kind, _changed(kind, 0, **fields))
    assert (mismatch.what, mismatch.want) == (step, "admitted")


def test_later_hand_is_led_by_whom_the_line_names() -> None:
    assert check_line("hands", _changed("hands", 0, first_hand=False)) == []


def test_match_that_goes_on_after_its_last_hand_or_ends_before_it_is_named() -> None:
    hands = msgspec.json.decode(_lines("matches")[0])["hands"]
    short = check_line("matches", _changed("matches", 0, hands=hands[:-1]))
    assert Mismatch(f"hands[{len(hands) - 2}]: the match is over", want=True, got=False) in short
    (longer,) = check_line("matches", _changed("matches", 0, hands=[*hands, hands[0]]))
    assert longer.what == f"hands[{len(hands)}].deal"


def test_refused_step_of_a_match_names_its_hand() -> None:
    hands = msgspec.json.decode(_lines("matches")[0])["hands"]
    hands[1]["plays"][0] = [hands[1]["plays"][0][0], ["H0"]]
    *_, mismatch = check_line("matches", _changed("matches", 0, hands=hands))
    assert mismatch.what == "hands[1].plays[0]"
