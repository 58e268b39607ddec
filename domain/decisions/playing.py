"""Playing cards and taking tricks (rules.md §4)."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from domain import commands
from domain.cards import Card, Cards, names_of, parse_cards
from domain.decisions.disclosure import published
from domain.decisions.hand_end import end_hand
from domain.decisions.story import Story, known_holdings, require_phase, seat_named
from domain.errors import CommandRefused, NotYourTurn, WrongPhase
from domain.events import CardsPlayed, PublishedDeclaration, TrickTaken
from domain.match import Hand
from domain.plays import follow_refusal, lead_refusal, legal_follows, legal_leads
from domain.rulesets import Ruleset
from domain.seats import Seat
from domain.tricks import winning_play

_MILLISECOND: Final = timedelta(milliseconds=1)


def play_cards(story: Story, command: commands.PlayCards) -> None:
    """Play to the trick; the fourth play brings the taker and, at the end, the scores."""
    match, seat = story.match, seat_named(command.seat)
    require_phase(match, "playing a card", "playing", seat=seat)
    hand = story.hand
    if hand.turn != seat:
        raise NotYourTurn(seat=seat, turn=hand.turn)
    cards = parse_cards(command.cards, match.ruleset.decks)
    if refusal := play_refusal(match.ruleset, hand, seat, cards):
        raise refusal
    story.add(
        CardsPlayed,
        hand_no=hand.number,
        trick_no=hand.trick_no,
        seat=seat,
        cards=tuple(command.cards),
        by=command.by,
        think_ms=(story.at - hand.turn_since) // _MILLISECOND,
        openings=_openings(hand, cards, match.ruleset.decks),
    )
    if len(hand.plays) == 3:
        _take_trick(story)


def play_refusal(ruleset: Ruleset, hand: Hand, seat: Seat, cards: Sequence[Card]) -> CommandRefused | None:
    """Why the seat whose turn it is may not play these cards, or None where it may. Raises `DealUnavailable`."""
    held_cards = known_holdings(hand)[seat]
    if hand.led_suit is None or hand.owed is None:
        return lead_refusal(
            held_cards,
            hand.held,
            cards,
            decks=ruleset.decks,
            ban=ruleset.ban_when_leading,
            must_lead_two_of_clubs=must_lead_two_of_clubs(ruleset, hand),
            seat=seat,
        )
    return follow_refusal(
        held_cards, hand.led_suit, hand.owed, hand.held, cards, decks=ruleset.decks, seat=seat
    )


def legal_plays(ruleset: Ruleset, hand: Hand, seat: Seat) -> list[Cards]:
    """Every play the seat whose turn it is may make, as sets of one or two cards. Raises `DealUnavailable`."""
    held_cards = known_holdings(hand)[seat]
    if hand.led_suit is None or hand.owed is None:
        return legal_leads(
            held_cards,
            hand.held,
            decks=ruleset.decks,
            ban=ruleset.ban_when_leading,
            must_lead_two_of_clubs=must_lead_two_of_clubs(ruleset, hand),
        )
    return legal_follows(held_cards, hand.led_suit, hand.owed, hand.held)


def must_lead_two_of_clubs(ruleset: Ruleset, hand: Hand) -> bool:
    """Whether the play to come is the first lead of a match that begins with ♣2."""
    return (
        ruleset.first_lead == "two_of_clubs_leads_it"
        and hand.number == 1
        and hand.trick_no == 1
        and not hand.plays
    )


def _openings(hand: Hand, cards: Sequence[Card], decks: int) -> tuple[PublishedDeclaration, ...]:
    return tuple(
        published(declaration, decks)
        for declaration in hand.declarations
        if declaration.level == "hidden" and declaration.card in cards
    )


def _take_trick(story: Story) -> None:
    match, hand = story.match, story.hand
    suit = hand.led_suit
    if suit is None:
        raise WrongPhase(what="taking a trick", phase=match.phase)
    winner = winning_play([play.as_set for play in hand.plays], suit, match.ruleset.pair_tricks)
    story.add(
        TrickTaken,
        hand_no=hand.number,
        trick_no=hand.trick_no,
        seat=hand.plays[winner].seat,
        cards=names_of([card for play in hand.plays for card in play.cards], match.ruleset.decks),
    )
    if not any(known_holdings(story.hand)):
        end_hand(story)
