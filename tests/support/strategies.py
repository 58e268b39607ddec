"""What Hypothesis draws for our tests; whatever is played in it was legal."""

from random import Random
from typing import Final

from hypothesis import strategies as st

from domain.cards import DECLARABLE, Card, Cards, cards_in, deck, set_of
from domain.events import Event
from domain.match import Match, fold
from domain.rulesets import RULESETS, Level, Ruleset
from domain.seats import SEATS, BySeat
from tests.support.random_play import random_events, random_match

seeds: Final = st.integers(0, 2**32 - 1)
rulesets: Final = st.sampled_from(list(RULESETS.values()))


@st.composite
def decks_of_cards(draw: st.DrawFn, ruleset: Ruleset) -> tuple[Card, ...]:
    """All cards of a ruleset in some order."""
    return tuple(draw(st.permutations(deck(ruleset.decks))))


@st.composite
def levels_of(draw: st.DrawFn, ruleset: Ruleset) -> dict[Card, Level]:
    """Declarations of one hand, as the ruleset allows them."""
    levels: list[Level] = ["open", "hidden"] if ruleset.hidden_declarations else ["open"]
    declarable = list(cards_in(DECLARABLE & set_of(deck(ruleset.decks))))
    return draw(st.dictionaries(st.sampled_from(declarable), st.sampled_from(levels)))


@st.composite
def shares_of_cards(draw: st.DrawFn, ruleset: Ruleset) -> BySeat[Cards]:
    """All cards of a ruleset shared out among the four seats, in any numbers."""
    owners = draw(st.lists(st.sampled_from(SEATS), min_size=52 * ruleset.decks, max_size=52 * ruleset.decks))
    shares = [0, 0, 0, 0]
    for card, owner in zip(deck(ruleset.decks), owners, strict=True):
        shares[owner] |= 1 << card
    return (shares[0], shares[1], shares[2], shares[3])


@st.composite
def histories(draw: st.DrawFn, ruleset: Ruleset | None = None, *, hands: int = 1) -> list[Event]:
    """All events of a match played at random, up to the end of its `hands`-th hand or its own end."""
    return random_events(ruleset or draw(rulesets), Random(draw(seeds)), hands=hands)


@st.composite
def live_matches(draw: st.DrawFn, ruleset: Ruleset | None = None) -> Match:
    """A match somewhere in its first hand: declaring or playing."""
    chosen = ruleset or draw(rulesets)
    states = [
        step.after
        for step in random_match(chosen, Random(draw(seeds)), hands=1)
        if step.after.hand is not None
    ]
    return states[draw(st.integers(0, len(states) - 1))]


@st.composite
def beginnings(draw: st.DrawFn, events: list[Event]) -> tuple[list[Event], Match]:
    """Some first events of a history, at least one, and the match they lead to."""
    length = draw(st.integers(1, len(events)))
    match = fold(events[:length])
    assert match is not None
    return events[:length], match
