"""The declaration window (rules.md §3)."""

from domain import commands
from domain.cards import Card, name_of, parse_card
from domain.decisions.deadlines import declarations_deadline
from domain.decisions.story import Story, known_holdings, require_phase, seat_named
from domain.declarations import OPENING_BYTES, automatic_fourth, commitment_of, declared_cards, is_declarable
from domain.errors import (
    AlreadyDeclared,
    AlreadyDone,
    CardNotHeld,
    DealUnavailable,
    HiddenNotAllowed,
    NotDeclarable,
    TooEarly,
    WrongTerms,
)
from domain.events import CardDeclared, DeclarationDone, DeclarationsClosed, DeclarationSecret
from domain.seats import SEATS, Seat
from domain.secret import Secret


def declare_card(story: Story, command: commands.DeclareCard) -> None:
    """Declare a card open or hidden."""
    match, seat = story.match, seat_named(command.seat)
    require_phase(match, "declaring", "declaring", seat=seat)
    hand, decks = story.hand, match.ruleset.decks
    card = parse_card(command.card, decks)
    if hand.done[seat]:
        raise AlreadyDone(seat=seat)
    if not is_declarable(card):
        raise NotDeclarable(seat=seat, card=command.card)
    if not known_holdings(hand)[seat] >> card & 1:
        raise CardNotHeld(seat=seat, card=command.card)
    if any(declaration.card == card for declaration in hand.declarations):
        raise AlreadyDeclared(seat=seat, card=command.card)
    if command.level == "hidden":
        _declare_hidden(story, command, card)
    else:
        _declare_open(story, seat, card, automatic=False)


def _declare_open(story: Story, seat: Seat, card: Card, *, automatic: bool) -> None:
    story.add(
        CardDeclared,
        hand_no=story.hand.number,
        seat=seat,
        level="open",
        automatic=automatic,
        card=name_of(card, story.match.ruleset.decks),
        commitment=None,
    )


def _declare_hidden(story: Story, command: commands.DeclareCard, card: Card) -> None:
    match = story.match
    if not match.ruleset.hidden_declarations:
        raise HiddenNotAllowed(seat=command.seat, card=command.card, ruleset=match.ruleset.name)
    opening = command.opening.value if command.opening else b""
    if len(opening) != OPENING_BYTES:
        raise WrongTerms(
            seat=command.seat, what=f"a hidden declaration brings an opening of {OPENING_BYTES} random bytes"
        )
    story.add(
        CardDeclared,
        hand_no=story.hand.number,
        seat=command.seat,
        level="hidden",
        automatic=False,
        card=None,
        commitment=commitment_of(match.id.bytes, story.hand.number, command.seat, command.card, opening),
        secret=Secret(DeclarationSecret(card, opening)),
    )


def say_done(story: Story, command: commands.SayDone) -> None:
    """Declare no more; the last seat to say so closes the window."""
    seat = seat_named(command.seat)
    require_phase(story.match, "saying done", "declaring", seat=seat)
    if story.hand.done[seat]:
        raise AlreadyDone(seat=seat)
    known_holdings(story.hand)
    story.add(DeclarationDone, hand_no=story.hand.number, seat=seat)
    if all(story.hand.done):
        _close_window(story, "all_done")


def close_declarations(story: Story, _command: commands.CloseDeclarations) -> None:
    """Close the window at its deadline."""
    match = story.match
    require_phase(match, "closing the declarations", "declaring")
    deadline = declarations_deadline(match)
    if deadline is None or story.at < deadline:
        raise TooEarly(deadline=deadline.isoformat() if deadline else "of this window")
    known_holdings(story.hand)
    _close_window(story, "time")


def _close_window(story: Story, cause: str) -> None:
    hand = story.hand
    fourth = automatic_fourth(story.match.ruleset, declared_cards(hand.declarations))
    if fourth is not None:
        holder = next(seat for seat in SEATS if known_holdings(hand)[seat] >> fourth & 1)
        _declare_open(story, holder, fourth, automatic=True)
    if hand.leader is None:
        raise DealUnavailable
    story.add(DeclarationsClosed, hand_no=hand.number, cause=cause, leader=hand.leader)
