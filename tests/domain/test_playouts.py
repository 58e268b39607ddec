"""Playouts on sets of cards come to what live play comes to."""

from collections import Counter
from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given

from domain import commands
from domain.cards import ALL_CARDS, SCORING, Cards, cards_in, names_of, parse_cards, set_of
from domain.decisions.playing import legal_plays
from domain.declarations import levels_by_card
from domain.events import HandEnded
from domain.match import Match
from domain.playouts import Chooser, Table, play_out, random_chooser, random_hands
from domain.rulesets import RULESETS, Ruleset, ruleset_named
from domain.seats import SEATS, Seat
from domain.tariff import tariff_of
from tests.support import tables
from tests.support.strategies import live_matches, rulesets, seeds


def _lowest() -> Chooser:
    """Plays the first of what is legal, whoever asks."""

    def card(legal: Cards, _seat: Seat, _table: Table) -> Cards:
        return legal & -legal

    def play(legal: Sequence[Cards], _seat: Seat, _table: Table) -> Cards:
        return min(legal)

    return Chooser(card, play)


def _played_live(match: Match) -> HandEnded:
    """The end of the hand when everyone plays the lowest of what is legal, decided play by play."""
    table = tables.Table().resume(match)
    while table.match.hand is not None:
        turn = table.hand.turn
        assert turn is not None
        play = min(legal_plays(match.ruleset, table.hand, turn))
        names = names_of(cards_in(play), match.ruleset.decks)
        table.ask(commands.PlayCards(seat=turn, cards=names))
    assert table.match.last_hand is not None
    return table.match.last_hand


@given(live_matches())
def test_playout_from_any_point_scores_what_live_play_would(match: Match) -> None:
    hand = match.hand
    assert hand is not None
    if match.phase == "declaring":
        table = tables.Table().resume(match)
        table.ask(*[commands.SayDone(seat=seat) for seat in SEATS if not hand.done[seat]])
        match, hand = table.match, table.hand
    assert hand.holdings is not None
    assert hand.turn is not None
    ended = _played_live(match)
    playing = Table(
        hand.holdings,
        hand.plays[0].seat if hand.plays else hand.turn,
        held=hand.held,
        plays=[play.as_set for play in hand.plays],
        taken=[set_of(cards) for cards in hand.taken],
        opens_match=hand.number == hand.trick_no == 1,
    )
    taken = play_out(match.ruleset, playing, _lowest())
    tariff = tariff_of(match.ruleset, levels_by_card(hand.declarations))
    assert [tariff.raw_score(cards) for cards in taken] == list(ended.raw_scores)


@given(rulesets, seeds)
def test_random_playout_shares_out_every_card(ruleset: Ruleset, seed: int) -> None:
    random = Random(seed)
    table = Table(random_hands(ruleset.decks, random), random.choice(SEATS))
    taken = play_out(ruleset, table, random_chooser(random))
    assert sum(taken) == ALL_CARDS[ruleset.decks - 1]
    assert sum(cards.bit_count() for cards in taken) == 52 * ruleset.decks
    assert (table.hands, table.plays) == ([0, 0, 0, 0], [])
    assert all(cards.bit_count() % 4 == 0 for cards in taken)


@given(rulesets, seeds)
def test_same_seed_gives_the_same_playout(ruleset: Ruleset, seed: int) -> None:
    def played() -> list[Cards]:
        random = Random(seed)
        table = Table(random_hands(ruleset.decks, random), 0)
        return play_out(ruleset, table, random_chooser(random))

    assert played() == played()


def test_random_chooser_takes_each_legal_card_about_as_often() -> None:
    """χ² over 6,000 choices among six cards; the seed is fixed, so this is a fact and no chance."""
    chooser = random_chooser(Random(1))
    table = Table((0, 0, 0, 0), 0)
    legal = set_of(parse_cards(["S2", "SA", "H5", "DJ", "C2", "CA"], 1))
    by_card = Counter(chooser.card(legal, 0, table) for _ in range(6000))
    by_play = Counter(chooser.play([1 << card for card in cards_in(legal)], 0, table) for _ in range(6000))
    for counts in (by_card, by_play):
        assert set(counts) == {1 << card for card in cards_in(legal)}
        assert sum((count - 1000) ** 2 / 1000 for count in counts.values()) < 20


@pytest.mark.parametrize("name", ["zero_sum-1", "zero_sum-2"])
def test_first_lead_of_a_match_is_the_two_of_clubs_where_it_must_be(name: str) -> None:
    ruleset = RULESETS[name]
    seen: list[Cards] = []

    def watch(played: Table) -> None:
        seen.extend(played.plays[:1])

    def card(legal: Cards, _seat: Seat, table: Table) -> Cards:
        watch(table)
        return legal & -legal

    def play(legal: Sequence[Cards], _seat: Seat, table: Table) -> Cards:
        watch(table)
        return max(legal)

    hands = random_hands(ruleset.decks, Random(3))
    twos = set_of(parse_cards(["C2"] if ruleset.decks == 1 else ["C2a", "C2b"], ruleset.decks))
    leader = next(seat for seat in SEATS if hands[seat] & twos)
    play_out(ruleset, Table(hands, leader, opens_match=True), Chooser(card, play))
    assert seen[0] & ~twos == 0


def test_held_back_cards_are_free_once_their_suit_was_led() -> None:
    ruleset = ruleset_named("zero_sum-1")
    hands = random_hands(1, Random(8))
    table = Table(hands, 0, held=SCORING & ALL_CARDS[0])
    play_out(ruleset, table, _lowest())
    assert table.held == 0
