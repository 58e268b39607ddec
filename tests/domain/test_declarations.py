"""Declarations: what is held back, the automatic fourth, and commitments to hidden cards."""

import hashlib
from uuid import UUID

import pytest

from domain.cards import CLUBS, SPADES, names_of, parse_card, parse_cards, set_of
from domain.declarations import (
    Declaration,
    automatic_fourth,
    commitment_of,
    declared_cards,
    held_back,
    is_declarable,
    led_suits,
    levels_by_card,
)
from domain.rulesets import RULESETS, ruleset_named


def test_declared_card_is_held_back_until_its_suit_was_led() -> None:
    declared = set_of(parse_cards(["SQ", "CT", "HA"], 1))
    assert held_back(declared, 0) == declared
    assert held_back(declared, led_suits([SPADES])) == set_of(parse_cards(["CT", "HA"], 1))
    assert held_back(declared, led_suits([SPADES, CLUBS])) == set_of(parse_cards(["HA"], 1))


@pytest.mark.parametrize(
    ("declared", "fourth"),
    [("SQ DJ CT", "HA"), ("SQ DJ HA", "CT"), ("SQ CT HA", "DJ"), ("DJ CT HA", "SQ"), ("SQ DJ", None),
     ("", None), ("SQ DJ CT HA", None)],
)  # fmt: skip
def test_fourth_is_declared_where_exactly_three_are(declared: str, fourth: str | None) -> None:
    card = automatic_fourth(ruleset_named("zero_sum-1"), set_of(parse_cards(declared.split(), 1)))
    assert (None if card is None else names_of([card], 1)[0]) == fourth


@pytest.mark.parametrize("name", [name for name, rules in RULESETS.items() if not rules.automatic_fourth])
def test_other_rulesets_declare_nothing_by_themselves(name: str) -> None:
    ruleset = ruleset_named(name)
    three = ["SQa", "DJa", "CTa"] if ruleset.decks == 2 else ["SQ", "DJ", "CT"]
    assert automatic_fourth(ruleset, set_of(parse_cards(three, ruleset.decks))) is None


def test_commitment_is_the_hash_the_protocol_lists() -> None:
    match, opening = UUID(int=9), bytes(range(32))
    message = b"gongzhu/declaration/1" + match.bytes + (4).to_bytes(4, "big") + b"\x02" + b"SQa\0" + opening
    assert commitment_of(match.bytes, 4, 2, "SQa", opening) == hashlib.sha256(message).hexdigest()


def test_commitment_tells_cards_apart_and_openings() -> None:
    of = {commitment_of(bytes(16), 1, 0, card, bytes([n] * 32)) for card in ("SQ", "HA") for n in (1, 2)}
    assert len(of) == 4


def test_only_four_cards_can_be_declared() -> None:
    assert [name for name in ("SQ", "DJ", "CT", "HA", "SK", "HK") if is_declarable(parse_card(name, 1))] == [
        "SQ", "DJ", "CT", "HA",
    ]  # fmt: skip


def test_declaration_unknown_here_counts_for_nothing_and_prints_nothing() -> None:
    hidden = Declaration(seat=1, level="hidden", card=None)
    known = Declaration(seat=1, level="hidden", card=parse_card("SQ", 1))
    assert declared_cards([hidden]) == 0
    assert levels_by_card([hidden, known]) == {parse_card("SQ", 1): "hidden"}
    assert repr(hidden) == repr(known), "a hidden card shows in no text"
