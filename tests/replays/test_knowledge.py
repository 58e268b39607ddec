"""What can be known of unseen cards is never wrong, misses nothing in small endings, and has a reason each time."""

import functools
import operator
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from random import Random
from typing import Final

import pytest

from domain.cards import (
    ALL_CARDS,
    SUIT_CARDS,
    cards_in,
    names_of,
    pairs_in,
    parse_card,
    parse_cards,
    set_of,
)
from domain.commands import DeclareCard
from domain.errors import GongzhuError
from domain.rulesets import RULESETS, Ruleset, as_recorded
from domain.seats import SEATS
from domain.secret import Secret
from replays.knowledge import (
    KINDS,
    Fact,
    Knower,
    Knowledge,
    NoHandThere,
    cases_at,
    conclude,
    knowledge_at,
    known_to,
    told,
)
from replays.knowledge.facts import Kind
from replays.timeline import CardsNotPublic, Timeline
from tests.replays.consistent_deals import Course, consistent_worlds, shares
from tests.replays.matches import (
    abandoned_match,
    hoarding_events,
    public,
    recorded_match,
    until_last_hand_ends,
)
from tests.support.random_play import random_events
from tests.support.tables import Table, dealt

EVERY_RULESET = pytest.mark.parametrize("ruleset", RULESETS.values(), ids=list(RULESETS))
KNOWERS: Final[tuple[Knower, ...]] = (0, 1, 2, 3, "spectator")


@pytest.fixture(name="times")
def times_fixture(request: pytest.FixtureRequest) -> int:
    """How many times more is tried with `--long`."""
    return 10 if request.config.getoption("--long") else 1


def positions(ruleset: Ruleset, seed: str, steps: int) -> Iterator[Knowledge]:
    """What can be known at some steps of a random hand, for a seat and for a spectator."""
    random = Random(f"{ruleset.name} {seed}")
    timeline = Timeline(random_events(ruleset, random, hands=1))
    hand = timeline.hands[0]
    for step in random.sample(range(hand.first, hand.last), k=steps):
        yield knowledge_at(timeline, step, random.choice(SEATS))
        yield knowledge_at(timeline, step, "spectator")


# --- never wrong ---------------------------------------------------------------------------------------------------


def check_against_truth(known: Knowledge) -> None:
    """Nothing that is said to be known contradicts what the seats held."""
    assert known.truth is not None
    assert not known.contradictory
    for seat in known.seen.others:
        held = known.truth[seat]
        assert held.bit_count() == known.seen.capacities[seat]
        assert held & ~known.possible[seat] == 0
        assert known.surely(seat) & ~held == 0
        assert not pairs_in(held) & known.no_pairs[seat]
    for fact in known.seen.facts:
        check_fact(fact, known.truth[fact.seat])
    for excluded in known.exclusions:
        assert not known.truth[excluded.seat] & excluded.cards


def check_fact(fact: Fact, held: int) -> None:
    """A fact is true of what its seat held."""
    assert {
        "holds": not fact.cards & ~held,
        "lacks": not fact.cards & held,
        "holds_some": (fact.cards & held).bit_count() >= fact.count,
        "no_pair": not pairs_in(held) & fact.cards,
    }[fact.effect]


@EVERY_RULESET
def test_nothing_known_contradicts_the_deal(ruleset: Ruleset, times: int) -> None:
    for seed in range(12 * times):
        for known in positions(ruleset, f"truth {seed}", steps=12):
            check_against_truth(known)


def test_every_kind_of_reason_takes_owners_away(times: int) -> None:
    met: Counter[Kind] = Counter()
    for ruleset in RULESETS.values():
        for seed in range(25 * times):
            for known in positions(ruleset, f"kinds {seed}", steps=6):
                met.update(excluded.kind for excluded in known.exclusions)
    assert set(met) == set(KINDS)


# --- nothing missed ------------------------------------------------------------------------------------------------


