"""A match as the viewer shows it: its finished hands as one document, with all texts in both languages.

The document holds what is public once a hand has ended: events in their public forms, each with its caption, the cards
of every hand, and scores explained. Of a hand in progress it holds nothing. Names are joined by whoever asks for it;
the page makes tables, trick lists and charts of it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, Literal
from uuid import UUID

import msgspec

from domain.cards import name_of
from domain.dealing import deal_of
from domain.errors import (
    CardNotHeld,
    HeldBack,
    MustFollowSuit,
    MustLeadTwoOfClubs,
    MustPlayPair,
    MustUseHeldBack,
    NotAPair,
    NotYourTurn,
    WrongNumberOfCards,
)
from domain.events import (
    AnnulmentLifted,
    CardDeclared,
    Clocks,
    DeclarationSecret,
    Event,
    HandCorrected,
    HandEnded,
    MatchAbandoned,
    MatchAnnulled,
    MatchOpened,
    MatchSettled,
    Origin,
    PlayerSeated,
    public_form,
    secret_of,
)
from domain.match import Match
from domain.rulesets import Ruleset
from domain.seats import BySeat
from replays.disclosure import disclosed
from replays.notation import Comment
from replays.score_words import Line, account_lines, points_lines, settlement_lines
from replays.timeline import HandSteps, Timeline
from replays.viewer.knowing import KnowledgeShown, knowledge_shown

FORMAT: Final = "gongzhu replay 1"
"""Stands in every document; the number changes when an older page could not read it."""

_PUBLIC_UP_TO: Final = (
    HandEnded,
    MatchSettled,
    MatchAbandoned,
    MatchAnnulled,
    AnnulmentLifted,
    HandCorrected,
)
_REFUSALS: Final = (
    NotYourTurn,
    CardNotHeld,
    WrongNumberOfCards,
    NotAPair,
    MustLeadTwoOfClubs,
    HeldBack,
    MustFollowSuit,
    MustPlayPair,
    MustUseHeldBack,
)


class Totals(msgspec.Struct, frozen=True):
    """What the seats have after a step: blood, or points."""

    blood: BySeat[int] | None
    points: BySeat[int]


class StepShown(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One step: its event in public form and its caption.

    `totals` where the step changes them; `card` is that of a hidden declaration, known by now.
    """

    event: Event
    en: str
    zh: str
    totals: Totals | None = None
    card: str | None = None


class HandScores(msgspec.Struct, frozen=True, kw_only=True):
    """A finished hand's scores in words: the account of each seat, and how points follow where a hand has any."""

    accounts: BySeat[tuple[Line, ...]]
    points: BySeat[Line] | None


class HandShown(msgspec.Struct, frozen=True, kw_only=True):
    """One hand: its steps, its deal by seat (None where it never became public), and its scores once it ended."""

    number: int
    first: int
    last: int
    deal: BySeat[tuple[str, ...]] | None
    scores: HandScores | None


class RefusalWords(msgspec.Struct, frozen=True):
    """What a play that is not allowed is told, with places for `{card}` and the like; `rule` is the clause."""

    en: str
    zh: str
    rule: str


class ReplayDocument(msgspec.Struct, frozen=True, kw_only=True):
    """All that the viewer shows of one match.

    `in_play`: the match has not ended; steps of a hand in progress are left out. `failure`: where the record breaks
    off, and why. `names` by player id, `refusals` by reason. `comments` come with the record. `knowledge` is embedded
    in files that must work alone; a served page asks for it step by step. `review` is for marks on plays, by step.
    """

    format: Literal["gongzhu replay 1"] = FORMAT
    match: UUID
    ruleset: Ruleset
    origin: Origin
    hands_agreed: int | None
    clocks: Clocks
    opened_at: datetime
    in_play: bool
    failure: str | None
    names: dict[str, str]
    steps: tuple[StepShown, ...]
    hands: tuple[HandShown, ...]
    settlement: tuple[Line, ...]
    refusals: dict[str, RefusalWords]
    comments: tuple[Comment, ...] = ()
    knowledge: KnowledgeShown | None = None
    review: dict[str, Any] | None = None


