"""The forms of values that the event types do not say: which texts are cards, which numbers seats, what is in hex.

A struct says `int` and `str`; a consumer wants to know more. Every number and text of the public form has its form
here, by the name of its field, or by `Struct.field` where the name alone does not tell. One that has none cannot be
published: whoever adds a field decides what it may hold.
"""

from typing import Any, Final

from domain.dealing import NONCE_BYTES, ROOT_BYTES
from domain.declarations import OPENING_BYTES

Form = dict[str, Any]

MOST_HANDS: Final = 256
_SHA256_BYTES: Final = 32


class NoForm(Exception):
    """A field's form is not given."""


def _hex(size: int, what: str) -> Form:
    return {"pattern": f"^[0-9a-f]{{{2 * size}}}$", "description": f"{what}: {size} bytes in hex."}


def _number(least: int, most: int | None = None, what: str = "") -> Form:
    form: Form = {"minimum": least}
    if most is not None:
        form["maximum"] = most
    return {**form, "description": what} if what else form


def _text(what: str) -> Form:
    return {"description": what}


_SEAT: Final = _number(0, 3, "A seat, counted from 0 in turn order.")
_CARD: Final[Form] = {
    "pattern": "^[SHDC][2-9TJQKA][ab]?$",
    "description": "A card: suit, rank and, with two decks, its copy.",
}
_SUIT: Final[Form] = {"pattern": "^[SHDC]$", "description": "A suit: spades, hearts, diamonds, clubs."}
_SCORE: Final = _text("A score; it may be negative.")
_WHO: Final = _text("Who did it, as they are known to the operators.")
_COUNT: Final = _number(0)
_FACTOR: Final = _number(1)
_TARIFF: Final = _text("A number of this ruleset's tariff.")

_FORMS: Final[dict[str, Form]] = {
    # Every event. `type` and `schema` are constants of each schema.
    "type": {},
    "schema": {},
    "version": _number(1, what="The event's number within its match; no number is left out."),
    "at": {
        "format": "date-time",
        "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{6})?Z$",
        "description": "When it was decided, UTC; it never goes back within a match.",
    },
    # Places
    "hand_no": _number(1, MOST_HANDS, "The hand within the match."),
    "trick_no": _number(1, 26, "The trick within the hand."),
    "seat": _SEAT,
    "leader": _SEAT,
    "next_leader": _SEAT,
    # Cards
    "card": _CARD,
    "cards": _CARD,
    "Deal.hands": _CARD,
    # People and reasons
    "cause": _text("Why."),
    "by": _WHO,
    "case": _text("The case it was decided in."),
    # Fair dealing
    "anchor": _hex(ROOT_BYTES, "The public end of the chain of seeds"),
    "chain_length": _number(1, what="Links from the root of the chain to its anchor."),
    "commitment": _hex(_SHA256_BYTES, "A commitment (SHA-256)"),
    "nonce": _hex(NONCE_BYTES, "The nonce that the seat committed to"),
    "opening": _hex(OPENING_BYTES, "What opens the commitment"),
    "seed": _hex(ROOT_BYTES, "The seed this hand was dealt from"),
    # A match's agreements
    "hands_agreed": _number(1, MOST_HANDS, "Hands to be played, where that was agreed."),
    "seat_s": _number(0, what="Seconds to reveal nonces in."),
    "declare_s": _number(0, what="Seconds to declare in."),
    "play_s": _number(0, what="Seconds for a turn."),
    "pause_s": _number(0, what="Seconds between hands."),
    "grace_s": _number(0, what="Seconds of grace after a start of the service."),
    "think_ms": _number(0, what="Milliseconds from the turn's beginning to the play."),
    # Scores
    "raw_scores": _SCORE,
    "blood": _SCORE,
    "points": _SCORE,
    "match_points": _SCORE,
    "raw": _SCORE,
    "hearts": _SCORE,
    "hearts_factor": _FACTOR,
    "factor": _FACTOR,
    "value": _SCORE,
    "base": _SCORE,
    "slam_parts": _COUNT,
    "divisor": _FACTOR,
    # A ruleset
    "name": {"pattern": "^[a-z0-9_-]+$", "description": "The ruleset's name."},
    "revision": _number(1, what="A fix that changes any stored result has a new revision."),
    "decks": _number(1, 2),
    "hand_points_factor": _FACTOR,
    "most_hands": _number(1, MOST_HANDS),
    "classes": _COUNT,
    "top_tie_two_of_suit": _SUIT,
    "heart_values": _TARIFF,
    "all_hearts": _TARIFF,
    "ace_of_hearts": _TARIFF,
    "pig": _TARIFF,
    "sheep": _TARIFF,
    "special": _TARIFF,
    "transformer": _TARIFF,
    "lone_transformer": _TARIFF,
    "slam_base": _TARIFF,
    "slam_divisor": _FACTOR,
    "slam_transformer": _TARIFF,
    "threshold": _TARIFF,
    "loss": _TARIFF,
    "loss_step": _TARIFF,
    "loss_cap": _TARIFF,
    "cap_blood": _TARIFF,
    "later_winner": _TARIFF,
    "later_winner_free": _TARIFF,
    "later_winner_step": _TARIFF,
    "winner_share_partners": _TARIFF,
}

_LENGTHS: Final[dict[str, tuple[int, ...]]] = {
    "CardsPlayed.cards": (1, 2),
    "TrickTaken.cards": (4, 8),
    "Deal.hands": (13, 26),
    "Scoring.heart_values": (13,),
}
"""How many values a list of them may have, in ascending order."""


def form_of(struct: str, field: str) -> Form:
    """What numbers or texts in this field are, as JSON Schema has it. Raises `NoForm`."""
    form = _FORMS.get(f"{struct}.{field}", _FORMS.get(field))
    if form is None:
        raise NoForm(f"{struct}.{field} has no form; say in {__name__} what it may hold")
    return form


def lengths_of(struct: str, field: str) -> Form:
    """How long a list of values in this field is."""
    lengths = _LENGTHS.get(f"{struct}.{field}", ())
    if len(lengths) > 1 and lengths[-1] - lengths[0] >= len(lengths):
        return {"anyOf": [{"minItems": length, "maxItems": length} for length in lengths]}
    return {"minItems": lengths[0], "maxItems": lengths[-1]} if lengths else {}
