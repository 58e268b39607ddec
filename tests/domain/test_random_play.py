"""Many hands played at random in each ruleset: everything legal is admitted, everything else is refused.

A tenth of the counts by default, all of them with `--long`.
"""

from collections.abc import Iterator
from itertools import combinations, islice
from random import Random

import pytest

from domain import commands
from domain.cards import ALL_CARDS, Cards, cards_in, deck, kind_of, names_of, pair_of, set_of, suit_of
from domain.decisions import decide
from domain.decisions.playing import legal_plays, must_lead_two_of_clubs
from domain.errors import (
    CardNotHeld,
    CommandRefused,
    HeldBack,
    MustFollowSuit,
    MustLeadTwoOfClubs,
    MustPlayPair,
    MustUseHeldBack,
    NotAPair,
    NotYourTurn,
    WrongNumberOfCards,
)
from domain.events import CardsPlayed, HandEnded, MatchSettled, public_form
from domain.match import Hand, Match, evolve, fold
from domain.rulesets import RULESETS, Ruleset
from domain.seats import NEXT, Seat
from tests.support.random_play import Step, random_match

HANDS, HANDS_TRIED_IN_FULL, MATCHES = 2000, 25, 50
every_ruleset = pytest.mark.parametrize("ruleset", RULESETS.values(), ids=RULESETS)


