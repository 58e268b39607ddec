"""Raw scores: a row for each clause of rules.md §5, then what holds for every hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.cards import (
    HEARTS,
    RANKS,
    SCORING,
    SUIT_CARDS,
    cards_in,
    name_of,
    parse_card,
    parse_cards,
    set_of,
)
from domain.rulesets import RULESETS, Level, Ruleset, ruleset_named
from domain.scoring import Account, account_of, accounts_of, explain
from domain.tariff import raw_score, tariff_of
from tests.support.strategies import levels_of, rulesets, shares_of_cards

HEARTS_1 = " ".join(f"H{rank}" for rank in RANKS)
HEARTS_2 = " ".join(f"H{rank}{copy}" for copy in "ab" for rank in RANKS)
SLAM_1 = f"{HEARTS_1} SQ DJ CT"
SLAM_2 = f"{HEARTS_2} SQa SQb DJa DJb CTa CTb"
SIX_OPEN = "HAa open, HAb open, SQa open, SQb open, CTa open, CTb open"


def _declared(text: str, ruleset: Ruleset) -> dict[int, Level]:
    """`SQa open, HAb hidden` as levels by card; ♠Q is `SQ` in one deck."""
    levels: dict[int, Level] = {}
    for part in filter(None, text.split(", ")):
        card, level = part.split()
        levels[parse_card(card, ruleset.decks)] = "open" if level == "open" else "hidden"
    return levels


def _account(name: str, taken: str, declared: str) -> Account:
    ruleset = ruleset_named(name)
    cards = set_of(parse_cards(taken.split(), ruleset.decks))
    return account_of(ruleset, cards, _declared(declared, ruleset))


CLAUSES = [
    # Hearts by rank, and what does not count.
    ("nothing taken", "blood-1", "", "", 0),
    ("cards that do not count", "blood-1", "SA C9 DT", "", 0),
    ("two, three and four of hearts", "blood-1", "H2 H3 H4", "", 0),
    ("five to ten of hearts", "blood-1", "H5 H6 H7 H8 H9 HT", "", -60),
    ("jack of hearts", "blood-1", "HJ", "", -20),
    ("queen of hearts", "blood-1", "HQ", "", -30),
    ("king of hearts", "blood-1", "HK", "", -40),
    ("ace of hearts", "blood-1", "HA", "", -50),
    ("hearts of two decks", "blood-2", "HAa HAb H5a", "", -110),
    ("all but one heart", "zero_sum-1", HEARTS_1.replace("H2 ", ""), "", -200),
    ("all hearts, one deck", "blood-1", HEARTS_1, "", 200),
    ("all hearts, two decks", "blood-2", HEARTS_2, "", 400),
    ("one deck of hearts of two", "blood-2", " ".join(f"H{rank}a" for rank in RANKS), "", -200),
    # hm, the factor of hearts, is every player's.
    ("hm blood hidden", "blood-1", "HK", "HA hidden", -80),
    ("hm blood open", "blood-1", "HK", "HA open", -160),
    ("hm blood-2 one hidden", "blood-2", "HKa", "HAb hidden", -80),
    ("hm blood-2 one open", "blood-2", "HKa", "HAa open", -160),
    ("hm blood-2 both hidden", "blood-2", "HKa", "HAa hidden, HAb hidden", -160),
    ("hm blood-2 hidden and open", "blood-2", "HKa", "HAa hidden, HAb open", -240),
    ("hm blood-2 both open", "blood-2", "HKa", "HAa open, HAb open", -320),
    ("hm zero_sum one", "zero_sum-1", "HK", "HA open", -80),
    ("hm zero_sum-2 one", "zero_sum-2", "HKa", "HAb open", -80),
    ("hm zero_sum-2 both", "zero_sum-2", "HKa", "HAa open, HAb open", -160),
    ("all hearts times hm", "blood-1", HEARTS_1, "HA open", 800),
    ("all hearts times hm, zero_sum-2", "zero_sum-2", HEARTS_2, "HAa open, HAb open", 1600),
    # Pig and sheep.
    ("pig", "blood-1", "SQ", "", -100),
    ("pig hidden, blood-1", "blood-1", "SQ", "SQ hidden", -200),
    ("pig open, blood-1", "blood-1", "SQ", "SQ open", -400),
    ("pig hidden, blood-2", "blood-2", "SQa", "SQa hidden", -400),
    ("pig open, blood-2", "blood-2", "SQa", "SQa open", -800),
    ("pig in blood by its own level", "blood-2", "SQa", "SQb open", -100),
    ("both pigs in blood, one open", "blood-2", "SQa SQb", "SQb open", -900),
    ("pig in zero_sum by its kind", "zero_sum-2", "SQa", "SQb open", -200),
    ("pig in zero_sum, both declared", "zero_sum-2", "SQa", "SQa open, SQb open", -400),
    ("pig open, zero_sum-1", "zero_sum-1", "SQ", "SQ open", -200),
    ("sheep", "blood-1", "DJ", "", 100),
    ("sheep hidden, blood-1", "blood-1", "DJ", "DJ hidden", 200),
    ("sheep open, blood-1", "blood-1", "DJ", "DJ open", 400),
    ("sheep hidden, blood-2", "blood-2", "DJb", "DJb hidden", 400),
    ("sheep open, blood-2", "blood-2", "DJb", "DJb open", 800),
    ("sheep in zero_sum by its kind", "zero_sum-2", "DJa DJb", "DJb open", 400),
    ("pig and sheep cancel out", "blood-1", "SQ DJ", "", 0),
    # M, the transformers' factor.
    ("M blood-1", "blood-1", "CT SQ", "", -200),
    ("M blood-1 hidden", "blood-1", "CT SQ", "CT hidden", -400),
    ("M blood-1 open", "blood-1", "CT SQ", "CT open", -800),
    ("M blood-2 one", "blood-2", "CTa SQa", "", -200),
    ("M blood-2 one hidden", "blood-2", "CTa SQa", "CTa hidden", -800),
    ("M blood-2 one open", "blood-2", "CTa SQa", "CTa open", -1600),
    ("M blood-2 by its own level", "blood-2", "CTa SQa", "CTb open", -200),
    ("M blood-2 none, none", "blood-2", "CTa CTb SQa", "", -400),
    ("M blood-2 hidden, none", "blood-2", "CTa CTb SQa", "CTa hidden", -1000),
    ("M blood-2 open, none", "blood-2", "CTa CTb SQa", "CTb open", -1800),
    ("M blood-2 hidden, hidden", "blood-2", "CTa CTb SQa", "CTa hidden, CTb hidden", -1600),
    ("M blood-2 hidden, open", "blood-2", "CTa CTb SQa", "CTa hidden, CTb open", -2400),
    ("M blood-2 open, open", "blood-2", "CTa CTb SQa", "CTa open, CTb open", -3200),
    ("M zero_sum-1", "zero_sum-1", "CT SQ", "", -200),
    ("M zero_sum-1 declared", "zero_sum-1", "CT SQ", "CT open", -400),
    ("M zero_sum-2 one of none declared", "zero_sum-2", "CTa SQa", "", -200),
    ("M zero_sum-2 one of one declared", "zero_sum-2", "CTa SQa", "CTb open", -400),
    ("M zero_sum-2 one of two declared", "zero_sum-2", "CTa SQa", "CTa open, CTb open", -400),
    ("M zero_sum-2 both of none declared", "zero_sum-2", "CTa CTb SQa", "", -400),
    ("M zero_sum-2 both of one declared", "zero_sum-2", "CTa CTb SQa", "CTa open", -800),
    ("M zero_sum-2 both of two declared", "zero_sum-2", "CTa CTb SQa", "CTa open, CTb open", -1600),
    # The lone transformer.
    ("transformer alone", "blood-1", "CT", "", 50),
    ("transformer alone, hidden", "blood-1", "CT", "CT hidden", 100),
    ("transformer alone, open", "blood-1", "CT", "CT open", 200),
    ("transformer alone, zero_sum declared", "zero_sum-1", "CT", "CT open", 100),
    ("transformer with cards that do not count", "blood-1", "CT C2 SA", "", 50),
    ("two transformers alone, blood-2", "blood-2", "CTa CTb", "CTa hidden, CTb open", 600),
    ("two transformers alone, zero_sum-2", "zero_sum-2", "CTa CTb", "", 100),
    ("two transformers alone, zero_sum-2, both declared", "zero_sum-2", "CTa CTb", "CTa open, CTb open", 400),
    ("transformer with a heart that counts 0", "blood-1", "CT H2", "", 0),
    ("transformer with pig and sheep", "blood-1", "CT SQ DJ", "", 0),
    # All hearts with a pig is no slam and keeps the pig negative.
    ("all hearts and pig", "blood-1", f"{HEARTS_1} SQ", "", 100),
    ("all hearts, pig and transformer", "blood-1", f"{HEARTS_1} SQ CT", "", 200),
    ("all hearts, sheep and transformer", "zero_sum-1", f"{HEARTS_1} DJ CT", "", 600),
    ("the texts' own example", "blood-1", f"{HEARTS_1} SQ CT", "HA hidden, SQ hidden, CT open", 1600),
    ("the texts' own example", "zero_sum-2", "HAa CTa CTb", SIX_OPEN, -3200),
    ("the texts' own example", "zero_sum-2", "SQa SQb CTa CTb", SIX_OPEN, -12800),
    # The slam overrides all of it.
    ("slam blood-1", "blood-1", SLAM_1, "", 1600),
    ("slam blood-1, ace hidden", "blood-1", SLAM_1, "HA hidden", 3200),
    ("slam blood-1, ace open", "blood-1", SLAM_1, "HA open", 6400),
    ("slam blood-1, transformer hidden", "blood-1", SLAM_1, "CT hidden", 3200),
    ("slam blood-1, transformer open", "blood-1", SLAM_1, "CT open", 6400),
    ("slam blood-1, ace and transformer", "blood-1", SLAM_1, "HA hidden, CT open", 12800),
    ("slam blood-1, pig and sheep do not matter", "blood-1", SLAM_1, "SQ open, DJ hidden", 1600),
    ("slam blood-2", "blood-2", SLAM_2, "", 800),
    ("slam blood-2, t hidden, none", "blood-2", SLAM_2, "CTa hidden", 6400),
    ("slam blood-2, t open, none", "blood-2", SLAM_2, "CTb open", 12800),
    ("slam blood-2, t hidden, hidden", "blood-2", SLAM_2, "CTa hidden, CTb hidden", 6400),
    ("slam blood-2, t hidden, open", "blood-2", SLAM_2, "CTa hidden, CTb open", 9600),
    ("slam blood-2, t open, open", "blood-2", SLAM_2, "CTa open, CTb open", 12800),
    ("slam blood-2, one ace hidden", "blood-2", SLAM_2, "HAa hidden", 1600),
    ("slam blood-2, aces hidden and open", "blood-2", SLAM_2, "HAa hidden, HAb open", 4800),
    ("slam blood-2, aces and transformers", "blood-2", SLAM_2, "HAa open, HAb open, CTa open, CTb open", 102400),
    ("slam blood-2, pigs and sheep do not matter", "blood-2", SLAM_2, "SQa open, DJb hidden", 800),
    ("slam zero_sum-1", "zero_sum-1", SLAM_1, "", 800),
    ("slam zero_sum-1, ace", "zero_sum-1", SLAM_1, "HA open", 1200),
    ("slam zero_sum-1, pig", "zero_sum-1", SLAM_1, "SQ open", 1000),
    ("slam zero_sum-1, sheep", "zero_sum-1", SLAM_1, "DJ open", 1000),
    ("slam zero_sum-1, transformer", "zero_sum-1", SLAM_1, "CT open", 1600),
    ("slam zero_sum-1, all declared", "zero_sum-1", SLAM_1, "HA open, SQ open, DJ open, CT open", 3200),
    ("slam zero_sum-2", "zero_sum-2", SLAM_2, "", 1600),
    ("slam zero_sum-2, one pig", "zero_sum-2", SLAM_2, "SQa open", 2000),
    ("slam zero_sum-2, both aces and a transformer", "zero_sum-2", SLAM_2, "HAa open, HAb open, CTa open", 8000),
    ("all but one scoring card is no slam", "zero_sum-1", SLAM_1.replace("H2 ", ""), "", -400),
]  # fmt: skip


@pytest.mark.parametrize(("clause", "ruleset", "taken", "declared", "raw"), CLAUSES)
def test_raw_score_follows_its_clause(clause: str, ruleset: str, taken: str, declared: str, raw: int) -> None:
    account = _account(ruleset, taken, declared)
    assert account.raw == raw, f"{clause}: {explain(account)}"
    with_partners = _account(f"{ruleset}-partners", taken, declared)
    assert with_partners == account, "partners are judged player by player"


ACCOUNTS = [
    ("blood-1", "SA", "", ["no scoring cards: 0"]),
    ("blood-1", "H2", "", ["hearts 0", "raw score 0"]),
    ("blood-1", "CT", "CT open", ["transformer alone: 25 × 8 = 200"]),
    ("blood-2", "HKa SQa SQb CTa", "HAb hidden, SQb open", [
        "hearts -40 ×2 = -80", "pig SQa -100", "pig SQb -100 ×8 = -800", "transformer CTa ×2", "raw score -1960"]),
    ("zero_sum-1", f"{HEARTS_1} DJ", "", ["all hearts +200", "sheep DJ +100", "raw score +300"]),
    ("blood-1", SLAM_1, "HA open", ["slam: every scoring card", "1600 × 4 (♥A) × 1 (transformer) = 6400"]),
    ("zero_sum-2", SLAM_2, "SQa open", [
        "slam: every scoring card", "(hearts 400 + pigs 400 + sheep 200) × 4 ÷ 2 = 2000"]),
]  # fmt: skip


@pytest.mark.parametrize(("ruleset", "taken", "declared", "lines"), ACCOUNTS)
def test_account_explains_itself_line_by_line(
    ruleset: str, taken: str, declared: str, lines: list[str]
) -> None:
    assert explain(_account(ruleset, taken, declared)) == lines


def _summed(account: Account) -> int:
    """The raw score that the parts of an account come to, by the formula its docstring gives."""
    specials = sum(part.value * part.factor for part in (*account.pigs, *account.sheep))
    match account.rule:
        case "nothing":
            return 0
        case "sum":
            return (account.hearts * account.hearts_factor + specials) * account.factor
        case "lone_transformer":
            return account.base * account.factor
    if account.slam_parts:
        return sum(account.slam_parts) * account.factor // account.divisor
    return account.base * account.hearts_factor * account.factor


@given(
    rulesets.flatmap(
        lambda ruleset: st.tuples(st.just(ruleset), shares_of_cards(ruleset), levels_of(ruleset))
    )
)
def test_every_account_adds_up_to_its_raw_score(
    drawn: tuple[Ruleset, tuple[int, int, int, int], dict[int, Level]],
) -> None:
    ruleset, shares, levels = drawn
    accounts = accounts_of(ruleset, [list(cards_in(share)) for share in shares], levels)
    for account, share in zip(accounts, shares, strict=True):
        assert account.raw == _summed(account) == raw_score(ruleset, share, levels)
        assert account.raw % (25 if account.rule == "lone_transformer" else 10) == 0


@given(
    rulesets.flatmap(
        lambda ruleset: st.tuples(st.just(ruleset), shares_of_cards(ruleset), levels_of(ruleset))
    )
)
def test_cards_that_do_not_count_change_no_score(
    drawn: tuple[Ruleset, tuple[int, int, int, int], dict[int, Level]],
) -> None:
    ruleset, shares, levels = drawn
    tariff = tariff_of(ruleset, levels)
    assert [tariff.raw_score(share) for share in shares] == [
        tariff.raw_score(share & SCORING) for share in shares
    ]


@pytest.mark.parametrize("ruleset", RULESETS.values(), ids=RULESETS)
def test_hearts_of_a_hand_come_to_minus_200_a_deck(ruleset: Ruleset) -> None:
    hearts = [card for card in cards_in(SUIT_CARDS[HEARTS]) if card < 64 * ruleset.decks]
    assert sum(raw_score(ruleset, 1 << heart, {}) for heart in hearts) == -200 * ruleset.decks
    assert name_of(hearts[-1], ruleset.decks).startswith("HA")
