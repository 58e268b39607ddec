"""The battery: every decision of a deal asked whether it fits the true cards better than it should.

For each decision worlds are drawn from the player's own information set, and every legal play is played out in each
and in the true one, by two policies. Equal seeds give equal numbers, in whatever order decisions are asked.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple
from uuid import UUID

from domain.events import HandEnded
from domain.seats import SEATS, BySeat, Seat, side_of
from domain.streams import stream_of
from replays.investigation.deal_scores import DealScore
from replays.investigation.declaring import choices_of, position_with, world_with
from replays.investigation.evaluators import Evaluator
from replays.investigation.moments import Moment
from replays.investigation.ranks import advantage, centred_rank
from replays.investigation.softness import help_for, softness
from replays.rollouts import Outcomes, Policy, evaluate
from replays.timeline import Timeline
from replays.worlds import InformationSet, Numbers, Sampler, World

_NOTHING: BySeat[float | None] = (None, None, None, None)


class Deal(NamedTuple):
    """Which deal it is: its match, hand, ruleset (name and revision) and players by seat."""

    match: UUID
    hand_no: int
    ruleset: str
    players: BySeat[UUID]


def finished_deals(timeline: Timeline) -> Iterator[tuple[Deal, HandEnded]]:
    """The deals of a match whose hand has ended with its cards public, each with its end."""
    if not len(timeline):
        return
    ruleset = timeline.state(1).ruleset
    for step in timeline:
        event = step.event
        if isinstance(event, HandEnded) and timeline.hands[event.hand_no - 1].public:
            named = f"{ruleset.name} revision {ruleset.revision}"
            yield Deal(event.match, event.hand_no, named, event.players), event


class Decision(NamedTuple):
    """What one decision came to: numbers as a `DealScore` adds them up, and the values behind them.

    `plays` are the legal plays as sets, `chosen` the place of the one played; `true` what each is worth in the true
    world, `expected` on average in the worlds drawn.
    """

    step: int
    seat: Seat
    plays: tuple[int, ...]
    chosen: int
    rank: float
    leaks: BySeat[float | None]
    soft: BySeat[float | None]
    true: tuple[float, ...]
    expected: tuple[float, ...]


def decision_of(
    deal: Deal, moment: Moment, evaluator: Evaluator, *, directed: bool = True
) -> Decision | None:
    """What a play says; None where there was only one. `directed`: leaks and softness too, which cost more."""
    plays = moment.position.legal_plays(moment.world)
    if len(plays) < 2:
        return None
    chosen = plays.index(moment.played)
    seed, sampler = _seed(deal, moment, evaluator), Sampler(moment.information)
    worlds = [moment.world, *sampler.draws(evaluator.worlds, Numbers(seed))]
    question = _Question(moment, worlds, plays, chosen, seed)
    outcomes = question.outcomes(evaluator, evaluator.policy)
    values = outcomes.values(moment.seat)
    expected = _means(values[1:])
    return Decision(
        step=moment.step,
        seat=moment.seat,
        plays=tuple(plays),
        chosen=chosen,
        rank=question.rank(evaluator, values),
        leaks=_leaks(moment, sampler, evaluator, plays, chosen, seed) if directed else _NOTHING,
        soft=_soft(moment, evaluator, outcomes, expected, chosen) if directed else _NOTHING,
        true=tuple(values[0]),
        expected=tuple(expected),
    )


def declaring_of(deal: Deal, moment: Moment, evaluator: Evaluator) -> float | None:
    """The centred rank of what a seat declared; None where it had nothing to declare."""
    choices = choices_of(moment)
    if len(choices) < 2:
        return None
    seed = _seed(deal, moment, evaluator)
    worlds = [moment.world, *Sampler(moment.information).draws(evaluator.worlds, Numbers(seed))]
    own = moment.world.hands[moment.seat]
    settings = [
        (
            position_with(moment.position, own, made),
            [world_with(world, moment.seat, made) for world in worlds],
            seed + number,
        )
        for number, made in enumerate(choices)
    ]

    def rank_by(policy: Policy) -> float:
        columns = [
            [row[0] for row in evaluate(
                position, given, (0,), seed=stream, policy=policy, rollouts=evaluator.rollouts
            ).values(moment.seat)]
            for position, given, stream in settings
        ]  # fmt: skip
        advantages = [advantage(each, 0) for each in zip(*columns, strict=True)]
        return centred_rank(advantages[0], advantages[1:])

    return evaluator.mixed(rank_by(evaluator.policy), rank_by(evaluator.contrast))


def scores_of(
    deal: Deal,
    moments: Iterable[Moment],
    evaluator: Evaluator,
    seats: Sequence[Seat] = SEATS,
    *,
    directed: bool = True,
) -> list[DealScore]:
    """The deal scores of these seats, from all decisions of a deal; the autopilot's plays are counted and left out."""
    sums = {seat: _Sum() for seat in seats}
    leader, most = 0, 0
    for moment in moments:
        if not moment.played and moment.position.leader is not None:
            leader = moment.position.leader
        most = moment.position.ruleset.hand_size
        if moment.seat in sums:
            sums[moment.seat].add(deal, moment, evaluator, directed=directed)
    return [each.score(deal, seat, most, leads=seat == leader) for seat, each in sums.items()]


