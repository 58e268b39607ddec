"""What is wrong with a text is named with its line, its column and what was expected there."""

import re
import time
from random import Random

import pytest

from domain.events import HandEnded
from domain.rulesets import RULESETS
from replays.notation import Notation, NotationError, decoded, parse, rewrite, write
from replays.notation.lexing import LONGEST
from tests.replays.notation.corpus import public, some_match, whole_match
from tests.support.random_play import random_events

HEAD = """[Gongzhu "1"]
[Match "82579156-a221-5ffa-5535-d59cce3fee3e"]
[Ruleset "zero_sum-1 revision 1"]
[Hands "1"]
[Origin "seeded"]
[Opened "2026-03-01T09:00:01Z"]
"""
DEALT = "hand 1 2026-03-01T09:00:02Z\n"


def failure(text: str) -> str:
    with pytest.raises(NotationError) as raised:
        parse(text)
    error = raised.value
    assert str(error) == f"line {error.line}, column {error.column}: {error.what}"
    return str(error)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "line 1, column 1: expected a tag [Match …] at the top, found the end of the text"),
        ("hello", "line 1, column 1: expected a tag [Match …] at the top, found hello"),
        (HEAD.replace("Hands", "Hands Hands"), "line 4, column 8: expected the value of Hands, in quotes, found Hands"),
        (HEAD.replace('"1"]\n[O', '"1"\n[O'), "line 5, column 1: expected `]`, found ["),
        (HEAD + '[hands "2"]', "line 7, column 2: expected one tag Hands, found a second"),
        (HEAD.replace('"1"]\n[O', '"many"]\n[O'), "line 4, column 2: expected a number in [Hands]"),
        (HEAD.replace('[Gongzhu "1"]', '[Gongzhu "2"]'), 'line 1, column 2: expected notation of version "1"'),
        (HEAD.replace("8257", "xyz"), "line 2, column 2: expected a match id in [Match]"),
        (HEAD.replace("09:00:01Z", "29:00:01Z"), "line 6, column 2: expected a time such as"),
        (HEAD.replace('"seeded"', '"stolen"'), "line 5, column 2: expected served or bots or seeded or imported in"),
        (HEAD + 'sits 4 player "x"', "line 7, column 6: expected a seat (0 to 3), found 4"),
        (HEAD + "sits 0", "line 7, column 1: expected `player`, or a tag [Player0 …] at the top, found sits"),
        (HEAD + 'sits 0 player "x"', "line 7, column 15: expected a player's id, in quotes, found \"x\""),
        (HEAD + 'sits 0 player "x', 'line 7, column 15: expected a string that ends on its line, found "x'),
        (HEAD + "{never closed", "line 7, column 1: expected a comment that ends with }, found {never closed"),
        (HEAD + "{\\u{d800}}", "line 7, column 1: \\u{d800} is no character"),
        (HEAD + "done 0", "line 7, column 1: expected a `hand` before this, found done"),
        (HEAD + "S2", "line 7, column 1: expected a `hand` before this, found S2"),
        (HEAD + "shuffle", "line 7, column 1: expected a card, sits, leaves, nonce, hand, declares"),
        (HEAD + "hand one", "line 7, column 6: expected the hand's number, found one"),
        (HEAD + "hand 1 today", "line 7, column 8: expected a time such as 2026-03-01T09:00:00Z, found today"),
        (HEAD + "hand 1 2026-02-30T09:00:00Z", "line 7, column 8: there is no such time"),
        (HEAD + DEALT + "cards 0 S2 S3", "line 8, column 14: expected 13 cards here, or `cards ?`"),
        (HEAD + DEALT + "cards 0 S2 S2", "line 8, column 12: expected a card that is dealt once, found S2"),
        (HEAD + DEALT + "cards 0 S2a", "line 8, column 9: expected a card of 1 deck(s), such as SQ, found S2a"),
        (HEAD + DEALT + "cards 0 SX", "line 8, column 9: expected 13 cards here, or `cards ?`"),
        (HEAD + DEALT + "declares 0 ? open", "line 8, column 1: expected the card of an open declaration"),
        (HEAD + DEALT + "declares 0 SQ face_down", "line 8, column 15: expected `open` or `hidden`, found face_down"),
        (HEAD + DEALT + "S2", "line 8, column 1: expected `closed` before the first card, found S2"),
        (HEAD + DEALT + "closed time leads 0 2. 0: S2", "line 8, column 21: expected trick 1, found 2"),
        (HEAD + DEALT + "closed time leads 0 1. 1: S2", "column 24: expected seat 0, who has the first lead, found 1"),
        (HEAD + DEALT + "closed time leads 0 S2 S2", "column 24: expected cards that were not played before in this"),
        (HEAD + DEALT + "closed time leads 0 S2 1. 1: S3", "column 24: expected the card of seat 1 to trick 1, found"),
        (HEAD + DEALT + "closed time leads 0 S2 taken", "column 24: expected the four plays of a trick before `taken`"),
        (HEAD + DEALT + "closed time leads 0 S2 S3 S4 S5 taken by 1", "column 42: expected seat 3, who takes trick 1"),
        (HEAD + DEALT + "closed time leads 0 S2(1.1234567)", "column 23: expected (seconds), found (1.1234567)"),
        (HEAD + DEALT + "closed time leads 0 S2 (999999999999)", "column 21: expected a time within the calendar"),
        (HEAD + DEALT + "scores next 0 0: 5 nothing", "line 8, column 27: expected the score of seat 1, `1:`"),
        (HEAD + 'event "{}"', "line 7, column 7: expected an event as JSON"),
        (HEAD + '[Event "late"]' + DEALT + "[Event", "expected a card, sits, leaves, nonce, hand"),
        (HEAD + "settled limit points 1 2 3", "column 27: expected four numbers after `points`, found the end of"),
        (HEAD + "settled limit points 1 2 3 " + "9" * 30, "column 28: expected four numbers after `points`"),
        (HEAD + "abandoned 2026-03-01T09:00:02Z unavailable", "expected `cause`, found the end of the text"),
    ],
)  # fmt: skip
def test_error_says_where_and_what_was_expected(text: str, says: str) -> None:
    assert says in failure(text)


