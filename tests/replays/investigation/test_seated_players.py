"""Simulated players at real tables: every play is one the match accepts, and the same numbers give the same match."""

import pytest

from domain import commands
from domain.declarations import OPENING_BYTES
from domain.rulesets import ruleset_named
from domain.secret import Secret
from replays.investigation.simulation.at_tables import kinds_at, seated_players
from replays.investigation.simulation.seasons import UnknownPlayers
from tests.support.tables import Table, seated


def _played(kind: str, ruleset: str, number: int) -> Table:
    """A match of one hand between players of whom one is of this kind."""
    _, players = seated_players(kind, 5, number)
    table = seated(ruleset_named(ruleset), hands=1, seed=number)
    players.hear(table.match, table.events)
    while table.match.hand is not None:
        heard, match, hand = len(table.events), table.match, table.hand
        if match.phase == "declaring":
            seat = hand.done.index(False)
            for card, level in players.declarations(match, seat):
                opening = Secret(bytes(OPENING_BYTES)) if level == "hidden" else None
                table.ask(commands.DeclareCard(seat=seat, card=card, level=level, opening=opening))
            table.ask(commands.SayDone(seat=seat))
        else:
            assert hand.turn is not None
            table.ask(commands.PlayCards(seat=hand.turn, cards=players.play(match, hand.turn)))
        players.hear(table.match, table.events[heard:])
    return table


@pytest.mark.parametrize("ruleset", ["zero_sum-1", "blood-2-partners"])
@pytest.mark.parametrize("kind", ["plain", "pair"])
def test_hand_is_played_to_its_end_and_again_the_same(kind: str, ruleset: str) -> None:
    first, again = (_played(kind, ruleset, 3) for _ in range(2))
    assert first.events == again.events
    assert first.match.last_hand is not None


def test_players_move_a_seat_on_from_table_to_table_and_mates_stay_together() -> None:
    places, players = seated_players("pair", 1, 1)
    assert places == (1, 2, 3, 0)
    assert players._mates == (3, None, None, 0)
    assert [kind.name for kind in players._kinds] == ["pair", "plain", "strong", "pair"]


def test_unknown_kind_is_refused_with_those_there_are() -> None:
    with pytest.raises(UnknownPlayers, match="all-seeing"):
        kinds_at("psychic")
