"""Finds what pure packages must not do: files, sockets, clocks, processes, the environment, unseeded randomness.

It reads source text; it resolves names through the module's own imports, not through what a variable may hold.
"""

import ast
from collections.abc import Iterator
from typing import Final

_MODULES: Final = frozenset(
    [
        "asyncio",
        "concurrent",
        "ctypes",
        "fcntl",
        "fileinput",
        "getpass",
        "glob",
        "http",
        "importlib",
        "mmap",
        "multiprocessing",
        "os",
        "pathlib",
        "platform",
        "psycopg",
        "nats",
        "resource",
        "runpy",
        "sched",
        "secrets",
        "select",
        "selectors",
        "shelve",
        "shutil",
        "signal",
        "socket",
        "socketserver",
        "sqlite3",
        "ssl",
        "subprocess",
        "tempfile",
        "threading",
        "time",
        "urllib",
    ]
)
_NAMES: Final = frozenset(
    [
        "datetime.date.today",
        "datetime.datetime.now",
        "datetime.datetime.today",
        "datetime.datetime.utcnow",
        "gzip.open",
        "io.FileIO",
        "io.open",
        "io.open_code",
        "lzma.open",
        "numpy.random",
        "sys.argv",
        "sys.stderr",
        "sys.stdin",
        "sys.stdout",
        "uuid.getnode",
        "uuid.uuid1",
        "uuid.uuid4",
        "uuid.uuid6",
        "uuid.uuid7",
        "zipfile.ZipFile",
    ]
)
_BUILTINS: Final = frozenset(["__import__", "breakpoint", "eval", "exec", "input", "open", "print"])
_SEEDED: Final = "random.Random"


def effects(source: str) -> list[str]:
    """Each forbidden use as `line: name`, in the order of the source."""
    tree = ast.parse(source)
    origins = dict(_origins(tree))
    found = [
        (node.lineno, name)
        for node in ast.walk(tree)
        if isinstance(node, ast.expr | ast.Import | ast.ImportFrom)
        for name in _names_used(node, origins)
        if _is_effect(name)
    ]
    found += [(call.lineno, f"{_SEEDED}()") for call in _unseeded(tree, origins)]
    return [f"{line}: {name}" for line, name in sorted(set(found))]


def _origins(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """What each imported name stands for, as a dotted path."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield (alias.asname, alias.name) if alias.asname else (alias.name.split(".")[0],) * 2
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield alias.asname or alias.name, f"{node.module}.{alias.name}"


def _names_used(node: ast.AST, origins: dict[str, str]) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return [f"{node.module}.{alias.name}" for alias in node.names]
    path = _path(node, origins)
    return [path] if path else []


def _path(node: ast.AST, origins: dict[str, str]) -> str | None:
    """The dotted path an expression names, if its first part is imported or a builtin."""
    if isinstance(node, ast.Name):
        return origins.get(node.id) or (f"builtins.{node.id}" if node.id in _BUILTINS else None)
    if isinstance(node, ast.Attribute):
        owner = _path(node.value, origins)
        return owner and f"{owner}.{node.attr}"
    return None


def _is_effect(path: str) -> bool:
    first, *rest = path.split(".")
    if first == "builtins":
        return True
    if first == "random":
        return bool(rest) and not path.startswith(_SEEDED)
    prefixes = {".".join(path.split(".")[: length + 1]) for length in range(len(rest) + 1)}
    return first in _MODULES or not prefixes.isdisjoint(_NAMES)


def _unseeded(tree: ast.AST, origins: dict[str, str]) -> Iterator[ast.Call]:
    """Generators made without a seed, which take one from the system."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _path(node.func, origins) == _SEEDED and not node.args:
            yield node
