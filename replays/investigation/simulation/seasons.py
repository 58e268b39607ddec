"""Seasons: many tables of simulated players, each with its deals, scored by the battery as they are played."""

from collections.abc import Iterator
from typing import Final
from uuid import UUID

import msgspec

from domain.errors import GongzhuError
from domain.rulesets import ruleset_named
from domain.seats import SEATS, BySeat, Seat
from domain.streams import stream_of
from replays.investigation.battery import Deal, scores_of
from replays.investigation.deal_scores import DealScore
from replays.investigation.evaluators import Evaluator
from replays.investigation.simulation.hands import simulate
from replays.investigation.simulation.players import HONEST, TYPES

_DIRECTED: Final = ("pair", "pair, unlike", "soft", "dumping")
"""Cheats that are towards somebody."""


class UnknownPlayers(GongzhuError):
    """A season of players there are none of; the text lists those there are."""


class SeasonTable(msgspec.Struct, frozen=True):
    """Who sits at a table, by the names of their kinds, and who is whose mate, by seat."""

    kinds: BySeat[str]
    mates: BySeat[Seat | None] = (None, None, None, None)


class Season(msgspec.Struct, frozen=True, kw_only=True):
    """Tables that each play so many deals by one ruleset; `directed`: with leaks and softness measured too."""

    name: str
    ruleset: str
    tables: tuple[SeasonTable, ...]
    deals: int
    seed: int
    directed: bool = False

    def __len__(self) -> int:
        return len(self.tables) * self.deals


class SimulatedScore(msgspec.Struct, frozen=True, kw_only=True):
    """A deal score, with the kind of player it is of, and the seat he favours or shares with."""

    season: str
    number: int
    kind: str
    mate: Seat | None
    score: DealScore


def honest_season(ruleset: str, tables: int, deals: int, seed: int) -> Season:
    """Tables of one honest player of each kind, who sit at every seat in turn from table to table."""
    names = tuple(HONEST)
    seated = [tuple(names[(seat + table) % 4] for seat in SEATS) for table in range(tables)]
    return Season(
        name="honest",
        ruleset=ruleset,
        tables=tuple(SeasonTable((one[0], one[1], one[2], one[3])) for one in seated),
        deals=deals,
        seed=seed,
    )


def cheat_season(kind: str, ruleset: str, tables: int, deals: int, seed: int) -> Season:
    """Tables of a cheat, his mate and two honest players. Raises `UnknownPlayers`."""
    if kind not in TYPES:
        raise UnknownPlayers(f"there are no players {kind!r}; there are {', '.join(TYPES)}")
    of = TYPES[kind]
    shares = of.sees == "mate" or of.signals
    mates: BySeat[Seat | None] = (1, 0 if shares else None, None, None)
    table = SeasonTable((kind, kind if shares else "strong", "plain", "strong"), mates)
    return Season(
        name=kind,
        ruleset=ruleset,
        tables=(table,) * tables,
        deals=deals,
        seed=seed,
        directed=kind in _DIRECTED,
    )


def season_scores(season: Season, number: int, evaluator: Evaluator) -> Iterator[SimulatedScore]:
    """What the season's deal of this number (0 to its length) says of its four players."""
    place = number // season.deals
    table = season.tables[place]
    rules = ruleset_named(season.ruleset)
    kinds = (
        TYPES[table.kinds[0]], TYPES[table.kinds[1]], TYPES[table.kinds[2]], TYPES[table.kinds[3]]
    )  # fmt: skip
    played = simulate(rules, kinds, season.seed, number, table.mates)
    first, second, third, fourth = (player_of(season, place, seat) for seat in SEATS)
    deal = Deal(
        match=UUID(int=stream_of(season.seed, place)),
        hand_no=number % season.deals + 1,
        ruleset=f"{rules.name} revision {rules.revision}",
        players=(first, second, third, fourth),
    )
    for score in scores_of(deal, played.moments, evaluator, directed=season.directed):
        yield SimulatedScore(
            season=season.name,
            number=number,
            kind=table.kinds[score.seat],
            mate=table.mates[score.seat],
            score=score,
        )


def player_of(season: Season, table: int, seat: Seat) -> UUID:
    """The id of a simulated player."""
    return UUID(int=stream_of(season.seed, table, seat) << 8 | table << 2 | seat)
