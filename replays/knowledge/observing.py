"""The facts of a hand, read from its public events alone: whatever is hidden from the reader cannot change them.

Every fact is put down as what it was when it happened, and weighed with all that has become public since: a card that
lay face down then may have been shown by now.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from domain.cards import (
    ALL_CARDS,
    DECLARABLE,
    FIRST_COPIES,
    SUIT_CARDS,
    TWOS_OF_CLUBS,
    Cards,
    cards_in,
    kind_of,
    name_of,
    pairs_in,
    set_of,
)
from domain.events import Event
from domain.plays import SUIT_WORDS
from domain.rulesets import Ruleset
from domain.seats import SEATS, BySeat, Seat
from domain.visibility import SPECTATOR
from replays.knowledge.facts import Fact, Knower, Observation
from replays.knowledge.watching import Played, Watched

_DECK: Final = 64
"""How far apart the two copies of a card lie in a set."""
_SUIT_WORDS_ZH: Final = ("黑桃", "红桃", "方块", "梅花")


def observe(
    ruleset: Ruleset,
    events: Iterable[Event],
    knower: Knower,
    own: Cards = 0,
    supposed: BySeat[Cards] = (0, 0, 0, 0),
) -> Observation:
    """What `knower` has seen of a hand whose events, from its `HandDealt` on, are these; `own` are his cards now.

    Of the events nothing is read but what is public while the hand is played. `supposed` are the cards, by seat, that
    his question takes for those lying face down.
    """
    watched = Watched(ruleset.decks)
    for event in events:
        watched.see(event)
    watched.suppose(supposed)
    played = watched.played_by(SEATS)
    capacities = [ruleset.hand_size - watched.played_by([seat]).bit_count() for seat in SEATS]
    if knower != SPECTATOR:
        capacities[knower] = 0
    unseen = ALL_CARDS[ruleset.decks - 1] & ~played & ~own
    return Observation(
        knower=knower,
        step=watched.step,
        hand_no=watched.hand_no,
        decks=ruleset.decks,
        own=own,
        played=played,
        unseen=unseen,
        capacities=(capacities[0], capacities[1], capacities[2], capacities[3]),
        facts=tuple(_facts(ruleset, watched, knower, unseen)),
        supposed=supposed,
    )


def _facts(ruleset: Ruleset, watched: Watched, knower: Knower, unseen: Cards) -> Iterator[Fact]:
    for seat in SEATS:
        if seat != knower:
            yield from _declarations(watched, seat, unseen)
    yield from _first_lead(ruleset, watched, knower, unseen)
    for play in watched.plays:
        if play.seat != knower:
            held_back = watched.may_be_held_back(play)
            yield from _suit_exhausted(ruleset, watched, play, held_back)
            yield from _no_pair(watched, play, held_back)


def _declarations(watched: Watched, seat: Seat, unseen: Cards) -> Iterator[Fact]:
    """Open declarations not played yet, and those that lie face down: which cards they can be is not settled here."""
    for declared in watched.declared:
        if declared.seat == seat and declared.card is not None and unseen >> declared.card & 1:
            name = name_of(declared.card, watched.decks)
            how = "is supposed to have declared" if declared.hidden else "declared"
            how_zh = "假定暗亮了" if declared.hidden else "明亮了"
            yield Fact(
                kind="hidden_declarations" if declared.hidden else "open_declaration",
                seat=seat,
                effect="holds",
                cards=1 << declared.card,
                step=declared.step,
                why=f"seat {seat} {how} {name} {'face down' if declared.hidden else 'open'} and has not played it",
                why_zh=f"{seat} 号座位{how_zh} {name}，还没有出",
            )
    hidden = watched.face_down(seat)
    if hidden:
        yield Fact(
            kind="hidden_declarations",
            seat=seat,
            effect="holds_some",
            cards=DECLARABLE & unseen & ~watched.known_declared(SEATS),
            count=len(hidden),
            step=hidden[-1].step,
            why=f"seat {seat} has {len(hidden)} of its declarations face down",
            why_zh=f"{seat} 号座位有 {len(hidden)} 张暗亮的牌还扣着",
        )


def _first_lead(ruleset: Ruleset, watched: Watched, knower: Knower, unseen: Cards) -> Iterator[Fact]:
    """The leader of a match's first hand was dealt a ♣2."""
    closed = watched.closed
    if closed is None or watched.hand_no != 1 or ruleset.first_lead == "as_given" or closed.leader == knower:
        return
    if not watched.played_by([closed.leader]) & TWOS_OF_CLUBS:
        yield Fact(
            kind="first_lead",
            seat=closed.leader,
            effect="holds_some",
            cards=TWOS_OF_CLUBS & unseen,
            count=1,
            step=closed.version,
            why=f"seat {closed.leader} has the first lead of the match, so it was dealt a C2, and has played none",
            why_zh=f"{closed.leader} 号座位在此局首出，所以分到了 C2，还没有出",
        )


