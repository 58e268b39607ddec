"""One decision judged: what each choice is worth in worlds the player could not tell apart, and with the true cards."""

from collections.abc import Callable, Sequence
from typing import Final, Literal, NamedTuple

from domain.cards import Cards
from domain.seats import Seat
from domain.streams import Stream, stream_of
from replays.review.estimates import Columns, Estimate, columns_of, exact_columns
from replays.review.settings import ReviewSettings
from replays.rollouts import Outcomes, Position, evaluate
from replays.rollouts.endings import exact_ending, own_worth
from replays.worlds import InformationSet, Numbers, Sampler, World, draw_worlds

MOST_EXACT: Final = 250
"""Endings are worked out where at most so many worlds are possible: more would take seconds in Python."""

Method = Literal["playouts", "exact"]


class Option(NamedTuple):
    """One thing the player could do: a play, in the position as it is; or none, in a position that it makes."""

    position: Position
    play: Cards = 0
    world: Callable[[World], World] | None = None


class Judged(NamedTuple):
    """What the options are worth, knowing what the player knew, and of the true cards.

    `best` and `best_of_all` are places of options; costs are against them. `method`: whether hands were played out, or
    their ends worked out. `possible` counts the worlds there are.
    """

    known: list[Estimate]
    costs: list[Estimate]
    best: int
    of_all: list[Estimate]
    costs_of_all: list[Estimate]
    best_of_all: int
    method: Method
    possible: int


def judge(
    seat: Seat,
    options: Sequence[Option],
    chosen: int,
    information: InformationSet,
    truth: World,
    settings: ReviewSettings,
    stream: Stream,
) -> Judged:
    """What these options of a seat are worth. The same stream gives the same numbers."""
    sampler = Sampler(information)
    worlds = draw_worlds(sampler, settings.worlds, Numbers(stream_of(stream, 1)))
    few = sampler.count <= MOST_EXACT and _cards_left(truth) <= settings.exact_cards
    exact = few and _is_play(options)
    if exact:
        known, of_all = exact_values(seat, options, worlds), exact_values(seat, options, [truth])
    else:
        known = values(seat, options, worlds, stream_of(stream, 2))
        of_all = values(seat, options, [truth] * settings.playouts, stream_of(stream, 3))
    best, best_of_all = known.best(chosen), of_all.best(chosen)
    return Judged(
        known.means(), known.costs(best), best,
        of_all.means(), of_all.costs(best_of_all), best_of_all,
        "exact" if exact else "playouts",
        sampler.count,
    )  # fmt: skip


def _is_play(options: Sequence[Option]) -> bool:
    """Whether all options are plays in one position."""
    return all(option.play and option.position is options[0].position for option in options)


def _cards_left(world: World) -> int:
    return max(hand.bit_count() for hand in world.hands)


def values(seat: Seat, options: Sequence[Option], worlds: Sequence[World], seed: Stream) -> Columns:
    """What each option comes to in each world, the hand being played out."""
    if _is_play(options):
        plays = [option.play for option in options]
        return columns_of([evaluate(options[0].position, worlds, plays, seed=seed)], seat)
    return columns_of([_outcomes(option, worlds, seed) for option in options], seat)


def _outcomes(option: Option, worlds: Sequence[World], seed: Stream) -> Outcomes:
    changed = worlds if option.world is None else [option.world(world) for world in worlds]
    return evaluate(option.position, changed, [option.play], seed=seed)


def exact_values(seat: Seat, options: Sequence[Option], worlds: Sequence[World]) -> Columns:
    """What each play comes to in each world, every seat playing its best with all cards shown (max^n)."""
    position = options[0].position
    known: dict[World, tuple[int, ...]] = {}
    for world in worlds:
        if world not in known:
            ending = exact_ending(position, world)
            worths = [own_worth(position.ruleset, raw, seat) for raw in ending.raw]
            known[world] = tuple(worths[ending.plays.index(option.play)] for option in options)
    columns = tuple(zip(*[known[world] for world in worlds], strict=True))
    return exact_columns(position.ruleset, columns)
