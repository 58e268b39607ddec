"""A knowledge in texts, for people and for programs that hold no sets of cards."""

import msgspec

from domain.cards import Cards, cards_in, names_of
from domain.seats import Seat
from replays.knowledge.concluding import Knowledge
from replays.knowledge.facts import RULES, Effect, Kind, Knower


class SeatKnown(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of one seat's unseen cards.

    `surely`: it holds these; `possibly`: it can hold these too. `face_down`: how many of its declarations lie face
    down, and `declared_possibly` which cards they can be. `no_pairs`: the cards (without copy) of which it does not
    hold both copies. `truth`: what it held, where the hand is public.
    """

    seat: Seat
    cards_left: int
    surely: tuple[str, ...]
    possibly: tuple[str, ...]
    face_down: int
    declared_possibly: tuple[str, ...]
    no_pairs: tuple[str, ...]
    truth: tuple[str, ...] | None


class Reason(msgspec.Struct, frozen=True, kw_only=True):
    """A fact with its place and its rule: what of whom, in words and as data."""

    kind: Kind
    seat: Seat
    effect: Effect
    cards: tuple[str, ...]
    count: int
    step: int
    trick_no: int | None
    rule: str
    why: str
    why_zh: str


class Excluded(msgspec.Struct, frozen=True, kw_only=True):
    """Cards that a seat cannot hold, and why; `step` is None where it follows from the numbers of cards."""

    seat: Seat
    cards: tuple[str, ...]
    kind: Kind
    step: int | None
    rule: str
    why: str
    why_zh: str


class KnowledgeTold(msgspec.Struct, frozen=True, kw_only=True):
    """What one who knows no more than he may could know after a step of a hand."""

    knower: Knower
    step: int
    hand_no: int
    own: tuple[str, ...]
    unseen: tuple[str, ...]
    seats: tuple[SeatKnown, ...]
    reasons: tuple[Reason, ...]
    exclusions: tuple[Excluded, ...]
    contradictory: bool


def told(knowledge: Knowledge) -> KnowledgeTold:
    """A knowledge in texts."""
    seen = knowledge.seen
    return KnowledgeTold(
        knower=seen.knower,
        step=seen.step,
        hand_no=seen.hand_no,
        own=_names(knowledge, seen.own),
        unseen=_names(knowledge, seen.unseen),
        seats=tuple(_seat(knowledge, seat) for seat in seen.others),
        reasons=_reasons(knowledge),
        exclusions=_exclusions(knowledge),
        contradictory=knowledge.contradictory,
    )


def _names(knowledge: Knowledge, cards: Cards) -> tuple[str, ...]:
    return names_of(cards_in(cards), knowledge.seen.decks)


def _seat(knowledge: Knowledge, seat: Seat) -> SeatKnown:
    surely, possible = knowledge.surely(seat), knowledge.possible[seat]
    hidden = [f for f in knowledge.at_least if f.seat == seat and f.kind == "hidden_declarations"]
    return SeatKnown(
        seat=seat,
        cards_left=knowledge.seen.capacities[seat],
        surely=_names(knowledge, surely),
        possibly=_names(knowledge, possible & ~surely),
        face_down=sum(fact.count for fact in hidden),
        declared_possibly=_names(knowledge, hidden[0].cards & possible) if hidden else (),
        no_pairs=names_of(cards_in(knowledge.no_pairs[seat]), decks=1),
        truth=_names(knowledge, knowledge.truth[seat]) if knowledge.truth is not None else None,
    )


def _reasons(knowledge: Knowledge) -> tuple[Reason, ...]:
    """The facts in the order of their steps."""
    deck = knowledge.seen.unseen | knowledge.seen.own | knowledge.seen.played
    return tuple(
        Reason(
            kind=fact.kind,
            seat=fact.seat,
            effect=fact.effect,
            cards=_names(knowledge, fact.cards & deck),
            count=fact.count,
            step=fact.step,
            trick_no=fact.trick_no,
            rule=fact.rule,
            why=fact.why,
            why_zh=fact.why_zh,
        )
        for fact in sorted(knowledge.seen.facts, key=lambda fact: fact.step)
    )


def _exclusions(knowledge: Knowledge) -> tuple[Excluded, ...]:
    return tuple(
        Excluded(
            seat=one.seat,
            cards=_names(knowledge, one.cards),
            kind=one.kind,
            step=one.step,
            rule=RULES[one.kind],
            why=one.why,
            why_zh=one.why_zh,
        )
        for one in knowledge.exclusions
    )