def _suit_exhausted(ruleset: Ruleset, watched: Watched, play: Played, held_back: Cards) -> Iterator[Fact]:
    """Who plays another suit has none left; who uses a held-back card has none left but such cards."""
    of_suit, word, word_zh = SUIT_CARDS[play.suit], SUIT_WORDS[play.suit], _SUIT_WORDS_ZH[play.suit]
    who_zh = f"{play.seat} 号座位在第 {play.trick_no} 墩"
    used = play.cards & watched.known_declared([play.seat]) & held_back
    if (play.cards & of_suit).bit_count() < play.owed:
        kind, cards = "void", of_suit
        why = f"seat {play.seat} did not follow {word} in trick {play.trick_no}"
        why_zh = f"{who_zh}没有跟{word_zh}"
    elif used and not play.leads:
        kind, cards = "ban_follow", of_suit & ~held_back
        why = f"seat {play.seat} followed with a held-back card in trick {play.trick_no}: no other {word} were left"
        why_zh = f"{who_zh}跟了禁出的亮牌：已没有别的{word_zh}"
    elif used and ruleset.ban_when_leading:
        kind, cards = "ban_lead", of_suit & ~held_back
        why = f"seat {play.seat} led a held-back card to trick {play.trick_no}: it had no other {word}"
        why_zh = f"{who_zh}领出禁出的亮牌：已没有别的{word_zh}"
    else:
        return
    yield _lacks(kind, play, cards, why, why_zh)


def _lacks(kind: str, play: Played, cards: Cards, why: str, why_zh: str) -> Fact:
    return Fact(
        kind=kind,  # type: ignore[arg-type]
        seat=play.seat,
        effect="lacks",
        cards=cards,
        step=play.step,
        trick_no=play.trick_no,
        why=why,
        why_zh=why_zh,
    )


def _no_pair(watched: Watched, play: Played, held_back: Cards) -> Iterator[Fact]:
    """Who follows a pair without a free pair of the suit had none; of each of its cards there it lacks the copy."""
    of_suit, word = SUIT_CARDS[play.suit], SUIT_WORDS[play.suit]
    followed = (play.cards & of_suit).bit_count() == play.owed
    known = watched.known_declared([play.seat]) & held_back
    if play.leads or play.owed == 1 or not followed or pairs_in(play.cards & ~known):
        return
    kinds = of_suit & FIRST_COPIES & ~set_of(kind_of(card) for card in cards_in(held_back))
    why = f"seat {play.seat} had no free pair of {word} for the pair led in trick {play.trick_no}"
    why_zh = f"{play.seat} 号座位在领出一对的第 {play.trick_no} 墩没有可出的{_SUIT_WORDS_ZH[play.suit]}对子"
    yield Fact(
        kind="no_pair",
        seat=play.seat,
        effect="no_pair",
        cards=kinds,
        step=play.step,
        trick_no=play.trick_no,
        why=why,
        why_zh=why_zh,
    )
    shown = watched.played_by([play.seat], since=play.step) & (kinds | kinds << _DECK)
    copies = (shown >> _DECK | shown << _DECK) & (kinds | kinds << _DECK) & ~shown
    if copies:
        yield _lacks(
            "no_pair",
            play,
            copies,
            f"{why}, so it lacks the copies of the cards it has played since",
            f"{why_zh}，所以也没有此后所出之牌的另一张",
        )
