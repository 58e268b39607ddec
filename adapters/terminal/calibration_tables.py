"""Calibrations in the terminal: honest populations, effects by kind of player, and what the tests are held to."""

from rich import box
from rich.table import Table

from replays.investigation.calibration_report import CalibrationReport, Finding
from replays.investigation.populations import Population


def nulls_table(found: Population) -> Table:
    """The honest populations."""
    table = _table(
        "statistic", "ruleset", "role", "mean", "error", "SD", "deals", "type", title=found.evaluator
    )
    table.columns[1].no_wrap = False
    for null in found.nulls:
        table.add_row(
            null.statistic, null.ruleset, null.role, f"{null.mean:+.3f}", f"{null.mean_error:.3f}",
            f"{null.spread:.3f}", str(null.deals), null.honest,
        )  # fmt: skip
    return table


def effects_table(found: CalibrationReport) -> Table:
    """The effect of every kind of player."""
    table = _table("kind", "statistic", "towards", "deals", "effect (SD a deal)", title=found.evaluator)
    for each in found.effects:
        table.add_row(
            each.kind, each.statistic, each.towards, str(each.deals), f"{each.effect:+.3f} ± {each.error:.3f}"
        )
    return table


def findings_table(found: CalibrationReport) -> Table:
    """Every aim with what was measured."""
    table = _table("kind", "what", "sample", "deals", "rate %", "95 %", "want", "")
    table.columns[1].no_wrap = False
    for each in found.findings:
        table.add_row(*_cells(each))
    return table


def _cells(found: Finding) -> tuple[str, ...]:
    rate = found.rate
    return (
        rate.kind, rate.what, str(rate.sample), str(rate.of), f"{100 * rate.rate:.2f}",
        f"{100 * rate.low:.2f}–{100 * rate.high:.2f}", f"{'≤' if found.at_most else '≥'} {100 * found.want:g}",
        "yes" if found.holds else "[bold]no[/]",
    )  # fmt: skip


def _table(*columns: str, title: str | None = None) -> Table:
    """Within 80 columns, names whole."""
    table = Table(
        *columns, title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0)
    )
    for column in table.columns:
        column.no_wrap = True
    return table
