"""`python -m tests.chaos NAME [options]`: one run that breaks things on purpose."""

import importlib
import pkgutil
import sys

import tests.chaos


def names() -> list[str]:
    """The runs there are: the modules here that have a `main`."""
    found = [module.name for module in pkgutil.iter_modules(tests.chaos.__path__)]
    return [name for name in found if not name.startswith(("_", "test_")) and not name.endswith("_worker")]


def run(arguments: list[str]) -> int:
    """Runs what is named; 2 where nothing of that name is."""
    if not arguments or arguments[0] not in names():
        print(f"usage: ./dev chaos NAME [options], NAME one of: {', '.join(names())}", file=sys.stderr)
        return 2
    module = importlib.import_module(f"tests.chaos.{arguments[0]}")
    return int(module.main(arguments[1:]))


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
