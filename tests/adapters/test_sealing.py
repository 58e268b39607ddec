"""Sealed parts open only where they belong, tell nothing by their size, and are never printed."""

import random
import traceback
from uuid import UUID

import pytest

from adapters.keys import KeyRing, key_id_of
from adapters.randomness import SystemRandomness
from adapters.sealing import PADDED_LENGTHS, Sealer
from adapters.serialization import decode_body, encode_body, public_part, sealed_part, tag_of
from domain.cards import deck
from domain.errors import BrokenLog
from domain.events import SECRET_TYPES, CardDeclared, Event, HandDealt, MatchOpened, public_form, secret_of
from domain.match import fold
from domain.rulesets import RULESETS
from tests.support.random_play import random_events

KEY, OTHER_KEY = b"k" * 32, b"o" * 32
KEYS = KeyRing({key_id_of(KEY): KEY})
BLIND = Sealer(KeyRing({}), SystemRandomness())
OTHERS = Sealer(KeyRing({key_id_of(OTHER_KEY): OTHER_KEY}), SystemRandomness())
SEALER = Sealer(KEYS, SystemRandomness())


def secret_events() -> dict[type[Event], Event]:
    """One event of each type that has secrets."""
    found: dict[type[Event], Event] = {}
    for seed in range(20):
        for event in random_events(RULESETS["blood-2"], random.Random(seed), hands=1):
            if secret_of(event) is not None:
                found.setdefault(type(event), event)
    assert set(found) == set(SECRET_TYPES)
    return found


EVENTS = secret_events()


@pytest.mark.parametrize("kind", SECRET_TYPES, ids=lambda kind: kind.__name__)
def test_sealed_event_opens_with_its_key_and_reads_publicly_without(kind: type[Event]) -> None:
    event = EVENTS[kind]
    body = encode_body(event, SEALER)
    assert decode_body(tag_of(event), body, event.match, event.version, SEALER) == event
    assert decode_body(tag_of(event), body, event.match, event.version, BLIND) == public_form(event)
    assert decode_body(tag_of(event), body, event.match, event.version, OTHERS) == public_form(event)


@pytest.mark.parametrize("kind", SECRET_TYPES, ids=lambda kind: kind.__name__)
def test_sealed_part_moved_to_another_row_does_not_open(kind: type[Event]) -> None:
    event = EVENTS[kind]
    sealed = sealed_part(encode_body(event, SEALER))
    assert sealed is not None
    SEALER.open(sealed, event.match, event.version, tag_of(event))
    elsewhere = [
        (UUID(int=1), event.version, tag_of(event)),
        (event.match, event.version + 1, tag_of(event)),
        (event.match, event.version, "HandDealt.9"),
    ]
    for match, version, tag in elsewhere:
        with pytest.raises(BrokenLog, match="does not open"):
            SEALER.open(sealed, match, version, tag)


def test_every_flipped_bit_of_a_sealed_part_keeps_it_shut_or_names_another_key() -> None:
    event = EVENTS[HandDealt]
    sealed = sealed_part(encode_body(event, SEALER))
    assert sealed is not None
    for place in range(len(sealed)):
        flipped = bytearray(sealed)
        flipped[place] ^= 1 << place % 8
        if place < 8:
            assert SEALER.open(bytes(flipped), event.match, event.version, tag_of(event)) is None
        else:
            with pytest.raises(BrokenLog):
                SEALER.open(bytes(flipped), event.match, event.version, tag_of(event))


def test_sealed_parts_of_a_type_have_one_length() -> None:
    lengths: dict[type[Event], set[int]] = {}
    for ruleset in RULESETS.values():
        for seed in range(3):
            for event in random_events(ruleset, random.Random(seed), hands=1):
                sealed = sealed_part(encode_body(event, SEALER))
                if sealed is not None:
                    lengths.setdefault(type(event), set()).add(len(sealed))
    assert set(lengths) == {MatchOpened, HandDealt, CardDeclared} == set(PADDED_LENGTHS)
    assert all(len(found) == 1 for found in lengths.values()), lengths


def test_sealing_the_same_twice_gives_different_bytes() -> None:
    event = EVENTS[HandDealt]
    assert encode_body(event, SEALER) != encode_body(event, SEALER)


def test_public_part_holds_no_secret() -> None:
    for seed in range(5):
        for event in random_events(RULESETS["blood-1"], random.Random(seed), hands=1):
            if isinstance(event, HandDealt):
                public = public_part(encode_body(event, SEALER))
                assert b"secret" not in public
                assert b'"S' not in public  # no card's name


def test_secrets_are_not_printed() -> None:
    events = random_events(RULESETS["blood-1"], random.Random(3), hands=1)
    dealt = next(event for event in events if isinstance(event, HandDealt))
    until_dealt = events[: events.index(dealt) + 1]
    match = fold(until_dealt)
    assert match is not None
    assert match.hand is not None
    secret = secret_of(dealt)
    texts = [repr(dealt), str(dealt), repr(match), repr(match.hand), repr(secret)]
    texts += traceback.format_exception(ValueError(dealt, match))
    cards = repr(bytes(match.hand.order or ()))[2:20]
    for text in texts:
        assert cards not in text
        assert str(match.hand.order) not in text
        assert str(match.hand.holdings) not in text


def test_two_decks_fit_into_the_padded_secret() -> None:
    assert len(deck(2)) + 64 < PADDED_LENGTHS[HandDealt]
