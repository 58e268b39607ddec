"""Recorded matches to replay: played at random, whole or cut, as full events and as everyone may see them."""

from collections.abc import Callable, Iterator
from functools import cache
from random import Random

from domain import commands
from domain.cards import ALL_CARDS, DECLARABLE, Cards, cards_in, names_of
from domain.decisions import decide_and_evolve
from domain.decisions.playing import legal_plays
from domain.events import CardsPlayed, Event, HandEnded, public_form
from domain.match import Match, fold
from domain.rulesets import RULESETS, Level, Ruleset
from domain.seats import SEATS
from domain.secret import Secret
from tests.support.random_play import Step, random_events, random_match
from tests.support.tables import hand_of, seated


def steps_of(ruleset: str, seed: int, hands: int = 2) -> Iterator[Step]:
    """The commands of a match of at most so many hands, each with what it led to."""
    return random_match(RULESETS[ruleset], Random(f"{ruleset} {seed}"), hands=hands)


@cache
def recorded_match(ruleset: str, seed: int, hands: int = 2) -> tuple[Event, ...]:
    """The full events of such a match."""
    return tuple(random_events(RULESETS[ruleset], Random(f"{ruleset} {seed}"), hands=hands))


def public(events: tuple[Event, ...]) -> tuple[Event, ...]:
    """The events as everyone may see them."""
    return tuple(public_form(event) for event in events)


def match_with(ruleset: str, fits: Callable[[Event], bool], hands: int = 2) -> tuple[Event, ...]:
    """The public events of the first such match in which some event fits."""
    for seed in range(100):
        events = public(recorded_match(ruleset, seed, hands))
        if any(fits(event) for event in events):
            return events
    raise AssertionError(f"no match of {ruleset} has such an event")


def until_last_hand_ends(events: tuple[Event, ...]) -> Iterator[Event]:
    """The events without those from the last hand's end on."""
    last = max(index for index, event in enumerate(events) if isinstance(event, HandEnded))
    yield from events[:last]


def abandoned_match(ruleset: str, seed: int, *, plays: int, with_key: bool = True) -> tuple[Event, ...]:
    """The public events of a match that is abandoned in its first hand, after so many plays."""
    told: list[Event] = []
    match: Match | None = None
    for step in steps_of(ruleset, seed):
        told, match = [*told, *step.events], step.after
        if match.phase == "playing" and sum(isinstance(event, CardsPlayed) for event in told) == plays:
            break
    if not with_key:
        match = fold(public(tuple(told)))
    return public((*told, *asked(match, commands.AbandonMatch(cause="staff", by="staff"))))


def hoarding_events(
    ruleset: Ruleset, random: Random, *, kept: Cards = DECLARABLE, pairs_too: bool = False
) -> list[Event]:
    """A hand in which much is declared, and some cards are kept as long as possible: small endings are full of doubt.

    With `pairs_too`, both copies of a card are kept too, or played together.
    """
    table = seated(ruleset, seed=random.randrange(10**6))
    for seat in SEATS:
        for card in hand_of(table, seat):
            if card[:2] in ("SQ", "DJ", "CT", "HA") and random.random() < 0.7:
                face_down = ruleset.hidden_declarations and random.random() < 0.7
                opening = Secret(random.randbytes(32)) if face_down else None
                level: Level = "hidden" if face_down else "open"
                table.ask(commands.DeclareCard(seat=seat, card=card, level=level, opening=opening))
    table.everyone_done()
    played = 0
    while table.match.phase == "playing":
        legal = legal_plays(ruleset, table.hand, table.hand.turn or 0)
        doubtful = [(_doubt(play, kept, played if pairs_too else ALL_CARDS[1]), play) for play in legal]
        fewest = min(doubt for doubt, _ in doubtful)
        chosen = random.choice([play for doubt, play in doubtful if doubt == fewest])
        table.play(" ".join(names_of(cards_in(chosen), ruleset.decks)))
        played |= chosen
    return table.events


def _doubt(play: Cards, kept: Cards, played: Cards) -> tuple[int, int]:
    """How many cards to keep a play uses, and how many kinds it leaves with one copy where there were two."""
    copies = (play >> 64 | play << 64) & ALL_CARDS[1]
    return (play & kept).bit_count(), (copies & ~played & ~play).bit_count()


def asked(match: Match | None, *demands: commands.Command) -> list[Event]:
    """What these commands lead to in a match, one after another."""
    told: list[Event] = []
    for command in demands:
        assert match is not None
        decision = decide_and_evolve(match, command, match.at)
        told, match = [*told, *decision.events], decision.match
    return told
