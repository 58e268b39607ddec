"""Adds to `tests/recorded/events/` and `tests/recorded/matches/`: `./dev python -m tests.support.recording`.

One file for each event type and version, and whole matches of every ruleset, as stored public objects. Event shapes are
frozen: a file that is there is never written again, and `SHA256SUMS` (for `sha256sum -c`) says what each holds. A new
version of an event brings its own file, and matches that hold it, under new names.
"""

from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Final

import msgspec

from adapters.serialization import encode_public, tag_of
from domain.commands import (
    AbandonMatch,
    AnnulMatch,
    Command,
    CorrectHand,
    HandOverSeat,
    LeaveSeat,
    LiftAnnulment,
    TakeBackSeat,
    TakeSeat,
)
from domain.decisions import decide_and_evolve
from domain.events import EVENT_TYPES, Event
from domain.match import Match, fold
from domain.rulesets import RULESETS, Ruleset
from tests.support.random_play import random_events, random_match
from tests.support.tables import MORNING

RECORDED: Final = Path(__file__).parents[1] / "recorded"
EVENTS: Final = RECORDED / "events"
MATCHES: Final = RECORDED / "matches"
SUMS: Final = RECORDED / "SHA256SUMS"
FROZEN: Final = ("events", "matches", "notation")
"""Folders whose files are never written again."""
SEEDS: Final = (1, 2)


class AlreadyRecorded(Exception):
    """A recording that is there and would become another."""


def recorded_matches() -> dict[str, list[Event]]:
    """Matches by file name: two of each ruleset, and one each that was abandoned, annulled and corrected."""
    matches = {
        f"{name}-{seed}": random_events(ruleset, Random(f"{name}/{seed}"), hands=2)
        for name, ruleset in RULESETS.items()
        for seed in SEEDS
    }
    for name in ("blood-1", "zero_sum-2"):
        cut = _until_trick(RULESETS[name], 3)
        matches[f"{name}-abandoned"] = _after(cut, AbandonMatch(cause="the table broke up", by="operator"))
    matches["blood-2-away"] = _after(
        _until_trick(RULESETS["blood-2"], 2), HandOverSeat(seat=2), TakeBackSeat(seat=2)
    )
    matches["zero_sum-1-left"] = _left()
    settled = random_events(RULESETS["zero_sum-1"], Random("integrity"), hands=2)
    matches["zero_sum-1-integrity"] = _after(
        settled,
        AnnulMatch(case="C-1", cause="shared cards", by="staff"),
        LiftAnnulment(case="C-1", cause="appeal", by="staff"),
        CorrectHand(case="C-2", cause="wrong score", by="staff", hand_no=1, raw_scores=(-100, 0, 0, 100)),
    )
    return matches


def _until_trick(ruleset: Ruleset, tricks: int) -> list[Event]:
    """The events of a match until so many tricks of its first hand are taken."""
    events: list[Event] = []
    for step in random_match(ruleset, Random(f"{ruleset.name}/until"), hands=1):
        events += step.events
        if step.after.hand is not None and len(step.after.hand.takers) == tricks:
            break
    return events


def _left() -> list[Event]:
    """A match whose first guest leaves before the deal and whose seat another takes."""
    steps = [step.command for step in random_match(RULESETS["zero_sum-1"], Random("left"), hands=1)][:2]
    assert isinstance(steps[1], TakeSeat)
    decision = decide_and_evolve(None, steps[0], MORNING)
    return _after(list(decision.events), steps[1], LeaveSeat(seat=steps[1].seat), steps[1])


def _after(events: list[Event], *commands: Command) -> list[Event]:
    match: Match | None = fold(events)
    for command in commands:
        assert match is not None
        decision = decide_and_evolve(match, command, match.at)
        events, match = [*events, *decision.events], decision.match
    return events


def recorded_events(matches: dict[str, list[Event]]) -> dict[str, Event]:
    """One event of each type by its tag, the fullest that the matches have."""
    fullest: dict[str, Event] = {}
    for event in (event for events in matches.values() for event in events):
        tag = tag_of(event)
        if tag not in fullest or len(encode_public(event)) > len(encode_public(fullest[tag])):
            fullest[tag] = event
    return fullest


def add(path: Path, content: bytes) -> bool:
    """Adds a recording; whether it was missing. Raises `AlreadyRecorded` where another stands under its name."""
    if path.exists():
        if path.read_bytes() == content:
            return False
        raise AlreadyRecorded(
            f"{path.name} is recorded and stays as it is; record the new one under another name"
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return True


def digests(root: Path = RECORDED) -> dict[str, str]:
    """The SHA-256 of every frozen recording, in hex, by its path under `root`."""
    paths = sorted(path for folder in FROZEN for path in (root / folder).iterdir())
    return {path.relative_to(root).as_posix(): sha256(path.read_bytes()).hexdigest() for path in paths}


def sums(file: Path = SUMS) -> dict[str, str]:
    """The same as it was written down when each was recorded."""
    lines = [line.split("  ", 1) for line in file.read_text(encoding="utf-8").splitlines()]
    return {name: digest for digest, name in lines}


def write() -> None:
    """Adds what is missing, and its digests."""
    matches = recorded_matches()
    for name, events in matches.items():
        add(MATCHES / f"{name}.jsonl", b"".join(encode_public(event) + b"\n" for event in events))
    found = recorded_events(matches)
    missing = set(EVENT_TYPES) - {type(event) for event in found.values()}
    assert not missing, f"never happens: {missing}"
    for tag, event in found.items():
        add(EVENTS / f"{tag}.json", msgspec.json.format(encode_public(event), indent=1) + b"\n")
    note_new()


def note_new(root: Path = RECORDED) -> None:
    """Writes down the digests of recordings that have none yet."""
    known = sums(root / SUMS.name)
    with (root / SUMS.name).open("a", encoding="utf-8") as file:
        file.writelines(f"{digest}  {name}\n" for name, digest in digests(root).items() if name not in known)


if __name__ == "__main__":
    write()
