"""One decision judged: what each choice is worth in worlds the player could not tell apart, and with the true cards."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from domain.cards import Cards
from domain.seats import Seat
from domain.streams import Stream, stream_of
from replays.review.estimates import Columns, Estimate, columns_of
from replays.review.settings import ReviewSettings
from replays.rollouts import Outcomes, Position, evaluate
from replays.worlds import InformationSet, Numbers, Sampler, World, draw_worlds


class Option(NamedTuple):
    """One thing the player could do: a play, in the position as it is; or none, in a position that it makes."""

    position: Position
    play: Cards = 0
    world: Callable[[World], World] | None = None


class Judged(NamedTuple):
    """What the options are worth, knowing what the player knew, and of the true cards.

    `best` and `best_of_all` are places of options; costs are against them. `possible` counts the worlds there are.
    """

    known: list[Estimate]
    costs: list[Estimate]
    best: int
    of_all: list[Estimate]
    costs_of_all: list[Estimate]
    best_of_all: int
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
    known = values(seat, options, worlds, stream_of(stream, 2))
    of_all = values(seat, options, [truth] * settings.playouts, stream_of(stream, 3))
    best, best_of_all = known.best(chosen), of_all.best(chosen)
    return Judged(
        known.means(), known.costs(best), best,
        of_all.means(), of_all.costs(best_of_all), best_of_all,
        sampler.count,
    )  # fmt: skip


def values(seat: Seat, options: Sequence[Option], worlds: Sequence[World], seed: Stream) -> Columns:
    """What each option comes to in each world."""
    if all(option.position is options[0].position and option.world is None for option in options):
        plays = [option.play for option in options]
        return columns_of([evaluate(options[0].position, worlds, plays, seed=seed)], seat)
    return columns_of([_outcomes(option, worlds, seed) for option in options], seat)


def _outcomes(option: Option, worlds: Sequence[World], seed: Stream) -> Outcomes:
    changed = worlds if option.world is None else [option.world(world) for world in worlds]
    return evaluate(option.position, changed, [option.play], seed=seed)
