"""What can go wrong in the domain: commands that are refused, and logs that cannot be true.

`CommandRefused` is expected: nothing has changed, and each reason is a class of its own. `BrokenLog` is not: the
reader stops. Neither may carry what its receiver is not allowed to know.
"""

from typing import ClassVar


class GongzhuError(Exception):
    """Anything this project raises on purpose."""


class CommandRefused(GongzhuError):
    """A command the rules do not admit; nothing was appended.

    `seat` is the seat that asked, if any; `card` the card concerned, if one; `rule` names the clause of rules.md or
    of the protocol that was broken.
    """

    rule: ClassVar[str] = ""
    text: ClassVar[str] = "refused"

    def __init__(self, *, seat: int | None = None, card: str | None = None, **details: object) -> None:
        self.seat = seat
        self.card = card
        self.details = details
        super().__init__(self.describe())

    @property
    def reason(self) -> str:
        """The refusal's name, stable for programs."""
        return type(self).__name__

    def describe(self) -> str:
        """One sentence for a person: who, what, and the rule."""
        who = "" if self.seat is None else f"seat {self.seat}: "
        what = self.text.format(card=self.card, **self.details)
        return f"{who}{what}" + (f" ({self.rule})" if self.rule else "")


class UnknownCard(CommandRefused):
    """No such card in the decks of this match."""

    rule = "rules §1"
    text = "{card!r} is not a card of {decks} deck(s); write suit and rank, as in SQ (in two decks the copy too: SQa)"


class UnknownRuleset(CommandRefused):
    """No ruleset has this name."""

    rule = "rules §2"
    text = "there is no ruleset {name!r}; choose one of {known}"


class WrongPhase(CommandRefused):
    """The match is not in a phase that admits the command."""

    text = "{what} is not possible while the match is {phase}"


class MatchAlreadyOpen(CommandRefused):
    """A match is opened once."""

    text = "this match is already open"


class MatchNotOpen(CommandRefused):
    """No match has this identifier."""

    text = "there is no match {match}"


class WrongTerms(CommandRefused):
    """The terms a match was to be opened on do not fit its ruleset."""

    rule = "rules §2"
    text = "{what}"


class SeatTaken(CommandRefused):
    """Another player sits there."""

    text = "this seat is taken"


class SeatEmpty(CommandRefused):
    """Nobody sits there."""

    text = "nobody sits there"


class AlreadySeated(CommandRefused):
    """A player sits once at a table."""

    text = "this player already sits at seat {at_seat}"


class NotASeat(CommandRefused):
    """Seats are numbered 0 to 3."""

    rule = "rules §1"
    text = "{given!r} is not a seat; seats are 0 to 3"


class NonceNotCommitted(CommandRefused):
    """A nonce is revealed by a seat that committed to one, once."""

    text = "this seat has no nonce left to reveal"


class NonceDiffers(CommandRefused):
    """The nonce is not the one committed to."""

    text = "the nonce does not match the commitment given when sitting down"


class NoncesMissing(CommandRefused):
    """Dealing waits for the nonces that seats committed to."""

    text = "seats {seats} have not revealed the nonce they committed to"


class DealUnavailable(CommandRefused):
    """The deal of the live hand is sealed and this process holds no key for it."""

    text = "deal unavailable: the hand in progress is sealed and its key is not here; bring the key, or abandon it"


class WrongDeal(CommandRefused):
    """The cards to deal are not a full pack dealt evenly."""

    rule = "rules §3"
    text = "{what}"


class AlreadyDone(CommandRefused):
    """A seat that said done declares no more, and says it once."""

    rule = "rules §3"
    text = "this seat has said that it is done declaring"


class NotDeclarable(CommandRefused):
    """Only ♠Q ♦J ♣10 ♥A can be declared."""

    rule = "rules §1"
    text = "{card} cannot be declared; only SQ, DJ, CT and HA can"


