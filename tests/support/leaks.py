"""Leaks to be planted in a live service, one in each kind of output: tests that find none are worth nothing.

Each is a function of a patcher and a site's application, and gives the one to use, or None for that itself.
"""

import logging
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Any, Final
from zlib import compress, crc32

import msgspec
import pytest
from litestar import Litestar

from adapters.http import actions, live, matches, problems, seats
from adapters.http.refusals import NotYourSeat
from adapters.http.site import Site
from adapters.live import frames, tables, timekeeper
from domain.duties import Duty, duty_of
from domain.match import Match
from domain.visibility import views
from tests.support.observing import stage_at_work
from tests.support.stages import Leak

_Sent = dict[str, Any]
_log = logging.getLogger("gongzhu")


def secret_of(match: Match) -> int:
    """A number that depends on everyone's cards, their order and their declarations."""
    hand = match.hand
    return crc32(repr((hand.holdings, hand.order, hand.declarations)).encode()) % 1000 if hand else 0


def _secret_now() -> int:
    """That of the match on the stage at work."""
    tended = stage_at_work().site.live.tables.tended()
    return secret_of(tended[0].match) if tended else 0


def _around_sending(app: Any, change: Callable[[_Sent, _Sent], _Sent]) -> Any:
    """The application with every message changed on its way out; `change` is given the scope too."""

    async def changed(scope: _Sent, receive: Any, send: Callable[[_Sent], Awaitable[None]]) -> None:
        async def leaky(message: _Sent) -> None:
            await send(change(scope, message))

        await app(scope, receive, leaky)

    return changed


def in_a_view(patch: pytest.MonkeyPatch, _app: Litestar) -> None:
    """Frames are made from it."""

    def leaky(match: Match, viewers: Any) -> Any:
        seen = views(match, viewers)
        return {
            viewer: msgspec.structs.replace(one, hands_ended=secret_of(match)) for viewer, one in seen.items()
        }

    patch.setattr(tables, "views", leaky)


def in_a_snapshot(patch: pytest.MonkeyPatch, _app: Litestar) -> None:
    """Told to who joins."""
    snapshot = tables.LiveTable.snapshot

    def leaky(table: Any, viewer: Any) -> Any:
        found = snapshot(table, viewer)
        return msgspec.structs.replace(found, now=found.now + timedelta(microseconds=secret_of(table.match)))

    patch.setattr(tables.LiveTable, "snapshot", leaky)


def in_what_was_missed(patch: pytest.MonkeyPatch, _app: Litestar) -> None:
    """Told to who comes back with his last number."""
    change_since = tables.LiveTable.change_since

    def leaky(table: Any, *how: Any) -> bytes:
        return change_since(table, *how) + b" " * (secret_of(table.match) % 7)

    patch.setattr(tables.LiveTable, "change_since", leaky)


def in_the_size_of_a_frame(patch: pytest.MonkeyPatch, _app: Litestar) -> None:
    """As a frame that is not padded against what it does not say."""
    encoded = frames.encoded
    patch.setattr(tables, "encoded", lambda frame: encoded(frame) + b" " * (_secret_now() % 7))


def in_the_number_of_frames(patch: pytest.MonkeyPatch, _app: Litestar) -> None:
    """As a frame more where there is something to think about."""
    advance = tables.LiveTable._send

    def talkative(table: Any, events: Any) -> None:
        advance(table, events)
        for subscription in table._subscriptions if secret_of(table.match) % 2 else ():
            subscription.put(b'{"frame":"pause"}')

    patch.setattr(tables.LiveTable, "_send", talkative)


def in_the_order_of_events(patch: pytest.MonkeyPatch, _app: Litestar) -> None:
    """As events sorted by something hidden."""
    public_forms = frames.public_forms

    def shuffled(events: Any) -> Any:
        forms = public_forms(events)
        return forms[::-1] if _secret_now() % 2 else forms

    patch.setattr(tables, "public_forms", shuffled)


def in_a_header(_patch: pytest.MonkeyPatch, app: Litestar) -> Any:
    """As a cache tag over the whole state."""

    def change(_scope: _Sent, message: _Sent) -> _Sent:
        if message["type"] != "http.response.start":
            return message
        return {**message, "headers": [*message["headers"], (b"x-tag", str(_secret_now()).encode())]}

    return _around_sending(app, change)


def in_whether_it_has_changed(_patch: pytest.MonkeyPatch, app: Litestar) -> Any:
    """As a 304 that depends on more than is shown."""

    def change(_scope: _Sent, message: _Sent) -> _Sent:
        unchanged = message.get("status") == 304
        return {**message, "status": 200} if unchanged and _secret_now() % 2 else message

    return _around_sending(app, change)