def _count(request: pytest.FixtureRequest, full: int) -> int:
    return full if request.config.getoption("--long", default=False) else -(-full // 10)


def _steps(ruleset: Ruleset, seed: int) -> Iterator[Step]:
    """The steps of one match after another, without end."""
    random = Random(seed)
    while True:
        yield from random_match(ruleset, random)


def _hands(ruleset: Ruleset, number: int, seed: int) -> Iterator[Step]:
    """The steps of so many hands."""
    ended = 0
    for step in _steps(ruleset, seed):
        yield step
        ended += any(isinstance(event, HandEnded) for event in step.events)
        if ended == number:
            return


@every_ruleset
def test_random_hands_end_with_every_card_accounted_for(
    ruleset: Ruleset, request: pytest.FixtureRequest
) -> None:
    scored = 0
    for step in _hands(ruleset, _count(request, HANDS), seed=11):
        if step.after.hand is not None:
            _assert_cards_conserved(ruleset, step.after.hand)
        for event in step.events:
            if isinstance(event, HandEnded):
                scored += 1
                assert event.points is None or sum(event.points) == 0
    assert scored == _count(request, HANDS)


def _assert_cards_conserved(ruleset: Ruleset, hand: Hand) -> None:
    """Each card is in one hand, on the table or gone, and each seat has played as many as it is its turn to."""
    assert hand.holdings is not None
    left = ruleset.hand_size - hand.cards_spent
    owed = hand.owed or 0
    on_the_table = [play.as_set for play in hand.plays]
    assert sum(hand.holdings) & sum(on_the_table) == 0
    assert (sum(hand.holdings) | sum(on_the_table)) & ~ALL_CARDS[ruleset.decks - 1] == 0
    played = {play.seat for play in hand.plays}
    sizes = [cards.bit_count() for cards in hand.holdings]
    assert sizes == [left - owed if seat in played else left for seat in range(4)]


@every_ruleset
def test_at_every_step_the_legal_is_admitted_and_the_rest_refused(
    ruleset: Ruleset, request: pytest.FixtureRequest
) -> None:
    number = _count(request, HANDS_TRIED_IN_FULL)
    folded: Match | None = None
    for step in _hands(ruleset, number, seed=12):
        if isinstance(step.command, commands.OpenMatch):
            folded = None
        folded = fold(step.events, folded)
        if step.after.phase == "playing":
            _try_everything(step.after)
            assert step.after == folded, "a refused or merely considered play has changed the match"


def _try_everything(match: Match) -> None:
    """Every card of the decks, every two cards in hand and every pair: admitted if legal, else refused."""
    hand, decks = match.hand, match.ruleset.decks
    assert hand is not None
    assert hand.turn is not None
    assert hand.holdings is not None
    seat, held_cards = hand.turn, hand.holdings[hand.turn]
    legal = legal_plays(match.ruleset, hand, seat)
    assert legal, "some play is always legal"
    assert len(set(legal)) == len(legal)
    tried = {1 << card for card in deck(decks)}
    tried |= {set_of(two) for two in combinations(cards_in(held_cards), 2)}
    tried |= {pair_of(card) & ALL_CARDS[decks - 1] for card in deck(decks)}
    assert set(legal) <= tried
    for play in tried:
        _try(match, hand, seat, play, is_legal=play in legal)
    _try_out_of_turn(match, NEXT[seat], legal[0])


def _try(match: Match, hand: Hand, seat: Seat, play: Cards, *, is_legal: bool) -> None:
    names = names_of(cards_in(play), match.ruleset.decks)
    command = commands.PlayCards(seat=seat, cards=names)
    if is_legal:
        first, *_ = decide(match, command, match.at)
        assert isinstance(first, CardsPlayed)
        assert (first.seat, first.cards) == (seat, names)
        return
    with pytest.raises(CommandRefused) as refused:
        decide(match, command, match.at)
    assert type(refused.value) in _reasons(match, hand, seat, play), f"{names}: {refused.value}"
    assert refused.value.seat == seat


def _reasons(match: Match, hand: Hand, seat: Seat, play: Cards) -> set[type[CommandRefused]]:
    """The reasons that an illegal play may be refused for, told from the play itself."""
    assert hand.holdings is not None
    if play & ~hand.holdings[seat]:
        return {CardNotHeld}
    cards = list(cards_in(play))
    if hand.led_suit is None:
        if len(cards) == 2 and match.ruleset.decks == 1:
            return {WrongNumberOfCards}
        if len({kind_of(card) for card in cards}) == 2:
            return {NotAPair}
        if must_lead_two_of_clubs(match.ruleset, hand):
            return {MustLeadTwoOfClubs}
        return {HeldBack}
    if len(cards) != hand.owed:
        return {WrongNumberOfCards}
    reasons: set[type[CommandRefused]] = {MustPlayPair} if hand.owed == 2 else set()
    if play & hand.held and any(suit_of(card) == hand.led_suit for card in cards_in(play & hand.held)):
        reasons.add(HeldBack)
    if any(suit_of(card) != hand.led_suit for card in cards):
        reasons |= {MustFollowSuit, MustUseHeldBack}
    return reasons


def _try_out_of_turn(match: Match, seat: Seat, play: Cards) -> None:
    names = names_of(cards_in(play), match.ruleset.decks)
    with pytest.raises(NotYourTurn):
        decide(match, commands.PlayCards(seat=seat, cards=names), match.at)


@every_ruleset
def test_complete_matches_run_to_their_settlement(ruleset: Ruleset, request: pytest.FixtureRequest) -> None:
    random = Random(13)
    for _ in range(_count(request, MATCHES)):
        live: Match | None = None
        sealed: Match | None = None
        for step in random_match(ruleset, random):
            for event in step.events:
                live, sealed = evolve(live, event), evolve(sealed, public_form(event))
                assert live.version == sealed.version == event.version
            assert live == step.after
            assert sealed is not None
            assert (sealed.phase, sealed.blood, sealed.points) == (live.phase, live.blood, live.points)
        assert live is not None
        assert live.phase == "settled"
        assert isinstance(step.events[-1], MatchSettled)


def test_random_play_meets_everything_a_match_can_hold() -> None:
    """The generator behind these tests draws every kind of event, so that they mean what they say."""
    seen = {
        type(event).__name__
        for name in ("blood-2", "zero_sum-1")
        for step in islice(_steps(RULESETS[name], 14), 3000)
        for event in step.events
    }
    assert seen >= {
        "MatchOpened", "PlayerSeated", "NonceRevealed", "HandDealt", "CardDeclared", "DeclarationDone",
        "DeclarationsClosed", "CardsPlayed", "TrickTaken", "SeatHandedOver", "SeatTakenBack", "HandEnded",
        "MatchSettled",
    }  # fmt: skip
