"""The honest populations that are shipped: of the evaluator in use, and of every ruleset that is played."""

import pytest

from adapters.investigating.shipped import EVALUATOR, population
from domain.rulesets import RULESETS
from replays.investigation.deal_scores import STATISTICS, Role
from replays.investigation.populations import LEAST_DEALS

ROLES: tuple[Role, ...] = ("leads", "follows")


def test_they_were_measured_with_the_evaluator_in_use() -> None:
    assert population().evaluator == EVALUATOR.name


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("name", RULESETS)
def test_plays_of_every_ruleset_are_compared_with_enough_honest_deals(name: str, role: Role) -> None:
    ruleset = RULESETS[name]
    null = population().null("rank", f"{ruleset.name} revision {ruleset.revision}", role)
    assert null.deals >= LEAST_DEALS
    assert null.spread > 0.3
    assert abs(null.mean) < 0.3 * null.spread


@pytest.mark.parametrize("role", ROLES)
def test_the_commonest_ruleset_has_every_statistic(role: Role) -> None:
    for statistic in STATISTICS:
        assert population().null(statistic, "zero_sum-1 revision 1", role).deals >= LEAST_DEALS
