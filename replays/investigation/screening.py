"""Many players at once: who is to be looked at, and how closely.

The thresholds are fixed before anyone is looked at. `screened` is a number worth noting among many; `review` one that
false discovery does not explain; `escalate` one that opens a case.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Final, Literal
from uuid import UUID

import msgspec

from replays.investigation.deal_scores import DealScore
from replays.investigation.discovery import q_values
from replays.investigation.evidence import Evidence, evidence
from replays.investigation.populations import Population, Unjudged, unjudged

Level = Literal["clear", "screened", "review", "escalate"]
LEVELS: Final[tuple[Level, ...]] = ("clear", "screened", "review", "escalate")


class Thresholds(msgspec.Struct, frozen=True, kw_only=True):
    """When a player is noted, reviewed, escalated; deals below `least_deals` say nothing yet."""

    screened_z: float = 3.0
    review_q: float = 0.01
    escalate_z: float = 4.5
    least_effect: float = 0.1
    least_deals: int = 20


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """One player among those looked at."""

    player: UUID
    evidence: Evidence
    q: float
    level: Level


class Screening(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome for all who were looked at, highest z first; `short` have too few deals to say anything.

    `unjudged` are deals, of all players, of which no honest population was measured.
    """

    evaluator: str
    thresholds: Thresholds
    players: int
    deals: int
    standings: tuple[Standing, ...]
    short: tuple[UUID, ...]
    unjudged: tuple[Unjudged, ...] = ()


def screen(
    scores: Iterable[DealScore], population: Population, thresholds: Thresholds | None = None
) -> Screening:
    """Every player of these deals, by T-rank."""
    kept = thresholds or Thresholds()
    deals = _by_player(scores)
    found = _evidence(deals, population, kept)
    qs = q_values([each.p for each in found.values()])
    standings = [
        Standing(player=player, evidence=each, q=q, level=level_of(each, q, kept))
        for (player, each), q in zip(found.items(), qs, strict=True)
    ]
    standings.sort(key=lambda standing: (-standing.evidence.z, standing.player))
    return Screening(
        evaluator=population.evaluator,
        thresholds=kept,
        players=len(deals),
        deals=sum(len(each) for each in deals.values()),
        standings=tuple(standings),
        short=tuple(sorted(player for player in deals if player not in found)),
        unjudged=unjudged(chain.from_iterable(deals.values()), population),
    )


def level_of(found: Evidence, q: float, thresholds: Thresholds) -> Level:
    """How closely one is to be looked at. A small effect is never evidence, however many deals there are."""
    if found.z <= thresholds.screened_z or found.effect < thresholds.least_effect:
        return "clear"
    if found.z >= thresholds.escalate_z:
        return "escalate"
    return "review" if q < thresholds.review_q else "screened"


def _by_player(scores: Iterable[DealScore]) -> dict[UUID, list[DealScore]]:
    deals: dict[UUID, list[DealScore]] = {}
    for score in scores:
        deals.setdefault(score.player, []).append(score)
    return deals


def _evidence(
    deals: Mapping[UUID, Sequence[DealScore]], population: Population, thresholds: Thresholds
) -> dict[UUID, Evidence]:
    found: dict[UUID, Evidence] = {}
    for player, scores in deals.items():
        each = evidence("rank", ((score, None) for score in scores), population)
        if each is not None and each.deals >= thresholds.least_deals:
            found[player] = each
    return found
