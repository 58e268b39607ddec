"""Reviews in the terminal: each decision with what it cost, the luck of a hand, and a player's hands together."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from rich import box
from rich.table import Table
from rich.text import Text

from adapters.player_names import name_of_player
from adapters.terminal.card_text import Names, card_text, cards_text
from replays.review import COSTLY, Estimate, HandReview, PlayerReview, Reviewed

_STYLES = {"inaccuracy": "yellow", "mistake": "bold yellow", "blunder": "bold red"}


def decisions_table(review: HandReview, decisions: Sequence[Reviewed], names: Names) -> Table:
    """Decisions of a hand, in order: what was chosen, what was better, by how much."""
    points = "" if review.points_per_value is None else f", ×{review.points_per_value:g} points"
    title = f"hand {review.hand_no}: costs in value{points}; {review.at_stake} at stake"
    table = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left", padding=(0, 1, 0, 0))
    for column in ("step", "trick", "seat", "chose", "", "better", "cost", "all shown", "cost"):
        table.add_column(column, justify="right" if column in ("step", "trick", "cost") else "left")
    for one in decisions:
        made = one.made
        table.add_row(
            str(one.step),
            "" if one.trick_no is None else str(one.trick_no),
            Text(f"{one.seat} {names[one.seat]}" + (" (autopilot)" if one.by == "autopilot" else "")),
            choice_text(one, one.chosen),
            Text(one.size, style=_STYLES.get(one.size, "")),
            Text() if one.best == one.chosen else choice_text(one, one.best),
            cost_text(made.known_cost),
            Text() if one.best_shown == one.chosen else choice_text(one, one.best_shown),
            cost_text(made.shown_cost),
        )
    return table


def choice_text(one: Reviewed, label: str) -> Text:
    """A choice as one reads it: cards, or how a card is declared."""
    if one.kind == "play" or one.card is None:
        return cards_text(label.split())
    return card_text(one.card).append(" no" if label == "none" else f" {label}", style="none")


def cost_text(cost: Estimate) -> str:
    """A cost with its standard error; `0` where there was nothing better."""
    if not cost.mean:
        return "0"
    return f"{cost.mean:.0f}" + ("" if not cost.error else f" ±{cost.error:.0f}")


def luck_table(review: HandReview, names: Names) -> Table:
    """By seat the result of a hand, the luck of its deal, and what is left."""
    table = Table("seat", "result", "luck of the deal", "result less luck", "cost", box=box.SIMPLE_HEAD)
    for seat, luck in enumerate(review.luck):
        cost = sum(one.made.known_cost.mean for one in review.decisions if one.seat == seat)
        table.add_row(
            Text(f"{seat} {names[seat]}"),
            f"{luck.result:+.0f}",
            signed(luck.deal),
            f"{luck.adjusted:+.0f}",
            f"{cost:.0f}",
        )
    return table


def signed(value: Estimate) -> str:
    """A value with its sign and standard error."""
    return f"{value.mean:+.0f}" + ("" if not value.error else f" ±{value.error:.0f}")


def player_table(rows: Sequence[PlayerReview]) -> Table:
    """A player's reviewed hands, a column a ruleset."""
    table = Table(box=box.SIMPLE_HEAD, title=Text(name_of_player(rows[0].player)), title_justify="left")
    table.add_column("")
    for row in rows:
        table.add_column(row.ruleset, justify="right")
    for label, cell in _MEASURES:
        table.add_row(label, *[cell(row) for row in rows])
    return table


_MEASURES: Final[tuple[tuple[str, Callable[[PlayerReview], str]], ...]] = (
    ("hands", lambda row: str(row.hands)),
    ("own decisions, not forced", lambda row: str(row.decisions)),
    ("the best chosen", lambda row: f"{row.agreement:.0%}"),
    ("sound: no inaccuracy or worse", lambda row: f"{row.sound:.0%}"),
    *[(f"of size {size}", partial(lambda size, row: str(row.sizes[size]), size)) for size in COSTLY],
    ("cost a hand, as known", lambda row: cost_text(row.cost)),
    ("cost a hand, all cards shown", lambda row: cost_text(row.shown_cost)),
    ("result a hand", lambda row: signed(row.result)),
    ("luck of the deals", lambda row: signed(row.luck)),
    ("result less luck", lambda row: signed(row.adjusted)),
)
