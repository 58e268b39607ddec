"""What each viewer may see of a match. The only source of views (design P2, rules.md §3).

A seat sees its own cards and its own hidden declarations; a spectator sees neither; of everyone else's hidden
declarations both see only how many there are. Who leads a match's first hand is not shown before the window closes,
since it tells who holds ♣2. Nothing here is computed from what the viewer may not know.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Final, Literal, TypeAlias
from uuid import UUID

import msgspec
from msgspec.structs import replace

from domain.cards import cards_in, names_of
from domain.decisions.deadlines import declarations_deadline, play_deadline
from domain.decisions.playing import legal_plays
from domain.declarations import Declaration
from domain.events import HandEnded
from domain.match import Hand, Match, Phase, Play
from domain.rulesets import Level
from domain.seats import SEATS, BySeat, Seat

SPECTATOR: Final = "spectator"
EVERYTHING: Final = "all"
Viewer: TypeAlias = Seat | Literal["spectator", "all"]
"""A seat, a spectator, or everyone's cards (of finished hands, and inside the match service)."""


class DeclarationView(msgspec.Struct, frozen=True):
    """A declaration as a viewer sees it; `card` is None where it lies face down for him."""

    seat: Seat
    level: Level
    card: str | None
    automatic: bool


class PlayView(msgspec.Struct, frozen=True):
    """One seat's cards in a trick."""

    seat: Seat
    cards: tuple[str, ...]


class HandView(msgspec.Struct, frozen=True, kw_only=True):
    """A hand in progress as a viewer sees it. By seat where four; `cards` and `legal` are the viewer's own.

    `all_cards` is everyone's cards, for the viewer `all`; `legal` is None unless it is the viewer's turn.
    """

    number: int
    leader: Seat | None
    turn: Seat | None
    deadline: datetime | None
    trick_no: int
    trick: tuple[PlayView, ...]
    last_trick: tuple[PlayView, ...]
    takers: tuple[Seat, ...]
    taken: BySeat[tuple[str, ...]]
    declarations: tuple[DeclarationView, ...]
    hidden_counts: BySeat[int]
    done: BySeat[bool]
    cards_left: BySeat[int]
    cards: tuple[str, ...] | None
    all_cards: BySeat[tuple[str, ...]] | None
    legal: tuple[tuple[str, ...], ...] | None


class MatchView(msgspec.Struct, frozen=True, kw_only=True):
    """A match as a viewer sees it after its `version`-th event."""

    match: UUID
    version: int
    viewer: Viewer
    phase: Phase
    ruleset: str
    origin: str
    hands_agreed: int | None
    hands_ended: int
    players: BySeat[UUID | None]
    autopilot: BySeat[bool]
    blood: BySeat[int] | None
    points: BySeat[int]
    hand: HandView | None
    last_hand: HandEnded | None
    annulled: bool
    corrected: bool


def view(match: Match, viewer: Viewer) -> MatchView:
    """The match as this viewer may see it."""
    return views(match, (viewer,))[viewer]


def views(match: Match, viewers: Iterable[Viewer]) -> dict[Viewer, MatchView]:
    """The match as each of these viewers may see it. What everyone may see is made once, without regard to any."""
    public = _public_view(match)
    return {viewer: public if viewer == SPECTATOR else _with_own(match, public, viewer) for viewer in viewers}


def _public_view(match: Match) -> MatchView:
    """What a spectator may see."""
    return MatchView(
        match=match.id,
        version=match.version,
        viewer=SPECTATOR,
        phase=match.phase,
        ruleset=match.ruleset.name,
        origin=match.opened.origin,
        hands_agreed=match.opened.hands_agreed,
        hands_ended=match.hands_ended,
        players=match.players,
        autopilot=match.autopilot,
        blood=match.blood if match.ruleset.by_blood else None,
        points=match.points,
        hand=_public_hand(match, match.hand) if match.hand is not None else None,
        last_hand=match.last_hand,
        annulled=match.annulled,
        corrected=match.corrected,
    )


