"""Evidence in the terminal: effects with their intervals, how far from honest play, and towards whom."""

from collections.abc import Iterator, Sequence

from rich.table import Table

from adapters.player_names import name_of_player
from replays.investigation.deal_scores import MEANINGS, DealScore, Statistic
from replays.investigation.evidence import Evidence
from replays.investigation.player_evidence import PairEvidence, PlayerEvidence, Towards
from replays.investigation.populations import Population, Unjudged
from replays.investigation.screening import Screening

_COLUMNS = ("deals", "effect (SD a deal)", "95 %", "z", "e-value")


def screening_table(found: Screening, top: int) -> Table:
    """The players who stand out most."""
    table = evidence_table(
        f"{found.players} players, {found.deals} deals, {len(found.short)} with too few deals",
        "player", *_COLUMNS, "q", "level",
    )  # fmt: skip
    for standing in found.standings[:top]:
        level = standing.level if standing.level == "clear" else f"[bold]{standing.level}[/]"
        table.add_row(name_of_player(standing.player), *_cells(standing.evidence), f"{standing.q:.2g}", level)
    return table


def player_tables(found: PlayerEvidence) -> Iterator[Table]:
    """What a player's deals say: towards nobody, then towards each who sat with him."""
    own = f"{found.deals} deals, {found.decisions} decisions, {found.autopilot} plays of the autopilot"
    table = evidence_table(f"{name_of_player(found.player)}: {own}", "what", *_COLUMNS)
    table.add_row(MEANINGS["rank"], *_cells(found.rank))
    table.add_row(MEANINGS["declaring"], *_cells(found.declaring))
    yield table
    yield _towards("leak", found.leaks)
    yield _towards("soft", found.soft)


def pair_table(found: PairEvidence) -> Table:
    """Both directions of two players."""
    first, second = map(name_of_player, found.players)
    table = evidence_table(f"{first} and {second}: {found.deals} deals together", "what", *_COLUMNS)
    for meaning, ways in ((MEANINGS["leak"], found.leaks), (MEANINGS["soft"], found.soft)):
        for (player, other), evidence in zip(((first, second), (second, first)), ways, strict=True):
            table.add_row(f"{player} towards {other}: {meaning}", *_cells(evidence))
    return table


def match_table(scores: Sequence[DealScore], population: Population) -> Table:
    """Each deal of a match by seat: how far it lies from honest play, in standard deviations of a deal."""
    table = evidence_table(
        "", "hand", "seat", "player", "decisions", "rank", "declaring", "mean think", "autopilot"
    )
    for score in scores:
        null = population.find("rank", score.ruleset, score.role)
        rank = "not judged" if null is None else f"{null.excess(score.rank):+.2f}"
        think = "" if score.mean_think_ms is None else f"{score.mean_think_ms / 1000:.1f} s"
        declaring = "" if score.declaring is None else f"{score.declaring:+.2f}"
        table.add_row(
            str(score.hand_no), str(score.seat), name_of_player(score.player), str(score.decisions),
            rank, declaring, think, str(score.autopilot),
        )  # fmt: skip
    return table


def _towards(statistic: Statistic, found: Sequence[Towards]) -> Table:
    table = evidence_table(MEANINGS[statistic], "towards", *_COLUMNS)
    for each in found:
        table.add_row(name_of_player(each.other), *_cells(each.evidence))
    if not found:
        table.add_row("nobody with enough deals together", *("",) * len(_COLUMNS))
    return table


def unjudged_lines(found: Sequence[Unjudged]) -> Iterator[str]:
    """What could not be judged, and why, one line a ruleset."""
    for each in found:
        yield (
            f"{each.deals} deals of {each.ruleset} are not judged: no honest population of it was measured "
            "(`gongzhu simulate calibrate`)"
        )


def evidence_table(title: str, first: str, *others: str) -> Table:
    """A table of numbers, the first column of names."""
    table = Table(title=title or None, title_justify="left")
    table.add_column(first)
    for other in others:
        table.add_column(other, justify="right")
    return table


def _cells(evidence: Evidence | None) -> tuple[str, ...]:
    if evidence is None:
        return ("not measured", "", "", "", "")
    return (
        str(evidence.deals),
        f"{evidence.effect:+.2f}",
        f"{evidence.low:+.2f} to {evidence.high:+.2f}",
        f"{evidence.z:+.1f}",
        f"{evidence.e_value:.3g}" if evidence.statistic in ("rank", "leak") else "",
    )
