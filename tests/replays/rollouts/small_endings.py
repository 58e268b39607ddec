"""Random endings of a few cards, and the plainest search there is to compare exact endings with."""

from collections.abc import Sequence
from random import Random

from domain.cards import DECLARABLE, SUIT_CARDS, Cards, cards_in, kind_of, suit_of
from domain.chance import chance
from domain.playouts import Table, play_trick, random_hands
from domain.plays import legal_follows, legal_leads
from domain.rulesets import Level, Ruleset
from domain.seats import TURNS_FROM, BySeat
from domain.tariff import Tariff
from domain.tricks import winning_play
from replays.rollouts import Position
from replays.worlds import World

NOTHING_DOWN: BySeat[Cards] = (0, 0, 0, 0)


def small_ending(ruleset: Ruleset, random: Random, cards: int) -> tuple[Position, World]:
    """A position with at most so many cards in each hand, often inside a trick, some cards declared and held back."""
    dealt = random_hands(ruleset.decks, random)
    declared = [card for card in cards_in(DECLARABLE & sum(dealt)) if random.random() < 0.4]
    levels: list[Level] = ["open", "hidden"] if ruleset.hidden_declarations else ["open"]
    table = Table(dealt, random.randrange(4), stream=random.getrandbits(64))
    while max(hand.bit_count() for hand in table.hands) > cards:
        play_trick(ruleset, table, chance)
    if not any(table.hands):
        return small_ending(ruleset, random, cards)
    position = Position(
        ruleset=ruleset,
        leader=table.leader,
        levels=tuple((card, random.choice(levels)) for card in declared),
        suits_led=sum(SUIT_CARDS[suit] for suit in range(4) if random.random() < 0.6),
        taken=_four(table.taken),
    )
    world = World(_four(table.hands), NOTHING_DOWN)
    for _ in range(random.randrange(4)):
        position, world = _after(position, world, random.choice(position.legal_plays(world)))
    return position, world


def _four(sets: Sequence[Cards]) -> BySeat[Cards]:
    return (sets[0], sets[1], sets[2], sets[3])


def _after(position: Position, world: World, play: Cards) -> tuple[Position, World]:
    hands = list(world.hands)
    hands[position.turn_in(world)] ^= play
    plays = (*position.plays, play)
    return (
        Position(
            ruleset=position.ruleset,
            leader=position.leader,
            plays=plays,
            levels=position.levels,
            suits_led=position.suits_led,
            taken=position.taken,
        ),
        World(_four(hands), world.face_down),
    )


def plainly_searched(
    ruleset: Ruleset,
    tariff: Tariff,
    hands: BySeat[Cards],
    taken: BySeat[Cards],
    leader: int,
    plays: tuple[Cards, ...],
    held: Cards,
) -> tuple[BySeat[int], list[tuple[Cards, BySeat[int]]]]:
    """The raw scores of best play, and of each play of the seat to move: all of the tree, nothing remembered."""
    if len(plays) == 4:
        suit = suit_of(plays[0].bit_length() - 1)
        taker = TURNS_FROM[leader][winning_play(plays, suit, ruleset.pair_tricks)]
        won = list(taken)
        won[taker] |= sum(plays)
        return plainly_searched(ruleset, tariff, hands, _four(won), taker, (), held & ~SUIT_CARDS[suit])
    seat = (leader + len(plays)) % 4
    if not hands[seat]:
        scores = [tariff.raw_score(cards) for cards in taken]
        return (scores[0], scores[1], scores[2], scores[3]), []
    if plays:
        lead = plays[0]
        legal = legal_follows(hands[seat], suit_of(lead.bit_length() - 1), lead.bit_count(), held)
    else:
        legal = legal_leads(hands[seat], held, decks=ruleset.decks, ban=ruleset.ban_when_leading)
    ends = []
    for play in sorted(legal, key=_order):
        after = list(hands)
        after[seat] ^= play
        raw, _ = plainly_searched(ruleset, tariff, _four(after), taken, leader, (*plays, play), held)
        ends.append((play, raw))
    best = ends[0][1]
    for _, raw in ends:
        if _own(ruleset, raw, seat) > _own(ruleset, best, seat):
            best = raw
    return best, ends


def _order(play: Cards) -> tuple[int, list[tuple[int, int]]]:
    return play.bit_count(), [
        (kind_of(card), card // 64) for card in sorted(cards_in(play), key=lambda c: (c % 64, c))
    ]


def _own(ruleset: Ruleset, raw: BySeat[int], seat: int) -> int:
    if ruleset.partners:
        mate, left, right = raw[(seat + 2) % 4], raw[(seat + 1) % 4], raw[(seat + 3) % 4]
        return raw[seat] + mate - left - right
    return 3 * raw[seat] - raw[(seat + 1) % 4] - raw[(seat + 2) % 4] - raw[(seat + 3) % 4]
