"""What a seat declared, beside what else it might have: worlds, positions and values as for a play (rules.md §3)."""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from domain.cards import DECLARABLE, Card, Cards, cards_in
from domain.rulesets import Level, Ruleset
from domain.seats import replaced
from replays.investigation.moments import Moment
from replays.rollouts import Position
from replays.worlds import World

Made = dict[Card, Level]
"""Cards of one seat with the level they are declared at."""

_LEVELS: Final[tuple[Level | None, ...]] = (None, "open", "hidden")


def choices_of(moment: Moment) -> list[Made]:
    """What the seat declared, first, and each choice that differs from it in one card. One alone: it had no choice."""
    own = moment.world.hands[moment.seat] & DECLARABLE
    made = _made(moment, own)
    return [made, *_others(moment.position.ruleset, own, made)]


def _made(moment: Moment, own: Cards) -> Made:
    open_ones: Made = {card: level for card, level in moment.position.levels if own >> card & 1}
    hidden: Made = dict.fromkeys(cards_in(moment.world.face_down[moment.seat]), "hidden")
    return {**open_ones, **hidden}


def _others(ruleset: Ruleset, own: Cards, made: Made) -> Iterator[Made]:
    levels = _LEVELS if ruleset.hidden_declarations else _LEVELS[:2]
    for card in cards_in(own):
        for level in levels:
            if level != made.get(card):
                rest: Made = {other: at for other, at in made.items() if other != card}
                yield rest if level is None else {**rest, card: level}


def position_with(position: Position, own: Cards, made: Made) -> Position:
    """The position, had the seat with these own cards declared so."""
    others = [(card, level) for card, level in position.levels if not own >> card & 1]
    open_ones = [(card, level) for card, level in made.items() if level == "open"]
    return replace(position, levels=tuple(sorted(others + open_ones)))


def world_with(world: World, seat: int, made: Made) -> World:
    """The world, had the seat declared so."""
    hidden = sum(1 << card for card, level in made.items() if level == "hidden")
    return world._replace(face_down=replaced(world.face_down, seat, hidden))
