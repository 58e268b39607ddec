"""Replays: whole timelines from stored events, beside decoding alone and python-chess; a long match's page; exports.

`timelines` decodes the stored public events of a match of one hand and makes every step of it; `floor` only decodes
them. python-chess replays games of 52 plies, as many as a hand of one deck has plays, from their moves in UCI, and
keeps the board after each. A page is opened in Chromium until its table can be seen; an export writes a log of ended
matches as NDJSON, Parquet and notation, and its memory is watched.
"""

import importlib.util
import statistics
from collections.abc import Callable, Iterator
from random import Random
from typing import Any, Final
from uuid import UUID

from adapters.serialization import decode_public, encode_public, tag_of
from domain.events import Event, HandEnded, public_form
from domain.rulesets import RULESETS
from domain.visibility import SPECTATOR
from replays.timeline import Timeline
from tests.bench.measured import Measured, Work, at_least, machine, one_core, rates_in_rounds, ratio
from tests.bench.replay_export import export_aims, export_figures
from tests.bench.replay_page import page_aims, page_figures
from tests.support.random_play import random_events

HANDS: Final = 200
"""Different hands, and games, that take turns."""
PLIES: Final = 52
BATCH: Final = 20
LIMIT_S: Final = 20

Stored = list[tuple[str, bytes, UUID, int]]
"""A match as it is stored: tag, public form, id and version of each event."""


def run() -> Measured:
    """Hands a second of every peer and their ratios, the page, and the export."""
    with one_core():
        rates, failed = rates_in_rounds(_ours() | _chess(), rounds=7, for_s=0.6, limit_s=LIMIT_S)
    figures: dict[str, Any] = {
        f"{name}_per_s": round(statistics.median(found)) for name, found in rates.items()
    }
    figures |= {f"{name}_failed": why for name, why in failed.items()}
    if not _has_chess():
        figures["chess_note"] = "not installed: `./dev bench replay` prepares an environment that has it"
    page, export = page_figures(), export_figures()
    return Measured(
        name="replay",
        machine=machine(),
        figures=figures | page | export,
        aims=(
            at_least(
                "timelines, of the rate of decoding alone",
                0.25,
                ratio(rates, "timeline_hands", "floor_hands"),
            ),
            at_least("timelines, times python-chess", 1.0, ratio(rates, "timeline_hands", "chess_games")),
            *page_aims(page),
            *export_aims(export),
        ),
    )


def _ours() -> dict[str, Work]:
    one_deck, two_decks = stored_hands("zero_sum-1"), stored_hands("zero_sum-2")
    return {
        "floor_hands": _each(one_deck, lambda stored: list(_decoded(stored))),
        "timeline_hands": _each(one_deck, lambda stored: Timeline(_decoded(stored))),
        "viewed_hands": _each(one_deck, _viewed),
        "two_decks_floor_hands": _each(two_decks, lambda stored: list(_decoded(stored))),
        "two_decks_timeline_hands": _each(two_decks, lambda stored: Timeline(_decoded(stored))),
    }


def stored_hands(ruleset: str) -> list[Stored]:
    """Matches of one hand each, as they are stored."""
    chance = Random(f"{ruleset} hands")
    matches = [random_events(RULESETS[ruleset], chance, hands=1) for _ in range(HANDS)]
    assert all(sum(isinstance(event, HandEnded) for event in match) == 1 for match in matches)
    return [[_stored(event) for event in match] for match in matches]


def _stored(event: Event) -> tuple[str, bytes, UUID, int]:
    return tag_of(event), encode_public(public_form(event)), event.match, event.version


def _decoded(stored: Stored) -> Iterator[Event]:
    return (decode_public(tag, public, match, version) for tag, public, match, version in stored)


def _viewed(stored: Stored) -> None:
    """Every step as a spectator sees it."""
    timeline = Timeline(_decoded(stored))
    for number in range(1, len(timeline) + 1):
        timeline.view(number, SPECTATOR)


def _each(matches: list[Stored], do: Callable[[Stored], object]) -> Work:
    """Does it with one match after another, round and round."""
    place = 0

    def work() -> int:
        nonlocal place
        for _ in range(BATCH):
            do(matches[place % len(matches)])
            place += 1
        return BATCH

    return work


def _has_chess() -> bool:
    return importlib.util.find_spec("chess") is not None


def _chess() -> dict[str, Work]:
    """Games of as many plies, with the board after each."""
    if not _has_chess():
        return {}
    import chess

    chance = Random(1)

    def game() -> list[str]:
        while True:
            board = chess.Board()
            moves: list[str] = []
            while len(moves) < PLIES and not board.is_game_over():
                move = chance.choice(list(board.legal_moves))
                board.push(move)
                moves.append(move.uci())
            if len(moves) == PLIES:
                return moves

    games = [game() for _ in range(HANDS)]
    place = 0

    def replay(moves: list[str]) -> list[Any]:
        board, boards = chess.Board(), []
        for move in moves:
            board.push(chess.Move.from_uci(move))
            boards.append(board.copy(stack=False))
        return boards

    def work() -> int:
        nonlocal place
        for _ in range(BATCH):
            replay(games[place % HANDS])
            place += 1
        return BATCH

    return {"chess_games": work}
