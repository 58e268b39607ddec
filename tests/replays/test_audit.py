"""An audit passes what live play led to, whole or in progress, and names the first step of anything else."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from domain import commands
from domain.events import (
    CardDeclared,
    CardsPlayed,
    DeclarationDone,
    DeclarationsClosed,
    Event,
    HandDealt,
    HandEnded,
    MatchAbandoned,
    MatchOpened,
    MatchSettled,
    NonceRevealed,
    PlayerSeated,
    TrickTaken,
)
from domain.match import fold
from domain.rulesets import RULESETS
from domain.seats import SEATS, BySeat
from replays.audit import audit
from replays.findings import Finding
from tests.replays.matches import abandoned_match, asked, match_with, public, recorded_match, steps_of
from tests.support.tables import PLAYERS, opened

EVERY_RULESET = pytest.mark.parametrize("ruleset", RULESETS)
SEEDS = range(6)


def finding_in(events: Sequence[Event]) -> Finding:
    """The first difference of a match that must have one."""
    report = audit(events)
    assert not report.ok
    assert report.first_difference is not None
    assert report.match == events[0].match
    return report.first_difference


@EVERY_RULESET
@pytest.mark.parametrize("seed", SEEDS)
def test_matches_that_were_played_hold(ruleset: str, seed: int) -> None:
    events = recorded_match(ruleset, seed)
    report = audit(public(events))
    assert report.ok, report.first_difference and report.first_difference.describe()
    assert report == audit(events)
    assert report.events == len(events)
    assert report.hands == sum(isinstance(event, HandEnded) for event in events)
    assert msgspec.json.decode(msgspec.json.encode(report), type=type(report)) == report


@EVERY_RULESET
def test_matches_in_progress_hold_after_every_command(ruleset: str) -> None:
    steps = list(steps_of(ruleset, seed=11))
    lengths = {step.after.version for step in steps}
    events = public(tuple(event for step in steps for event in step.events))
    for length in range(1, len(events) + 1):
        report = audit(events[:length])
        if length in lengths:
            assert report.ok, report.first_difference and report.first_difference.describe()
        else:
            assert report.first_difference is not None
            assert report.first_difference.recomputed == type(events[length]).__name__
            assert report.first_difference.what.startswith("the log ends here")


@pytest.mark.parametrize("with_key", [True, False])
@pytest.mark.parametrize("ruleset", ["blood-1", "zero_sum-2"])
@pytest.mark.parametrize("seed", SEEDS)
def test_abandoned_matches_hold(ruleset: str, seed: int, with_key: bool) -> None:
    events = abandoned_match(ruleset, seed, plays=seed * 3, with_key=with_key)
    annulled = commands.AnnulMatch(case="c", cause="staff", by="staff")
    lifted = commands.LiftAnnulment(case="c", cause="staff", by="staff")
    report = audit([*events, *asked(fold(events), annulled, lifted)])
    assert report.ok, report.first_difference and report.first_difference.describe()


def test_match_whose_players_changed_before_the_deal_holds() -> None:
    table = opened(RULESETS["zero_sum-1"])
    table.ask(commands.TakeSeat(seat=2, player=PLAYERS[2]), commands.LeaveSeat(seat=2, cause="nonce_missing"))
    table.ask(*[commands.TakeSeat(seat=seat, player=PLAYERS[seat]) for seat in SEATS])
    assert audit(public(tuple(table.events))).ok


def test_correction_is_taken_as_given() -> None:
    events = recorded_match("zero_sum-1", seed=1)
    correction = commands.CorrectHand(case="c", cause="bug", by="staff", hand_no=1, raw_scores=(1, 2, 3, 4))
    (corrected,) = asked(fold(events), correction)
    assert audit([*events, replace(corrected, points=(9, 9, 9, 9))]).ok


Events = list[Event]


@dataclass
class Planted:
    """A change at the first event of this type that `fits`, and the field that must then be named.

    `field` None: the step is refused, by `rule`.
    """

    where: type[Event]
    change: Callable[[Any], Event]
    field: str | None
    rule: str = ""
    fits: Callable[[Any], bool] = lambda _: True

    def suits(self, event: Event) -> bool:
        """Whether the change can be made there."""
        return isinstance(event, self.where) and self.fits(event)


def _bumped(values: BySeat[int], seat: int) -> BySeat[int]:
    changed = [value + (10 if index == seat else 0) for index, value in enumerate(values)]
    return (changed[0], changed[1], changed[2], changed[3])


def _other_account(ended: HandEnded) -> HandEnded:
    accounts = list(ended.accounts)
    accounts[2] = replace(accounts[2], hearts=accounts[2].hearts - 10)
    return replace(ended, accounts=(accounts[0], accounts[1], accounts[2], accounts[3]))


def _next(seat: int) -> int:
    return (seat + 1) % 4


ANYWHERE = {
    "taker": Planted(TrickTaken, lambda e: replace(e, seat=_next(e.seat)), "seat"),
    "cards of a trick": Planted(TrickTaken, lambda e: replace(e, cards=e.cards[::-1]), "cards[0]"),
    "number of a trick": Planted(TrickTaken, lambda e: replace(e, trick_no=2), "trick_no"),
    "raw score": Planted(
        HandEnded, lambda e: replace(e, raw_scores=_bumped(e.raw_scores, 1)), "raw_scores[1]"
    ),
    "account": Planted(HandEnded, _other_account, "accounts[2].hearts"),
    "next leader": Planted(HandEnded, lambda e: replace(e, next_leader=_next(e.next_leader)), "next_leader"),
    "players of a hand": Planted(HandEnded, lambda e: replace(e, players=e.players[::-1]), "players[0]"),
    "think time": Planted(CardsPlayed, lambda e: replace(e, think_ms=e.think_ms + 1), "think_ms"),
    "time that goes back": Planted(CardsPlayed, lambda e: replace(e, at=e.at - timedelta(days=1)), "at"),
    "version": Planted(CardsPlayed, lambda e: replace(e, version=e.version + 1), "version"),
    "schema": Planted(CardsPlayed, lambda e: replace(e, schema=9), "schema"),
    "turn": Planted(CardsPlayed, lambda e: replace(e, seat=_next(e.seat)), None, "rules §4"),
    "first leader": Planted(DeclarationsClosed, lambda e: replace(e, leader=_next(e.leader)), "leader"),
    "cause of a close": Planted(
        DeclarationsClosed, lambda e: replace(e, cause="time"), "cause", fits=lambda e: e.cause == "all_done"
    ),
    "leader of a later hand": Planted(
        HandDealt, lambda e: replace(e, leader=_next(e.leader)), "leader", fits=lambda e: e.hand_no == 2
    ),
    "number of a hand": Planted(HandDealt, lambda e: replace(e, hand_no=3), "hand_no"),
    "card that is none": Planted(CardsPlayed, lambda e: replace(e, cards=("XX",)), None, "rules §1"),
    "ruleset": Planted(
        MatchOpened,
        lambda e: replace(e, ruleset=replace(e.ruleset, scoring=replace(e.ruleset.scoring, pig=-90))),
        "ruleset.scoring.pig",
    ),
    "decks": Planted(
        MatchOpened, lambda e: replace(e, ruleset=replace(e.ruleset, decks=10**9)), "ruleset.decks"
    ),
    "anchor": Planted(MatchOpened, lambda e: replace(e, anchor="s0"), "anchor"),
    "length of the chain": Planted(MatchOpened, lambda e: replace(e, chain_length=5), "chain_length"),
    "seat that is none": Planted(PlayerSeated, lambda e: replace(e, seat=7), None, "rules §1"),
    "nonce": Planted(NonceRevealed, lambda e: replace(e, nonce=e.nonce[::-1]), None),
}


def plant(events: Sequence[Event], planted: Planted) -> tuple[Events, int]:
    """The events with the change in them, and where it is."""
    changed = list(events)
    index = next(i for i, event in enumerate(events) if planted.suits(event))
    changed[index] = planted.change(changed[index])
    return changed, index


@pytest.mark.parametrize("planted", ANYWHERE.values(), ids=ANYWHERE.keys())
@pytest.mark.parametrize("ruleset", ["blood-1", "zero_sum-1-partners", "blood-2-partners", "zero_sum-2"])
def test_planted_change_is_named(ruleset: str, planted: Planted) -> None:
    events, index = plant(match_with(ruleset, planted.suits), planted)
    finding = finding_in(events)
    assert finding.field == planted.field
    assert finding.rule == planted.rule
    assert finding.place.event == planted.where.__name__
    assert finding.place.version == events[index].version
    assert f"({planted.where.__name__})" in finding.describe()


@pytest.mark.parametrize("seat", SEATS)
def test_changed_blood_is_named(seat: int) -> None:
    events = recorded_match("blood-1", 1)
    changed, _ = plant(events, Planted(HandEnded, lambda e: replace(e, blood=_bumped(e.blood, seat)), ""))
    finding = finding_in(changed)
    assert finding.field == f"blood[{seat}]"
    assert finding.recorded == finding.recomputed + 10
    assert f"recorded {finding.recorded}, recomputed {finding.recomputed}" in finding.describe()
    assert finding.place.hand_no == 1


@pytest.mark.parametrize("where", [HandEnded, MatchSettled])
def test_changed_points_are_named(where: type[Event]) -> None:
    events = recorded_match("zero_sum-2", 1)
    changed, _ = plant(events, Planted(where, lambda e: replace(e, points=_bumped(e.points, 3)), ""))
    finding = finding_in(changed)
    assert finding.field == "points[3]"
    assert finding.place.event == where.__name__


def test_settlement_before_the_threshold_is_named() -> None:
    events = next(
        e for seed in range(30) if isinstance((e := recorded_match("blood-1", seed))[-1], HandEnded)
    )
    last = events[-1]
    assert isinstance(last, HandEnded)
    early = MatchSettled(
        match=last.match,
        version=last.version + 1,
        at=last.at,
        players=last.players,
        blood=last.blood,
        points=(10, -10, 10, -10),
        cause="threshold",
    )
    finding = finding_in([*events, early])
    assert finding.field == "type"
    assert "no command leads to MatchSettled here" in finding.what


def _renumbered(events: Sequence[Event]) -> Events:
    return [replace(event, version=number) for number, event in enumerate(events, start=1)]


def _index_of(events: Sequence[Event], where: type[Event], nth: int = 0) -> int:
    return [index for index, event in enumerate(events) if isinstance(event, where)][nth]


@pytest.mark.parametrize(
    ("missing", "recomputed"),
    [(TrickTaken, "TrickTaken"), (HandEnded, "HandEnded"), (HandDealt, "HandDealt")],
)
@EVERY_RULESET
def test_missing_event_is_named_though_all_are_renumbered(
    ruleset: str, missing: type[Event], recomputed: str
) -> None:
    events = public(recorded_match(ruleset, 2))
    index = _index_of(events, missing)
    finding = finding_in(_renumbered([*events[:index], *events[index + 1 :]]))
    assert finding.field == "type"
    assert finding.recomputed == recomputed
    assert finding.place.version == index + 1


def test_missing_play_is_the_next_seats_turn_taken_early() -> None:
    events = public(recorded_match("blood-1", 2))
    index = _index_of(events, CardsPlayed, 1)
    finding = finding_in(_renumbered([*events[:index], *events[index + 1 :]]))
    assert finding.recomputed == "NotYourTurn"
    assert finding.place.version == index + 1
    assert (finding.place.hand_no, finding.place.trick_no) == (1, 1)


def test_gap_in_the_versions_is_named() -> None:
    events = public(recorded_match("blood-1", 2))
    index = _index_of(events, DeclarationDone)
    finding = finding_in([*events[:index], *events[index + 1 :]])
    assert (finding.field, finding.recorded, finding.recomputed) == ("version", index + 2, index + 1)


@EVERY_RULESET
def test_swapped_events_are_named(ruleset: str) -> None:
    events = list(public(recorded_match(ruleset, 2)))
    index = _index_of(events, TrickTaken)
    events[index - 1], events[index] = events[index], events[index - 1]
    finding = finding_in(_renumbered(events))
    assert finding.place.version == index
    assert "no command leads to TrickTaken here" in finding.what


def test_match_without_its_opening_is_refused() -> None:
    finding = finding_in(recorded_match("blood-1", 2)[1:])
    assert finding.recomputed == "MatchNotOpen"
    assert audit(()).first_difference is not None


def test_event_of_another_match_is_named() -> None:
    events = list(recorded_match("blood-1", 2))
    events[9] = replace(events[9], match=recorded_match("blood-1", 3)[0].match)
    assert finding_in(events).field == "match"


def _with_cards_exchanged(events: Sequence[Event]) -> Events:
    """A hand whose published deal gives the second and third card played to each other's seats."""
    changed = list(events)
    plays = [event for event in events if isinstance(event, CardsPlayed)]
    (one,), (two,) = plays[1].cards, plays[2].cards
    index = _index_of(events, HandEnded)
    ended = changed[index]
    assert isinstance(ended, HandEnded)
    exchanged = {one: two, two: one}
    first, second, third, fourth = (
        tuple(exchanged.get(card, card) for card in hand) for hand in ended.deal.hands
    )
    changed[index] = replace(ended, deal=replace(ended.deal, hands=(first, second, third, fourth)))
    return changed


