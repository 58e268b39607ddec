"""The Parquet tables, as DuckDB sees them, beside figures computed from the events alone."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import mean, median, quantiles
from typing import Any, Final

import duckdb
import pytest

from adapters.exports.arrow_tables import SCHEMAS
from domain.events import (
    AnnulmentLifted,
    CardDeclared,
    CardsPlayed,
    Event,
    HandCorrected,
    HandEnded,
    MatchAnnulled,
    MatchOpened,
    MatchSettled,
    TrickTaken,
)
from tests.support.exports import ended_matches, exported, store

MATCHES: Final = ended_matches(5)
DOCUMENT: Final = (Path(__file__).parents[3] / "infra" / "exports.md").read_text(encoding="utf-8")
QUERIES: Final = dict(re.findall(r"```sql\n-- (\w+)\n(.*?)```", DOCUMENT, re.DOTALL))


@pytest.fixture(scope="module")
def ask(
    new_database: Callable[[], str], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], list[Any]]:
    """Answers a query about an export of several parts."""
    database_url = new_database()
    store(database_url, MATCHES)
    folder = tmp_path_factory.mktemp("tables")
    exported(database_url, "parquet", folder / "export")
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")

    def answer(query: str) -> list[Any]:
        return connection.execute(re.sub(r"'(\w+)/\*", rf"'{folder}/export/\1/*", query)).fetchall()

    return answer


def _opened(events: list[Event]) -> MatchOpened:
    assert isinstance(events[0], MatchOpened)
    return events[0]


def _annulled(events: list[Event]) -> bool:
    marks = [event for event in events if isinstance(event, MatchAnnulled | AnnulmentLifted)]
    return bool(marks) and isinstance(marks[-1], MatchAnnulled)


def hands(*, annulled_too: bool = True) -> Iterator[tuple[list[Event], HandEnded]]:
    """Every finished hand with its match."""
    for events in MATCHES:
        if annulled_too or not _annulled(events):
            yield from ((events, event) for event in events if isinstance(event, HandEnded))


def raw_scores(events: list[Event], hand: HandEnded) -> tuple[int, ...]:
    """A hand's raw scores as they now stand."""
    corrections = [one for one in events if isinstance(one, HandCorrected) and one.hand_no == hand.hand_no]
    return corrections[-1].raw_scores if corrections else hand.raw_scores


def points(events: list[Event], hand: HandEnded) -> tuple[int, ...] | None:
    """A hand's points as they now stand."""
    corrections = [one for one in events if isinstance(one, HandCorrected) and one.hand_no == hand.hand_no]
    return corrections[-1].points if corrections else hand.points


def plays(events: list[Event], hand: HandEnded) -> list[CardsPlayed]:
    """The plays of a hand."""
    return [one for one in events if isinstance(one, CardsPlayed) and one.hand_no == hand.hand_no]


def taker(events: list[Event], play: CardsPlayed) -> int:
    """Who took the trick of a play."""
    return next(
        one.seat
        for one in events
        if isinstance(one, TrickTaken) and (one.hand_no, one.trick_no) == (play.hand_no, play.trick_no)
    )


def test_document_has_five_queries_and_every_column() -> None:
    assert set(QUERIES) == {"players", "pigs", "think_times", "partners", "leads"}
    sections = re.split(r"^### `(\w+)`", DOCUMENT, flags=re.MULTILINE)[1:]
    told = {
        name: set(re.findall(r"`(\w+)`", text))
        for name, text in zip(sections[::2], sections[1::2], strict=True)
    }
    for name, schema in SCHEMAS.items():
        spans = {
            f"{stem}_{seat}" for stem in ("player", "points", "blood", "recorded_points") for seat in range(4)
        }
        assert set(schema.names) - told[name] - (spans if name == "matches" else set()) == set(), name


def test_players_are_ranked_as_their_hands_say(ask: Callable[[str], list[Any]]) -> None:
    told: dict[str, list[tuple[int, bool]]] = defaultdict(list)
    for events, hand in hands(annulled_too=False):
        own = points(events, hand)
        if _opened(events).ruleset.name == "zero_sum-1" and own is not None:
            for seat in range(4):
                told[str(hand.players[seat])].append((own[seat], hand.accounts[seat].rule == "slam"))
    expected = [
        (player, len(rows), mean(given for given, _ in rows), sum(slam for _, slam in rows))
        for player, rows in told.items()
    ]
    expected.sort(key=lambda row: (-row[2], row[0]))
    assert ask(QUERIES["players"]) == [(*row[:2], pytest.approx(row[2]), row[3]) for row in expected]
    assert len(expected) > 3


