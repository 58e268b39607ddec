"""The eight rulesets as values (rules.md §2, and the numbers of §5–§8).

A ruleset holds every number and switch the rules need; no rule asks for a ruleset's name. The whole value is stored
in a match's first event, so a match is replayed and scored for ever under the rules it was played by. A fix that
changes any stored result is a new `revision` here; the old value stays in the matches that carry it.

A *levels key* names the levels of several declarable cards, highest first and joined by `+`: `none`, `open`,
`hidden+none`, `open+open`.
"""

from collections.abc import Iterable
from typing import Final, Literal

import msgspec

from domain.errors import UnknownRuleset

Level = Literal["open", "hidden"]
"""How a card is declared: 明 or 暗."""

FirstLead = Literal["two_of_clubs_leads_any", "two_of_clubs_leads_it", "as_given"]
"""Who leads a match's first hand: the holder of ♣2 with any card, or with it, or whom the record names."""

LEVEL_ORDER: Final = ("open", "hidden", "none")


def levels_key(levels: Iterable[str]) -> str:
    """The levels key of these levels, highest first."""
    return "+".join(sorted(levels, key=LEVEL_ORDER.index))


class PairTricks(msgspec.Struct, frozen=True, kw_only=True):
    """Who takes a trick led with a pair (rules.md §4).

    `classes[suit]` gives the class of each kind of two-card play with a card of the led suit; the highest class
    present wins, and a class of 0 never wins. `top_tie_two_of_suit` lists the suits in which, on equal class and
    top card, two of the suit beat one and another.
    """

    classes: dict[str, dict[str, int]]
    top_tie_two_of_suit: tuple[str, ...] = ()


class Scoring(msgspec.Struct, frozen=True, kw_only=True):
    """Every number of a raw score (rules.md §5).

    `levels_of` says whose level multiplies a pig, a sheep or a transformer: that physical `card`'s own, or all of its
    `kind` together, whoever takes them. `transformer` is keyed by one card's levels key and summed over the cards taken
    (`card`), or by `N:levels key`, N the number taken (`kind`). `slam_components` counts the parts of a slam when it is
    made of them; else it is `slam_base` times the factors of ♥A and of the transformers (`slam_transformer`).
    """

    heart_values: tuple[int, ...]
    all_hearts: int
    ace_of_hearts: dict[str, int]
    pig: int
    sheep: int
    levels_of: Literal["card", "kind"]
    special: dict[str, int]
    transformer: dict[str, int]
    lone_transformer: int
    slam_base: int
    slam_by_components: bool
    slam_divisor: int
    slam_transformer: dict[str, int]


class BloodSettlement(msgspec.Struct, frozen=True, kw_only=True):
    """Every number of the blood family's match end and settlement (rules.md §6–§7)."""

    threshold: int
    loss: int
    loss_step: int
    loss_cap: int
    cap_blood: int
    later_winner: int
    later_winner_free: int
    later_winner_step: int
    winner_share_partners: int


class Ruleset(msgspec.Struct, frozen=True, kw_only=True):
    """One way to play: everything rules.md §2 tells apart, as data."""

    name: str
    revision: int
    decks: int
    partners: bool
    hidden_declarations: bool
    automatic_fourth: bool
    first_lead: FirstLead
    ban_when_leading: bool
    pair_tricks: PairTricks
    scoring: Scoring
    settlement: BloodSettlement | None
    hand_points_factor: int | None
    most_hands: int = 256

    @property
    def by_blood(self) -> bool:
        """Whether blood is kept and a threshold ends the match (else: hands agreed, points each hand)."""
        return self.settlement is not None

    @property
    def hand_size(self) -> int:
        """Cards dealt to each seat."""
        return 13 * self.decks


_HEART_VALUES: Final = (0, 0, 0, -10, -10, -10, -10, -10, -10, -20, -30, -40, -50)

_PAIR_BEATS: Final = {"pair": 2, "two": 1, "mixed_heart": 0, "mixed_other": 0}
_TWO_BEAT: Final = {"pair": 1, "two": 2, "mixed_heart": 0, "mixed_other": 0}
_BLOOD_HEARTS: Final = {"pair": 1, "two": 2, "mixed_heart": 2, "mixed_other": 2}
_BLOOD_CLUBS: Final = {"pair": 1, "two": 2, "mixed_heart": 0, "mixed_other": 2}

