"""Steps whose secret part is not public: the opening of a match, and a hidden declaration that is still closed.

They are decided anew with a stand-in for the secret; what only the secret can confirm is taken as recorded.
"""

from typing import Final

from msgspec import UNSET
from msgspec.structs import replace

from domain import commands
from domain.cards import Card, cards_in, name_of
from domain.dealing import is_hex
from domain.decisions import Decision, decide_and_evolve
from domain.decisions.story import known_holdings
from domain.declarations import OPENING_BYTES
from domain.errors import WrongPhase
from domain.events import CardDeclared, MatchOpened
from domain.match import Hand, Match, evolve
from domain.rulesets import RULESETS, as_recorded
from domain.seats import SEATS, Seat, replaced
from domain.secret import Secret
from replays.causes import command_of
from replays.findings import StepDiffers, difference, impossible
from replays.known_cards import possible_declarations

_ANCHOR_BYTES: Final = 64
_COMMITMENT_BYTES: Final = 32
_ANY_OPENING: Final = Secret(bytes(OPENING_BYTES))


def match_opening(event: MatchOpened) -> Decision:
    """The opening of a match whose chain root nobody publishes: its anchor is taken as given."""
    _check_ruleset(event)
    command = command_of(event, event.ruleset.decks)
    assert command is not None
    (decided,) = decide_and_evolve(None, command, event.at).events
    assert isinstance(decided, MatchOpened)
    if decided.anchor is not None:
        if not is_hex(event.anchor, _ANCHOR_BYTES):
            raise StepDiffers(impossible(event, "an anchor is 64 bytes in hex", field="anchor"))
        decided = replace(decided, anchor=event.anchor, secret=UNSET)
    return Decision((decided,), evolve(None, decided))


def _check_ruleset(event: MatchOpened) -> None:
    """A ruleset that says it is one of ours, of the revision we have, has our numbers."""
    if event.ruleset.decks not in (1, 2):
        raise StepDiffers(impossible(event, "matches have one deck or two", field="ruleset.decks"))
    ours = RULESETS.get(event.ruleset.name)
    if ours is None or ours.revision != event.ruleset.revision:
        return
    if event.ruleset not in (ours, as_recorded(ours)):
        expected = replace(event, ruleset=ours)
        if finding := difference(event, expected):
            raise StepDiffers(finding)


def closed_declaration(match: Match | None, event: CardDeclared) -> Decision:
    """A hidden declaration that nothing opens yet: some card must be left that it can be."""
    if match is None or match.hand is None or event.seat not in SEATS:
        raise WrongPhase(what="declaring", phase=match.phase if match else "not open")
    if not is_hex(event.commitment, _COMMITMENT_BYTES):
        raise StepDiffers(impossible(event, "a commitment is a SHA-256 in hex", field="commitment"))
    own = [one for one in match.hand.declarations if one.seat == event.seat and one.card is None]
    possible = list(cards_in(possible_declarations(match.hand, match.ruleset, event.seat)))
    if len(possible) <= len(own):
        raise StepDiffers(impossible(event, "every card that may be declared is known to be another"))
    card = name_of(possible[0], match.ruleset.decks)
    command = commands.DeclareCard(seat=event.seat, card=card, level="hidden", opening=_ANY_OPENING)
    lent = replace(match, hand=_with_card(match.hand, event.seat, possible[0]))
    (decided,) = decide_and_evolve(lent, command, event.at).events
    told = replace(decided, commitment=event.commitment, secret=UNSET)
    return Decision((told,), evolve(match, told))


def _with_card(hand: Hand, seat: Seat, card: Card) -> Hand:
    holdings = known_holdings(hand)
    return replace(hand, holdings=replaced(holdings, seat, holdings[seat] | 1 << card))
