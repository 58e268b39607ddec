"""The scores of a finished hand, each account in words."""

from rich import box
from rich.table import Table
from rich.text import Text

from adapters.terminal.card_text import Names, number_text, seat_text
from domain.events import HandEnded
from domain.scoring import explain
from domain.seats import SEATS


def score_table(ended: HandEnded, names: Names | None = None) -> Table:
    """The four accounts by seat, with raw scores and the blood after the hand or its points; up to 80 columns wide."""
    word, numbers = ("blood", ended.blood) if ended.blood is not None else ("points", ended.points)
    table = Table(
        box=box.SIMPLE_HEAD, title=Text(f"hand {ended.hand_no}"), title_justify="left", title_style=""
    )
    table.add_column("seat", no_wrap=True, max_width=24)
    table.add_column("account", min_width=24, max_width=44)
    table.add_column("raw", justify="right")
    table.add_column(word, justify="right")
    for seat in SEATS:
        account = Text("\n").join(Text(line) for line in explain(ended.accounts[seat]))
        total = number_text(numbers[seat]) if numbers is not None else Text()
        table.add_row(seat_text(seat, names), account, number_text(ended.raw_scores[seat]), total)
    table.caption = Text(f"seat {ended.next_leader} leads the next hand")
    table.caption_justify, table.caption_style = "left", ""
    return table