_ZERO_SUM_PAIRS: Final = PairTricks(
    classes={"S": _TWO_BEAT, "H": _TWO_BEAT, "D": _PAIR_BEATS, "C": _TWO_BEAT}
)
_BLOOD_PAIRS: Final = PairTricks(
    classes={"S": _TWO_BEAT, "H": _BLOOD_HEARTS, "D": _PAIR_BEATS, "C": _BLOOD_CLUBS},
    top_tie_two_of_suit=("C",),
)

_KIND_FACTORS: Final = {"none": 1, "open": 2, "none+none": 1, "open+none": 2, "open+open": 4}
_BLOOD_ACES: Final = {
    "none": 1, "hidden": 2, "open": 4,
    "none+none": 1, "hidden+none": 2, "open+none": 4, "hidden+hidden": 4, "open+hidden": 6, "open+open": 8,
}  # fmt: skip


def _blood_scoring(decks: int) -> Scoring:
    one = decks == 1
    return Scoring(
        heart_values=_HEART_VALUES,
        all_hearts=200 * decks,
        ace_of_hearts=_BLOOD_ACES,
        pig=-100,
        sheep=100,
        levels_of="card",
        special={"none": 1, "hidden": 2, "open": 4} if one else {"none": 1, "hidden": 4, "open": 8},
        transformer={"none": 2, "hidden": 4, "open": 8} if one else {"none": 2, "hidden": 8, "open": 16},
        lone_transformer=25,
        slam_base=1600 if one else 800,
        slam_by_components=False,
        slam_divisor=1,
        slam_transformer={
            "none": 1, "hidden": 2, "open": 4,
            "none+none": 1, "hidden+none": 8, "open+none": 16,
            "hidden+hidden": 8, "open+hidden": 12, "open+open": 16,
        },
    )  # fmt: skip


def _zero_sum_scoring(decks: int) -> Scoring:
    return Scoring(
        heart_values=_HEART_VALUES,
        all_hearts=200 * decks,
        ace_of_hearts=_KIND_FACTORS,
        pig=-100,
        sheep=100,
        levels_of="kind",
        special=_KIND_FACTORS,
        transformer={
            "1:none": 2, "1:open": 4,
            "1:none+none": 2, "1:open+none": 4, "1:open+open": 4,
            "2:none+none": 4, "2:open+none": 8, "2:open+open": 16,
        },
        lone_transformer=25,
        slam_base=0,
        slam_by_components=True,
        slam_divisor=decks,
        slam_transformer={},
    )  # fmt: skip


def _blood(decks: int, *, partners: bool) -> Ruleset:
    threshold = 1000 if decks == 1 else 4000
    return Ruleset(
        name=f"blood-{decks}" + ("-partners" if partners else ""),
        revision=1,
        decks=decks,
        partners=partners,
        hidden_declarations=True,
        automatic_fourth=False,
        first_lead="two_of_clubs_leads_any",
        ban_when_leading=False,
        pair_tricks=_BLOOD_PAIRS,
        scoring=_blood_scoring(decks),
        settlement=BloodSettlement(
            threshold=threshold,
            loss=10,
            loss_step=500,
            loss_cap=40,
            cap_blood=15000 + threshold,
            later_winner=4,
            later_winner_free=2000,
            later_winner_step=1500,
            winner_share_partners=2,
        ),
        hand_points_factor=None,
    )


def _zero_sum(decks: int, *, partners: bool) -> Ruleset:
    return Ruleset(
        name=f"zero_sum-{decks}" + ("-partners" if partners else ""),
        revision=1,
        decks=decks,
        partners=partners,
        hidden_declarations=False,
        automatic_fourth=decks == 1,
        first_lead="two_of_clubs_leads_it",
        ban_when_leading=True,
        pair_tricks=_ZERO_SUM_PAIRS,
        scoring=_zero_sum_scoring(decks),
        settlement=None,
        hand_points_factor=12 if decks == 1 else 1,
    )


RULESETS: Final[dict[str, Ruleset]] = {
    ruleset.name: ruleset
    for partners in (False, True)
    for family in (_blood, _zero_sum)
    for ruleset in (family(1, partners=partners), family(2, partners=partners))
}
"""The newest revision of each ruleset, by name."""


def ruleset_named(name: str) -> Ruleset:
    """The newest revision of a ruleset. Raises `UnknownRuleset`."""
    try:
        return RULESETS[name]
    except (KeyError, TypeError):
        raise UnknownRuleset(name=name, known=", ".join(RULESETS)) from None


def as_recorded(ruleset: Ruleset) -> Ruleset:
    """The same ruleset for a recorded hand whose first leader is what the record says."""
    return msgspec.structs.replace(ruleset, first_lead="as_given")