def test_declared_pigs_are_followed_to_who_took_them(ask: Callable[[str], list[Any]]) -> None:
    told: dict[str, list[tuple[bool, int]]] = defaultdict(list)
    for events, hand in hands():
        for declared in hand.declarations:
            if declared.card[:2] == "SQ":
                play = next(one for one in plays(events, hand) if declared.card in one.cards)
                took = taker(events, play) == declared.seat
                told[declared.level].append((took, raw_scores(events, hand)[declared.seat]))
    expected = [
        (level, len(rows), sum(took for took, _ in rows), pytest.approx(mean(raw for _, raw in rows)))
        for level, rows in sorted(told.items())
    ]
    assert ask(QUERIES["pigs"]) == expected
    assert len(expected) == 2


def test_think_times_are_those_of_people(ask: Callable[[str], list[Any]]) -> None:
    told: dict[int, list[int]] = defaultdict(list)
    for events, hand in hands():
        places: Counter[int] = Counter()
        for play in plays(events, hand):
            places[play.trick_no] += 1
            if play.by == "player":
                told[places[play.trick_no]].append(play.think_ms)
    expected = [
        (
            place,
            len(times),
            pytest.approx(median(times)),
            pytest.approx(quantiles(times, n=10, method="inclusive")[-1]),
        )
        for place, times in sorted(told.items())
    ]
    assert ask(QUERIES["think_times"]) == expected
    assert len(expected) == 4


def test_partners_are_taken_together(ask: Callable[[str], list[Any]]) -> None:
    told: dict[tuple[str, ...], list[int]] = defaultdict(list)
    counted: Counter[tuple[str, ...]] = Counter()
    for events, hand in hands(annulled_too=False):
        if _opened(events).ruleset.partners:
            for seat in (0, 1):
                pair = tuple(sorted((str(hand.players[seat]), str(hand.players[seat + 2]))))
                raw = raw_scores(events, hand)
                told[pair] += [raw[seat], raw[seat + 2]]
                counted[pair] += 1
    expected = [(pair[0], pair[1], counted[pair], mean(raws)) for pair, raws in told.items()]
    expected.sort(key=lambda row: (-row[3], row[0], row[1]))
    assert ask(QUERIES["partners"]) == [(*row[:3], pytest.approx(row[3])) for row in expected]
    assert len(expected) > 3


def test_first_leads_are_counted_by_suit(ask: Callable[[str], list[Any]]) -> None:
    told: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for events, hand in hands():
        lead = plays(events, hand)[0]
        told[_opened(events).ruleset.name, lead.cards[0][0]].append(taker(events, lead) == lead.seat)
    expected = [(*key, len(taken), pytest.approx(mean(taken))) for key, taken in sorted(told.items())]
    assert ask(QUERIES["leads"]) == expected


def test_tables_hold_every_event_and_agree_with_each_other(ask: Callable[[str], list[Any]]) -> None:
    flat = [event for events in MATCHES for event in events]
    declared = sum(isinstance(event, CardDeclared) for event in flat)
    played = sum(isinstance(event, CardsPlayed) for event in flat)
    assert ask("SELECT count(*) FROM 'events/*.parquet'") == [(len(flat),)]
    assert ask("SELECT count(*), count(DISTINCT match) FROM 'matches/*.parquet'") == [(len(MATCHES),) * 2]
    assert ask("SELECT count(*) FROM 'plays/*.parquet'") == [(played,)]
    assert ask("SELECT count(*) FROM 'declarations/*.parquet'") == [(declared,)]
    assert ask("SELECT count(*) FROM 'hands/*.parquet'") == [(4 * len(list(hands())),)]
    assert ask("SELECT count(*) FROM 'matches/*.parquet' WHERE annulled") == [(sum(map(_annulled, MATCHES)),)]
    settled = [event for event in flat if isinstance(event, MatchSettled)]
    assert ask("SELECT sum(recorded_points_2)::int FROM 'matches/*.parquet'") == [
        (sum(event.points[2] for event in settled),)
    ]
    # What was corrected stands in the tables; the events still say what it was.
    assert ask(
        "SELECT count(*) FROM 'hands/*.parquet' WHERE raw_score <> recorded_raw_score AND NOT corrected"
    ) == [(0,)]
    assert ask("SELECT count(*) > 0 FROM 'hands/*.parquet' WHERE corrected") == [(True,)]
    assert ask(
        "SELECT count(*) FROM 'hands/*.parquet' AS h JOIN (SELECT match, hand_no, seat, sum(think_ms) AS ms, "
        "count(*) AS n FROM 'plays/*.parquet' GROUP BY ALL) AS p USING (match, hand_no, seat) "
        "WHERE h.think_ms <> p.ms OR h.plays <> p.n"
    ) == [(0,)]
