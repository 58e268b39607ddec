"""`simulate`: seasons of honest players and planted cheats, by which the tests of `investigate` are calibrated."""

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Annotated, Final

import msgspec
import typer
from rich.table import Table

from adapters.command_line.arguments import JobsOption, Json, PopulationOption, ruleset_of
from adapters.command_line.console import counted, note, out, print_json
from adapters.command_line.simulated_matches import matches
from adapters.investigating.seasons import play_season, read_season
from adapters.investigating.shipped import EVALUATOR, population
from adapters.terminal.calibration_tables import effects_table, findings_table, nulls_table
from replays.investigation.calibration import calibrated
from replays.investigation.calibration_report import calibration_report
from replays.investigation.limits import LIMITS
from replays.investigation.screening import LEVELS, screen
from replays.investigation.simulation import TYPES
from replays.investigation.simulation.seasons import SimulatedScore, cheat_season, honest_season

simulate_app: Final = typer.Typer(
    name="simulate",
    help="Simulated seasons of honest players and planted cheats: how often `investigate` errs and finds.",
    no_args_is_help=True,
)
_KINDS: Final = f"honest, or one of: {'; '.join(TYPES)}."
Files = Annotated[
    list[Path], typer.Argument(metavar="FILE...", exists=True, help="What `simulate play` wrote.")
]


def add_to(app: typer.Typer) -> None:
    """Adds these commands."""
    simulate_app.command(
        "play",
        epilog="Examples: `gongzhu simulate play honest --tables 100 --deals 200 --to honest.jsonl`, "
        "`gongzhu simulate play all-seeing --deals 500 --to cheat.jsonl`",
    )(play)
    simulate_app.command(
        "calibrate", epilog="Example: `gongzhu simulate calibrate honest.jsonl --to populations.json`"
    )(calibrate)
    simulate_app.command("report", epilog="Example: `gongzhu simulate report other.jsonl cheat.jsonl`")(
        report
    )
    simulate_app.command("screen", epilog="Example: `gongzhu simulate screen other.jsonl cheats.jsonl`")(
        screen_
    )
    simulate_app.command(
        "matches", epilog="Example: `gongzhu simulate matches all-seeing --matches 10 --hands 50`"
    )(matches)
    app.add_typer(simulate_app)


def play(
    kind: Annotated[str, typer.Argument(metavar="KIND", help=_KINDS)],
    to: Annotated[
        Path, typer.Option("--to", metavar="FILE", help="A run that was broken off goes on there.")
    ],
    tables: Annotated[int, typer.Option(min=1, help="Tables, each of four players of their own.")] = 4,
    deals: Annotated[int, typer.Option(min=1, help="Deals a table.")] = 200,
    ruleset: Annotated[str, typer.Option("--ruleset", "-r")] = "zero_sum-1",
    seed: Annotated[int, typer.Option(min=0)] = 1,
    directed: Annotated[bool, typer.Option("--directed", help="Measure leaks and softness too.")] = False,
    jobs: JobsOption = None,
) -> None:
    """Play a season of simulated deals into a file, each scored as `investigate` scores deals of the log."""
    ruleset_of(ruleset)
    season = (
        honest_season(ruleset, tables, deals, seed)
        if kind == "honest"
        else cheat_season(kind, ruleset, tables, deals, seed)
    )
    season = msgspec.structs.replace(season, directed=season.directed or directed)
    with counted("deals") as told:
        played = play_season(season, EVALUATOR, to, jobs=jobs, told=told)
    note(f"{played} deals played into {to}, {len(season) - played} were there; {EVALUATOR.name}")


def calibrate(
    files: Files,
    to: Annotated[Path, typer.Option("--to", metavar="FILE", help="Where the honest populations go.")],
    json: Json = False,
) -> None:
    """Measure honest populations on seasons of honest players: what every player is compared with."""
    found = calibrated(EVALUATOR, _scores(files))
    to.write_bytes(msgspec.json.format(msgspec.json.encode(found)) + b"\n")
    if json:
        print_json(found)
    else:
        out.print(nulls_table(found))
    note(f"written to {to}")


def report(files: Files, honest: PopulationOption = None, seed: int = 1, json: Json = False) -> None:
    """Say how often honest players would be flagged and cheats found, on other deals than the populations' own."""
    found = calibration_report(_scores(files), population(honest), seed)
    if json:
        print_json({"report": found, "limits": LIMITS})
        return
    out.print(effects_table(found))
    out.print(findings_table(found))


def screen_(files: Files, honest: PopulationOption = None, json: Json = False) -> None:
    """Screen all simulated players at the shipped thresholds, and say who was escalated, by what they truly are."""
    scores = list(_scores(files))
    kinds = {each.score.player: each.kind for each in scores}
    found = screen((each.score for each in scores), population(honest))
    if json:
        print_json({"screening": found, "kinds": {str(player): kind for player, kind in kinds.items()}})
        return
    table = Table("kind", "players", *LEVELS, "highest z")
    for kind in dict.fromkeys(kinds.values()):
        theirs = [standing for standing in found.standings if kinds[standing.player] == kind]
        levels = [sum(standing.level == level for standing in theirs) for level in LEVELS]
        highest = max((standing.evidence.z for standing in theirs), default=0.0)
        table.add_row(kind, str(len(theirs)), *map(str, levels), f"{highest:+.2f}")
    out.print(table)


def _scores(files: list[Path]) -> Iterator[SimulatedScore]:
    return chain.from_iterable(read_season(path)[2] for path in files)
