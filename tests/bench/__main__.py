"""`python -m tests.bench NAME [--json]`: one benchmark, as a table for people or as one JSON object for programs.

The exit code is 0 where it was measured, whether or not its aims hold; 2 where there is no such benchmark.
"""

import argparse
import importlib.util
import pkgutil
import sys
from collections.abc import Callable

import msgspec
from rich.console import Console
from rich.table import Table

from tests import bench
from tests.bench.measured import Measured


def benchmarks() -> list[str]:
    """The names of all benchmarks: the modules beside this one that have a `run`."""
    names = [module.name for module in pkgutil.iter_modules(bench.__path__) if module.name != "__main__"]
    return [name for name in names if benchmark(name) is not None]


def benchmark(name: str) -> Callable[[], Measured] | None:
    """What measures this benchmark, None where there is none of this name."""
    if name.startswith("_") or importlib.util.find_spec(f"tests.bench.{name}") is None:
        return None
    run: Callable[[], Measured] | None = getattr(importlib.import_module(f"tests.bench.{name}"), "run", None)
    return run


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
    run = benchmark(asked.name) if asked.name.isidentifier() else None
    if run is None:
        print(f"there is no benchmark {asked.name!r}; there are: {', '.join(benchmarks())}", file=sys.stderr)
        return 2
    measured = run()
    if asked.json:
        print(msgspec.json.encode(measured).decode())
    else:
        show(measured)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
