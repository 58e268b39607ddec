"""A match as the viewer shows it: its finished hands as one document, with all texts in both languages.

The document holds what is public once a hand has ended: events in their public forms, each with its caption, the cards
of every hand, and scores explained. Of a hand in progress it holds nothing. Names are joined by whoever asks for it;
the page makes tables, trick lists and charts of it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
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
    Event,
    HandCorrected,
    HandEnded,
    MatchAbandoned,
    MatchAnnulled,
    MatchOpened,
    MatchSettled,
    Origin,
    PlayerSeated,
)
from domain.match import Match
from domain.rulesets import Ruleset
from domain.seats import BySeat
from replays.notation import Comment
from replays.score_words import Line, account_lines, points_lines, settlement_lines
from replays.timeline import HandSteps, Step, Timeline
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

    `names` of players; `chinese` texts of refusals by reason; `comments` of the record. With `each_hand`, what every
    seat could know at each step is worked out and embedded; it hands on the hands one by one, to show progress.
    """

    names: Mapping[UUID, str]
    chinese: Mapping[str, str]
    comments: Sequence[Comment] = ()
    each_hand: Callable[[Sequence[HandSteps]], Iterable[HandSteps]] | None = None


def replay_document(timeline: Timeline, sources: Sources) -> ReplayDocument:
    """The document of a match with this timeline, of at least one step."""
    opened = timeline.step(1).event
    assert isinstance(opened, MatchOpened), "a match begins so"
    last = last_public_step(timeline)
    steps = [timeline.step(number) for number in range(1, last + 1)]
    settled = next((step.event for step in steps if isinstance(step.event, MatchSettled)), None)
    hands = [hand for hand in timeline.hands if hand.last <= last]
    return ReplayDocument(
        match=opened.match,
        ruleset=opened.ruleset,
        origin=opened.origin,
        hands_agreed=opened.hands_agreed,
        clocks=opened.clocks,
        opened_at=opened.at,
        in_play=not any(isinstance(step.event, MatchSettled | MatchAbandoned) for step in steps),
        failure=timeline.failure.describe() if timeline.failure is not None else None,
        names=_names(steps, sources.names),
        steps=tuple(_step(step, timeline.state(step.number)) for step in steps),
        hands=tuple(_hand(timeline, hand, opened.ruleset) for hand in hands),
        settlement=settlement_lines(opened.ruleset, settled) if settled is not None else (),
        refusals={
            refusal.__name__: RefusalWords(refusal.text, sources.chinese[refusal.__name__], refusal.rule)
            for refusal in _REFUSALS
        },
        comments=tuple(comment for comment in sources.comments if comment.step <= last),
        knowledge=knowledge_shown(timeline, sources.each_hand(hands)) if sources.each_hand else None,
    )


def last_public_step(timeline: Timeline) -> int:
    """The step at which the last finished hand, or the match, has ended; 0 before that.

    A record that breaks off is shown as far as it goes.
    """
    if timeline.failure is not None:
        return len(timeline)
    return next((step.number for step in reversed(timeline) if isinstance(step.event, _PUBLIC_UP_TO)), 0)


def _names(steps: Iterable[Step], names: Mapping[UUID, str]) -> dict[str, str]:
    seated = {step.event.player for step in steps if isinstance(step.event, PlayerSeated)}
    return {str(player): names[player] for player in sorted(seated & names.keys())}


def _step(step: Step, state: Match) -> StepShown:
    event = step.event
    return StepShown(
        event=event,
        en=step.caption.text,
        zh=step.caption.text_zh,
        totals=_totals(state) if isinstance(event, HandEnded | MatchSettled | HandCorrected) else None,
        card=_face_down(state) if isinstance(event, CardDeclared) and event.card is None else None,
    )


def _totals(state: Match) -> Totals:
    return Totals(state.blood if state.ruleset.by_blood else None, state.points)


def _face_down(state: Match) -> str | None:
    """The card that was declared last, where it is known by now."""
    card = state.hand.declarations[-1].card if state.hand is not None else None
    return name_of(card, state.ruleset.decks) if card is not None else None


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