class Sources(msgspec.Struct, frozen=True, kw_only=True):
    """What a document takes from elsewhere.

    `names` of players; `chinese` texts of refusals by reason; `comments` of the record; `with_knowledge`: what every
    seat could know at each step is worked out and embedded.
    """

    names: Mapping[UUID, str]
    chinese: Mapping[str, str]
    comments: Sequence[Comment] = ()
    with_knowledge: bool = False


def replay_document(events: Sequence[Event], sources: Sources) -> ReplayDocument:
    """The document of a match with these events, from its first on; at least one, a `MatchOpened`."""
    opened = public_form(events[0])
    assert isinstance(opened, MatchOpened), "a match begins so"
    finished = finished_part(events)
    timeline = Timeline(finished)
    return ReplayDocument(
        match=opened.match,
        ruleset=opened.ruleset,
        origin=opened.origin,
        hands_agreed=opened.hands_agreed,
        clocks=opened.clocks,
        opened_at=opened.at,
        in_play=not any(isinstance(event, MatchSettled | MatchAbandoned) for event in finished),
        failure=timeline.failure.describe() if finished and timeline.failure is not None else None,
        names=_names(finished, sources.names),
        steps=tuple(_steps(timeline, finished)),
        hands=tuple(_hand(timeline, hand, opened.ruleset) for hand in timeline.hands),
        settlement=_settlement(timeline, opened.ruleset),
        refusals={
            refusal.__name__: RefusalWords(refusal.text, sources.chinese[refusal.__name__], refusal.rule)
            for refusal in _REFUSALS
        },
        comments=tuple(comment for comment in sources.comments if comment.step <= len(timeline)),
        knowledge=knowledge_shown(timeline) if sources.with_knowledge else None,
    )


def finished_part(events: Sequence[Event]) -> Sequence[Event]:
    """The events up to the end of the last hand that has ended, or of the match; none before that."""
    ends = [number for number, event in enumerate(events, 1) if isinstance(event, _PUBLIC_UP_TO)]
    return events[: ends[-1] if ends else 0]


def _names(events: Iterable[Event], names: Mapping[UUID, str]) -> dict[str, str]:
    seated = {event.player for event in events if isinstance(event, PlayerSeated)}
    return {str(player): names[player] for player in sorted(seated & names.keys())}


def _steps(timeline: Timeline, events: Iterable[Event]) -> Iterator[StepShown]:
    for step, told in zip(timeline, disclosed(events), strict=False):
        state = timeline.state(step.number)
        yield StepShown(
            event=step.event,
            en=step.caption.text,
            zh=step.caption.text_zh,
            totals=_totals(state)
            if isinstance(step.event, HandEnded | MatchSettled | HandCorrected)
            else None,
            card=_face_down(told, state.ruleset.decks),
        )


def _totals(state: Match) -> Totals:
    return Totals(state.blood if state.ruleset.by_blood else None, state.points)


def _face_down(event: Event, decks: int) -> str | None:
    """The card of a hidden declaration, None for anything else."""
    secret = secret_of(event)
    if not isinstance(event, CardDeclared) or not isinstance(secret, DeclarationSecret):
        return None
    return name_of(secret.card, decks)


def _hand(timeline: Timeline, steps: HandSteps, ruleset: Ruleset) -> HandShown:
    hand, ending = timeline.state(steps.first).hand, timeline.step(steps.last).event
    order = hand.order if hand is not None else None
    return HandShown(
        number=steps.number,
        first=steps.first,
        last=steps.last,
        deal=deal_of(order, ruleset.decks).hands if order is not None else None,
        scores=_scores(ruleset, ending) if isinstance(ending, HandEnded) else None,
    )


def _scores(ruleset: Ruleset, ending: HandEnded) -> HandScores:
    first, second, third, fourth = (account_lines(account) for account in ending.accounts)
    points = points_lines(ruleset, ending.raw_scores) if ending.points is not None else None
    return HandScores(accounts=(first, second, third, fourth), points=points)


def _settlement(timeline: Timeline, ruleset: Ruleset) -> tuple[Line, ...]:
    settled = next((step.event for step in timeline if isinstance(step.event, MatchSettled)), None)
    return settlement_lines(ruleset, settled) if settled is not None else ()
