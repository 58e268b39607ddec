"""A search and its text are one: what is written is what is meant, and what means nothing is named."""

from datetime import UTC, datetime
from uuid import UUID

import pytest

from adapters.hand_search import FILTERS, HandSearch, SearchRefused, search_of, search_of_pairs

ONE, TWO, THREE = (UUID(int=number) for number in (1, 2, 3))

EVERYTHING = HandSearch(
    player=ONE,
    partner=TWO,
    opponent=(THREE, UUID(int=4)),
    ruleset="blood-2-partners",
    origin="served",
    from_="2026-11",
    to="2026-11-30T20:00:00+08:00",
    special=("slam", "autopilot"),
    score_min=-3,
    score_max=1600,
    points_min=0,
    points_max=0,
    swing_min=1,
    swing_max=2,
    order="lowest",
)


def test_text_of_a_search_means_the_search() -> None:
    assert search_of(EVERYTHING.query) == EVERYTHING
    assert search_of(f"https://example.org/hands?{EVERYTHING.query}") == EVERYTHING
    assert {pair.partition("=")[0] for pair in EVERYTHING.query.split("&")} == set(FILTERS)
    assert HandSearch().query == ""
    assert search_of("") == search_of("?") == search_of("player=&special=&score_min=") == HandSearch()


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("2026", datetime(2026, 1, 1, tzinfo=UTC), datetime(2027, 1, 1, tzinfo=UTC)),
        ("2026-12", datetime(2026, 12, 1, tzinfo=UTC), datetime(2027, 1, 1, tzinfo=UTC)),
        ("2026-02-28", datetime(2026, 2, 28, tzinfo=UTC), datetime(2026, 3, 1, tzinfo=UTC)),
        ("2026-02-28T10:00:00+08:00", *[datetime(2026, 2, 28, 2, tzinfo=UTC)] * 2),
        ("2026-02-28T10:00:00", *[datetime(2026, 2, 28, 10, tzinfo=UTC)] * 2),
    ],
)
def test_days_are_whole_and_times_are_moments(text: str, since: datetime, until: datetime) -> None:
    assert search_of(f"from={text.replace('+', '%2B')}").since == since
    assert search_of(f"to={text.replace('+', '%2B')}").until == until


@pytest.mark.parametrize(
    ("query", "parameter", "says"),
    [
        ("colour=red", "colour", "no such filter; known are player, partner"),
        ("player=me", "player", "invalid UUID"),
        (f"player={ONE}&player={TWO}", "player", "given twice"),
        (f"partner={ONE}", "partner", "give that too"),
        (f"opponent={ONE}", "opponent", "give that too"),
        ("&".join([f"player={ONE}", *[f"opponent={TWO}"] * 4]), "opponent", "length <= 3"),
        (f"player={ONE}&opponent={ONE}", "player", "not his own"),
        ("ruleset=poker", "ruleset", "choose one of blood-1"),
        ("origin=mars", "origin", "choose one of served"),
        ("special=luck", "special", "choose one of slam"),
        ("order=oldest", "order", "choose one of newest"),
        ("score_min=many", "score_min", "expected `int"),
        ("score_min=9999999999", "score_min", "<= 1000000000"),
        ("points_min=1&points_max=0", "points_max", "less than points_min"),
        ("from=yesterday", "from", "write a year, a month or a day"),
        ("from=20261130", "from", "write a year"),
        ("to=2026-02-30", "to", "write a year"),
        ("to=9999", "to", "write a year"),
        ("from=2026-11&to=2026-10", "to", "is before"),
        ("nonsense", "search", "is no query"),
        ("&".join(["special=slam"] * 200), "search", "is no query"),
    ],
)
def test_what_means_nothing_is_named(query: str, parameter: str, says: str) -> None:
    with pytest.raises(SearchRefused, match=f"^{parameter}: ") as refused:
        search_of(query)
    assert says in str(refused.value)
    assert refused.value.parameter == parameter


def test_pairs_of_a_form_are_a_search() -> None:
    pairs = [("special", "slam"), ("special", "autopilot"), ("ruleset", ""), ("order", "swing")]
    assert search_of_pairs(pairs) == HandSearch(special=("slam", "autopilot"), order="swing")
