"""What could be known of a hand's cards, drawn: by seat, card by card, and every reason with its step and rule."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from adapters.terminal.card_text import SUIT_SIGNS, SUIT_STYLES, Names, cards_text, hand_lines, seat_text
from replays.knowledge import KnowledgeTold
from replays.knowledge.telling import Excluded, SeatKnown

_WHOLE_SUIT: Final = 7
"""From so many cards of a suit on, a reason names the suit and not each card."""


def knowledge_table(known: KnowledgeTold, names: Names | None = None) -> RenderableType:
    """The drawing, up to 80 columns wide."""
    who = "a spectator" if known.knower == "spectator" else f"seat {known.knower}"
    parts: list[RenderableType] = [
        Text(f"what {who} could know after step {known.step}, hand {known.hand_no}", style="bold")
    ]
    if known.own:
        parts += [Text.assemble("own cards  ", Text("   ").join(hand_lines(known.own)))]
    if known.contradictory:
        parts += [Text("no deal fits what was played: the record breaks the rules", style="bold red")]
    return Group(*parts, _seats(known, names), _owners(known), Text("why", style="bold"), *_reasons(known))


def _seats(known: KnowledgeTold, names: Names | None) -> Table:
    """What is known of each seat, beside what it held."""
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("seat", max_width=18)
    table.add_column("left", justify="right")
    table.add_column("known for certain", max_width=26)
    if any(seat.truth is not None for seat in known.seats):
        table.add_column("what it held", max_width=24)
    for seat in known.seats:
        cells = [seat_text(seat.seat, names), Text(str(seat.cards_left)), Text("\n").join(_certain(seat))]
        if seat.truth is not None:
            cells.append(Text("\n").join(hand_lines(seat.truth)))
        table.add_row(*cells)
    return table


def _certain(seat: SeatKnown) -> Iterator[Text]:
    """What is certain of a seat, a line each."""
    if seat.surely:
        yield Text.assemble("holds ", cards_text(seat.surely))
    if seat.face_down:
        yield Text.assemble(f"{seat.face_down} face down of ", cards_text(seat.declared_possibly))
    can_hold = {card[0] for card in (*seat.surely, *seat.possibly)}
    lacking = [sign for suit, sign in SUIT_SIGNS.items() if suit not in can_hold]
    if lacking and seat.cards_left:
        yield Text(f"holds no {' '.join(lacking)}")
    suits = [suit for suit, _ in groupby(card[0] for card in seat.no_pairs)]
    if suits:
        yield Text("holds no pair of " + " ".join(SUIT_SIGNS[suit] for suit in suits))


def _owners(known: KnowledgeTold) -> Table:
    """The unseen cards by who can hold them."""
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("can be with")
    table.add_column("cards")
    possible = {seat.seat: {*seat.surely, *seat.possibly} for seat in known.seats}
    groups: dict[tuple[int, ...], list[str]] = {}
    for card in known.unseen:
        groups.setdefault(tuple(seat for seat in possible if card in possible[seat]), []).append(card)
    for owners, cards in sorted(groups.items(), key=lambda group: (len(group[0]), group[0])):
        who = ", ".join(map(str, owners)) or "nobody"
        table.add_row(
            f"seat {who}" if len(owners) == 1 else f"seats {who}", Text("\n").join(hand_lines(cards))
        )
    return table


def _reasons(known: KnowledgeTold) -> Iterator[Text]:
    """Every reason with what it takes away from whom."""
    for reason in known.reasons:
        yield Text(f"step {reason.step}: {reason.why} ({reason.rule})")
        yield from _taken(
            [one for one in known.exclusions if (one.step, one.why) == (reason.step, reason.why)]
        )
    counted = [one for one in known.exclusions if one.step is None]
    for why, taken in groupby(counted, key=lambda one: one.why):
        yield Text(why)
        yield from _taken(list(taken))
    if not known.reasons:
        yield Text("nothing has been shown yet", style="dim")


def _taken(exclusions: Sequence[Excluded]) -> Iterator[Text]:
    """Cards taken away from seats, a line for each set of cards."""
    seats: dict[tuple[str, ...], list[str]] = {}
    for one in exclusions:
        seats.setdefault(one.cards, []).append(str(one.seat))
    for cards, whose in seats.items():
        who = f"seats {', '.join(whose)}" if len(whose) > 1 else f"seat {whose[0]}"
        yield Text.assemble(f"  so not with {who}: ", _short(cards))


def _short(cards: tuple[str, ...]) -> Text:
    """Cards by suit; a suit of which there are many by its sign alone, with their number."""
    parts = []
    for suit, of_suit in groupby(cards, key=lambda card: card[0]):
        named = list(of_suit)
        many = len(named) >= _WHOLE_SUIT
        parts.append(
            Text(f"{len(named)} {SUIT_SIGNS[suit]}", SUIT_STYLES[suit]) if many else cards_text(named)
        )
    return Text(" ").join(parts)
