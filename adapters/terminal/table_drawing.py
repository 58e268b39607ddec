"""A match as a viewer sees it, drawn as a table with four seats around and the trick in the middle.

Turn order runs counter-clockwise: the seat at the bottom is the viewer's own (else seat 0), the next sits to its right.
"""

from typing import Final

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from adapters.terminal.card_text import Names, card_text, cards_text, hand_lines, number_text, seat_text
from domain.seats import SEATS, Seat
from domain.visibility import EVERYTHING, DeclarationView, HandView, MatchView

SIDE_WIDTH: Final = 24
MIDDLE_WIDTH: Final = 28

_PHASES: Final = {
    "seating": "waiting for players",
    "declaring": "declarations are open",
    "playing": "in play",
    "between_hands": "between hands",
    "settled": "settled",
    "abandoned": "abandoned",
}


def table_drawing(view: MatchView, names: Names | None = None, *, live: bool = True) -> RenderableType:
    """The drawing of a match, up to 80 columns wide. Deadlines are told of live matches only."""
    parts: list[RenderableType] = [_headline(view)]
    if view.hand is not None:
        parts += [Text(), _seats_around(view, view.hand, names), Text(), _state_of_play(view.hand, live=live)]
    return Group(*parts, _totals(view))


def _headline(view: MatchView) -> Text:
    eyes = {"spectator": "a spectator's view", EVERYTHING: "everyone's cards"}
    parts = [view.ruleset, f"hand {view.hand.number}" if view.hand else f"{view.hands_ended} hands played"]
    if view.hands_agreed is not None:
        parts[-1] += f" of {view.hands_agreed}"
    if view.hand is not None and view.phase == "playing":
        parts.append(f"trick {view.hand.trick_no}")
    parts += [_PHASES[view.phase], eyes.get(str(view.viewer), f"seat {view.viewer}'s view")]
    marks = [word for word, is_so in (("annulled", view.annulled), ("corrected", view.corrected)) if is_so]
    return Text(", ".join([*parts, *marks]), style="bold")


def _seats_around(view: MatchView, hand: HandView, names: Names | None) -> Table:
    bottom = view.viewer if isinstance(view.viewer, int) else 0
    right, top, left = ((bottom + step) % 4 for step in (1, 2, 3))
    grid = Table.grid(padding=(0, 1))
    for width in (SIDE_WIDTH, MIDDLE_WIDTH, SIDE_WIDTH):
        grid.add_column(width=width, vertical="middle")
    blocks = {seat: _seat_block(view, hand, seat, names) for seat in SEATS}
    grid.add_row("", blocks[top], "")
    grid.add_row(blocks[left], _trick(hand, (bottom, right, top, left)), blocks[right])
    grid.add_row("", blocks[bottom], "")
    return grid


def _seat_block(view: MatchView, hand: HandView, seat: Seat, names: Names | None) -> Group:
    """A seat: who, whether it is to play, its cards or how many, what it declared and has taken."""
    title = seat_text(seat, names)
    title.append(" << to play" if hand.turn == seat else "", style="bold yellow")
    title.append(" (autopilot)" if view.autopilot[seat] else "", style="dim")
    title.append(" done" if view.phase == "declaring" and hand.done[seat] else "", style="dim")
    lines = [title, *_cards_of(view, hand, seat)]
    declared = [d for d in hand.declarations if d.seat == seat]
    if declared:
        lines.append(Text.assemble("declared ", Text(", ").join(map(_declaration, declared))))
    if hand.taken[seat]:
        lines.append(Text.assemble("took ", cards_text(hand.taken[seat])))
    return Group(*lines)


def _cards_of(view: MatchView, hand: HandView, seat: Seat) -> list[Text]:
    if hand.all_cards is not None:
        return hand_lines(hand.all_cards[seat])
    if hand.cards is not None and view.viewer == seat:
        return hand_lines(hand.cards)
    count = hand.cards_left[seat]
    return [Text(f"{count} card" + ("" if count == 1 else "s"), style="dim")]


def _declaration(declaration: DeclarationView) -> Text:
    if declaration.card is None:
        return Text("one face down")
    how = " (automatic)" if declaration.automatic else " hidden" if declaration.level == "hidden" else ""
    return Text.assemble(card_text(declaration.card), how)


def _trick(hand: HandView, places: tuple[Seat, Seat, Seat, Seat]) -> Table:
    """The cards of the trick in progress, each before its seat; the lead is marked."""
    bottom, right, top, left = places
    cards = {play.seat: cards_text(play.cards) for play in hand.trick}
    if hand.trick:
        lead = hand.trick[0].seat
        cards[lead] = Text.assemble(cards[lead], (" led", "dim"))
    inner = Table.grid(padding=(0, 1))
    for _ in range(3):
        inner.add_column(width=8, justify="center")
    empty = Text()
    inner.add_row(empty, cards.get(top, empty), empty)
    inner.add_row(cards.get(left, empty), Text("+", style="dim"), cards.get(right, empty))
    inner.add_row(empty, cards.get(bottom, empty), empty)
    return inner


def _state_of_play(hand: HandView, *, live: bool) -> Text:
    """Who is to play, by when, and the trick before."""
    until = f" until {hand.deadline:%H:%M:%S} UTC" if live and hand.deadline is not None else ""
    who = f"seat {hand.turn} is to play{until}" if hand.turn is not None else f"declarations are open{until}"
    if not hand.last_trick:
        return Text(who)
    before = Text(", ").join(Text.assemble(f"seat {p.seat} ", cards_text(p.cards)) for p in hand.last_trick)
    taken = f"; seat {hand.takers[-1]} took it" if hand.takers else ""
    return Text.assemble(who, "\nlast trick: ", before, taken)


def _totals(view: MatchView) -> Text:
    word, numbers = ("blood", view.blood) if view.blood is not None else ("points", view.points)
    parts = [Text.assemble(f"seat {seat} ", number_text(numbers[seat])) for seat in SEATS]
    lines = Text.assemble(f"{word}: ", Text(", ").join(parts))
    if view.blood is not None and view.phase == "settled":
        points = [Text.assemble(f"seat {seat} ", number_text(view.points[seat])) for seat in SEATS]
        lines.append_text(Text.assemble("\npoints: ", Text(", ").join(points)))
    return lines
