"""A match written in the canonical form of the notation."""

from collections.abc import Generator, Iterator, Sequence
from datetime import timedelta
from typing import Final
from uuid import UUID

from domain.events import (
    CardDeclared,
    CardsPlayed,
    Event,
    HandDealt,
    HandEnded,
    MatchAbandoned,
    MatchOpened,
    PlayerSeated,
    PublishedDeclaration,
    public_form,
)
from domain.seats import SEATS
from replays.disclosure import opens
from replays.hand_spans import HandSpan, hand_spans, published_declarations
from replays.notation.course import CardKnown, Course, HandKnown, Known
from replays.notation.documents import Comment, Notation, NotWritable, by_step
from replays.notation.header import Header, Tag, header_lines, read_header
from replays.notation.lexing import Cursor, NotationError
from replays.notation.phrases import phrase, whole
from replays.notation.texts import HALF_CHARACTER, comment_words, filled
from replays.notation.words import Lines

FIRST_TOLD: Final = 2
"""The version of the first event that has a phrase; the one before it is told by the tags."""


def write(
    events: Sequence[Event],
    tags: Sequence[Tag] = (),
    comments: Sequence[Comment] = (),
    *,
    complete: bool = True,
) -> str:
    """The notation of a match's events, from its opening on. Secrets are left out. Raises `NotWritable`.

    Of a finished hand all is told where it happened: its deal, seed and hidden declarations stand at its beginning.
    Where it is `complete`, it ends with the number of its steps.
    """
    told = [public_form(event) for event in events]
    _check(told, comments)
    lines = [*_Writer(told, tuple(tags), comments).lines(), *([f"end {len(told)}"] if complete else [])]
    return "\n".join(lines) + "\n"


def rewrite(notation: Notation) -> str:
    """The canonical form of what was read. Raises `NotWritable`."""
    return write(notation.events, notation.tags, notation.comments, complete=notation.complete)


def _check(events: Sequence[Event], comments: Sequence[Comment]) -> None:
    if not events or not isinstance(events[0], MatchOpened):
        raise NotWritable("a match begins with MatchOpened")
    for version, event in enumerate(events, start=1):
        if event.version != version or event.match != events[0].match:
            raise NotWritable(f"version {version} of match {events[0].match} is missing")
        if event.at.utcoffset() != timedelta(0):
            raise NotWritable(f"the time of version {version} is not in UTC")
    if any(not 0 <= comment.step <= len(events) for comment in comments):
        raise NotWritable(f"comments are on steps from 0 to {len(events)}")
    if any(HALF_CHARACTER.search(comment.text) for comment in comments):
        raise NotWritable("a comment holds half a character")


