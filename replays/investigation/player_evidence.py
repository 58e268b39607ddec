"""All that the deals of one player, or of two together, say: towards nobody, and towards each who sat with him."""

from collections.abc import Iterable, Sequence
from uuid import UUID

import msgspec

from domain.seats import SEATS, Seat
from replays.investigation.deal_scores import DealScore, Statistic
from replays.investigation.evidence import Evidence, evidence
from replays.investigation.populations import Population, Unjudged, unjudged

LEAST_TOGETHER = 20
"""Deals two players have sat through at one table before anything is said of the two."""


class Towards(msgspec.Struct, frozen=True, kw_only=True):
    """The evidence of one statistic towards another player."""

    other: UUID
    evidence: Evidence


class PlayerEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """What a player's deals say. `leaks` and `soft` are highest z first; `autopilot` counts plays that were not his."""

    player: UUID
    deals: int
    decisions: int
    autopilot: int
    rank: Evidence | None
    declaring: Evidence | None
    leaks: tuple[Towards, ...]
    soft: tuple[Towards, ...]
    unjudged: tuple[Unjudged, ...] = ()


class PairEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """What the deals that two players sat through together say, in both directions."""

    players: tuple[UUID, UUID]
    deals: int
    leaks: tuple[Evidence | None, Evidence | None]
    soft: tuple[Evidence | None, Evidence | None]
    unjudged: tuple[Unjudged, ...] = ()


def player_evidence(player: UUID, scores: Iterable[DealScore], population: Population) -> PlayerEvidence:
    """All that a player's deals say."""
    own = [score for score in scores if score.player == player]
    return PlayerEvidence(
        player=player,
        deals=len(own),
        decisions=sum(score.decisions for score in own),
        autopilot=sum(score.autopilot for score in own),
        rank=evidence("rank", ((score, None) for score in own), population),
        declaring=evidence("declaring", ((score, None) for score in own), population),
        leaks=_towards("leak", own, population),
        soft=_towards("soft", own, population),
        unjudged=unjudged(own, population),
    )


def pair_evidence(
    first: UUID, second: UUID, scores: Iterable[DealScore], population: Population
) -> PairEvidence:
    """What two players' common deals say."""
    common = [score for score in scores if {first, second} <= set(score.players or ())]
    ways = ((first, second), (second, first))

    def both(statistic: Statistic) -> tuple[Evidence | None, Evidence | None]:
        there, back = (_one_way(statistic, common, way, population) for way in ways)
        return (there, back)

    return PairEvidence(
        players=(first, second),
        deals=len({(score.match, score.hand_no) for score in common}),
        leaks=both("leak"),
        soft=both("soft"),
        unjudged=unjudged((score for score in common if score.player == first), population),
    )


def _one_way(
    statistic: Statistic, scores: Sequence[DealScore], way: tuple[UUID, UUID], population: Population
) -> Evidence | None:
    player, other = way
    own = [(score, seat_of(score, other)) for score in scores if score.player == player]
    return evidence(statistic, own, population)


def _towards(statistic: Statistic, own: Sequence[DealScore], population: Population) -> tuple[Towards, ...]:
    met: dict[UUID, list[tuple[DealScore, Seat | None]]] = {}
    for score in own:
        for seat in SEATS:
            if score.players is not None and seat != score.seat:
                met.setdefault(score.players[seat], []).append((score, seat))
    found = [
        Towards(other=other, evidence=each)
        for other, pairs in met.items()
        if len(pairs) >= LEAST_TOGETHER and (each := evidence(statistic, pairs, population)) is not None
    ]
    return tuple(sorted(found, key=lambda towards: (-towards.evidence.z, towards.other)))


def seat_of(score: DealScore, player: UUID) -> Seat:
    """Where another player of the deal sat."""
    assert score.players is not None, "a deal that was looked at for a pair names its players"
    return score.players.index(player)
