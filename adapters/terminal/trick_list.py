"""A hand trick by trick: who led, who played what, who took it and which scoring cards with it."""

from collections.abc import Iterable, Sequence
from typing import Final

from rich import box
from rich.table import Table
from rich.text import Text

from adapters.terminal.card_text import Names, card_text, cards_text, seat_text
from domain.cards import SCORING, parse_card
from domain.events import CardsPlayed, Event, HandEnded, PublishedDeclaration, TrickTaken
from domain.seats import SEATS, Seat

LEGEND: Final = "> led the trick   * took it"
NAME_WIDTH: Final = 10


def trick_list(events: Iterable[Event], hand_no: int, names: Names | None = None) -> Table:
    """The tricks of one hand among a match's events, played so far; up to 80 columns wide."""
    of_hand = [event for event in events if getattr(event, "hand_no", None) == hand_no]
    table = Table(box=box.SIMPLE_HEAD, title=_title(of_hand, hand_no), caption=LEGEND, title_justify="left")
    table.title_style = table.caption_style = ""
    table.caption_justify = "left"
    table.add_column("#", justify="right")
    for seat in SEATS:
        table.add_column(_heading(seat, names))
    table.add_column("scoring cards")
    for number, plays in _by_trick(of_hand).items():
        taken = next((e for e in of_hand if isinstance(e, TrickTaken) and e.trick_no == number), None)
        table.add_row(str(number), *_cells(plays, taken), _scoring(taken))
    return table


def _heading(seat: Seat, names: Names | None) -> Text:
    """The seat, with its player's name below, cut so that the table stays narrow."""
    heading = seat_text(seat)
    if names is not None:
        name = Text(names[seat])
        name.truncate(NAME_WIDTH, overflow="ellipsis")
        heading.append_text(Text("\n")).append_text(name)
    return heading


def _title(events: Sequence[Event], hand_no: int) -> Text:
    """The hand's number and, once it is over, its declarations."""
    ended = next((event for event in events if isinstance(event, HandEnded)), None)
    if ended is None:
        return Text(f"hand {hand_no}, in progress")
    declared = [_declaration(declaration) for declaration in ended.declarations]
    return Text.assemble(f"hand {hand_no}, ", Text(", ").join(declared or [Text("nothing declared")]))


def _declaration(declaration: PublishedDeclaration) -> Text:
    how = "automatic" if declaration.automatic else declaration.level
    return Text.assemble(f"seat {declaration.seat} ", card_text(declaration.card), f" {how}")


def _by_trick(events: Iterable[Event]) -> dict[int, list[CardsPlayed]]:
    tricks: dict[int, list[CardsPlayed]] = {}
    for event in events:
        if isinstance(event, CardsPlayed):
            tricks.setdefault(event.trick_no, []).append(event)
    return tricks


def _cells(plays: Sequence[CardsPlayed], taken: TrickTaken | None) -> list[Text]:
    cells = [Text() for _ in SEATS]
    for place, play in enumerate(plays):
        took = taken is not None and taken.seat == play.seat
        mark = Text("*" if took else "", style="bold yellow")
        cells[play.seat] = Text.assemble(">" if place == 0 else " ", cards_text(play.cards), mark)
    return cells


def _scoring(taken: TrickTaken | None) -> Text:
    if taken is None:
        return Text("in progress", style="dim")
    decks = 2 if len(taken.cards[0]) == 3 else 1
    return cards_text(card for card in taken.cards if SCORING >> parse_card(card, decks) & 1)
