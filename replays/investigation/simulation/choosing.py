"""How simulated players choose a play: by rule, or by what it is worth in worlds they hold possible, or know."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from domain.cards import Cards
from domain.playouts import Chooser, Table
from domain.seats import Seat
from replays.investigation.moments import Moment
from replays.investigation.simulation.declaring import has_long_spades
from replays.investigation.simulation.players import ALWAYS, PlayerType
from replays.investigation.softness import help_for
from replays.rollouts import RULE, Outcomes, Position, evaluate
from replays.rollouts.rule_player import rule_chooser
from replays.worlds import InformationSet, Numbers, Sampler, World, weighed

_READ: Final = 6
"""A reader remembers so many plays of others,"""
_WEIGHED: Final = 2
"""weighs so many times the worlds he then thinks in,"""
_EXPECTED: Final = 0.6
"""and holds the plain play to be as likely as this."""


class Chosen(NamedTuple):
    """A play that was made: where, by whom, what."""

    position: Position
    seat: Seat
    cards: Cards


class Sight(NamedTuple):
    """What a player goes by beside its own cards: its mate, who has declared, and all plays before this one."""

    mate: Seat | None
    declared_by: frozenset[Seat]
    before: Sequence[Chosen]


def chosen_play(
    kind: PlayerType, moment: Moment, legal: Sequence[Cards], sight: Sight, numbers: Numbers
) -> Cards:
    """What a player of this kind plays, of two or more legal plays."""
    if not kind.worlds:
        return _by_rule(kind, moment, legal, numbers)
    worlds = _worlds(kind, moment, sight, numbers)
    outcomes = evaluate(
        moment.position,
        worlds,
        legal,
        seed=numbers.next(),
        policy=kind.policy,
        rollouts=max(1, kind.worlds // len(worlds)),
    )
    worth = _worth(kind, outcomes, moment.seat, sight.mate)
    return legal[worth.index(max(worth))]


def _by_rule(kind: PlayerType, moment: Moment, legal: Sequence[Cards], numbers: Numbers) -> Cards:
    chooser = rule_chooser(moment.position.ruleset, kind.policy)
    return _ruled(chooser, moment.position, moment.world, moment.seat, legal, numbers.next())


def _worlds(kind: PlayerType, moment: Moment, sight: Sight, numbers: Numbers) -> Sequence[World]:
    """The worlds it thinks in: the true one where it sees all."""
    information, mate = moment.information, sight.mate
    if numbers.below(ALWAYS) < kind.cheats:
        if kind.sees == "all":
            return [moment.world]
        if mate is not None:
            information = information.showing(mate, moment.world.hands[mate], moment.world.face_down[mate])
    if kind.reads:
        return _read(information, moment.seat, sight.before, kind.worlds, numbers)
    worlds = Sampler(information).draws(kind.worlds, numbers)
    if kind.signals and mate is not None and moment.position.levels and mate in sight.declared_by:
        return _as_signalled(worlds, mate, sight.before)
    return worlds


def _read(
    information: InformationSet, seat: Seat, before: Sequence[Chosen], many: int, numbers: Numbers
) -> Sequence[World]:
    """Worlds weighed by how likely the last plays of others were in them, had everyone played plainly."""
    others = [(place, play) for place, play in enumerate(before) if play.seat != seat][-_READ:]
    if not others:
        return Sampler(information).draws(many, numbers)
    chooser = rule_chooser(others[0][1].position.ruleset, RULE)
    known: dict[tuple[int, Cards], float] = {}

    def likely(world: World) -> float:
        weight = 1.0
        for place, play in others:
            # What a plain player plays follows from his own cards: most worlds of a decision share those.
            then = world.hands[play.seat] | sum(
                later.cards for later in before[place:] if later.seat == play.seat
            )
            found = known.get((place, then))
            if found is None:
                found = known[place, then] = _likeliness(chooser, play, _at_that_time(world, before[place:]))
            weight *= found
        return weight

    return weighed(Sampler(information).draws(_WEIGHED * many, numbers), likely).drawn(many, numbers)


def _likeliness(chooser: Chooser, play: Chosen, then: World) -> float:
    """How likely a play was in a world, made by a player who mostly plays plainly."""
    legal = play.position.legal_plays(then)
    if len(legal) == 1:
        return 1.0
    plain = _ruled(chooser, play.position, then, play.seat, legal, 0)
    return _EXPECTED if plain == play.cards else (1 - _EXPECTED) / (len(legal) - 1)


def _at_that_time(world: World, since: Sequence[Chosen]) -> World:
    """The world before these plays."""
    hands = list(world.hands)
    for play in since:
        hands[play.seat] |= play.cards
    return World((hands[0], hands[1], hands[2], hands[3]), world.face_down)


def _ruled(
    chooser: Chooser, position: Position, world: World, seat: Seat, legal: Sequence[Cards], stream: int
) -> Cards:
    """The play of a rule chooser at a position."""
    table = Table(
        world.hands,
        position.leader_in(world),
        held=position.held_in(world),
        plays=position.plays,
        taken=position.taken,
        stream=stream,
    )
    if all(cards.bit_count() == 1 for cards in legal):
        return chooser.card(sum(legal), seat, table)
    return chooser.play(legal, seat, table)


def _as_signalled(worlds: Sequence[World], mate: Seat, before: Sequence[Chosen]) -> Sequence[World]:
    """Worlds in which the mate was dealt the long spades that its declaration means, where there are any."""
    played = sum(play.cards for play in before if play.seat == mate)
    fitting = [world for world in worlds if has_long_spades(world.hands[mate] | played)]
    return fitting or worlds


def _worth(kind: PlayerType, outcomes: Outcomes, seat: Seat, mate: Seat | None) -> list[float]:
    """What each play is worth to a player: his own result, and his mate's as far as he favours him."""
    own = [value for value, _ in outcomes.expected(seat)]
    if mate is None or not kind.favours:
        return own
    given = _given(outcomes, seat, mate)
    return [kind.own * mine + kind.favours * theirs for mine, theirs in zip(own, given, strict=True)]


def _given(outcomes: Outcomes, seat: Seat, mate: Seat) -> list[float]:
    """What each play does for the mate beyond the remaining two, on average."""
    plays = range(len(outcomes.plays))
    helped = [
        help_for([outcomes.raw(world, play) for play in plays], seat, mate)
        for world in range(outcomes.worlds)
    ]
    return [sum(column) / outcomes.worlds for column in zip(*helped, strict=True)]
