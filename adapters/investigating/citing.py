"""What is put into a case, as it is at that time: events, statistics with their deals, client facts."""

from collections.abc import Sequence
from uuid import UUID

import msgspec

from adapters.people.connections import KnownConnection
from adapters.postgres.deal_scores import Wanted, players_scored, stored_scores
from adapters.postgres.match_rows import Pool, rows_of_match
from domain.errors import GongzhuError
from replays.investigation.deal_scores import DealScore
from replays.investigation.evaluators import Evaluator
from replays.investigation.player_evidence import PlayerEvidence, player_evidence
from replays.investigation.populations import Population


class NotEnded(GongzhuError):
    """A match in play is cited once it has ended."""


class CitedEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """A player's evidence with all it was computed from. `screened`: how many players were looked at together."""

    evaluator: Evaluator
    population: Population
    screened: int
    scores: tuple[DealScore, ...]
    evidence: PlayerEvidence


class CitedClients(msgspec.Struct, frozen=True, kw_only=True):
    """A player's connections as they were on record: keyed digests of where from, never addresses."""

    player: UUID
    connections: tuple[KnownConnection, ...]


def cited_match(pool: Pool, match: UUID) -> bytes:
    """The public events of an ended match, byte for byte, one a line. Raises `NotEnded`."""
    rows = rows_of_match(pool, match)
    if not any(row.tag.startswith(("MatchSettled.", "MatchAbandoned.")) for row in rows):
        raise NotEnded(f"match {match} has not ended; cite it when it has")
    return b"".join(row.public + b"\n" for row in rows)


def cited_evidence(pool: Pool, player: UUID, evaluator: Evaluator, honest: Population) -> bytes:
    """A player's evidence now, with the deals and populations behind it and how many players stand beside him."""
    scores = tuple(stored_scores(pool, evaluator.name, Wanted(player=player)))
    found = CitedEvidence(
        evaluator=evaluator,
        population=honest,
        screened=players_scored(pool, evaluator.name),
        scores=scores,
        evidence=player_evidence(player, scores, honest),
    )
    return msgspec.json.encode(found)


def cited_clients(player: UUID, connections: Sequence[KnownConnection]) -> bytes:
    """A player's connections, as an investigator read them."""
    return msgspec.json.encode(CitedClients(player=player, connections=tuple(connections)))