def _public_hand(match: Match, hand: Hand) -> HandView:
    decks = match.ruleset.decks
    taken = tuple(names_of(cards, decks) for cards in hand.taken)
    return HandView(
        number=hand.number,
        leader=hand.leader if _leader_is_public(match, hand) else None,
        turn=hand.turn,
        deadline=declarations_deadline(match) or play_deadline(match),
        trick_no=hand.trick_no,
        trick=_plays(hand.plays, decks),
        last_trick=_plays(hand.last_trick, decks),
        takers=hand.takers,
        taken=(taken[0], taken[1], taken[2], taken[3]),
        declarations=_declarations(hand, decks, SPECTATOR),
        hidden_counts=_hidden_counts(hand),
        done=hand.done,
        cards_left=_cards_left(match, hand),
        cards=None,
        all_cards=None,
        legal=None,
    )


def _with_own(match: Match, public: MatchView, viewer: Viewer) -> MatchView:
    """The public view with what only this viewer may see: his cards, his legal plays, his hidden declarations."""
    hand, decks = match.hand, match.ruleset.decks
    if hand is None or public.hand is None:
        return replace(public, viewer=viewer)
    own = replace(
        public.hand,
        declarations=_declarations(hand, decks, viewer),
        cards=_own_cards(hand, decks, viewer),
        all_cards=_all_cards(hand, decks) if viewer == EVERYTHING else None,
        legal=_legal(match, hand, viewer),
    )
    return replace(public, viewer=viewer, hand=own)


def _leader_is_public(match: Match, hand: Hand) -> bool:
    return match.phase == "playing" or hand.number > 1 or match.ruleset.first_lead == "as_given"


def _declarations(hand: Hand, decks: int, viewer: Viewer) -> tuple[DeclarationView, ...]:
    return tuple(_declaration_view(declaration, decks, viewer) for declaration in hand.declarations)


def _declaration_view(declaration: Declaration, decks: int, viewer: Viewer) -> DeclarationView:
    shown = declaration.card is not None and (
        declaration.level == "open" or declaration.public or viewer in (declaration.seat, EVERYTHING)
    )
    card = names_of([declaration.card], decks)[0] if shown and declaration.card is not None else None
    return DeclarationView(declaration.seat, declaration.level, card, declaration.automatic)


def _hidden_counts(hand: Hand) -> BySeat[int]:
    """How many declarations of each seat lie face down for everyone else."""
    counts = [0, 0, 0, 0]
    for declaration in hand.declarations:
        counts[declaration.seat] += declaration.level == "hidden" and not declaration.public
    return (counts[0], counts[1], counts[2], counts[3])


def _cards_left(match: Match, hand: Hand) -> BySeat[int]:
    """How many cards each seat still holds, from what has been played."""
    left = [match.ruleset.hand_size - hand.cards_spent] * 4
    for play in hand.plays:
        left[play.seat] -= len(play.cards)
    return (left[0], left[1], left[2], left[3])


def _plays(plays: tuple[Play, ...], decks: int) -> tuple[PlayView, ...]:
    return tuple(PlayView(play.seat, names_of(play.cards, decks)) for play in plays)


def _own_cards(hand: Hand, decks: int, viewer: Viewer) -> tuple[str, ...] | None:
    if hand.holdings is None or viewer not in SEATS:
        return None
    return names_of(cards_in(hand.holdings[viewer]), decks)


def _all_cards(hand: Hand, decks: int) -> BySeat[tuple[str, ...]] | None:
    if hand.holdings is None:
        return None
    by_seat = [names_of(cards_in(cards), decks) for cards in hand.holdings]
    return (by_seat[0], by_seat[1], by_seat[2], by_seat[3])


def _legal(match: Match, hand: Hand, viewer: Viewer) -> tuple[tuple[str, ...], ...] | None:
    """The viewer's legal plays if it is his turn; they follow from his own cards and what is public."""
    if viewer not in SEATS or viewer != hand.turn or match.phase != "playing" or hand.holdings is None:
        return None
    decks = match.ruleset.decks
    return tuple(names_of(cards_in(play), decks) for play in legal_plays(match.ruleset, hand, viewer))