def test_lines_and_columns_count_from_one_behind_any_line_end() -> None:
    assert failure("\ufeff" + HEAD.replace("\n", "\r\n") + "\r\n  ♠A").startswith("line 8, column 3: ")


def test_bytes_that_are_no_text_are_named_by_their_place() -> None:
    assert decoded(b"\xef\xbb\xbf" + HEAD.encode()) == HEAD
    with pytest.raises(NotationError, match="line 2, column 3: expected a text in UTF-8"):
        decoded(b"[a \n12\xff")
    with pytest.raises(NotationError, match="line 1, column 1: "):
        decoded(HEAD.encode("utf-16"))


# --- rotated hands -------------------------------------------------------------------------------------------------


def rotated(text: str, turn: int) -> str:
    """The text with the dealt hands moved round the table."""
    return re.sub(r"(?m)^cards (\d)", lambda line: f"cards {(int(line[1]) + turn) % 4}", text)


@pytest.mark.parametrize("ruleset", RULESETS)
@pytest.mark.parametrize("turn", [1, 2, 3])
def test_hand_whose_seats_are_rotated_is_named_as_such(ruleset: str, turn: int) -> None:
    for seed in range(3):
        events = whole_match(RULESETS[ruleset], f"rotated {seed}", hands=1)
        says = failure(rotated(write(events), turn))
        assert f"the hands are rotated against the plays by {turn};" in says
        seat = int(re.search(r"what seat (\d) shows", says)[1])  # type: ignore[index]
        assert f"shows was dealt to seat {(seat + turn) % 4}" in says


def test_rotated_plays_are_named_as_such() -> None:
    events = whole_match(RULESETS["zero_sum-1"], "rotated plays", hands=1)
    text = write(events)
    before, _, plays = text.partition("closed")
    plays, _, after = plays.partition("scores")
    moved = re.sub(r"(?m)^(\d+\.|.*leads) (\d)", lambda line: f"{line[1]} {(int(line[2]) + 1) % 4}", plays)
    assert "the hands are rotated against the plays by 3" in failure(f"{before}closed{moved}scores{after}")


