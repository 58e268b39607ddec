"""Think times, company and shared clients: screening, never evidence."""

from math import exp
from random import Random
from uuid import UUID

import msgspec
import pytest
from scipy.stats import poisson

from replays.investigation.company import companies, poisson_tail, shared_clients
from replays.investigation.deal_scores import DealScore
from replays.investigation.outlying import outlyingness
from replays.investigation.pace import paces


def deals(
    player: int, random: Random, *, middle: float = 8.0, spread: float = 0.6, many: int = 20
) -> list[DealScore]:
    """Deals of a player, ten plays each, three of them forced and quicker."""

    def times(count: int, around: float) -> tuple[int, ...]:
        return tuple(int(exp(random.gauss(around, spread))) for _ in range(count))

    return [
        DealScore(
            match=UUID(int=number), hand_no=1, seat=0, player=UUID(int=player), ruleset="zero_sum-1 revision 1",
            role="leads", most=13, decisions=7, rank=0.0, chosen_ms=times(7, middle), forced_ms=times(3, middle - 1),
        )
        for number in range(many)
    ]  # fmt: skip


def test_a_player_like_a_clock_stands_out_among_people() -> None:
    random = Random(1)
    everyone = [deal for player in range(30) for deal in deals(player, random)]
    everyone += deals(99, random, spread=0.02)
    first = paces(everyone)[0]
    assert first.player == UUID(int=99)
    assert first.evenness_off < -5
    assert first.plays == 200


def test_a_slower_hand_is_no_more_than_slower() -> None:
    random = Random(2)
    found = {pace.player.int: pace for pace in paces(deals(1, random) + deals(2, random, middle=9.0))}
    assert found[2].median_ms > 2 * found[1].median_ms
    assert found[2].slower_with_choice == pytest.approx(found[1].slower_with_choice, abs=0.4)


def test_of_a_player_with_few_plays_nothing_is_said() -> None:
    assert paces(deals(1, Random(3), many=14)) == []
    assert len(paces(deals(1, Random(3), many=15))) == 1


def test_plays_of_the_autopilot_are_counted_apart() -> None:
    mine = [msgspec.structs.replace(deal, autopilot=2) for deal in deals(1, Random(4))]
    (pace,) = paces(mine)
    assert pace.autopilot == pytest.approx(1 / 6)
    assert pace.median_ms > 1_000


def test_one_who_leaves_much_to_the_autopilot_stands_out_among_many_who_leave_nothing() -> None:
    random = Random(6)
    everyone = [deal for player in range(20) for deal in deals(player, random)]
    everyone += [msgspec.structs.replace(deal, autopilot=3) for deal in deals(99, random)]
    first = paces(everyone)[0]
    assert first.player == UUID(int=99)
    assert first.autopilot_off == first.most_off > 5


def test_numbers_that_are_all_alike_stand_out_nowhere() -> None:
    assert outlyingness({"a": 1.0, "b": 1.0, "c": 1.0}) == {"a": 0.0, "b": 0.0, "c": 0.0}
    assert outlyingness({}) == {}


def test_a_pair_that_always_sits_together_is_the_least_likely() -> None:
    random = Random(5)
    tables = [tuple(UUID(int=player) for player in random.sample(range(40), 4)) for _ in range(400)]
    tables += [
        (UUID(int=90), UUID(int=91), *(UUID(int=p) for p in random.sample(range(40), 2))) for _ in range(30)
    ]
    first = companies(tables)[0]
    assert first.players == (UUID(int=90), UUID(int=91))
    assert first.together == 30
    assert first.p < 1e-9
    assert first.q == pytest.approx(first.p * 42 * 41 / 2)  # of all pairs that might have met
    assert all(company.p > 1e-6 for company in companies(tables) if company.players[1].int < 90)


@pytest.mark.parametrize(("count", "mean"), [(0, 0.5), (1, 0.5), (5, 5.0), (30, 2.5), (3, 40.0)])
def test_the_tail_of_a_poisson_distribution_is_as_known(count: int, mean: float) -> None:
    assert poisson_tail(count, mean) == pytest.approx(poisson.sf(count - 1, mean), rel=1e-9)


def test_a_digest_of_two_is_told_and_one_of_a_whole_cafe_is_not() -> None:
    cafe = {UUID(int=player): frozenset({"cafe"}) for player in range(10)}
    cafe[UUID(int=3)] |= {"home"}
    cafe[UUID(int=7)] |= {"home"}
    (found,) = shared_clients(cafe)
    assert found.players == (UUID(int=3), UUID(int=7))
    assert (found.digests, found.rarest) == (1, 2)
