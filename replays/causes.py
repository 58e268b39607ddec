"""The command that each group of recorded events came from (design §3, who appends what)."""

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from domain import commands, events
from domain.cards import name_of
from domain.commands import Command
from domain.dealing import ROOT_BYTES
from domain.events import Event
from domain.secret import Secret

STAND_IN_ROOT: Final = Secret(bytes(ROOT_BYTES))
"""Stands for the chain root of a match, which nobody publishes."""


def command_of(first: Event, decks: int) -> Command | None:
    """The command whose first event this is, None where no command begins with it."""
    cause = _CAUSES.get(type(first))
    if cause is None:
        return None
    return _declaration(first, decks) if isinstance(first, events.CardDeclared) else cause(first)


def _opening(event: events.MatchOpened) -> Command:
    return commands.OpenMatch(
        match=event.match,
        ruleset=event.ruleset,
        hands_agreed=event.hands_agreed,
        clocks=event.clocks,
        abandonment=event.abandonment,
        origin=event.origin,
        opened_by=event.opened_by,
        root=None if event.origin == "imported" else STAND_IN_ROOT,
    )


def _deal(event: events.HandDealt) -> Command:
    if event.deal is None:
        return commands.DealHand()
    return commands.DealRecordedHand(deal=event.deal, leader=event.leader)


def _declaration(event: events.CardDeclared, decks: int) -> Command | None:
    """An automatic declaration that comes first was brought by the window's end; a hidden one needs its secret."""
    if event.automatic:
        return commands.CloseDeclarations()
    if event.card is not None:
        return commands.DeclareCard(seat=event.seat, card=event.card, level=event.level)
    secret = events.secret_of(event)
    if not isinstance(secret, events.DeclarationSecret):
        return None
    card = name_of(secret.card, decks)
    return commands.DeclareCard(seat=event.seat, card=card, level=event.level, opening=Secret(secret.opening))


Cause: TypeAlias = Callable[[Any], Command]

_CAUSES: Final[dict[type[Event], Cause]] = {
    events.MatchOpened: _opening,
    events.PlayerSeated: lambda e: commands.TakeSeat(seat=e.seat, player=e.player, commitment=e.commitment),
    events.PlayerLeft: lambda e: commands.LeaveSeat(seat=e.seat, cause=e.cause),
    events.NonceRevealed: lambda e: commands.RevealNonce(seat=e.seat, nonce=e.nonce),
    events.HandDealt: _deal,
    events.CardDeclared: lambda _: commands.CloseDeclarations(),
    events.DeclarationDone: lambda e: commands.SayDone(seat=e.seat),
    events.DeclarationsClosed: lambda _: commands.CloseDeclarations(),
    events.CardsPlayed: lambda e: commands.PlayCards(seat=e.seat, cards=e.cards, by=e.by),
    events.SeatHandedOver: lambda e: commands.HandOverSeat(seat=e.seat, cause=e.cause),
    events.SeatTakenBack: lambda e: commands.TakeBackSeat(seat=e.seat, cause=e.cause),
    events.MatchAbandoned: lambda e: commands.AbandonMatch(cause=e.cause, by=e.by),
    events.MatchAnnulled: lambda e: commands.AnnulMatch(case=e.case, cause=e.cause, by=e.by),
    events.AnnulmentLifted: lambda e: commands.LiftAnnulment(case=e.case, cause=e.cause, by=e.by),
}
"""The command that begins with an event of each type; the other types only ever follow in a group."""
