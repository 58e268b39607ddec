"""A knowledge in cases: one for every choice of the cards that can lie face down (rules.md §3).

What a held-back card tells depends on which cards are declared, and a card that lies face down at one seat does not at
another. So each case is exact where the whole is not; what holds in every case is known.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations, islice, product
from typing import Final

from msgspec.structs import replace

from domain.cards import Cards, cards_in, set_of
from domain.events import Event
from domain.rulesets import Ruleset
from domain.seats import SEATS, BySeat, Seat
from replays.knowledge.concluding import Exclusion, Knowledge, conclude
from replays.knowledge.facts import Knower
from replays.knowledge.observing import observe

MOST_CASES: Final = 256
"""With more choices (early in a hand of two decks) a knowledge is left as the facts alone have it."""


def known_to(ruleset: Ruleset, events: Sequence[Event], knower: Knower, own: Cards = 0) -> Knowledge:
    """What `knower` could know of a hand with these events, from its `HandDealt` on; `own` are his cards now."""
    known = conclude(observe(ruleset, events, knower, own))
    choices = list(islice(_choices(known), MOST_CASES + 1))
    if not 1 < len(choices) <= MOST_CASES:
        return known
    return _in_every_case(known, list(_cases(choices, ruleset, events, knower, own)))


def cases(ruleset: Ruleset, events: Sequence[Event], knower: Knower, own: Cards = 0) -> Iterator[Knowledge]:
    """The same for each choice that some deal fits, without an upper limit; one where nothing lies face down."""
    known = conclude(observe(ruleset, events, knower, own))
    yield from _cases(_choices(known), ruleset, events, knower, own)


def _cases(
    choices: Iterator[BySeat[Cards]] | Sequence[BySeat[Cards]],
    ruleset: Ruleset,
    events: Sequence[Event],
    knower: Knower,
    own: Cards,
) -> Iterator[Knowledge]:
    for supposed in choices:
        known = conclude(observe(ruleset, events, knower, own, supposed))
        if not known.contradictory:
            yield known


def _choices(known: Knowledge) -> Iterator[BySeat[Cards]]:
    """Every choice of as many cards for each seat as it has face down, none for two seats."""
    by_seat = [[0] for _ in SEATS]
    for fact in known.at_least:
        if fact.kind == "hidden_declarations":
            can_be = fact.cards & known.possible[fact.seat]
            by_seat[fact.seat] = [set_of(chosen) for chosen in combinations(cards_in(can_be), fact.count)]
    for first, second, third, fourth in product(*by_seat):
        together = first | second | third | fourth
        if together.bit_count() == sum(cards.bit_count() for cards in (first, second, third, fourth)):
            yield (first, second, third, fourth)


def _in_every_case(known: Knowledge, found: Sequence[Knowledge]) -> Knowledge:
    """The knowledge less what is possible in no case."""
    possible = list(known.possible)
    exclusions = list(known.exclusions)
    for seat in known.seen.others:
        in_some = 0
        for case in found:
            in_some |= case.possible[seat]
        if gone := possible[seat] & ~in_some:
            possible[seat] &= in_some
            exclusions.append(_in_no_case(seat, gone))
    first, second, third, fourth = possible
    return replace(known, possible=(first, second, third, fourth), exclusions=tuple(exclusions))


def _in_no_case(seat: Seat, gone: Cards) -> Exclusion:
    return Exclusion(
        seat=seat,
        cards=gone,
        kind="cases",
        step=None,
        why=f"whichever cards lie face down, others hold these and not seat {seat}",
        why_zh=f"无论扣着的是哪些牌，这些牌都在别家，不在 {seat} 号座位",
    )
