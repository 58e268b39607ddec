"""Who sits with whom, and who plays from the same place: for screening only.

Friends play together and families share a line: a pair that stands out here is a pair to look at by its plays.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import combinations
from math import exp, lgamma, log
from typing import Final
from uuid import UUID

import msgspec

from replays.investigation.deal_scores import DealScore
from replays.investigation.discovery import q_values

LEAST_TOGETHER: Final = 5
"""Of pairs that met less often nothing is said."""

Pair = tuple[UUID, UUID]


class Company(msgspec.Struct, frozen=True, kw_only=True):
    """How many matches two players sat at together, and how many chance would bring about.

    `p` is the chance of so many or more; `q` the share of false finds to expect among all pairs of players that are
    at least as unlikely.
    """

    players: Pair
    together: int
    expected: float
    p: float
    q: float


class SharedClients(msgspec.Struct, frozen=True, kw_only=True):
    """Two players who came with the same digests: how many, and by how many players the rarest of them is shared."""

    players: Pair
    digests: int
    rarest: int


def companies(tables: Iterable[tuple[UUID, ...]]) -> list[Company]:
    """Every pair that met often enough, the least likely first; a table is the players of one match."""
    seats: Counter[UUID] = Counter()
    pairs: Counter[Pair] = Counter()
    taken = 0
    for table in tables:
        seats.update(table)
        pairs.update(combinations(sorted(set(table)), 2))
        taken += len(table)
    often = {pair: together for pair, together in pairs.items() if together >= LEAST_TOGETHER}
    # A match of one has the other in three of its four seats with the other's share of all seats.
    expected = {pair: seats[pair[0]] * seats[pair[1]] * 3 / taken for pair in often}
    ps = [poisson_tail(together, expected[pair]) for pair, together in often.items()]
    qs = q_values(ps, unseen=len(seats) * (len(seats) - 1) // 2 - len(often))
    found = [
        Company(players=pair, together=together, expected=expected[pair], p=p, q=q)
        for (pair, together), p, q in zip(often.items(), ps, qs, strict=True)
    ]
    return sorted(found, key=lambda company: (company.p, company.players))


def tables_of(deals: Iterable[DealScore]) -> Iterable[tuple[UUID, ...]]:
    """The players of each match that these deals are of."""
    return {deal.match: deal.players for deal in deals if deal.players is not None}.values()


def poisson_tail(count: int, mean: float) -> float:
    """The chance of at least `count` events where `mean` are expected (a sum of a series; mean above 0)."""
    if count <= mean:
        return 1.0 - sum(_poisson(each, mean) for each in range(count))
    total, term, each = 0.0, _poisson(count, mean), count
    while term > total * 1e-15:
        total += term
        each += 1
        term *= mean / each
    return total


def _poisson(count: int, mean: float) -> float:
    return exp(count * log(mean) - mean - lgamma(count + 1))


def shared_clients(digests: Mapping[UUID, frozenset[str]], most_players: int = 5) -> list[SharedClients]:
    """Pairs with a digest in common, the rarest first; one of more than `most_players` is a place, not a person."""
    holders: dict[str, list[UUID]] = {}
    for player, theirs in sorted(digests.items()):
        for digest in theirs:
            holders.setdefault(digest, []).append(player)
    shared: dict[Pair, list[int]] = {}
    for players in holders.values():
        if len(players) <= most_players:
            for first, second in combinations(players, 2):
                shared.setdefault((first, second), []).append(len(players))
    found = [
        SharedClients(players=pair, digests=len(counts), rarest=min(counts))
        for pair, counts in shared.items()
    ]
    return sorted(found, key=lambda each: (each.rarest, -each.digests, each.players))
