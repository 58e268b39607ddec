"""Think times, company and shared clients: screening, never evidence."""

from math import exp
from random import Random
from uuid import UUID

import pytest
from scipy.stats import poisson

from replays.investigation.company import companies, poisson_tail, shared_clients
from replays.investigation.outlying import outlyingness
from replays.investigation.pace import TimedPlay, paces


def plays(player: int, random: Random, *, middle: float = 8.0, spread: float = 0.6) -> list[TimedPlay]:
    return [
        TimedPlay(
            player=UUID(int=player),
            think_ms=int(exp(random.gauss(middle if choices > 1 else middle - 1, spread))),
            choices=choices,
        )
        for choices in (1, 2, 3, 4) * 50
    ]


def test_a_player_like_a_clock_stands_out_among_people() -> None:
    random = Random(1)
    all_plays = [play for player in range(30) for play in plays(player, random)]
    all_plays += plays(99, random, spread=0.02)
    first = paces(all_plays)[0]
    assert first.player == UUID(int=99)
    assert first.evenness_off < -5
    assert first.plays == 200


def test_a_slower_hand_is_no_more_than_slower() -> None:
    random = Random(2)
    found = {pace.player.int: pace for pace in paces(plays(1, random) + plays(2, random, middle=9.0))}
    assert found[2].median_ms > 2 * found[1].median_ms
    assert found[2].slower_with_choice == pytest.approx(found[1].slower_with_choice, abs=0.4)


def test_of_a_player_with_few_plays_nothing_is_said() -> None:
    assert paces(plays(1, Random(3))[:40]) == []


def test_plays_of_the_autopilot_are_counted_apart() -> None:
    mine = plays(1, Random(4))
    automatic = [TimedPlay(player=UUID(int=1), think_ms=0, choices=3, autopilot=True)] * 50
    (pace,) = paces(mine + automatic)
    assert pace.autopilot == pytest.approx(0.2)
    assert pace.median_ms > 1_000


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
    assert all(company.p > 1e-6 for company in companies(tables) if company.players[1].int < 90)


@pytest.mark.parametrize(("count", "mean"), [(0, 0.5), (1, 0.5), (5, 5.0), (30, 2.5), (3, 40.0)])
def test_the_tail_of_a_poisson_distribution_is_as_known(count: int, mean: float) -> None:
    assert poisson_tail(count, mean) == pytest.approx(poisson.sf(count - 1, mean), rel=1e-9)


def test_a_digest_of_two_is_told_and_one_of_a_whole_cafe_is_not() -> None:
    cafe = {UUID(int=player): frozenset({b"cafe"}) for player in range(10)}
    cafe[UUID(int=3)] |= {b"home"}
    cafe[UUID(int=7)] |= {b"home"}
    (found,) = shared_clients(cafe)
    assert found.players == (UUID(int=3), UUID(int=7))
    assert (found.digests, found.rarest) == (1, 2)