class _Writer:
    """Goes through the events once; a line is open while tricks' cards are put on it."""

    def __init__(self, events: Sequence[Event], tags: tuple[Tag, ...], comments: Sequence[Comment]) -> None:
        opened = events[0]
        assert isinstance(opened, MatchOpened), "checked before"
        self.events = events
        self.header = Header(opened=opened, sitters=_sitters(events), tags=tags)
        self.top = list(header_lines(self.header))
        _check_header(self.header, self.top)
        self.comments = by_step(comments)
        self.known = {
            index: known for span in hand_spans(events) for index, known in _known(events, span).items()
        }
        self.course = Course(opened, self.header.sitters)
        self.cards: list[str] = []

    def lines(self) -> Iterator[str]:
        """The lines of the text."""
        yield self.top[0]
        yield from self._comments(0)
        yield from self.top[1:]
        yield from self._comments(1)
        if len(self.events) > 1:
            yield ""
        index = 1
        while index < len(self.events):
            index = yield from self._phrase(index)
        yield from self._flushed()

    def _phrase(self, index: int) -> Generator[str, None, int]:
        """The lines of the event of this index, and of what it implies; gives the index of the next one."""
        event, known = self.events[index], self.known.get(index)
        lines = phrase(event, known, self.course)
        self.course.go_on(event, known if lines is not None else None)
        following = self.events[index + 1] if index + 1 < len(self.events) else None
        implied = self.course.taken() if isinstance(event, CardsPlayed) else None
        if lines is not None and implied in (None, following):
            yield from self._told(event, lines)
            yield from self._comments(index + 1)
            return (yield from self._implied(index + 1)) if implied is not None else index + 1
        yield from self._flushed()
        yield from _laid_out(whole(event))
        yield from self._comments(index + 1)
        return index + 1

    def _told(self, event: Event, lines: Lines) -> Iterator[str]:
        if not isinstance(event, CardsPlayed):
            yield from self._flushed()
            yield from [""] if isinstance(event, HandDealt) and event.version > FIRST_TOLD else []
            yield from _laid_out(lines)
            return
        if len(lines[0]) > 1:  # a new trick
            yield from self._flushed()
        self.cards += lines[0]

    def _implied(self, index: int) -> Generator[str, None, int]:
        """The taking of a trick: nothing is written of it unless someone commented on it."""
        self.course.go_on(self.events[index])
        if index + 1 in self.comments:
            yield from self._flushed()
            yield "  taken"
            yield from self._comments(index + 1)
        return index + 1

    def _flushed(self) -> Iterator[str]:
        """The line of cards that is open."""
        going_on = bool(self.cards) and not self.cards[0].endswith(".")
        yield from filled(self.cards, indent=4 if going_on else 0, further=4)
        self.cards = []

    def _comments(self, step: int) -> Iterator[str]:
        texts = self.comments.get(step, [])
        if texts:
            yield from self._flushed()
        for text in texts:
            yield from filled(comment_words(text), indent=2)


def _check_header(header: Header, lines: Sequence[str]) -> None:
    """Raises `NotWritable` where the tags would be read as another opening."""
    try:
        same = read_header(Cursor("\n".join(lines)))[0] == header
    except NotationError as wrong:
        raise NotWritable(f"no tags say how this match was opened: {wrong.what}") from None
    if not same:
        raise NotWritable("no tags say how this match was opened")


def _laid_out(lines: Lines) -> Iterator[str]:
    for words in lines:
        yield from filled(words, indent=2 if words[0].endswith(":") else 0, further=4)


def _sitters(events: Sequence[Event]) -> tuple[UUID | None, ...]:
    """Who sat down last at each seat."""
    last: dict[int, UUID] = {}
    for event in events:
        if isinstance(event, PlayerSeated):
            last[event.seat] = event.player
    return tuple(last.get(seat) for seat in SEATS)


def _known(events: Sequence[Event], span: HandSpan) -> dict[int, Known]:
    """What is known of a hand beside each of its events, by index."""
    dealt, ending = events[span.first], span.ending
    assert isinstance(dealt, HandDealt), "a hand's first event"
    deal = dealt.deal if dealt.deal is not None or ending is None else ending.deal
    known: dict[int, Known] = {
        span.first: HandKnown(deal=deal, seed=ending.seed if ending is not None else None)
    }
    published = published_declarations(events[span.first : span.end], ending)
    at_end = iter(ending.declarations if isinstance(ending, HandEnded | MatchAbandoned) else ())
    for index in range(span.first, span.end):
        event = events[index]
        if isinstance(event, CardDeclared):
            in_place = next(at_end, None)
            if event.card is None:
                known[index] = _card_known(event, published, in_place)
    return known


def _card_known(
    event: CardDeclared, published: Sequence[PublishedDeclaration], in_place: PublishedDeclaration | None
) -> CardKnown | None:
    """The card and opening of a hidden declaration: those that fit its commitment, else those in its place."""
    fitting = next((one for one in published if opens(one, event)), in_place)
    return CardKnown(card=fitting.card, opening=fitting.opening) if fitting is not None else None
