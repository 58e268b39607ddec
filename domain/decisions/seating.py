"""Opening a match, sitting down, getting up and revealing nonces (design §3)."""

import hashlib

from domain import commands
from domain.dealing import CHAIN_LENGTH, NONCE_BYTES, ROOT_BYTES, is_hex, link
from domain.decisions.dealing import deal_next, missing_nonces
from domain.decisions.story import Story, require_phase, seat_named
from domain.errors import (
    AlreadySeated,
    MatchAlreadyOpen,
    NonceDiffers,
    NonceNotCommitted,
    SeatEmpty,
    SeatTaken,
    WrongPhase,
    WrongTerms,
)
from domain.events import MatchOpened, NonceRevealed, PlayerLeft, PlayerSeated, RootSecret
from domain.secret import Secret


def open_match(story: Story, command: commands.OpenMatch) -> None:
    """Put the match on offer."""
    if not story.is_new:
        raise MatchAlreadyOpen
    _check_terms(command)
    root = command.root.value if command.root else None
    story.add(
        MatchOpened,
        match=command.match,
        ruleset=command.ruleset,
        hands_agreed=command.hands_agreed,
        clocks=command.clocks,
        abandonment=command.abandonment,
        origin=command.origin,
        anchor=link(root, 0).hex() if root else None,
        chain_length=CHAIN_LENGTH if root else None,
        opened_by=command.opened_by,
        **({"secret": Secret(RootSecret(root))} if root else {}),
    )


def _check_terms(command: commands.OpenMatch) -> None:
    ruleset, hands, clocks = command.ruleset, command.hands_agreed, command.clocks
    if ruleset.by_blood and hands is not None:
        raise WrongTerms(what=f"{ruleset.name} ends at a threshold; no number of hands is agreed")
    if not ruleset.by_blood and (hands is None or not 1 <= hands <= ruleset.most_hands):
        raise WrongTerms(
            what=f"{ruleset.name} needs an agreed number of hands from 1 to {ruleset.most_hands}, not {hands}"
        )
    if min(clocks.seat_s, clocks.declare_s, clocks.play_s, clocks.pause_s, clocks.grace_s) < 0:
        raise WrongTerms(what="clocks cannot be negative")
    if (command.root is None) != (command.origin == "imported"):
        raise WrongTerms(what="imported matches have no chain of seeds, all others have one")
    if ruleset.first_lead == "as_given" and command.origin != "imported":
        raise WrongTerms(what="only imported matches take their first leader as given")
    if command.root is not None and len(command.root.value) != ROOT_BYTES:
        raise WrongTerms(what=f"a chain root has {ROOT_BYTES} bytes")


def take_seat(story: Story, command: commands.TakeSeat) -> None:
    """Seat a player; the last one brings the deal."""
    match, seat = story.match, seat_named(command.seat)
    require_phase(match, "sitting down", "seating")
    if match.players[seat] is not None:
        raise SeatTaken(seat=seat)
    if command.player in match.players:
        raise AlreadySeated(seat=seat, at_seat=match.players.index(command.player))
    if command.commitment is not None and not is_hex(command.commitment, 32):
        raise WrongTerms(seat=seat, what="a nonce commitment is a SHA-256 in 64 lower-case hex digits")
    story.add(PlayerSeated, seat=seat, player=command.player, commitment=command.commitment)
    deal_when_ready(story)


def leave_seat(story: Story, command: commands.LeaveSeat) -> None:
    """Free a seat before the deal."""
    match, seat = story.match, seat_named(command.seat)
    require_phase(match, "getting up", "seating")
    player = match.players[seat]
    if player is None:
        raise SeatEmpty(seat=seat)
    story.add(PlayerLeft, seat=seat, player=player, cause=command.cause)


def reveal_nonce(story: Story, command: commands.RevealNonce) -> None:
    """Reveal a nonce committed to; the last one brings the deal."""
    match, seat = story.match, seat_named(command.seat)
    require_phase(match, "revealing a nonce", "seating")
    if None in match.players:
        raise WrongPhase(seat=seat, what="revealing a nonce before all four sit", phase=match.phase)
    if match.commitments[seat] is None or match.nonces[seat] is not None:
        raise NonceNotCommitted(seat=seat)
    if not is_hex(command.nonce, NONCE_BYTES):
        raise NonceDiffers(seat=seat)
    if hashlib.sha256(bytes.fromhex(command.nonce)).hexdigest() != match.commitments[seat]:
        raise NonceDiffers(seat=seat)
    story.add(NonceRevealed, seat=seat, nonce=command.nonce)
    deal_when_ready(story)


def deal_when_ready(story: Story) -> None:
    """Deal the first hand if all four sit and no committed nonce is missing."""
    match = story.match
    if None not in match.players and not missing_nonces(match) and match.opened.origin != "imported":
        deal_next(story)
