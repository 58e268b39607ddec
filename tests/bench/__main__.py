"""`python -m tests.bench NAME [--json]`: one benchmark, as a table for people or as one JSON object for programs.

The exit code is 0 where it was measured, whether or not its aims hold; 2 where there is no such benchmark.
"""

import argparse
import importlib
import pkgutil
import sys
from collections.abc import Callable

import msgspec
from rich.console import Console
from rich.table import Table

from tests import bench
from tests.bench.measured import Measured


def benchmarks() -> dict[str, Callable[[], Measured]]:
    """Every module beside this one that has a `run`, by name."""
    found = {}
    for module in pkgutil.iter_modules(bench.__path__):
        if module.name not in ("__main__", "measured"):
            run = getattr(importlib.import_module(f"tests.bench.{module.name}"), "run", None)
            if run is not None:
                found[module.name] = run
    return found


def show(measured: Measured) -> None:
    """Prints a benchmark's figures and aims for people."""
    console = Console()
    figures = Table(title=f"{measured.name} on {', '.join(str(fact) for fact in measured.machine.values())}")
    figures.add_column("figure")
    figures.add_column("value", justify="right")
    for name, value in measured.figures.items():
        figures.add_row(name.replace("_", " "), f"{value:,.3g}" if isinstance(value, float) else str(value))
    aims = Table(title="aims")
    for column in ("what", "want", "got", "holds"):
        aims.add_column(column)
    for aim in measured.aims:
        got = "not measured" if aim.got is None else f"{aim.got:g}"
        aims.add_row(aim.what, f"{aim.want:g}", got, "yes" if aim.holds else "no")
    console.print(figures)
    console.print(aims)


def main(arguments: list[str]) -> int:
    """Runs one benchmark; gives the exit code."""
    parser = argparse.ArgumentParser(prog="./dev bench", description="One benchmark.")
    parser.add_argument("name")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    asked = parser.parse_args(arguments)
    known = benchmarks()
    if asked.name not in known:
        print(f"there is no benchmark {asked.name!r}; there are: {', '.join(known)}", file=sys.stderr)
        return 2
    measured = known[asked.name]()
    if asked.json:
        print(msgspec.json.encode(measured).decode())
    else:
        show(measured)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