def test_one_card_in_the_wrong_hand_is_no_rotation() -> None:
    text = write(whole_match(RULESETS["blood-1"], "swapped", hands=1))
    first, second = (re.search(rf"(?m)^cards {seat} (\w+)", text)[1] for seat in (0, 1))  # type: ignore[index]
    swapped = re.sub(
        r"(?m)^cards (\d) (\w+)", lambda m: f"cards {m[1]} {[second, first, m[2], m[2]][int(m[1])]}", text
    )
    says = failure(swapped)
    assert re.search(
        r"expected a card dealt to seat (\d), found (\w+), which was dealt to seat (?!\1)\d", says
    )
    assert "rotated" not in says


# --- whatever may come ---------------------------------------------------------------------------------------------


def mutated(text: str, random: Random) -> str:
    """The text with one thing wrong somewhere."""
    lines = text.split("\n")
    place, other = (random.randrange(len(lines)) for _ in range(2))
    at = random.randrange(len(text))
    letter = random.choice("0x9S\"'{}[]()\\#.:?*+\x00\u2028♠é\ud800 \n")
    match random.randrange(9):
        case 0:
            return text[:at]
        case 1:
            return text[:at] + letter + text[at:]
        case 2:
            return text[:at] + text[at + random.randrange(1, 40) :]
        case 3:
            return "\n".join([*lines[:place], lines[place], *lines[place:]])
        case 4:
            lines[place], lines[other] = lines[other], lines[place]
            return "\n".join(lines)
        case 5:
            del lines[place]
            return "\n".join(lines)
        case 6:
            return re.sub(r"\b[SHDC][2-9TJQKA]", random.choice(["SQ", "H1", "C2", "XX"]), text, count=at % 60)
        case 7:
            return text.encode("utf-16").decode("latin-1")
        case _:
            return text[:at] + text[at:].replace(
                *random.choice([("0", "1"), ("a", ""), (" ", ""), ("\n", "")])
            )


def read_or_error(text: str) -> Notation | NotationError:
    try:
        return parse(text)
    except NotationError as error:
        return error


def test_mutated_texts_give_an_error_or_a_match(request: pytest.FixtureRequest) -> None:
    times = 10 if request.config.getoption("--long") else 1
    texts = [write(some_match(Random(f"mutated {seed}"))) for seed in range(20)]
    outcomes = {"error": 0, "match": 0}
    for seed in range(400 * times):
        random = Random(f"mutation {seed}")
        text = mutated(random.choice(texts), random)
        read = read_or_error(text)
        if isinstance(read, NotationError):
            outcomes["error"] += 1
            assert 1 <= read.line <= text.count("\n") + 1
            assert read.column >= 1
            assert len(str(read)) < 1000
        else:
            outcomes["match"] += 1
            canonical = rewrite(read)
            assert parse(canonical) == read
            assert rewrite(parse(canonical)) == canonical
    assert min(outcomes.values()) > 30 * times, outcomes


@pytest.mark.parametrize(
    "filling", ["{", "(", '"', "S2 ", "[", "9", "\\", " ", "x", "{}", '""', "\\u{1}", "é"]
)
def test_long_lines_are_read_or_refused_soon(filling: str) -> None:
    text = HEAD + filling * (2_000_000 // len(filling))
    begun = time.process_time()
    if filling in (" ", "{}"):
        parse(text)
    else:
        failure(text)
    assert time.process_time() - begun < 20


@pytest.mark.long
def test_line_of_a_hundred_megabytes_is_refused() -> None:
    text = HEAD + "S" * 100_000_000
    assert failure(text) == (
        f"line 1, column 1: expected one match of at most {LONGEST:,} characters, found {len(text):,} characters"
    )


def test_cut_text_gives_no_result_of_a_hand_that_did_not_end() -> None:
    events = public(random_events(RULESETS["blood-1"], Random(3), hands=1))
    text = write(events)
    for at in range(len(text) - 1, text.index("scores"), -7):
        read = read_or_error(text[:at])
        if isinstance(read, Notation) and any(isinstance(event, HandEnded) for event in read.events):
            assert read.events[: len(events) - 1] == events[:-1]
