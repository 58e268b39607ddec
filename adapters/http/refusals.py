"""Refusals of the API itself: who may ask for what, and how often."""

from domain.errors import CommandRefused


class NotYourSeat(CommandRefused):
    """A player acts for the seat he sits at, and for no other."""

    text = "this is not your seat"


class RoleRefused(CommandRefused):
    """The token's role does not admit this."""

    text = "this takes a token of role {needed}"


class NotTheOpener(CommandRefused):
    """Before the deal a match is abandoned by who opened it."""

    text = "before the deal a match is abandoned by the player who opened it, or by an operator"


class NotAMatchId(CommandRefused):
    """An id that a client makes is a UUID of version 7 of about now."""

    text = "{match} is not a UUID of version 7 made within the last ten minutes"


class TooManyTables(CommandRefused):
    """A player, and a service, keep a number of tables on offer."""

    text = "{most} tables are open already; close one or wait until one is full"