@EVERY_RULESET
def test_small_endings_are_known_as_exactly_as_trying_every_deal_tells(ruleset: Ruleset, times: int) -> None:
    for seed in range(2 * times):
        random = Random(f"exact {ruleset.name} {seed}")
        timeline = Timeline(hoarding_events(ruleset, random))
        knower = random.choice(KNOWERS)
        small = [step for step in playing_steps(timeline) if unseen(timeline, step, knower) <= 7]
        for step in random.sample(small, k=min(2, len(small))):
            known, worlds = knowledge_at(timeline, step, knower), worlds_at(timeline, step, knower)
            assert worlds
            assert all(known.admits(share) for share, _ in worlds)
            assert known.possible == tuple(_union(share[seat] for share, _ in worlds) for seat in SEATS)
            assert worlds == {
                (share, _union(case.seen.supposed))
                for case in cases_at(timeline, step, knower)
                for share in shares(known.seen.unseen, known.seen.capacities)
                if case.admits(share)
            }


def _union(sets: Iterable[int]) -> int:
    return functools.reduce(operator.or_, sets, 0)


def playing_steps(timeline: Timeline) -> list[int]:
    hand = timeline.hands[0]
    return [step for step in range(hand.first, hand.last) if timeline.state(step).phase == "playing"]


def unseen(timeline: Timeline, step: int, knower: Knower) -> int:
    holdings = timeline.view(step, "all").hand
    assert holdings is not None
    return sum(left for seat, left in enumerate(holdings.cards_left) if seat != knower)


def worlds_at(timeline: Timeline, step: int, knower: Knower) -> set[tuple[tuple[int, ...], int]]:
    """Every deal, with the cards that lie face down in it, that is consistent with all that was seen."""
    seen = knowledge_at(timeline, step, knower).seen
    first = timeline.hands[0].first
    course = Course(timeline.state(1).ruleset, [timeline.step(n).event for n in range(first, step + 1)])
    seat = None if knower == "spectator" else knower
    return set(consistent_worlds(course, seen.unseen, seen.capacities, seen.own, seat))


# --- each reason, and what its lack takes with it ------------------------------------------------------------------


def known_by(table: Table, knower: Knower) -> Knowledge:
    """What can be known at a table as it stands."""
    hand = table.hand
    first = next(i for i, event in enumerate(table.events) if type(event).__name__ == "HandDealt")
    holdings = hand.holdings
    assert holdings is not None
    own = 0 if knower == "spectator" else holdings[knower]
    return known_to(table.match.ruleset, table.events[first:], knower, own)


def without(known: Knowledge, kind: Kind) -> Knowledge:
    """What would be known without the reasons of one kind."""
    return conclude(known.seen, [fact for fact in known.seen.facts if fact.kind != kind])


def mask(known: Knowledge, cards: str) -> int:
    return set_of(parse_cards(cards.split(), known.seen.decks))


def sure(known: Knowledge, seat: int) -> str:
    return " ".join(names_of(cards_in(known.surely(seat)), known.seen.decks))


def hidden(seat: int, card: str) -> DeclareCard:
    return DeclareCard(seat=seat, card=card, level="hidden", opening=Secret(bytes(32)))


def test_before_anything_is_shown_every_unseen_card_can_be_anywhere() -> None:
    table = dealt(RULESETS["blood-1"], {})
    known = known_by(table, 1)
    assert not known.seen.facts
    assert not known.exclusions
    assert known.possible[0] == known.possible[2] == known.possible[3] == known.seen.unseen
    assert known.possible[1] == 0
    assert known.seen.unseen | known.seen.own == ALL_CARDS[0]
    assert known.seen.capacities == (13, 0, 13, 13)


def test_open_declaration_places_its_card_until_it_is_played() -> None:
    table = dealt(RULESETS["zero_sum-1"], {0: "C2", 2: "SQ S3"})
    table.ask(DeclareCard(seat=2, card="SQ", level="open"))
    known = known_by(table, 0)
    assert sure(known, 2) == "SQ"
    (reason,) = known.seen.facts
    assert (reason.kind, reason.seat, reason.effect, reason.rule) == (
        "open_declaration",
        2,
        "holds",
        "rules §3",
    )
    assert table.events[reason.step - 1].seat == 2  # type: ignore[attr-defined]
    assert sure(without(known, "open_declaration"), 2) == ""