def test_card_that_was_not_dealt_to_the_seat_is_named() -> None:
    events = _with_cards_exchanged(public(recorded_match("zero_sum-1-partners", 2, hands=1)))
    finding = finding_in(events)
    assert finding.recomputed == "CardNotHeld"
    assert finding.place.trick_no == 1


def test_published_deal_that_is_no_full_pack_is_named() -> None:
    events = list(public(recorded_match("blood-1", 2, hands=1)))
    index = _index_of(events, HandEnded)
    ended = events[index]
    assert isinstance(ended, HandEnded)
    first, *others = ended.deal.hands
    events[index] = replace(ended, deal=replace(ended.deal, hands=((*first[:-1], first[0]), *others)))
    finding = finding_in(events)
    assert finding.place.event == "HandEnded"
    assert finding.field is not None
    assert finding.field.startswith("deal.")


def _card_revoked(events: Sequence[Event]) -> tuple[Events, CardsPlayed] | None:
    """A match in which some follower plays a card of another suit while it holds the led one; all else is as before."""
    hand_end = _index_of(events, HandEnded)
    plays = [
        (index, event) for index, event in enumerate(events[:hand_end]) if isinstance(event, CardsPlayed)
    ]
    for place, (index, event) in enumerate(plays):
        if place % 4 == 0:
            continue
        led = plays[place - place % 4][1].cards[0][0]
        if event.cards[0][0] != led:
            continue
        later = next(
            (
                (i, e)
                for i, e in plays[place + 1 :]
                if e.seat == event.seat and e.cards[0][0] != led and not e.openings
            ),
            None,
        )
        if later is None or event.openings:
            continue
        changed = list(events)
        revoked = replace(event, cards=later[1].cards)
        changed[index], changed[later[0]] = revoked, replace(later[1], cards=event.cards)
        return changed, revoked
    return None