class _Sum:
    """One seat's deal as it is added up."""

    def __init__(self) -> None:
        self.decisions: list[Decision] = []
        self.declaring: float | None = None
        self.chosen_ms: list[int] = []
        self.forced_ms: list[int] = []
        self.autopilot = 0

    def add(self, deal: Deal, moment: Moment, evaluator: Evaluator, *, directed: bool) -> None:
        if not moment.played:
            self.declaring = declaring_of(deal, moment, evaluator)
        elif not moment.own:
            self.autopilot += 1
        else:
            decision = decision_of(deal, moment, evaluator, directed=directed)
            if decision is not None:
                self.decisions.append(decision)
            if moment.think_ms is not None:
                (self.chosen_ms if decision is not None else self.forced_ms).append(moment.think_ms)

    def score(self, deal: Deal, seat: Seat, most: int, *, leads: bool) -> DealScore:
        return DealScore(
            match=deal.match,
            hand_no=deal.hand_no,
            seat=seat,
            player=deal.players[seat],
            ruleset=deal.ruleset,
            role="leads" if leads else "follows",
            most=most,
            decisions=len(self.decisions),
            rank=sum(each.rank for each in self.decisions),
            leaks=_added([each.leaks for each in self.decisions]),
            soft=_added([each.soft for each in self.decisions]),
            declaring=self.declaring,
            players=deal.players,
            chosen_ms=tuple(self.chosen_ms),
            forced_ms=tuple(self.forced_ms),
            autopilot=self.autopilot,
        )


def _seed(deal: Deal, moment: Moment, evaluator: Evaluator) -> int:
    return stream_of(
        evaluator.seed, deal.match.int & (1 << 64) - 1, deal.hand_no, moment.step & 0xFFFF, moment.seat
    )


class _Question(NamedTuple):
    """Whether a play fits the first of these worlds, or of these groups of `together` worlds, better than the others.

    `first_world` is the number of the first of them.
    """

    moment: Moment
    worlds: Sequence[World]
    plays: Sequence[int]
    chosen: int
    seed: int
    first_world: int = 0
    together: int = 1

    def outcomes(self, evaluator: Evaluator, policy: Policy) -> Outcomes:
        """How the hand ends in each world, everyone playing on by a policy."""
        return evaluate(
            self.moment.position,
            self.worlds,
            self.plays,
            seed=self.seed,
            policy=policy,
            rollouts=evaluator.rollouts,
            first_world=self.first_world,
        )

    def values(self, evaluator: Evaluator, policy: Policy) -> list[list[float]]:
        """What each play is worth to the player, by world, everyone playing on by a policy."""
        return self.outcomes(evaluator, policy).values(self.moment.seat)

    def rank(self, evaluator: Evaluator, values: Sequence[Sequence[float]]) -> float:
        """The centred rank of the play's advantage, by both policies; `values` are those of the evaluator's own."""
        return evaluator.mixed(self._rank(values), self._rank(self.values(evaluator, evaluator.contrast)))

    def _rank(self, values: Sequence[Sequence[float]]) -> float:
        advantages = [advantage(each, self.chosen) for each in values]
        starts = range(0, len(advantages), self.together)
        means = [sum(advantages[at : at + self.together]) for at in starts]
        return centred_rank(means[0], means[1:])


def _leaks(
    moment: Moment, sampler: Sampler, evaluator: Evaluator, plays: Sequence[int], chosen: int, seed: int
) -> BySeat[float | None]:
    first, second, third, fourth = (
        None if other == moment.seat else _leak(moment, sampler, evaluator, plays, chosen, seed, other)
        for other in SEATS
    )
    return (first, second, third, fourth)


def _leak(
    moment: Moment,
    sampler: Sampler,
    evaluator: Evaluator,
    plays: Sequence[int],
    chosen: int,
    seed: int,
    other: Seat,
) -> float:
    """The rank of the play's mean advantage with the other's true hand, among hands the other might have held."""
    numbers = Numbers(stream_of(seed, other + 1))
    bases = [moment.world, *sampler.draws(evaluator.leak_bases, numbers)]
    worlds = [
        world for base in bases for world in _filled(moment.information, base, other, evaluator, numbers)
    ]
    question = _Question(
        moment, worlds, plays, chosen, seed, first_world=1000 * (other + 1), together=evaluator.leak_fills
    )
    return question.rank(evaluator, question.values(evaluator, evaluator.policy))


def _filled(
    information: InformationSet, base: World, other: Seat, evaluator: Evaluator, numbers: Numbers
) -> list[World]:
    """Worlds in which the other holds what he holds in this one."""
    showing = information.showing(other, base.hands[other], base.face_down[other])
    return Sampler(showing).draws(evaluator.leak_fills, numbers)


def _soft(
    moment: Moment, evaluator: Evaluator, outcomes: Outcomes, own: Sequence[float], chosen: int
) -> BySeat[float | None]:
    """By what the player could expect, `own` for himself: in the worlds drawn, without the true one."""
    count = len(outcomes.plays)
    worlds = range(1, outcomes.worlds)
    raw = [_means([outcomes.raw(world, play) for world in worlds]) for play in range(count)]
    partners = moment.position.ruleset.partners
    first, second, third, fourth = (
        None
        if other == moment.seat or (partners and side_of(other) == side_of(moment.seat))
        else softness(own, help_for(raw, moment.seat, other), chosen, evaluator.spread)
        for other in SEATS
    )
    return (first, second, third, fourth)


def _means(rows: Sequence[Sequence[float]]) -> list[float]:
    return [sum(column) / len(rows) for column in zip(*rows, strict=True)]


def _added(rows: Sequence[BySeat[float | None]]) -> BySeat[float | None]:
    first, second, third, fourth = (_sum([row[seat] for row in rows]) for seat in SEATS)
    return (first, second, third, fourth)


def _sum(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None