def test_hidden_declaration_is_known_once_it_can_be_one_card_only() -> None:
    table = dealt(RULESETS["blood-1"], {0: "C2 SQ DJ CT", 2: "HA"}).ask(hidden(2, "HA"))
    spectator, seat = known_by(table, "spectator"), known_by(table, 0)
    assert [fact.count for fact in spectator.at_least] == [1]
    assert spectator.at_least[0].cards == mask(spectator, "SQ DJ CT HA")
    assert spectator.exclusions == ()
    assert sure(seat, 2) == "HA"
    assert sure(without(seat, "hidden_declarations"), 2) == ""
    assert known_by(table, 2).seen.facts == ()


def test_two_hidden_declarations_of_two_cards_are_known() -> None:
    table = dealt(RULESETS["blood-1"], {0: "C2 SQ", 1: "CT", 2: "HA DJ"}).ask(
        hidden(2, "HA"), hidden(2, "DJ")
    )
    table.ask(DeclareCard(seat=1, card="CT", level="open"))
    assert sure(known_by(table, 0), 2) == "HA DJ"
    assert sure(known_by(table, "spectator"), 2) == ""


def test_cards_face_down_at_two_seats_are_nowhere_else_whichever_is_where() -> None:
    table = dealt(RULESETS["blood-1"], {0: "C2 DJ CT", 1: "SQ", 2: "HA"}).ask(
        hidden(1, "SQ"), hidden(2, "HA")
    )
    known = known_by(table, 0)
    assert not known.possible[3] & mask(known, "SQ HA")
    assert sure(known, 1) == sure(known, 2) == ""
    assert {excluded.kind for excluded in known.exclusions} == {"cases"}
    assert conclude(known.seen).possible[3] & mask(known, "SQ HA")


def test_first_leader_holds_the_two_of_clubs_until_it_is_seen() -> None:
    table = dealt(RULESETS["blood-1"], {0: "C2 S2 C5", 1: "S3", 2: "S4", 3: "SA"}).everyone_done().play("S2")
    known = known_by(table, 1)
    assert sure(known, 0) == "C2"
    assert [fact.kind for fact in known.seen.facts] == ["first_lead"]
    assert sure(without(known, "first_lead"), 0) == ""
    table.play("S3", "S4", "SA")
    assert sure(known_by(table, 1), 0) == "C2"


def test_leader_who_was_given_tells_nothing_of_the_two_of_clubs() -> None:
    table = dealt(as_recorded(RULESETS["blood-1"]), {0: "C3", 1: "C2"}, leader=0).everyone_done()
    assert known_by(table, 2).seen.facts == ()


def test_in_two_decks_the_first_leader_holds_one_of_two() -> None:
    table = dealt(RULESETS["blood-2"], {0: "C2a", 1: "C2b"}).everyone_done()
    leader = table.hand.turn
    other = 1 - int(leader or 0)
    assert sure(known_by(table, 3), int(leader or 0)) == ""
    assert known_by(table, 3).at_least[0].cards == mask(known_by(table, 3), "C2a C2b")
    assert known_by(table, other).surely(int(leader or 0)).bit_count() == 1


def test_who_does_not_follow_is_void() -> None:
    spades = "S2 S3 S4 S5 S6 S7 S8 S9 ST SJ SQ SK"
    table = dealt(RULESETS["zero_sum-1"], {0: f"C2 {spades}", 1: "CA SA", 2: "C3 H2"}).everyone_done()
    table.play("C2", "CA", "C3", "C4", "SA", "H2")
    known = known_by(table, 1)
    assert not known.possible[2] & SUIT_CARDS[0]
    reason = next(fact for fact in known.seen.facts if fact.kind == "void")
    assert (reason.seat, reason.trick_no, reason.rule) == (2, 2, "rules §4")
    assert reason.why == "seat 2 did not follow spades in trick 2"
    assert without(known, "void").possible[2] & SUIT_CARDS[0]


