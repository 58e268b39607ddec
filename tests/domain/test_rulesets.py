"""The eight rulesets are the table of rules.md §2, and no rule asks for a name."""

import msgspec
import pytest

from domain.errors import UnknownRuleset
from domain.rulesets import RULESETS, Ruleset, as_recorded, levels_key, ruleset_named

# name, decks, partners, hidden, automatic fourth, first lead, ban when leading, threshold, factor of a hand's points
TABLE = [
    ("blood-1", 1, False, True, False, "two_of_clubs_leads_any", False, 1000, None),
    ("blood-2", 2, False, True, False, "two_of_clubs_leads_any", False, 4000, None),
    ("blood-1-partners", 1, True, True, False, "two_of_clubs_leads_any", False, 1000, None),
    ("blood-2-partners", 2, True, True, False, "two_of_clubs_leads_any", False, 4000, None),
    ("zero_sum-1", 1, False, False, True, "two_of_clubs_leads_it", True, None, 12),
    ("zero_sum-2", 2, False, False, False, "two_of_clubs_leads_it", True, None, 1),
    ("zero_sum-1-partners", 1, True, False, True, "two_of_clubs_leads_it", True, None, 12),
    ("zero_sum-2-partners", 2, True, False, False, "two_of_clubs_leads_it", True, None, 1),
]


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row[0])
def test_ruleset_is_its_row_of_the_table(row: tuple[object, ...]) -> None:
    ruleset = ruleset_named(str(row[0]))
    threshold = ruleset.settlement.threshold if ruleset.settlement else None
    assert row == (
        ruleset.name,
        ruleset.decks,
        ruleset.partners,
        ruleset.hidden_declarations,
        ruleset.automatic_fourth,
        ruleset.first_lead,
        ruleset.ban_when_leading,
        threshold,
        ruleset.hand_points_factor,
    )
    assert ruleset.most_hands == 256
    assert ruleset.hand_size == 13 * ruleset.decks


def test_there_are_eight() -> None:
    assert sorted(RULESETS) == sorted(row[0] for row in TABLE)


@pytest.mark.parametrize("name", ["blood", "", "BLOOD-1", None])
def test_unknown_name_is_refused_and_the_known_ones_are_told(name: str) -> None:
    with pytest.raises(UnknownRuleset, match="zero_sum-2-partners"):
        ruleset_named(name)


@pytest.mark.parametrize("ruleset", RULESETS.values(), ids=RULESETS)
def test_whole_value_survives_being_stored(ruleset: Ruleset) -> None:
    assert msgspec.json.decode(msgspec.json.encode(ruleset), type=Ruleset) == ruleset


@pytest.mark.parametrize("ruleset", RULESETS.values(), ids=RULESETS)
def test_recorded_form_differs_in_the_first_lead_only(ruleset: Ruleset) -> None:
    recorded = as_recorded(ruleset)
    assert recorded.first_lead == "as_given"
    assert msgspec.structs.replace(recorded, first_lead=ruleset.first_lead) == ruleset


def test_levels_key_names_the_highest_first() -> None:
    assert levels_key(["none", "open"]) == "open+none"
    assert levels_key(["hidden", "open"]) == "open+hidden"
    assert levels_key(["none", "hidden"]) == "hidden+none"
