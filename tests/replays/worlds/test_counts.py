"""How many worlds there are: as trying every deal tells in small positions of every kind, as formulas in others."""

from collections import Counter
from math import comb
from random import Random

import pytest

from domain.cards import SUIT_CARDS, cards_in, parse_card, parse_cards, set_of
from domain.commands import DeclareCard
from domain.errors import GongzhuError
from domain.rulesets import RULESETS, Ruleset
from domain.secret import Secret
from replays.knowledge import KINDS, knowledge_at
from replays.timeline import Timeline
from replays.worlds import Course, InformationSet, NoWorld, Numbers, Sampler, information_at
from tests.replays.matches import abandoned_match
from tests.replays.worlds.positions import Position, doubtful_hand, small_positions
from tests.support.tables import Table, dealt


def positions_of(ruleset: Ruleset, times: int, *, unseen: int = 6) -> list[Position]:
    """So many small positions of a ruleset, four from a hand."""
    found: list[Position] = []
    seed = 0
    while len(found) < times:
        random = Random(f"small {ruleset.name} {seed}")
        found += small_positions(doubtful_hand(ruleset, random), random, times=4, unseen=unseen)
        seed += 1
    return found[:times]


def test_count_is_that_of_all_worlds_in_200_small_positions_of_every_kind(
    request: pytest.FixtureRequest,
) -> None:
    times = 26 * (10 if request.config.getoption("--long") else 1)
    met: Counter[str] = Counter()
    for ruleset in RULESETS.values():
        for position in positions_of(ruleset, times):
            sampler = check_against_every_world(position)
            if sampler.count > 1:
                met.update(kinds_in(position, sampler))
    assert sum(met.values()) >= 100
    assert set(met) >= {*KINDS, "bound kinds", "several cases"} - {"ban_lead", "counting", "cases"}, met


def check_against_every_world(position: Position) -> Sampler:
    """The count is right, and each world drawn is one of them."""
    worlds = position.every_world()
    information = position.information
    sampler = Sampler(information)
    assert sampler.count == len(worlds), position[1:]
    assert position.truth in worlds
    assert all(information.admits(world) for world in worlds)
    assert set(sampler.draws(4 * min(len(worlds), 50), Numbers(position.step))) <= worlds
    return sampler


def kinds_in(position: Position, sampler: Sampler) -> set[str]:
    """What there is to know in a position, and what it asks of the sampler."""
    seen = knowledge_at(position.timeline, position.step, position.knower).seen
    met: set[str] = {fact.kind for fact in seen.facts}
    if any(of.pairs for case in sampler.cases.things for of in case.shares.classes):
        met.add("bound kinds")
    if len(sampler.cases.things) > 1:
        met.add("several cases")
    return met


# --- whole hands, where a formula tells the count ------------------------------------------------------------------


def known_by(table: Table, knower: int) -> InformationSet:
    """What a seat can know at a table as it stands."""
    course = Course(table.match.ruleset)
    for event in table.events:
        course.see(event)
    holdings = table.hand.holdings
    assert holdings is not None
    return course.information(knower, holdings[knower])


def test_at_the_deal_all_shares_of_the_other_cards_are_worlds() -> None:
    for decks, size in ((1, 13), (2, 26)):
        table = dealt(RULESETS[f"zero_sum-{decks}"], {})
        shares = comb(3 * size, size) * comb(2 * size, size)
        assert Sampler(known_by(table, 2)).count == shares
        assert Sampler(Course(table.match.ruleset).information("spectator")).count == shares * comb(
            4 * size, size
        )


def test_who_leads_a_held_back_card_holds_no_other_of_the_suit_where_leading_is_banned() -> None:
    others = "H2 H3 H4 H5 H6 H7 H8 S2 S3 S4 S5"
    for name in ("zero_sum-1", "blood-1"):
        table = dealt(RULESETS[name], {0: "C2", 1: f"CA DJ {others}", 2: "C3", 3: "C4"})
        table.ask(DeclareCard(seat=1, card="DJ", level="open")).everyone_done()
        information = known_by(table.play("C2", "CA", "C3", "C4", "DJ"), 3)
        diamonds = (information.unseen & SUIT_CARDS[2]).bit_count()
        elsewhere = information.unseen.bit_count() - diamonds
        banned = name == "zero_sum-1"
        free = elsewhere if banned else elsewhere + diamonds
        assert Sampler(information).count == comb(free, 11) * comb(elsewhere + diamonds - 11, 12)