def test_who_follows_with_a_held_back_card_has_no_other_card_of_the_suit() -> None:
    table = dealt(RULESETS["blood-1"], {0: "C2 S2", 1: "SQ HA H2 H3 H4 H5 H6 H7 H8 D2 D3 D4 D5"})
    table.ask(hidden(1, "SQ")).everyone_done().play("S2")
    before = known_by(table, 3)
    assert before.possible[1] & SUIT_CARDS[0]
    table.play("SQ")
    known = known_by(table, 3)
    assert not known.possible[1] & SUIT_CARDS[0]
    reason = next(fact for fact in known.seen.facts if fact.kind == "ban_follow")
    assert (reason.seat, reason.trick_no, reason.rule) == (1, 1, "rules §4, ban")
    assert without(known, "ban_follow").possible[1] & SUIT_CARDS[0]


def test_card_that_was_not_declared_tells_nothing_when_it_follows() -> None:
    table = dealt(RULESETS["blood-1"], {0: "C2 S2", 1: "SQ S3"}).everyone_done().play("S2", "SQ")
    assert [fact.kind for fact in known_by(table, 3).seen.facts] == ["first_lead"]


def test_held_back_card_tells_nothing_once_its_suit_was_led() -> None:
    table = dealt(RULESETS["zero_sum-1"], {0: "C2 S2 S3", 1: "CA SQ S4 S5", 2: "C3 S6 S7", 3: "C4 S8 S9"})
    table.ask(DeclareCard(seat=1, card="SQ", level="open")).everyone_done()
    table.play("C2", "CA", "C3", "C4", "S4", "S6", "S8", "S2")
    table.play(*{3: ["S9", "S3", "SQ"]}[table.hand.turn or 0])
    assert [fact.kind for fact in known_by(table, 3).seen.facts] == []


def test_who_leads_a_held_back_card_has_no_other_where_leading_is_banned_too() -> None:
    others = "H2 H3 H4 H5 H6 H7 H8 S2 S3 S4 S5"
    for ruleset, kinds in (("zero_sum-1", ["ban_lead"]), ("blood-1", ["first_lead"])):
        table = dealt(RULESETS[ruleset], {0: "C2", 1: f"CA DJ {others}", 2: "C3", 3: "C4"})
        table.ask(DeclareCard(seat=1, card="DJ", level="open")).everyone_done()
        table.play("C2", "CA", "C3", "C4", "DJ")
        known = known_by(table, 3)
        assert [fact.kind for fact in known.seen.facts] == (kinds if ruleset == "zero_sum-1" else [])
        assert bool(known.possible[1] & SUIT_CARDS[2]) == (ruleset == "blood-1")


def test_who_does_not_follow_a_pair_with_a_pair_has_none() -> None:
    no_clubs = " ".join([f"S{rank}a" for rank in "23456789TJQKA"] + [f"H{rank}a" for rank in "23456789TJ"])
    table = dealt(RULESETS["zero_sum-2"], {0: "C2a C2b C4b C5b", 1: f"C3a C4a C5a {no_clubs}", 2: "C6a C3b"})
    table.everyone_done().play("C2a C2b", "C3a C4a")
    known = known_by(table, 2)
    both_unseen = pairs_in(known.seen.unseen & SUIT_CARDS[3])
    assert known.no_pairs[1] == both_unseen
    assert both_unseen >> parse_card("C5", 1) & 1
    assert not known.possible[1] & mask(known, "C4b")
    assert known.possible[0] & mask(known, "C4b")
    assert known.no_pairs[3] == 0
    assert without(known, "no_pair").possible[1] & mask(known, "C4b")


def test_pair_that_may_be_held_back_is_not_ruled_out() -> None:
    seats = {0: "C2a C2b", 1: "CTa CTb C4a C5a", 2: "C6a C6b", 3: "C7a C8a"}
    table = dealt(RULESETS["blood-2"], seats).ask(hidden(1, "CTa")).everyone_done()
    table.play("C2a C2b", "C4a C5a")
    known = known_by(table, 3)
    assert not known.no_pairs[1] & mask(known, "CTa")
    assert known.no_pairs[1] == pairs_in(known.seen.unseen & SUIT_CARDS[3]) & ~mask(known, "CTa")
    openly = dealt(RULESETS["blood-2"], seats).everyone_done().play("C2a C2b", "CTa CTb")
    assert known_by(openly, 3).no_pairs[1] == 0


