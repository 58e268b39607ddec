"""Dealing a hand: from the chain of seeds, or as a foreign record has it (rules.md §3, design §3, §7)."""

from collections.abc import Sequence

from msgspec import UNSET

from domain import commands
from domain.cards import TWOS_OF_CLUBS, Card
from domain.dealing import Deal, check_order, deal_order, first_dealt, link, order_of
from domain.decisions.story import Story, require_phase, seat_named
from domain.errors import DealUnavailable, NoncesMissing, SeatEmpty, WrongTerms
from domain.events import DealSecret, HandDealt
from domain.match import Match
from domain.seats import SEATS, Seat
from domain.secret import Secret


def deal_hand(story: Story, _command: commands.DealHand) -> None:
    """Deal the next hand."""
    require_ready_to_deal(story.match)
    deal_next(story)


def require_ready_to_deal(match: Match) -> None:
    """Refuses dealing before all sit, or while a nonce is missing."""
    require_phase(match, "dealing", "seating", "between_hands")
    if None in match.players:
        raise SeatEmpty(seat=match.players.index(None))
    if missing := missing_nonces(match):
        raise NoncesMissing(seats=list(missing))


def missing_nonces(match: Match) -> tuple[Seat, ...]:
    """The seats that committed to a nonce and have not revealed it."""
    return tuple(seat for seat in SEATS if match.commitments[seat] is not None and match.nonces[seat] is None)


def deal_next(story: Story) -> None:
    """Deal the hand the story's dealer gives. Raises `DealUnavailable` where that is the chain and it is sealed."""
    match = story.match
    deal = story.dealer(match)
    story.add(
        HandDealt,
        hand_no=match.hands_ended + 1,
        leader=match.next_leader,
        secret=Secret(deal) if deal is not None else UNSET,
    )


def chain_deal(match: Match) -> DealSecret:
    """The next deal, which the chain and the nonces fix. Raises `DealUnavailable` without the root."""
    if match.root is None:
        raise DealUnavailable
    hand_no = match.hands_ended + 1
    seed = link(match.root, hand_no)
    order = deal_order(seed, match.id, hand_no, match.nonces, match.ruleset.decks)
    leader = first_dealt(order, TWOS_OF_CLUBS) if match.next_leader is None else match.next_leader
    return DealSecret(bytes(order), seed, leader)


def deal_recorded_hand(story: Story, command: commands.DealRecordedHand) -> None:
    """Deal given cards in an imported match. Raises `WrongDeal`, `WrongTerms`, `UnknownCard`, `NotASeat`."""
    match = story.match
    require_ready_to_deal(match)
    if match.opened.origin != "imported":
        raise WrongTerms(what="only an imported match takes recorded hands")
    order = order_of(command.deal, match.ruleset.decks)
    check_order(order, match.ruleset.decks)
    leader = _recorded_leader(match, command, order)
    story.add(HandDealt, hand_no=match.hands_ended + 1, leader=leader, deal=command.deal)


def _recorded_leader(match: Match, command: commands.DealRecordedHand, order: Sequence[Card]) -> Seat:
    """Who leads: by the rules where they say, else whom the record names. Raises `WrongTerms` where these differ."""
    given = None if command.leader is None else seat_named(command.leader)
    if match.ruleset.first_lead == "as_given":
        leader = match.next_leader if given is None else given
        if leader is None:
            raise WrongTerms(what="this ruleset takes the first leader as given; the record must name it")
        return leader
    due = match.next_leader
    if due is None:
        due = _two_of_clubs_leader(command.deal, order)
    if given not in (None, due):
        raise WrongTerms(what=f"by the rules seat {due} leads this hand; the record names seat {given}")
    return due


def _two_of_clubs_leader(deal: Deal, order: Sequence[Card]) -> Seat:
    """The seat dealt the first ♣2. Raises `WrongTerms` where two seats hold one and the order is not known."""
    holders = {place % 4 for place, card in enumerate(order) if TWOS_OF_CLUBS >> card & 1}
    if len(holders) > 1 and deal.order == "unknown":
        raise WrongTerms(
            what="two seats hold a C2 and the order of the deal, which says who leads, is not known"
        )
    return first_dealt(order, TWOS_OF_CLUBS)