@pytest.mark.parametrize("finished", [True, False])
def test_suit_not_followed_is_named_even_in_a_hand_in_progress(finished: bool) -> None:
    events = public(recorded_match("blood-1", 2, hands=1))
    found = _card_revoked(events)
    assert found is not None
    changed, revoked = found
    finding = finding_in(changed if finished else changed[: _index_of(changed, HandEnded)])
    assert finding.recomputed == "MustFollowSuit"
    assert finding.rule == "rules §4"
    assert finding.place.version == revoked.version
    assert finding.place.cards == revoked.cards
    assert finding.place.seat == revoked.seat


def _hidden(event: Any) -> bool:
    return isinstance(event, CardDeclared) and event.level == "hidden"


OTHER_OPENING = "00" * 32


def _tamper_opening(where: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(replace(one, opening=OTHER_OPENING) if one.opening else one for one in where)


@pytest.mark.parametrize("ruleset", ["blood-1", "blood-2"])
def test_opening_changed_where_the_card_was_played_is_named_there(ruleset: str) -> None:
    changed, index = plant(
        match_with(ruleset, _hidden, hands=1),
        Planted(
            CardsPlayed,
            lambda e: replace(e, openings=_tamper_opening(e.openings)),
            "",
            fits=lambda e: bool(e.openings),
        ),
    )
    finding = finding_in(changed)
    assert finding.field == "openings[0].opening"
    assert finding.place.version == changed[index].version


@pytest.mark.parametrize("ruleset", ["blood-1", "blood-2"])
def test_opening_changed_at_the_hands_end_is_named_there(ruleset: str) -> None:
    changed, index = plant(
        match_with(ruleset, _hidden, hands=1),
        Planted(HandEnded, lambda e: replace(e, declarations=_tamper_opening(e.declarations)), ""),
    )
    finding = finding_in(changed)
    assert finding.field is not None
    assert finding.field.endswith(".opening")
    assert finding.place.version == changed[index].version


@pytest.mark.parametrize("ruleset", ["blood-1", "blood-2"])
def test_commitment_that_nothing_opens_is_named(ruleset: str) -> None:
    changed, index = plant(
        match_with(ruleset, _hidden, hands=1),
        Planted(CardDeclared, lambda e: replace(e, commitment="ab" * 32), "", fits=_hidden),
    )
    finding = finding_in(changed)
    assert finding.field == "commitment"
    assert finding.place.version == changed[index].version


def test_commitment_that_is_none_is_named_in_a_hand_in_progress() -> None:
    events = match_with("blood-1", _hidden, hands=1)
    changed, index = plant(
        events, Planted(CardDeclared, lambda e: replace(e, commitment="secret"), "", fits=_hidden)
    )
    finding = finding_in(changed[: index + 1])
    assert finding.field == "commitment"


def test_hidden_declaration_is_refused_where_the_ruleset_has_none() -> None:
    events = list(public(recorded_match("zero_sum-1", 2)))
    index = next(i for i, e in enumerate(events) if isinstance(e, CardDeclared) and not e.automatic)
    declared = events[index]
    assert isinstance(declared, CardDeclared)
    events[index] = replace(declared, level="hidden", card=None, commitment="ab" * 32)
    finding = finding_in(events[: index + 1])
    assert finding.recomputed == "HiddenNotAllowed"


def _automatic(event: Event) -> bool:
    return isinstance(event, CardDeclared) and event.automatic


@pytest.mark.parametrize("finished", [True, False])
def test_missing_automatic_fourth_is_named(finished: bool) -> None:
    events = match_with("zero_sum-1", _automatic, hands=1)
    index = next(i for i, event in enumerate(events) if _automatic(event))
    without = _renumbered([*events[:index], *events[index + 1 :]])
    finding = finding_in(without if finished else without[: index + 1])
    assert (finding.field, finding.recorded, finding.recomputed) == (
        "type",
        "DeclarationsClosed",
        "CardDeclared",
    )


def test_card_played_twice_is_named_in_a_hand_in_progress() -> None:
    events = list(public(recorded_match("blood-1", 2, hands=1)))
    first, second = _index_of(events, CardsPlayed, 0), _index_of(events, CardsPlayed, 1)
    one, two = events[first], events[second]
    assert isinstance(one, CardsPlayed)
    assert isinstance(two, CardsPlayed)
    events[second] = replace(two, cards=one.cards)
    finding = finding_in(events[: second + 1])
    assert finding.recomputed == "CardNotHeld"
    assert finding.place.cards == one.cards


def test_abandoned_hand_with_another_deal_is_named() -> None:
    events = list(abandoned_match("blood-1", 3, plays=8))
    ending = events[-1]
    assert isinstance(ending, MatchAbandoned)
    assert ending.deal is not None
    hands = ending.deal.hands
    events[-1] = replace(ending, deal=replace(ending.deal, hands=(*hands[1:], hands[0])))
    finding = finding_in(events)
    assert finding.place.hand_no == 1
    assert (
        finding.recomputed in ("CardNotHeld", "CardDeclared", "DeclarationsClosed")
        or finding.field == "leader"
    )


def test_ruleset_without_its_numbers_is_a_finding_and_no_crash() -> None:
    events = list(public(recorded_match("blood-1", 2)))
    opened = events[0]
    assert isinstance(opened, MatchOpened)
    scoring = replace(opened.ruleset.scoring, heart_values=(), ace_of_hearts={})
    events[0] = replace(opened, ruleset=replace(opened.ruleset, revision=0, scoring=scoring))
    finding = finding_in(events)
    assert "our rules cannot decide this step" in finding.what
    assert finding.place.trick_no == 13
