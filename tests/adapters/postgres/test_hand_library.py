"""Whatever is searched for, the library finds what going through every hand finds, page by page in the same order."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from random import Random
from typing import Any, NamedTuple
from uuid import UUID

import psycopg
import pytest

from adapters.hand_search import HandSearch, SearchRefused
from adapters.postgres import hand_library, hand_queries
from adapters.postgres.hand_library import HandLibrary, HandLine, SearchTooLong
from adapters.postgres.recorder import open_pool
from domain.rulesets import RULESETS
from domain.seats import SEATS, Seat
from projections.hand_replays import HAND_REPLAYS
from projections.hand_replays.rows import FinishedHand, HandSeat
from projections.hand_replays.specials import SPECIALS
from tests.support.read_models import Content, folded
from tests.support.read_models_built import project
from tests.support.stored_matches import PLAYERS, append, log_messages, season


class Filled(NamedTuple):
    """A library, and the rows that it holds."""

    library: HandLibrary
    rows: Content


@pytest.fixture(scope="module")
def library_url(databases: Callable[[], AbstractContextManager[str]]) -> Iterator[str]:
    """A database with a season in its log and the library made of it."""
    with databases() as url:
        with psycopg.connect(url, autocommit=True) as connection:
            append(connection, season(11, matches=24))
            project(url, connection, [HAND_REPLAYS])
        yield url


@pytest.fixture(scope="module")
def filled(library_url: str) -> Iterator[Filled]:
    with psycopg.connect(library_url) as connection:
        rows = folded(HAND_REPLAYS, log_messages(connection))
    with open_pool(library_url, most=1) as pool:
        yield Filled(HandLibrary(pool), rows)


def told(found: Filled, search: HandSearch, limit: int) -> list[tuple[UUID, int]]:
    """The hands of all pages."""
    hands: list[HandLine] = []
    before: str | None = None
    while True:
        page = found.library.search(search, before=before, limit=limit)
        hands += page.hands
        before = page.next
        if before is None:
            return [(hand.match, hand.hand_no) for hand in hands]
        assert len(page.hands) == limit


def counted(found: Filled, search: HandSearch) -> list[tuple[UUID, int]]:
    """The same from every row there is."""
    hands = list(found.rows["hands"].values())
    fitting = [(hand, seat) for hand in hands for seat in [_seat(found, hand, search)] if seat is not None]
    fitting.sort(key=lambda pair: _key(search, *pair))
    return [(hand.match, hand.hand_no) for hand, _ in fitting]


def _seat(found: Filled, hand: FinishedHand, search: HandSearch) -> HandSeat | None:
    """A seat of the hand for which all of the search holds."""
    seats: list[HandSeat] = [found.rows["hand_seats"][hand.match, hand.hand_no, seat] for seat in SEATS]
    if search.player is not None:
        if search.player not in hand.players:
            return None
        own = seats[hand.players.index(search.player)]
        return own if _holds(search, hand, own, [own]) and _company(search, hand, own.seat) else None
    return seats[0] if _holds(search, hand, seats[0], seats) else None


def _holds(search: HandSearch, hand: FinishedHand, own: HandSeat, of: list[HandSeat]) -> bool:
    specials = own.specials if len(of) == 1 else hand.specials
    return (
        search.ruleset in (None, hand.ruleset)
        and search.origin in (None, hand.origin)
        and (search.since is None or hand.ended_at >= search.since)
        and (search.until is None or hand.ended_at < search.until)
        and set(search.special) <= set(specials)
        and _within(hand.swing, search.swing_min, search.swing_max)
        and any(_within(seat.raw_score, search.score_min, search.score_max) for seat in of)
        and any(_within(seat.points, search.points_min, search.points_max) for seat in of)
    )


def _within(value: int | None, least: int | None, most: int | None) -> bool:
    if least is None and most is None:
        return True
    return value is not None and (least is None or value >= least) and (most is None or value <= most)


def _company(search: HandSearch, hand: FinishedHand, own: Seat) -> bool:
    across = (own + 2) % 4 if hand.document.partners else None
    opponents = {hand.players[seat] for seat in SEATS if seat not in (own, across)}
    partner = None if across is None else hand.players[across]
    return search.partner in (None, partner) and set(search.opponent) <= opponents


def _key(search: HandSearch, hand: FinishedHand, seat: HandSeat) -> tuple[Any, ...]:
    mine = search.player is not None
    keys: dict[str, Callable[[], tuple[Any, ...]]] = {
        "newest": lambda: (-hand.ended_at.timestamp(), -hand.position),
        "swing": lambda: (-hand.swing, -hand.position),
        "highest": lambda: (-(seat.raw_score if mine else hand.highest), -hand.position),
        "lowest": lambda: (seat.raw_score if mine else hand.lowest, hand.position),
    }
    return keys[search.order]()


def drawn(random: Random, days: list[str]) -> HandSearch:
    """A search at random, of few conditions so that it finds something."""
    given: dict[str, Any] = {"order": random.choice(["newest", "swing", "highest", "lowest"])}
    if random.random() < 0.6:
        given["player"], *others = random.sample(PLAYERS, k=5)
        if random.random() < 0.3:
            given["partner"] = others[0]
        if random.random() < 0.3:
            given["opponent"] = tuple(others[: random.choice([1, 2, 2])])
    conditions: dict[str, Callable[[], Any]] = {
        "ruleset": lambda: random.choice(sorted(RULESETS)),
        "origin": lambda: random.choice(["served", "seeded"]),
        "from_": lambda: random.choice(days),
        "to": lambda: random.choice(days),
        "special": lambda: tuple(random.sample(SPECIALS, k=random.choice([1, 1, 2]))),
        "score_min": lambda: random.randrange(-400, 400),
        "score_max": lambda: random.randrange(-400, 400),
        "points_min": lambda: random.randrange(-3000, 3000),
        "points_max": lambda: random.randrange(-3000, 3000),
        "swing_min": lambda: random.randrange(0, 2000),
        "swing_max": lambda: random.randrange(0, 4000),
    }
    for name in random.sample(sorted(conditions), k=random.choice([0, 1, 1, 2, 3])):
        given[name] = conditions[name]()
    return HandSearch(**given)


def test_searches_find_what_a_look_at_every_hand_finds(
    filled: Filled, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = Random(5)
    moments = sorted(hand.ended_at.isoformat() for hand in filled.rows["hands"].values())
    found = empty = 0
    for _ in range(400):
        search = drawn(random, moments)
        # Whether the page is filled by walking or by gathering must make no difference.
        monkeypatch.setattr(hand_queries, "WALKED", random.choice([1, 4, 10_000]))
        monkeypatch.setattr(hand_queries, "WALKED_TOGETHER", random.choice([1, 4, 500]))
        expected = counted(filled, search)
        assert told(filled, search, random.choice([1, 3, 100])) == expected, search.query
        found, empty = found + bool(expected), empty + (not expected)
    assert min(found, empty) > 60


def test_line_says_what_the_row_says(filled: Filled) -> None:
    for line in filled.library.search(HandSearch(), limit=100).hands:
        row = filled.rows["hands"][line.match, line.hand_no]
        for field in line.__struct_fields__:
            assert getattr(line, field) == getattr(row, field), field
        assert filled.library.hand(line.match, line.hand_no) == row
    assert filled.library.hand(UUID(int=1), 1) is None


def test_every_special_that_happens_is_found_for_its_player(filled: Filled) -> None:
    seats: list[HandSeat] = list(filled.rows["hand_seats"].values())
    for special in SPECIALS:
        of_special = [seat for seat in seats if special in seat.specials]
        if not of_special:
            continue
        search = HandSearch(player=of_special[0].player, special=(special,))
        assert (of_special[0].match, of_special[0].hand_no) in told(filled, search, 2)


def test_search_that_takes_too_long_is_given_up_and_says_what_to_do(
    filled: Filled, library_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hand_library, "MOST_S", 0.2)
    with psycopg.connect(library_url) as other:
        other.execute("LOCK TABLE hand_replays_1.hands IN ACCESS EXCLUSIVE MODE")
        with pytest.raises(SearchTooLong, match=r"longer than 0\.2 s; give a shorter time"):
            filled.library.search(HandSearch())
    assert filled.library.search(HandSearch()).hands, "the connection is as good as before"


def test_place_that_is_none_is_refused(filled: Filled) -> None:
    for before in ("", "7", "a:b", "1:2:3", "1:" + "9" * 30):
        with pytest.raises(SearchRefused, match="before: give `next`"):
            filled.library.search(HandSearch(), before=before)
