"""However a log is cut into batches, the rows are the same: at every single place of it."""

import pytest

from projections import runner
from projections.runner import Projection
from tests.support.read_models import PROJECTIONS, folded
from tests.support.rows_in_memory import RowsInMemory
from tests.support.stored_matches import messages_of, season

EVENTS = season(97, matches=2)


@pytest.mark.parametrize("projection", PROJECTIONS, ids=lambda projection: projection.name)
def test_what_grew_event_by_event_is_a_fold_from_nothing_at_every_place(projection: Projection) -> None:
    messages, grown = messages_of(EVENTS), RowsInMemory()
    for size, message in enumerate(messages, 1):
        runner.apply(projection, [message], grown)
        assert grown.content(projection.tables) == folded(projection, messages[:size]), f"after event {size}"


@pytest.mark.parametrize("projection", PROJECTIONS, ids=lambda projection: projection.name)
def test_two_batches_make_the_same_rows_wherever_the_cut_is(projection: Projection) -> None:
    messages = messages_of(EVENTS)
    whole = folded(projection, messages)
    for cut in range(1, len(messages)):
        grown = RowsInMemory()
        runner.apply(projection, messages[:cut], grown)
        runner.apply(projection, messages[cut:], grown)
        assert grown.content(projection.tables) == whole, f"cut after event {cut}"
