"""Live tables are what a spectator may see of each match; the list holds every match with its result as it stands."""

from random import Random

import msgspec
import pytest

from domain.events import public_form
from domain.match import fold
from domain.rulesets import RULESETS
from domain.visibility import SPECTATOR, view
from projections import runner
from projections.tables import LIVE_TABLES, MATCHES, TABLES, spectators_view
from tests.support.read_models import folded
from tests.support.rows_in_memory import RowsInMemory
from tests.support.stored_matches import abandoned, annulled, corrected, lifted, messages_of, played, season


@pytest.mark.parametrize("name", sorted(RULESETS))
def test_a_live_table_is_what_a_spectator_may_see_after_every_event(name: str) -> None:
    events = played(RULESETS[name], Random(6), hands=2)
    rows, match = RowsInMemory(), None
    for message, event in zip(messages_of([public_form(e) for e in events]), events, strict=True):
        runner.apply(TABLES, [message], rows)
        match = fold([event], match)
        table = rows.get(LIVE_TABLES, (event.match,))
        assert match is not None
        if match.ended:
            assert table is None
        else:
            assert table is not None
            assert spectators_view(table) == view(match, SPECTATOR)
            assert (table.position, table.updated_at) == (message.position, event.at)


def test_a_live_table_holds_nothing_that_is_not_public() -> None:
    events = played(RULESETS["blood-2"], Random(6), hands=2)
    for size in range(1, len(events)):
        public = folded(TABLES, messages_of([public_form(event) for event in events[:size]]))
        for table in public["live_tables"].values():
            hand = table.state.hand
            assert table.state.root is None
            assert hand is None or (hand.order, hand.seed, hand.holdings) == (None, None, None)
            assert (
                msgspec.json.decode(msgspec.json.encode(table.state), type=type(table.state)) == table.state
            )


def test_the_list_holds_each_match_with_its_result_as_it_stands() -> None:
    events = season(4, matches=24)
    listed = folded(TABLES, messages_of(events))["matches"]
    matches = {
        match.id: match
        for _id in {e.match for e in events}
        if (match := fold(e for e in events if e.match == _id))
    }
    assert {key[0] for key in listed} == set(matches)
    for (match_id,), row in listed.items():
        match = matches[match_id]
        assert match is not None
        assert (row.phase, row.players, row.hands) == (match.phase, match.players, match.hands_ended)
        assert (row.annulled, row.corrected) == (match.annulled, match.corrected)
        assert tuple(result.raw_scores for result in row.results) == match.raw_scores
        assert row.points == match.points
        assert row.blood == (match.blood if match.ruleset.by_blood else None)
        assert (row.ended_at is not None) == match.ended


def test_marks_of_integrity_staff_show_in_the_list() -> None:
    ended = abandoned(played(RULESETS["zero_sum-1"], Random(2), hands=3)[:-1])
    for history, annulled_now, corrected_now in [
        (annulled(ended), True, False),
        (lifted(annulled(ended)), False, False),
        (corrected(annulled(ended), 2, (0, 0, 0, 40)), True, True),
    ]:
        rows = RowsInMemory()
        runner.apply(TABLES, messages_of(history), rows)
        row = rows.get(MATCHES, (ended[0].match,))
        assert row is not None
        assert (row.annulled, row.corrected) == (annulled_now, corrected_now)
        assert row.ended_at == ended[-1].at
