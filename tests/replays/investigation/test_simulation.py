"""Simulated deals: legal by the rules of live play, the same for the same numbers, and with cheats that are found."""

from random import Random
from statistics import fmean
from uuid import UUID

import pytest
from msgspec.structs import replace

from domain.cards import Cards, cards_in, name_of
from domain.dealing import Deal
from domain.rulesets import RULESETS, Ruleset
from domain.seats import SEATS, BySeat, Seat
from replays.investigation.battery import Deal as ScoredDeal
from replays.investigation.battery import scores_of
from replays.investigation.evaluators import Evaluator
from replays.investigation.simulation import TYPES, PlayerType, Simulated, simulate
from replays.recorded_play import RecordedHand, imported_table, play_recorded
from replays.rollouts.evaluation import compiled_kernel

THINKING = 4
"""Worlds of a thinking player here: enough to go through all of his code."""


def types(*names: str) -> BySeat[PlayerType]:
    found = [replace(TYPES[name], worlds=min(TYPES[name].worlds, THINKING)) for name in names]
    return (found[0], found[1], found[2], found[3])


def names(cards: Cards, ruleset: Ruleset) -> tuple[str, ...]:
    return tuple(name_of(card, ruleset.decks) for card in cards_in(cards))


def recorded(ruleset: Ruleset, deal: Simulated) -> RecordedHand:
    first = deal.moments[0]
    hands = [names(hand, ruleset) for hand in first.world.hands]
    levels = {name_of(card, ruleset.decks): level for card, level in first.position.levels}
    levels |= {name: "hidden" for cards in first.world.face_down for name in names(cards, ruleset)}
    return RecordedHand(
        deal=Deal(hands=(hands[0], hands[1], hands[2], hands[3]), order="unknown"),
        plays=tuple((moment.seat, names(moment.played, ruleset)) for moment in deal.moments if moment.played),
        declared=levels,
        leader=first.position.leader,
    )


@pytest.mark.parametrize("ruleset", sorted(RULESETS))
def test_live_play_admits_every_simulated_play_and_comes_to_the_same_tricks(ruleset: str) -> None:
    rules = replace(RULESETS[ruleset], first_lead="as_given")
    deal = simulate(rules, types("weak", "plain", "signalling", "weak"), 5, 1, (None, None, 0, None))
    played = play_recorded(
        imported_table(rules, 1 if rules.settlement is None else None), recorded(rules, deal)
    )
    for seat in SEATS:
        assert set(played.taken[seat]) <= set(names(deal.taken[seat], rules))


@pytest.mark.parametrize("name", sorted(TYPES))
def test_every_kind_of_player_plays_a_deal_to_its_end_and_the_same_again(name: str) -> None:
    mates: BySeat[Seat | None] = (1, 0, None, None)
    players = types(name, name, "plain", "weak")
    deal = simulate(RULESETS["blood-1"], players, 9, 2, mates)
    assert sum(moment.played.bit_count() for moment in deal.moments) == 52
    assert all(moment.information.admits(moment.world) for moment in deal.moments)
    assert simulate(RULESETS["blood-1"], players, 9, 2, mates) == deal
    assert simulate(RULESETS["blood-1"], players, 9, 3, mates).moments[0].world != deal.moments[0].world


def test_who_sees_all_cards_ranks_higher_than_who_does_not() -> None:
    compiled_kernel()  # where it is installed: the numbers are the same
    ruleset, evaluator = RULESETS["zero_sum-1"], Evaluator(worlds=7, rollouts=2)
    players = types("all-seeing", "plain", "weak", "plain")
    ranks: dict[str, list[float]] = {}
    for number in range(12):
        deal = simulate(ruleset, players, Random(1).getrandbits(32), number)
        named = ScoredDeal(UUID(int=1), number, "zero_sum-1 revision 1", (UUID(int=0),) * 4)
        for score in scores_of(named, deal.moments, evaluator, directed=False):
            ranks.setdefault(players[score.seat].name, []).append(score.rank)
    assert fmean(ranks["all-seeing"]) > 1
    assert abs(fmean(ranks["plain"])) < 0.6
