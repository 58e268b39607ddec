"""Refusals in two languages: every one has its Chinese, with the same details."""

import re
import string
from collections.abc import Iterator
from pathlib import Path

import pytest

import adapters.http.refusals
import adapters.match_service
from adapters.http.problems import of_refusal, status_of
from adapters.http.words import CHINESE, WORDS, in_chinese, in_english
from domain.errors import CommandRefused, HeldBack, MustFollowSuit, NotYourTurn, WrongPhase, WrongTerms

ROOT = Path(__file__).parents[3]
HAN = re.compile(r"[\u4e00-\u9fff]")


def refusals(base: type[CommandRefused] = CommandRefused) -> Iterator[type[CommandRefused]]:
    for refusal in base.__subclasses__():
        if refusal.__module__.startswith(("domain.", "adapters.")):
            yield refusal
        yield from refusals(refusal)


ALL = sorted(refusals(), key=lambda refusal: refusal.__name__)


def fields(text: str) -> set[str]:
    return {name.partition("!")[0] for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("refusal", ALL, ids=lambda refusal: refusal.__name__)
def test_every_refusal_has_its_chinese_with_the_same_details(refusal: type[CommandRefused]) -> None:
    chinese = CHINESE[refusal.__name__]
    assert fields(chinese) <= fields(refusal.text)
    # What the English names by a card, or not at all, the Chinese may leave out; nothing else.
    assert fields(refusal.text) - fields(chinese) <= {"card"}
    assert HAN.search(chinese) or chinese == "{what}"


def test_no_chinese_stands_for_a_refusal_that_is_gone() -> None:
    assert set(CHINESE) == {refusal.__name__ for refusal in ALL}


def test_every_refusal_has_a_status_of_its_kind() -> None:
    statuses = {refusal.__name__: status_of(refusal.__name__) for refusal in ALL}
    assert set(statuses.values()) == {403, 404, 409, 422}
    assert statuses["NotYourTurn"] == 409
    assert statuses["MustFollowSuit"] == 422
    assert statuses["MatchNotOpen"] == 404
    assert statuses["NotYourSeat"] == 403


def test_words_that_the_rules_put_into_refusals_have_their_chinese() -> None:
    sources = [path.read_text("utf-8") for path in (ROOT / "domain" / "decisions").glob("*.py")]
    whats = {what for source in sources for what in re.findall(r'require_phase\([\w.]+, "([^"]+)"', source)}
    assert whats
    assert whats <= set(WORDS)
    phases = {"seating", "declaring", "playing", "between hands", "settled", "abandoned"}
    assert phases <= set(WORDS)


def test_sentences_that_the_rules_put_into_refusals_have_their_chinese() -> None:
    sources = [path.read_text("utf-8") for path in (ROOT / "domain").rglob("*.py")]
    sources.append((ROOT / "adapters" / "http" / "actions.py").read_text("utf-8"))
    found = [what for source in sources for what in re.findall(r'\bwhat=f?"([^"]+)"', source)]
    sentences = [what for what in found if " " in what and what not in WORDS]
    assert len(sentences) > 8
    for sentence in sentences:
        said = in_chinese(WrongTerms(what=re.sub(r"\{[^}]*\}", "7", sentence)))
        assert HAN.search(said.removesuffix("（规则 §2）")), sentence


@pytest.mark.parametrize(
    ("refusal", "english", "chinese"),
    [
        (
            NotYourTurn(seat=2, turn=1),
            "seat 2: it is the turn of seat 1 (rules §4)",
            "2 号座位：现在轮到 1 号座位（规则 §4）",
        ),
        (
            MustFollowSuit(seat=0, card="HA", suit="spades"),
            "seat 0: HA does not follow suit; this hand still holds spades (rules §4)",
            "0 号座位：HA 没有跟花色；手里还有黑桃（规则 §4）",
        ),
        (
            WrongPhase(what="sitting down", phase="between hands"),
            "sitting down is not possible while the match is between hands",
            "牌局正处于“两盘之间”阶段，不能入座",
        ),
        (
            HeldBack(card="SQ"),
            "SQ is declared and held back until a trick led in its suit is completed; other cards must be used first (rules §4, ban)",  # noqa: E501
            "SQ 已亮，在这门花色领出并打完一墩之前不能出；须先用其他牌（规则 §4，亮牌禁出）",
        ),
    ],
)  # fmt: skip
def test_refusal_in_both_languages(refusal: CommandRefused, english: str, chinese: str) -> None:
    assert (in_english(refusal), in_chinese(refusal)) == (english, chinese)
    problem = of_refusal(refusal)
    assert (problem.detail, problem.detail_zh) == (english, chinese)


def test_refusals_of_the_api_are_among_them() -> None:
    assert adapters.http.refusals.NotYourSeat in ALL
