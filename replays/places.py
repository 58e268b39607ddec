"""Where in a match something happened: what a failure or a difference names."""

from uuid import UUID

import msgspec

from domain.events import Event


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """A place in a match, as far as it is known: the event's version, and what of the game it concerns."""

    match: UUID | None = None
    version: int | None = None
    event: str | None = None
    hand_no: int | None = None
    trick_no: int | None = None
    seat: int | None = None
    cards: tuple[str, ...] = ()

    def describe(self) -> str:
        """The place in words, as in `match …, version 37 (CardsPlayed), hand 1, trick 3, seat 2, SQ`."""
        event = f" ({self.event})" if self.event else ""
        parts = [
            f"match {self.match}" if self.match else "",
            f"version {self.version}{event}" if self.version is not None else "",
            *_game_parts(self),
        ]
        return ", ".join(part for part in parts if part) or "the beginning"


def _game_parts(place: Place) -> list[str]:
    numbers = {"hand": place.hand_no, "trick": place.trick_no, "seat": place.seat}
    named = [f"{word} {number}" for word, number in numbers.items() if number is not None]
    return [*named, " ".join(place.cards)]


def place_of(event: Event) -> Place:
    """The place an event speaks of."""
    card = getattr(event, "card", None)
    return Place(
        match=event.match,
        version=event.version,
        event=type(event).__name__,
        hand_no=getattr(event, "hand_no", None),
        trick_no=getattr(event, "trick_no", None),
        seat=getattr(event, "seat", None),
        cards=getattr(event, "cards", None) or ((card,) if card else ()),
    )