@EVERY_RULESET
def test_without_its_reasons_no_kind_takes_anything_away(ruleset: Ruleset, times: int) -> None:
    for seed in range(2 * times):
        for known in positions(ruleset, f"without {seed}", steps=5):
            for kind in KINDS:
                less = without(known, kind)
                assert kind == "counting" or kind not in {excluded.kind for excluded in less.exclusions}
                assert all(known.possible[seat] & ~less.possible[seat] == 0 for seat in SEATS)
            bare = conclude(known.seen, [])
            assert {excluded.kind for excluded in bare.exclusions} <= {"counting"}


# --- at a step of a match ------------------------------------------------------------------------------------------


def test_nothing_is_read_but_what_was_public_then() -> None:
    for ruleset in ("blood-1", "blood-2", "zero_sum-2"):
        full = recorded_match(ruleset, 1, hands=1)
        whole = Timeline(full)
        unfinished = Timeline(tuple(until_last_hand_ends(full)))
        for step in range(whole.hands[0].first, len(unfinished) + 1):
            then, now = knowledge_at(unfinished, step, "spectator"), knowledge_at(whole, step, "spectator")
            assert then.truth is None
            assert (then.seen, then.possible, then.exclusions) == (now.seen, now.possible, now.exclusions)


def test_seat_knows_what_a_spectator_knows_and_its_own_cards() -> None:
    timeline = Timeline(public(recorded_match("blood-2", 2, hands=1)))
    for step in range(timeline.hands[0].first, timeline.hands[0].last, 5):
        spectator = knowledge_at(timeline, step, "spectator")
        for seat in SEATS:
            known = knowledge_at(timeline, step, seat)
            assert all(known.possible[other] & ~spectator.possible[other] == 0 for other in SEATS)


def test_steps_outside_hands_and_hands_that_are_not_public_are_refused() -> None:
    timeline = Timeline(public(recorded_match("blood-1", 1, hands=1)))
    for step in (1, timeline.hands[0].first - 1, len(timeline)):
        with pytest.raises(NoHandThere, match=f"no hand is in progress at step {step}"):
            knowledge_at(timeline, step, "spectator")
    closed = Timeline(abandoned_match("blood-1", 5, plays=7, with_key=False))
    step = closed.step_of(1) + 1
    with pytest.raises(CardsNotPublic):
        knowledge_at(closed, step, 0)
    assert knowledge_at(closed, step, "spectator").truth is None
    assert issubclass(NoHandThere, GongzhuError)


def test_knowledge_is_told_in_texts() -> None:
    timeline = Timeline(public(recorded_match("blood-2", 3, hands=1)))
    known = knowledge_at(timeline, timeline.step_of(1, 12) + 2, 1)
    text = told(known)
    assert (text.knower, text.step, text.hand_no, len(text.seats)) == (1, known.seen.step, 1, 3)
    for seat in text.seats:
        assert seat.truth is not None
        assert set(seat.surely) <= set(seat.truth) <= {*seat.surely, *seat.possibly}
        assert seat.cards_left == len(seat.truth)
    assert {excluded.why for excluded in text.exclusions if excluded.step is not None} <= {
        reason.why for reason in text.reasons
    }
    told_why = [one.why_zh for one in text.reasons] + [one.why_zh for one in text.exclusions]
    assert all(re.search("[\u4e00-\u9fff]", why) for why in told_why)
    assert [reason.step for reason in text.reasons] == sorted(reason.step for reason in text.reasons)


def test_record_that_breaks_the_rules_is_called_contradictory() -> None:
    table = dealt(RULESETS["blood-1"], {0: "C2 S2", 2: "S4"}).everyone_done().play("S2", "S3")
    known = known_by(table, 0)
    card = parse_card("S5", 1)
    lie = {"kind": "void", "effect": "lacks", "cards": 1 << card, "step": 1, "why": "a lie", "why_zh": "假的"}
    everyone = [Fact(seat=seat, **lie) for seat in SEATS]  # type: ignore[arg-type]
    assert not known.contradictory
    assert conclude(known.seen, everyone).contradictory
