"""A notation text read back into the match it tells of."""

from domain.events import CardsPlayed, Event, HandDealt, HandEnded, MatchAbandoned, PlayerSeated, TrickTaken
from replays.notation.course import Course, Known
from replays.notation.documents import Comment, Notation
from replays.notation.header import read_header
from replays.notation.lexing import Cursor, NotationError
from replays.notation.phrases import read_phrase
from replays.notation.placing import Placing
from replays.notation.playing import read_taken


def parse(text: str) -> Notation:
    """The match a text tells of, its tags of others and its comments. Raises `NotationError`.

    What is read is what the text says; whether it was played by the rules is for `replays.audit` to tell.
    """
    return _Reader(Cursor(text)).read()


class _Reader:
    """Goes along the text once. `step` is the version that comments met now belong to."""

    def __init__(self, cursor: Cursor) -> None:
        self.cursor = cursor
        self.header, before = read_header(cursor)
        cursor.decks = self.header.opened.ruleset.decks
        self.course = Course(self.header.opened, self.header.sitters)
        self.events: list[Event] = [self.header.opened]
        self.comments: list[Comment] = []
        self._comment(0, before)
        self._comment(1)
        self.placing = Placing(cursor)
        self.last_taken: TrickTaken | None = None

    def read(self) -> Notation:
        """The whole text."""
        try:
            complete = self._phrases()
        except NotationError as error:
            raise self.placing.error() or error from None
        self.placing.check()
        self._check_sitters()
        return Notation(
            events=tuple(self.events),
            tags=self.header.tags,
            comments=tuple(self.comments),
            complete=complete,
        )

    def _phrases(self) -> bool:
        """Everything behind the tags; whether it ends with `end`."""
        while self.cursor.next.kind != "end":
            if self.cursor.sees("end"):
                self._end()
                return True
            self._phrase()
        return False

    def _end(self) -> None:
        """Goes past `end` and the number of steps. Raises `NotationError` where the text has others."""
        self.cursor.expect("end")
        if self.cursor.next.text.lstrip("0") != str(self.course.version):
            raise self.cursor.error(f"{self.course.version}, the number of steps told before")
        self.cursor.take()
        self._comment(self.course.version)
        if self.cursor.next.kind != "end":
            raise self.cursor.error("nothing behind the end of the match")

    def _phrase(self) -> None:
        if self.cursor.sees("taken"):
            read_taken(self.cursor, self.last_taken)
            self._comment(self.course.version)
            return
        token, as_recorded = self.cursor.next, self.cursor.sees("event")
        event, known = read_phrase(self.cursor, self.course)
        if isinstance(event, HandDealt | HandEnded | MatchAbandoned):
            self.placing.check()
        elif not as_recorded:
            self.placing.note(event, known, token, self.course)
        self._add(event, known)
        self._comment(event.version)
        self.last_taken = None
        if isinstance(event, CardsPlayed) and not as_recorded:
            self.last_taken = self.course.taken()
            if self.last_taken is not None:
                self._add(self.last_taken)

    def _add(self, event: Event, known: Known = None) -> None:
        self.events.append(event)
        self.course.go_on(event, known)

    def _comment(self, step: int, count: int | None = None) -> None:
        """Ties the comments passed, or the first so many of them, to a step."""
        passed = self.cursor.comments
        taken, left = (passed, []) if count is None else (passed[:count], passed[count:])
        self.comments += [Comment(step, text) for text in taken]
        self.cursor.comments = left

    def _check_sitters(self) -> None:
        """Refuses a player at the top who never sits down. Raises `NotationError`."""
        sat = {(event.seat, event.player) for event in self.events if isinstance(event, PlayerSeated)}
        for seat, player in enumerate(self.header.sitters):
            if player is not None and (seat, player) not in sat:
                raise self.cursor.error(f"`sits {seat}` for the player of [Player{seat} …]")
