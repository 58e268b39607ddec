"""Where a player's sums come from: the ledger rows that count, added up, beside what the boards say."""

from collections.abc import Iterable, Sequence
from uuid import UUID

import msgspec

from projections.leaderboards.rows import Amounts, Entry, Standing
from projections.leaderboards.standings import NOTHING
from projections.periods import periods_of
from projections.read_model import Key


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """A player's ledger of one ruleset and origin, in the order of the log, and its sum beside his board's.

    Rows that do not count (annulled, or replaced by a correction) are among `entries` and not in `total`.
    """

    player: UUID
    ruleset: str
    origin: str
    entries: tuple[Entry, ...]
    total: Amounts
    board: Amounts

    @property
    def adds_up(self) -> bool:
        """Whether the ledger gives what the board says."""
        return self.total == self.board


def explain(
    player: UUID, ruleset: str, entries: Iterable[Entry], standings: Iterable[Standing]
) -> list[Explanation]:
    """The player's ledger of a ruleset by origin; `standings` are his rows of the board of all time."""
    by_origin: dict[str, list[Entry]] = {}
    for entry in sorted(entries, key=lambda entry: (entry.position, entry.version)):
        by_origin.setdefault(entry.origin, []).append(entry)
    boards = {standing.origin: standing.amounts for standing in standings}
    return [
        Explanation(
            player=player,
            ruleset=ruleset,
            origin=origin,
            entries=tuple(by_origin.get(origin, ())),
            total=total_of(by_origin.get(origin, ())),
            board=boards.get(origin, NOTHING),
        )
        for origin in sorted({*by_origin, *boards})
    ]


def total_of(entries: Sequence[Entry]) -> Amounts:
    """What the entries that count add up to."""
    total = NOTHING
    for entry in entries:
        if entry.counts:
            total = total.plus(entry.amounts)
    return total


def boards_of(entries: Iterable[Entry]) -> list[Standing]:
    """Every row of every board that these entries lead to; rows that come to nothing are left out."""
    sums: dict[Key, Amounts] = {}
    for entry in entries:
        for period in periods_of(entry.at) if entry.counts else ():
            key = (entry.ruleset, entry.origin, period, entry.player)
            sums[key] = sums.get(key, NOTHING).plus(entry.amounts)
    return [_standing(key, amounts) for key, amounts in sums.items() if amounts != NOTHING]


def _standing(key: Key, amounts: Amounts) -> Standing:
    ruleset, origin, period, player = key
    return Standing(
        ruleset=ruleset, origin=origin, period=period, player=player, **msgspec.structs.asdict(amounts)
    )
