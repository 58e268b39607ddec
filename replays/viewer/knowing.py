"""What every seat could know at each step, kept small: only when an inference begins to hold, and when it ends.

A page that works alone finds in it, for any step and any knower, who cannot hold which card, and why.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeAlias

import msgspec

from domain.cards import Cards, cards_in, names_of
from domain.events import CardDeclared, CardsPlayed, DeclarationsClosed, HandDealt
from domain.seats import SEATS, Seat
from domain.visibility import SPECTATOR
from replays.knowledge import Knower, knowledge_at
from replays.knowledge.concluding import Exclusion, Knowledge
from replays.knowledge.facts import RULES, Kind
from replays.timeline import HandSteps, Timeline

KNOWERS: Final[tuple[Knower, ...]] = (*SEATS, SPECTATOR)
_TELLING: Final = (HandDealt, CardDeclared, DeclarationsClosed, CardsPlayed)
"""The events from which anything follows; at others the knowledge stays as it was."""


class ReasonShown(msgspec.Struct, frozen=True):
    """A reason in words: its kind, its clause of the rules, the step it comes from (None where from several)."""

    kind: Kind
    rule: str
    step: int | None
    en: str
    zh: str


class Holds(msgspec.Struct, frozen=True, array_like=True):
    """From step `first` to `last`: this seat cannot hold these cards, for the reason of this index.

    Without a reason: it does not hold both copies of any of these kinds.
    """

    seat: Seat
    cards: tuple[str, ...]
    reason: int | None
    first: int
    last: int


class KnowledgeShown(msgspec.Struct, frozen=True):
    """The reasons, and what holds when: by hand number, then by knower (`0` … `3`, `spectator`)."""

    reasons: tuple[ReasonShown, ...]
    hands: dict[str, dict[str, tuple[Holds, ...]]]


_Item: TypeAlias = tuple[Seat, int, int | None]
"""A seat, a card, the index of a reason."""


def knowledge_shown(
    timeline: Timeline, hands: Iterable[HandSteps], knowers: Sequence[Knower] = KNOWERS
) -> KnowledgeShown:
    """What each of these could know at every step of those of these hands whose cards are public."""
    reasons: dict[ReasonShown, int] = {}
    by_number = {
        str(hand.number): {
            str(knower): tuple(_through(timeline, hand, knower, reasons)) for knower in knowers
        }
        for hand in hands
        if hand.public
    }
    return KnowledgeShown(tuple(reasons), by_number)


def _through(
    timeline: Timeline, hand: HandSteps, knower: Knower, reasons: dict[ReasonShown, int]
) -> Iterator[Holds]:
    """What holds through a hand, in the order in which it ends."""
    since: dict[_Item, int] = {}
    decks = timeline.state(hand.first).ruleset.decks
    for step in range(hand.first, hand.last):
        if not isinstance(timeline.step(step).event, _TELLING):
            continue
        now = set(_items(knowledge_at(timeline, step, knower), reasons))
        ended = {item: since.pop(item) for item in list(since) if item not in now}
        yield from _grouped(ended, step - 1, decks)
        since |= {item: step for item in now if item not in since}
    yield from _grouped(since, hand.last - 1, decks)


def _items(known: Knowledge, reasons: dict[ReasonShown, int]) -> Iterator[_Item]:
    for exclusion in known.exclusions:
        index = reasons.setdefault(_reason(exclusion), len(reasons))
        for card in cards_in(exclusion.cards):
            yield exclusion.seat, card, index
    for seat in known.seen.others:
        for kind in cards_in(known.no_pairs[seat]):
            yield seat, kind, None


def _reason(exclusion: Exclusion) -> ReasonShown:
    return ReasonShown(exclusion.kind, RULES[exclusion.kind], exclusion.step, exclusion.why, exclusion.why_zh)


def _grouped(items: dict[_Item, int], last: int, decks: int) -> Iterator[Holds]:
    """Items that end together, those of one seat, reason and beginning as one."""
    groups: dict[tuple[Seat, int | None, int], Cards] = {}
    for (seat, card, reason), first in items.items():
        key = (seat, reason, first)
        groups[key] = groups.get(key, 0) | 1 << card
    for (seat, reason, first), cards in sorted(groups.items(), key=lambda group: str(group[0])):
        names = names_of(cards_in(cards), decks if reason is not None else 1)
        yield Holds(seat, names, reason, first, last)