class AlreadyDeclared(CommandRefused):
    """A card is declared once, at one level."""

    rule = "rules §3"
    text = "{card} is declared already; a declaration is not taken back, raised or repeated"


class HiddenNotAllowed(CommandRefused):
    """This ruleset knows open declarations only."""

    rule = "rules §2"
    text = "{ruleset} has no hidden declarations; declare {card} open or not at all"


class CardNotHeld(CommandRefused):
    """The seat does not hold the card."""

    rule = "rules §4"
    text = "{card} is not in this hand"


class NotYourTurn(CommandRefused):
    """Another seat is to play."""

    rule = "rules §4"
    text = "it is the turn of seat {turn}"


class WrongNumberOfCards(CommandRefused):
    """A trick takes one card a seat, or two when a pair leads."""

    rule = "rules §4"
    text = "{given} card(s) played where {owed} are owed"


class NotAPair(CommandRefused):
    """Two cards can be led only as both copies of one card."""

    rule = "rules §4"
    text = "two cards are led only as a pair, both copies of one card"


class MustFollowSuit(CommandRefused):
    """The seat holds cards of the led suit that it must use."""

    rule = "rules §4"
    text = "{card} does not follow suit; this hand still holds {suit}"


class HeldBack(CommandRefused):
    """A declared card waits until a trick led in its suit is completed."""

    rule = "rules §4, ban"
    text = "{card} is declared and held back until a trick led in its suit is completed; other cards must be used first"


class MustPlayPair(CommandRefused):
    """A led pair is followed with a pair of the suit where one is free."""

    rule = "rules §4, following a pair"
    text = "a pair was led and this hand holds a free pair of the suit; play a pair"


class MustUseHeldBack(CommandRefused):
    """Held-back cards of the suit fill what is owed before another suit does."""

    rule = "rules §4, ban"
    text = "{card} is of another suit; cards of the led suit, held back or not, must be used first"


class MustLeadTwoOfClubs(CommandRefused):
    """The first lead of a match is ♣2 in this ruleset."""

    rule = "rules §2"
    text = "the first lead of the match must be C2"


class NotHandedOver(CommandRefused):
    """Only a seat that was handed over can be taken back."""

    text = "this seat is not handed over"


class AlreadyHandedOver(CommandRefused):
    """The autopilot plays for this seat already."""

    text = "this seat is handed over already"


class TooEarly(CommandRefused):
    """The deadline has not passed."""

    text = "the deadline {deadline} has not passed"


class MatchNotEnded(CommandRefused):
    """Integrity decisions wait for the match's end."""

    text = "the match has not ended; annul or correct it afterwards, or abandon it now"


class AlreadyAnnulled(CommandRefused):
    """The match is annulled already."""

    text = "this match is annulled already"


class NotAnnulled(CommandRefused):
    """Only an annulled match can have its annulment lifted."""

    text = "this match is not annulled"


class NoSuchHand(CommandRefused):
    """The match has no finished hand of this number."""

    text = "there is no finished hand {hand_no} in this match"


class BrokenLog(GongzhuError):
    """A log that cannot be true: an unknown tag, a gap, a payload that does not decode, an impossible event.

    Names the match, the position in the log (None where not known) and the row's tag; the reader stops.
    """

    def __init__(
        self,
        what: str,
        *,
        match: object = None,
        version: int | None = None,
        position: int | None = None,
        tag: str = "",
    ) -> None:
        self.what = what
        self.match = match
        self.version = version
        self.position = position
        self.tag = tag
        super().__init__(self.describe())

    def describe(self) -> str:
        """One sentence: where in the log, and what is wrong there."""
        place = [f"match {self.match}" if self.match is not None else ""]
        place.append(f"version {self.version}" if self.version is not None else "")
        place.append(f"position {self.position}" if self.position is not None else "")
        place.append(f"tag {self.tag}" if self.tag else "")
        where = ", ".join(part for part in place if part)
        return f"broken log at {where or 'an unknown place'}: {self.what}"
