"""Signs in the terminal: paces, company and shared clients, each beside what is usual."""

from collections.abc import Sequence

from rich.table import Table

from adapters.player_names import name_of_player
from adapters.terminal.evidence_tables import evidence_table
from replays.investigation.company import Company, Pair, SharedClients
from replays.investigation.pace import Pace


def paces_table(found: Sequence[Pace], top: int) -> Table:
    """The players whose pace is most unusual; in brackets how far that is from the others, in robust deviations."""
    table = evidence_table(
        f"{len(found)} players compared; in brackets the distance from the others in robust standard deviations",
        "player", "plays", "median time", "evenness", "longer with a choice", "autopilot",
    )  # fmt: skip
    for pace in found[:top]:
        table.add_row(
            name_of_player(pace.player), str(pace.plays),
            f"{pace.median_ms / 1000:.1f} s ({pace.median_off:+.1f})",
            f"{pace.evenness:.2f} ({pace.evenness_off:+.1f})",
            f"{pace.slower_with_choice:+.2f} ({pace.slower_off:+.1f})",
            f"{pace.autopilot:.1%} ({pace.autopilot_off:+.1f})",
        )  # fmt: skip
    return table


def companies_table(found: Sequence[Company], top: int) -> Table:
    """The pairs whose company is the least likely by chance."""
    table = evidence_table(
        f"{len(found)} pairs that met", "players", "matches together", "expected", "p", "q"
    )
    for each in found[:top]:
        table.add_row(
            _named(each.players), str(each.together), f"{each.expected:.1f}", f"{each.p:.2g}", f"{each.q:.2g}"
        )
    return table


def clients_table(found: Sequence[SharedClients], top: int) -> Table:
    """The pairs who share addresses or devices, the rarest first."""
    table = evidence_table(
        f"{len(found)} pairs share a client", "players", "shared digests", "players of the rarest"
    )
    for each in found[:top]:
        table.add_row(_named(each.players), str(each.digests), str(each.rarest))
    return table


def _named(players: Pair) -> str:
    return " and ".join(name_of_player(player) for player in players)