def in_a_compressed_length(_patch: pytest.MonkeyPatch, app: Litestar) -> Any:
    """As an answer that is compressed together with what its reader may not see."""

    def change(scope: _Sent, message: _Sent) -> _Sent:
        if message["type"] != "http.response.body" or scope["method"] != "GET":
            return message
        assert b"gzip" in dict(scope["headers"])[b"accept-encoding"]
        tended = stage_at_work().site.live.tables.tended()
        held = [table.match.hand.holdings for table in tended if table.match.hand]
        together = message["body"] + repr(held).encode()
        return {**message, "body": b"x" * len(compress(together))}

    return _around_sending(app, change)


def in_a_list(patch: pytest.MonkeyPatch, _app: Litestar) -> None:
    """As a line of the tables in play."""
    table_line = matches.table_line

    def leaky(match: Match) -> Any:
        return msgspec.structs.replace(table_line(match), number=match.version + secret_of(match))

    patch.setattr(matches, "table_line", leaky)


def in_what_is_kept(patch: pytest.MonkeyPatch, _app: Litestar) -> None:
    """As one event more of a hand that has not ended, in the history of its match."""
    finished = matches._finished
    patch.setattr(matches, "_finished", lambda rows: finished(rows) + _secret_now() % 2)


def in_an_error(patch: pytest.MonkeyPatch, _app: Litestar) -> None:
    """As a refusal that says too much."""
    patch.setattr(problems, "in_english", lambda refusal: f"{refusal.describe()} {_secret_now()}")


def in_which_error_comes_first(patch: pytest.MonkeyPatch, _app: Litestar) -> None:
    """As one of two refusals, both of them true."""
    act = actions.act

    async def hasty(site: Site, bearer: Any, match: Any, seat: int, body: Any) -> Any:
        sits = bearer.player in stage_at_work().site.live.tables.tended()[0].match.players
        if not sits and _secret_now() % 2:
            raise NotYourSeat(seat=3)
        return await act(site, bearer, match, seat, body)

    patch.setattr(seats, "act", hasty)
    patch.setattr(live, "act", hasty)


def in_a_refused_socket(patch: pytest.MonkeyPatch, _app: Litestar) -> None:
    """As the status of an opening that is not admitted."""
    problem_of = problems.problem_of

    def telling(error: Exception) -> Any:
        return msgspec.structs.replace(problem_of(error), status=400 + _secret_now() % 2)

    patch.setattr(live, "problem_of", telling)


def in_a_delay(patch: pytest.MonkeyPatch, _app: Litestar) -> None:
    """As a service that acts sooner where there is little to choose, and says so."""

    def hasty(match: Match, *how: Any) -> Duty | None:
        duty = duty_of(match, *how)
        if duty is None:
            return None
        return msgspec.structs.replace(duty, at=duty.at - timedelta(milliseconds=secret_of(match)))

    patch.setattr(timekeeper, "duty_of", hasty)


def in_when_it_acts(patch: pytest.MonkeyPatch, _app: Litestar) -> None:
    """As a service that means to act later than it says."""
    wait = timekeeper.Timekeeper._wait

    def late(keeper: Any, table: Any, at: datetime) -> None:
        wait(keeper, table, at + timedelta(milliseconds=secret_of(table.match)))

    patch.setattr(timekeeper.Timekeeper, "_wait", late)


def in_what_the_autopilot_plays(patch: pytest.MonkeyPatch, _app: Litestar) -> None:
    """As an autopilot that looks into others' hands."""

    def sly(seen: Any) -> Any:
        return seen.hand.legal[_secret_now() % len(seen.hand.legal)]

    patch.setattr(timekeeper, "choose_play", sly)


def in_a_log_line(patch: pytest.MonkeyPatch, _app: Litestar) -> None:
    """As a line for whoever looks for a fault."""
    advance = tables.LiveTable._send

    def chatty(table: Any, events: Any) -> None:
        _log.debug("the hand is now %s", secret_of(table.match))
        advance(table, events)

    patch.setattr(tables.LiveTable, "_send", chatty)


LEAKS: Final[tuple[Leak, ...]] = (
    in_a_view,
    in_a_snapshot,
    in_what_was_missed,
    in_the_size_of_a_frame,
    in_the_number_of_frames,
    in_the_order_of_events,
    in_a_header,
    in_whether_it_has_changed,
    in_a_compressed_length,
    in_a_list,
    in_what_is_kept,
    in_an_error,
    in_which_error_comes_first,
    in_a_refused_socket,
    in_a_log_line,
)
"""One in each kind of what is sent or written; what is stored stays the same."""
ACTING_LEAKS: Final[tuple[Leak, ...]] = (in_a_delay, in_when_it_acts, in_what_the_autopilot_plays)
"""One in each kind of what the service does by itself, which then stands in the log."""
