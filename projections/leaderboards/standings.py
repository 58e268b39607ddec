"""The boards: sums of the ledger by ruleset, origin, period and player, kept as the ledger changes."""

from collections.abc import Sequence

from projections.leaderboards.rows import ENTRIES, STANDINGS, Amounts, Entry, Standing
from projections.periods import periods_of
from projections.read_model import Key, Rows

NOTHING = Amounts()


def book(entries: Sequence[Entry], rows: Rows) -> None:
    """Writes new entries, and adds those that count to the boards."""
    for entry in entries:
        rows.put(ENTRIES, entry)
    add([(entry, entry.amounts) for entry in entries if entry.counts], rows)


def add(changes: Sequence[tuple[Entry, Amounts]], rows: Rows) -> None:
    """Adds amounts to the boards of an entry's player and periods. A row that comes to nothing is removed."""
    boards = [(entry, period, more) for entry, more in changes for period in periods_of(entry.at)]
    keys: list[Key] = [(entry.ruleset, entry.origin, period, entry.player) for entry, period, _ in boards]
    sums: dict[Key, Standing] = {}
    for key, standing, (entry, period, more) in zip(
        keys, rows.get_many(STANDINGS, keys), boards, strict=True
    ):
        known = sums.get(key, standing)
        sums[key] = _standing(entry, period, more if known is None else known.amounts.plus(more))
    for key, standing in sums.items():
        if standing.amounts == NOTHING:
            rows.delete(STANDINGS, key)
        else:
            rows.put(STANDINGS, standing)


def _standing(entry: Entry, period: str, amounts: Amounts) -> Standing:
    return Standing(
        ruleset=entry.ruleset,
        origin=entry.origin,
        period=period,
        player=entry.player,
        points=amounts.points,
        matches=amounts.matches,
        hands=amounts.hands,
        wins=amounts.wins,
        slams=amounts.slams,
        pigs=amounts.pigs,
    )
