"""Whether a match was dealt fairly and its hidden declarations were honest, from its public events alone (P6).

The protocol is described in infra/protocol/fair-dealing.md: a chain of seeds fixed by an anchor before anyone sat, the
seats' nonces, a shuffle that follows from both, and commitments of hidden declarations. Each check is a named link;
the report names those that fail. Nothing here uses a key, a clock or the network.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from typing import Literal
from uuid import UUID

import msgspec

from domain.cards import TWOS_OF_CLUBS
from domain.dealing import CHAIN_LENGTH, Deal, deal_of, deal_order, first_dealt, is_hex, next_link
from domain.events import (
    CardDeclared,
    CardsPlayed,
    DeclarationsClosed,
    Event,
    HandDealt,
    HandEnded,
    MatchAbandoned,
    MatchOpened,
    NonceRevealed,
    PlayerLeft,
    PlayerSeated,
    PublishedDeclaration,
)
from domain.match import opened_commitment
from domain.seats import SEATS

Outcome = Literal[
    "verified", "failed", "consistent, but seeded", "not provable: imported", "nothing to verify yet"
]


class BrokenLink(msgspec.Struct, frozen=True):
    """A link that fails: where in the match, which link of the protocol, and what is wrong with it."""

    hand_no: int | None
    link: str
    what: str

    def describe(self) -> str:
        """One sentence."""
        where = "before the first deal" if self.hand_no is None else f"hand {self.hand_no}"
        return f"{where}, {self.link}: {self.what}"


class VerifyReport(msgspec.Struct, frozen=True, kw_only=True):
    """What was checked of a match, and every link that fails."""

    match: UUID | None
    outcome: Outcome
    hands: int
    declarations: int
    nonces: int
    broken: tuple[BrokenLink, ...]

    @property
    def ok(self) -> bool:
        """Whether no link fails."""
        return not self.broken


def verify(events: Sequence[Event]) -> VerifyReport:
    """Checks every deal and every hidden declaration of a match that is over, or was played so far."""
    proof = _Proof()
    for event in events:
        proof.read(event)
    return proof.report()


class _Proof:
    """What has been published so far, and which links have failed."""

    def __init__(self) -> None:
        self.opened: MatchOpened | None = None
        self.broken: list[BrokenLink] = []
        self.commitments: list[str | None] = [None] * 4
        self.nonces: list[bytes | None] = [None] * 4
        self.newest_seed: tuple[int, bytes] | None = None
        self.hands = 0
        self.declarations = 0
        self.hand: _Hand | None = None
        self.next_leader: int | None = None
        self.expected_version = 1

    def read(self, event: Event) -> None:
        """Takes one more event into account."""
        if event.version != self.expected_version or (self.opened and event.match != self.opened.match):
            self.fail(
                "events", f"version {event.version} where {self.expected_version} is due: the record has gaps"
            )
        self.expected_version = event.version + 1
        reader = _READERS.get(type(event))
        if reader is not None:
            if self.opened is None and not isinstance(event, MatchOpened):
                self.fail("events", "the record does not begin with MatchOpened")
            reader(self, event)

    def fail(self, link: str, what: str) -> None:
        """One more link that fails."""
        self.broken.append(BrokenLink(self.hand.number if self.hand else None, link, what))

    def report(self) -> VerifyReport:
        """The report of what was read."""
        return VerifyReport(
            match=self.opened.match if self.opened else None,
            outcome=self._outcome(),
            hands=self.hands,
            declarations=self.declarations,
            nonces=sum(nonce is not None for nonce in self.nonces),
            broken=tuple(self.broken),
        )

    def _outcome(self) -> Outcome:
        if self.broken:
            return "failed"
        if self.opened is not None and self.opened.anchor is None:
            return "not provable: imported"
        if self.hands == 0:
            return "nothing to verify yet"
        if self.opened is not None and self.opened.origin == "seeded":
            return "consistent, but seeded"
        return "verified"

    # --- before the deal --------------------------------------------------------------------------------------------

    def match_opened(self, event: MatchOpened) -> None:
        """The anchor: s₀, before anyone sits."""
        self.opened = event
        if event.origin == "imported":
            return
        if event.anchor is None or not is_hex(event.anchor, 64):
            self.fail("anchor", "MatchOpened publishes no anchor of 64 bytes")
        elif event.chain_length != CHAIN_LENGTH:
            self.fail("anchor", f"the chain has {event.chain_length} links, not {CHAIN_LENGTH}")
        else:
            self.newest_seed = (0, bytes.fromhex(event.anchor))

    def player_seated(self, event: PlayerSeated) -> None:
        """A commitment to a nonce, before any nonce of the table is known to its giver."""
        self.commitments[event.seat] = event.commitment
        self.nonces[event.seat] = None

    def player_left(self, event: PlayerLeft) -> None:
        """A seat and its nonce are gone."""
        self.commitments[event.seat] = self.nonces[event.seat] = None

    def nonce_revealed(self, event: NonceRevealed) -> None:
        """A nonce fits its commitment."""
        commitment = self.commitments[event.seat]
        if not is_hex(event.nonce, 32):
            self.fail(f"nonce of seat {event.seat}", "it is not 32 bytes in hex")
            return
        nonce = bytes.fromhex(event.nonce)
        if commitment is None or hashlib.sha256(nonce).hexdigest() != commitment:
            self.fail(f"nonce of seat {event.seat}", "it does not fit the commitment given when sitting down")
        self.nonces[event.seat] = nonce

    # --- a hand -----------------------------------------------------------------------------------------------------

    def hand_dealt(self, event: HandDealt) -> None:
        """A hand begins; every committed nonce is known by now."""
        self.hand = _Hand(event.hand_no, event.leader)
        for seat in SEATS:
            if self.commitments[seat] is not None and self.nonces[seat] is None:
                self.fail(
                    f"nonce of seat {seat}", "the hand was dealt without the nonce this seat committed to"
                )
        if event.hand_no > 1 and self.next_leader is not None and event.leader != self.next_leader:
            self.fail("leader", f"seat {event.leader} leads where seat {self.next_leader} took the pig")

    def card_declared(self, event: CardDeclared) -> None:
        """A declaration; a hidden one is a commitment."""
        if self.hand is not None:
            self.hand.declared.append(event)

    def declarations_closed(self, event: DeclarationsClosed) -> None:
        """The leader is named."""
        if self.hand is not None:
            self.hand.leader = event.leader

    def cards_played(self, event: CardsPlayed) -> None:
        """Openings of hidden declarations that are played."""
        if self.hand is not None:
            self.hand.opened += event.openings

    def hand_ended(self, event: HandEnded) -> None:
        """Seed, deal and declarations are published."""
        self._check_hand(event.seed, event.deal, event.declarations)
        self.next_leader = event.next_leader
        self.hand = None

    def match_abandoned(self, event: MatchAbandoned) -> None:
        """The hand in progress is published, where its key was there."""
        if self.hand is not None and event.deal is not None:
            self._check_hand(event.seed, event.deal, event.declarations)
        self.hand = None

    def _check_hand(
        self, seed: str | None, deal: Deal, declarations: tuple[PublishedDeclaration, ...]
    ) -> None:
        if self.hand is None:
            self.fail("events", "a hand ends that was not dealt")
            return
        self._check_declarations(self.hand, deal, declarations)
        if self.opened is not None and self.opened.anchor is not None:
            self._check_deal(self.hand, seed, deal)
        self.hands += 1

    def _check_deal(self, hand: "_Hand", seed_text: str | None, deal: Deal) -> None:
        if seed_text is None or not is_hex(seed_text, 64):
            self.fail("seed", "no seed of 64 bytes is published")
            return
        seed = bytes.fromhex(seed_text)
        self._check_chain(hand.number, seed)
        assert self.opened is not None, "checked by the caller"
        order = deal_order(seed, self.opened.match, hand.number, self.nonces, self.opened.ruleset.decks)
        if deal_of(order, self.opened.ruleset.decks) != deal:
            self.fail("deal", "the cards dealt are not those that the seed and the nonces give")
        elif hand.number == 1 and hand.leader not in (None, first_dealt(order, TWOS_OF_CLUBS)):
            self.fail("leader", f"seat {hand.leader} led, but another seat was dealt the first C2")

    def _check_chain(self, number: int, seed: bytes) -> None:
        if self.newest_seed is None:
            return
        known, value = self.newest_seed
        hashed = seed
        for _ in range(number - known):
            hashed = next_link(hashed)
        if number <= known or hashed != value:
            what = "the anchor" if known == 0 else f"the seed of hand {known}"
            self.fail("seed", f"it does not hash to {what}")
        self.newest_seed = (number, seed)

    def _check_declarations(
        self, hand: "_Hand", deal: Deal, published: tuple[PublishedDeclaration, ...]
    ) -> None:
        opened = [self._commitment(hand.number, declaration) for declaration in published]
        for declared in hand.declared:
            self.declarations += declared.level == "hidden"
            if declared.level == "hidden" and declared.commitment not in opened:
                self.fail(f"declaration of seat {declared.seat}", "no published opening fits its commitment")
        shown = [
            (declaration.seat, declaration.card) for declaration in published if declaration.level == "open"
        ]
        for declared in hand.declared:
            if declared.level == "open" and (declared.seat, declared.card) not in shown:
                self.fail(
                    f"declaration of seat {declared.seat}",
                    f"{declared.card} was declared open and is not published",
                )
        if len(published) != len(hand.declared):
            self.fail("declarations", f"{len(published)} are published, {len(hand.declared)} were made")
        for declaration in published:
            if declaration.card not in deal.hands[declaration.seat]:
                self.fail(
                    f"declaration of seat {declaration.seat}", f"{declaration.card} was not dealt to it"
                )
        for opening in hand.opened:
            if opening not in published:
                self.fail(
                    f"declaration of seat {opening.seat}", f"{opening.card} was opened otherwise when played"
                )

    def _commitment(self, hand_no: int, declaration: PublishedDeclaration) -> str | None:
        if self.opened is None or (declaration.opening is not None and not is_hex(declaration.opening, 32)):
            return None
        return opened_commitment(self.opened.match, hand_no, declaration)


class _Hand:
    """What is known of the hand in progress."""

    def __init__(self, number: int, leader: int | None) -> None:
        self.number = number
        self.leader = leader
        self.declared: list[CardDeclared] = []
        self.opened: list[PublishedDeclaration] = []


_READERS: dict[type[Event], Callable[..., None]] = {
    MatchOpened: _Proof.match_opened,
    PlayerSeated: _Proof.player_seated,
    PlayerLeft: _Proof.player_left,
    NonceRevealed: _Proof.nonce_revealed,
    HandDealt: _Proof.hand_dealt,
    CardDeclared: _Proof.card_declared,
    DeclarationsClosed: _Proof.declarations_closed,
    CardsPlayed: _Proof.cards_played,
    HandEnded: _Proof.hand_ended,
    MatchAbandoned: _Proof.match_abandoned,
}


def matches_in(events: Sequence[Event]) -> Iterator[list[Event]]:
    """The events of each match, in the order the matches begin."""
    by_match: dict[UUID, list[Event]] = {}
    for event in events:
        by_match.setdefault(event.match, []).append(event)
    yield from by_match.values()
