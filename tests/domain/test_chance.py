"""The tight loop of playouts by chance comes to the same cards as the loop for every chooser."""

from random import Random

from hypothesis import given

from domain.cards import ALL_CARDS, DECLARABLE, Cards
from domain.chance import chance, play_by_chance
from domain.playouts import Table, play_out, play_trick, random_hands
from domain.rulesets import Ruleset, ruleset_named
from domain.streams import WORD, choice, mixed, moved, stream_of
from tests.support.strategies import rulesets, seeds


@given(rulesets, seeds)
def test_tight_loop_is_the_plain_one_by_chance(ruleset: Ruleset, seed: int) -> None:
    random = Random(seed)
    hands = random_hands(ruleset.decks, random)
    held = DECLARABLE & ALL_CARDS[ruleset.decks - 1] & random.getrandbits(128)
    tricks, part = random.randrange(13), random.randrange(4)
    opens = random.random() < 0.5 and ruleset.first_lead == "two_of_clubs_leads_any"

    def table() -> Table:
        playing = Table(hands, seed % 4, held=held, opens_match=opens, stream=stream_of(seed))
        for _ in range(tricks):
            play_trick(ruleset, playing, chance)
        if not tricks and part:
            lead = playing.hands[seed % 4] & -playing.hands[seed % 4] if not held else 0
            playing.hands[seed % 4] ^= lead
            playing.plays += [lead] if lead else []
        return playing

    plain, tight = table(), table()
    assert play_out(ruleset, plain, chance) == play_by_chance(ruleset, tight)
    assert (plain.stream, plain.leader, plain.held, plain.hands) == (
        tight.stream,
        tight.leader,
        tight.held,
        tight.hands,
    )


def test_streams_choose_evenly() -> None:
    """χ² over 7,000 choices among seven, from streams that begin at numbers in a row; a fact, for nothing is random."""
    counts = [0] * 7
    for number in range(1000):
        stream = stream_of(1, number)
        for _ in range(7):
            stream = moved(stream)
            counts[choice(stream, 7)] += 1
    assert sum((count - 1000) ** 2 / 1000 for count in counts) < 20


def test_mixing_keeps_to_64_bits_and_tells_neighbours_apart() -> None:
    numbers: list[Cards] = [mixed(number) for number in range(2000)]
    assert len(set(numbers)) == 2000
    assert all(0 <= number <= WORD for number in numbers)
    assert stream_of(1, 2) != stream_of(2, 1)


def test_table_is_played_out_once_for_all() -> None:
    ruleset = ruleset_named("blood-1")
    table = Table(random_hands(1, Random(1)), 0, stream=1)
    taken = play_by_chance(ruleset, table)
    assert sum(taken) == ALL_CARDS[0]
    assert play_by_chance(ruleset, table) == taken
