"""A timeline is made once while its match stands still, anew when it has grown, and let go for others."""

from random import Random
from uuid import UUID

import psycopg
import pytest

from adapters.postgres.recorder import open_pool
from adapters.timelines import Timelines
from domain.errors import MatchNotOpen
from domain.rulesets import RULESETS
from tests.support.stored_matches import append, played


def test_timeline_is_kept_until_its_match_has_grown_or_others_want_the_room(database_url: str) -> None:
    first, second = (played(RULESETS["blood-1"], Random(seed), hands=1) for seed in (1, 2))
    one, other = first[0].match, second[0].match
    with psycopg.connect(database_url, autocommit=True) as connection, open_pool(database_url) as pool:
        append(connection, [*first[:20], *second])
        timelines = Timelines(pool, most_steps=len(second) + 20)
        begun = timelines.of(one)
        assert (len(begun), begun.failure) == (20, None)
        assert timelines.of(one) is begun
        append(connection, first[20:])
        whole = timelines.of(one)
        assert len(whole) == len(first)
        assert timelines.of(one) is whole
        assert len(timelines.of(other)) == len(second)
        again = timelines.of(one)
        assert again is not whole
        with pytest.raises(MatchNotOpen):
            timelines.of(UUID(int=1))
