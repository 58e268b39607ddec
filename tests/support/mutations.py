"""Files damaged in every way that files are damaged, from a seed."""

import gzip
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Final

from adapters.exports.manifest import MANIFEST

Damage = Callable[[bytes, Random], bytes]

_CARD: Final = re.compile(rb"\b[SHDC][2-9TJQKA][ab]?\b")
_SCORE: Final = re.compile(rb"(?<=[\[,: ])-?[0-9]+(?=[\],} \n])")
_NUMBER: Final = re.compile(rb"[0-9]+")
_HUGE: Final = (b"9" * 400, b"1e400", b"-" + b"9" * 30, b"%d" % (2**63 - 1), b"%d" % (2**64 - 1))


def _cut(content: bytes, random: Random) -> bytes:
    return content[: random.randrange(len(content))]


def _lines(change: Callable[[list[bytes], Random], None]) -> Damage:
    def damage(content: bytes, random: Random) -> bytes:
        lines = content.splitlines(keepends=True)
        change(lines, random)
        return b"".join(lines)

    return damage


def _doubled(lines: list[bytes], random: Random) -> None:
    place = random.randrange(len(lines))
    lines.insert(place, lines[place])


def _swapped(lines: list[bytes], random: Random) -> None:
    one, other = random.sample(range(len(lines)), 2)
    lines[one], lines[other] = lines[other], lines[one]


def _deleted(lines: list[bytes], random: Random) -> None:
    del lines[random.randrange(len(lines))]


def _moved(lines: list[bytes], random: Random) -> None:
    """A line of one match among those of another."""
    line = lines.pop(random.randrange(len(lines) // 2))
    lines.insert(random.randrange(len(lines) // 2, len(lines)), line)


def _replaced(pattern: "re.Pattern[bytes]", by: Callable[[bytes, Random], bytes]) -> Damage:
    """One place of a pattern, replaced by something else."""

    def damage(content: bytes, random: Random) -> bytes:
        found = random.choice(list(pattern.finditer(content)))
        return content[: found.start()] + by(found.group(), random) + content[found.end() :]

    return damage


def _other_card(card: bytes, random: Random) -> bytes:
    names = [suit + rank for suit in "SHDC" for rank in "23456789TJQKA"]
    return (random.choice([name for name in names if name != card[:2].decode()]) + card[2:].decode()).encode()


def _inserted(what: bytes) -> Damage:
    def damage(content: bytes, random: Random) -> bytes:
        place = random.randrange(len(content))
        return content[:place] + what + content[place:]

    return damage


def _flipped(content: bytes, place: int, random: Random) -> bytes:
    return content[:place] + bytes([content[place] ^ 1 << random.randrange(8)]) + content[place + 1 :]


def _any_file(folder: Path, random: Random) -> Path:
    return random.choice(
        sorted(path for path in folder.rglob("*.*") if path.name != MANIFEST and path.is_file())
    )


def _change(path: Path, damage: Damage, random: Random) -> None:
    path.write_bytes(damage(path.read_bytes(), random))


def _rewrite(folder: Path, old: bytes, new: bytes) -> None:
    content = (folder / MANIFEST).read_bytes()
    assert old in content, old
    (folder / MANIFEST).write_bytes(content.replace(old, new, 1))


def _exchange(folder: Path, random: Random) -> None:
    one, other = _any_file(folder, random), _any_file(folder, random)
    if one != other:
        one.replace(folder / "aside")
        other.replace(one)
        (folder / "aside").replace(other)


def _to_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _emptied(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.mkdir()


HARMLESS: Final[dict[str, Damage]] = {
    "byte order mark": lambda content, _: b"\xef\xbb\xbf" + content,
    "Windows line ends": lambda content, _: content.replace(b"\n", b"\r\n"),
}
"""What a file survives: everything in it is restored."""

TEXT: Final[dict[str, Damage]] = {
    **HARMLESS,
    "cut": _cut,
    "doubled line": _lines(_doubled),
    "swapped lines": _lines(_swapped),
    "deleted line": _lines(_deleted),
    "moved line": _lines(_moved),
    "wrong card": _replaced(_CARD, _other_card),
    "wrong score": _replaced(
        _SCORE, lambda score, random: b"%d" % (int(score) + random.choice((-100, -1, 1, 20)))
    ),
    "huge number": _replaced(_NUMBER, lambda _, random: random.choice(_HUGE)),
    "deep nesting": _replaced(_NUMBER, lambda _, random: random.choice((b"[", b'{"a":')) * 50_000),
    "UTF-16": lambda content, _: content.decode().encode("utf-16"),
    "Latin-1": _inserted(b"\xe9"),
    "NUL": _inserted(b"\0"),
    "half a character": _inserted(b"\xed\xa0\x80"),
    "garbage in the middle": _inserted(bytes(range(128, 256))),
    "empty": lambda _content, _random: b"",
    "only spaces": lambda _content, _random: b" \n" * 40,
    "gzip": lambda content, _: gzip.compress(content, mtime=0),
    "garbage": lambda _, random: random.randbytes(500),
    "twice": lambda content, _: content + content,
}
"""Damage to files of text. What is in a file `twice` is there already the second time."""

BINARY: Final[dict[str, Damage]] = {
    name: TEXT[name] for name in ("cut", "NUL", "garbage in the middle", "empty", "gzip", "garbage")
} | {
    "flipped bit": lambda content, random: _flipped(content, random.randrange(len(content)), random),
    "flipped footer": lambda content, random: _flipped(
        content, len(content) - random.randrange(1, 600), random
    ),
    "zeros": lambda content, random: content[: random.randrange(len(content))].ljust(len(content), b"\0"),
}
"""Damage to Parquet files."""

FOLDER: Final[dict[str, Callable[[Path, Random], None]]] = {
    "no manifest": lambda folder, _: (folder / MANIFEST).unlink(),
    "manifest cut": lambda folder, random: _change(folder / MANIFEST, _cut, random),
    "manifest of another": lambda folder, _: _rewrite(folder, b'"sha256": "', b'"sha256": "0'),
    "manifest of other sizes": lambda folder, _: _rewrite(folder, b'"bytes": ', b'"bytes": 1'),
    "manifest of a later form": lambda folder, _: _rewrite(folder, b'"export": 1', b'"export": 2'),
    "manifest that reaches outside": lambda folder, _: _rewrite(folder, b'"path": "', b'"path": "../'),
    "manifest that names a folder": lambda folder, _: _rewrite(folder, b"-00001", b"-00001/"),
    "manifest deeply nested": lambda folder, _: _rewrite(
        folder, b'"filters": {', b'"filters": ' + b'{"a":' * 50_000
    ),
    "changed file": lambda folder, random: _change(_any_file(folder, random), _inserted(b" "), random),
    "missing file": lambda folder, random: _any_file(folder, random).unlink(),
    "file in another's place": _exchange,
    "folder in a file's place": lambda folder, random: _to_folder(_any_file(folder, random)),
    "nothing but folders": lambda folder, _: _emptied(folder),
}
"""Damage to the folder of an export."""