def test_leader_of_a_match_holds_one_of_two_unseen_twos_of_clubs() -> None:
    table = dealt(RULESETS["blood-2"], {0: "C2a", 1: "C2b"}).everyone_done()
    assert table.hand.turn in (0, 1)
    without = comb(76, 26) * comb(52, 26)
    assert Sampler(known_by(table, 3)).count == comb(78, 26) * comb(52, 26) - without


def test_hidden_declaration_counts_once_for_each_card_that_it_can_be() -> None:
    table = dealt(RULESETS["blood-1"], {1: "SQ"})
    table.ask(DeclareCard(seat=1, card="SQ", level="hidden", opening=Secret(bytes(32))))
    own = known_by(table, 0)
    specials = (own.face_down[1]).bit_count()
    sampler = Sampler(own)
    assert len(sampler.cases.things) == specials
    assert sampler.count == specials * comb(38, 12) * comb(26, 13)


def test_seat_whose_hand_is_shown_is_not_drawn() -> None:
    table = dealt(RULESETS["blood-1"], {1: "SQ"})
    table.ask(DeclareCard(seat=1, card="SQ", level="hidden", opening=Secret(bytes(32))))
    holdings = table.hand.holdings
    assert holdings is not None
    pig = 1 << parse_card("SQ", 1)
    leaked = known_by(table, 0).showing(1, holdings[1], pig)
    sampler = Sampler(leaked)
    assert sampler.count == comb(26, 13)
    for world in sampler.draws(20, Numbers(1)):
        assert world.hands[:2] == holdings[:2]
        assert world.face_down == (0, pig, 0, 0)
        assert leaked.admits(world)


def test_pair_that_was_not_played_does_not_lie_together_unless_a_copy_was_held_back() -> None:
    no_clubs = " ".join([f"S{rank}a" for rank in "23456789TJQKA"] + [f"H{rank}a" for rank in "23456789TJ"])
    table = dealt(RULESETS["zero_sum-2"], {0: "C2a C2b C4b C5b", 1: f"C3a C4a C5a {no_clubs}", 2: "C6a C3b"})
    information = known_by(table.everyone_done().play("C2a C2b", "C3a C4a"), 2)
    both = information.kinds_unseen() & SUIT_CARDS[3]
    for world in Sampler(information).draws(100, Numbers(3)):
        assert not world.hands[1] & world.hands[1] >> 64 & both
        assert not world.hands[1] & set_of(parse_cards(("C4b", "C3b"), 2))


def test_second_held_back_card_of_a_suit_may_still_lie_face_down() -> None:
    no_spades = " ".join(f"{suit}{rank}a" for suit in "HD" for rank in "23456789TJQK")
    table = dealt(RULESETS["blood-2"], {0: "C2a C2b S2a", 1: f"SQa SQb {no_spades}"})
    table.ask(
        *[
            DeclareCard(seat=1, card=card, level="hidden", opening=Secret(bytes(32)))
            for card in ("SQa", "SQb")
        ]
    )
    information = known_by(table.everyone_done().play("S2a", "SQa"), 3)
    pig = 1 << parse_card("SQb", 2)
    assert not information.plain[1] & SUIT_CARDS[0]
    assert information.face_down[1] & SUIT_CARDS[0] == pig
    assert any(world.face_down[1] == pig for world in Sampler(information).draws(50, Numbers(1)))


# --- refusals ------------------------------------------------------------------------------------------------------


def test_record_that_breaks_the_rules_has_no_world() -> None:
    course = Course(RULESETS["blood-1"], hand_no=2)
    for card in cards_in(SUIT_CARDS[0] & (1 << 13) - 1):
        for seat in (0, 1, 2):
            course.play(seat, 1 << 16 + card % 13 if seat else 1 << card, 0)
    with pytest.raises(NoWorld, match="no deal fits what seat 3 has seen"):
        Sampler(course.information(3, SUIT_CARDS[3] & (1 << 64) - 1))


def test_cards_that_are_not_public_are_not_asked_for() -> None:
    closed = Timeline(abandoned_match("blood-1", 5, plays=7, with_key=False))
    step = closed.step_of(1) + 1
    with pytest.raises(GongzhuError, match="not public"):
        information_at(closed, step, 0)
    assert Sampler(information_at(closed, step, "spectator")).count > 0
    with pytest.raises(GongzhuError, match="no hand is in progress at step 1"):
        information_at(closed, 1, "spectator")
