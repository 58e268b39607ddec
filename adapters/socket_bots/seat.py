"""One bot at one seat: it sees its own frames, declares and plays, and comes back with its last number when cut off."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol
from uuid import UUID

import msgspec
import websockets

from adapters.errors import AdapterError
from adapters.live.frames import applied
from domain.autopilot import choose_declarations, choose_play
from domain.visibility import MatchView

_RETRY_S: Final = 1.0
_MOST_RETRIES: Final = 60
"""How often in a row a bot comes back without being sent anything."""
_LATER: Final = (429, 503)
_FRAME_BYTES: Final = 2**20

OnFrame = Callable[[int, int], None]
"""Hears of each frame: seat and number."""
OnPlay = Callable[[int, int, bool], None]
"""Hears of each play: seat, and the number it was sent after (False), or led to (True)."""


class Player(Protocol):
    """Decides for a bot, from its own view as it came over the socket."""

    def declaration(self, seen: dict[str, Any]) -> tuple[str, str] | None:
        """The next card to declare, with its level; None for no more."""
        ...

    def play(self, seen: dict[str, Any]) -> Sequence[str]:
        """One of the legal plays."""
        ...


class Sensible:
    """Declares and plays as the autopilot does."""

    def declaration(self, seen: dict[str, Any]) -> tuple[str, str] | None:
        """The next card to declare, with its level; None for no more."""
        return next(iter(choose_declarations(msgspec.convert(seen, MatchView))), None)

    def play(self, seen: dict[str, Any]) -> Sequence[str]:
        """The play that looks best."""
        return choose_play(msgspec.convert(seen, MatchView))


class SeatLost(AdapterError):
    """The site does not let the bot back to its seat."""


class _Frame(msgspec.Struct):
    """What a bot reads of a frame, or of the answer to a command."""

    frame: str
    number: int = 0
    view: dict[str, Any] | None = None
    changes: dict[str, Any] | None = None
    status: int = 200
    body: dict[str, Any] | None = None
    do: str | None = None


class BotSeat:
    """Plays one seat of one match to the match's end. `pace_s` is the pause before each card."""

    def __init__(
        self,
        url: str,
        match: UUID,
        seat: int,
        token: str,
        *,
        pace_s: float = 0.0,
        player: Player | None = None,
        on_frame: OnFrame | None = None,
        on_play: OnPlay | None = None,
    ) -> None:
        self._url = f"{url.replace('http', 'ws', 1)}/matches/{match}/live?as=seat"
        self._headers = {"Authorization": f"Bearer {token}"}
        self._seat = seat
        self._pace_s = pace_s
        self._player = player or Sensible()
        self._on_frame = on_frame
        self._on_play = on_play
        self._seen: dict[str, Any] = {}
        self._number = 0
        self._asked: tuple[int, str] | None = None
        self._failures = 0
        self.plays = 0
        self.refusals = 0

    async def play(self) -> None:
        """Plays to the end of the match. Raises `SeatLost` where it cannot come back."""
        while self._failures < _MOST_RETRIES:
            self._failures += 1
            try:
                async with self._socket() as socket:
                    await self._play_on(socket)
                    return
            except (websockets.ConnectionClosed, OSError, TimeoutError):
                await asyncio.sleep(_RETRY_S)
            except websockets.InvalidStatus as refused:
                status = refused.response.status_code
                if status not in _LATER:
                    raise SeatLost(f"seat {self._seat}: the site answers {status}") from refused
                await asyncio.sleep(_RETRY_S)
        raise SeatLost(f"seat {self._seat}: the site does not answer")

    def _socket(self) -> websockets.connect:
        resume = f"&after={self._number}" if self._number else ""
        return websockets.connect(
            f"{self._url}{resume}",
            additional_headers=self._headers,
            compression=None,
            max_size=_FRAME_BYTES,
            proxy=None,
        )

    async def _play_on(self, socket: websockets.ClientConnection) -> None:
        self._asked = None
        while self._seen.get("phase") not in ("settled", "abandoned"):
            frame = _DECODER.decode(await socket.recv(decode=False))
            self._take(frame)
            if frame.status in _LATER:
                await asyncio.sleep(_RETRY_S)
            if command := self._next_command():
                await self._send(socket, command)

    def _take(self, frame: _Frame) -> None:
        self._failures = 0
        if frame.frame == "answer":
            self._take_answer(frame)
            return
        if frame.view is not None:
            self._seen = frame.view
        elif frame.changes is not None:
            self._seen = applied(self._seen, frame.changes)
        self._number = frame.number
        if self._on_frame is not None:
            self._on_frame(self._seat, frame.number)

    def _take_answer(self, frame: _Frame) -> None:
        if frame.status != 200:
            self.refusals += 1
            self.plays -= frame.do == "play"
            if frame.status in _LATER:
                # Asked again, after a while; whatever else is refused waits for the next situation.
                self._asked = None
        elif frame.do == "play" and self._on_play is not None and frame.body is not None:
            self._on_play(self._seat, int(frame.body["number"]), True)  # noqa: FBT003

    def _next_command(self) -> dict[str, Any] | None:
        """What is to be done now, once a situation."""
        hand = self._seen.get("hand")
        if hand is None or self._asked == (hand["number"], _situation(self._seen)):
            return None
        command = self._declaration() if self._seen["phase"] == "declaring" else self._card(hand)
        if command is not None:
            self._asked = (hand["number"], _situation(self._seen))
        return command

    def _declaration(self) -> dict[str, Any] | None:
        if self._seen["hand"]["done"][self._seat]:
            return None
        declared = self._player.declaration(self._seen)
        if declared is None:
            return {"do": "done"}
        return {"do": "declare", "body": {"card": declared[0], "level": declared[1]}}

    def _card(self, hand: dict[str, Any]) -> dict[str, Any] | None:
        if not hand["legal"]:
            return None
        cards = self._player.play(self._seen)
        meant = {"hand_no": hand["number"], "trick_no": hand["trick_no"]}
        return {"do": "play", "body": {"cards": cards, **meant}}

    async def _send(self, socket: websockets.ClientConnection, command: dict[str, Any]) -> None:
        if command["do"] == "play":
            if self._pace_s:
                await asyncio.sleep(self._pace_s)
            self.plays += 1
            if self._on_play is not None:
                self._on_play(self._seat, self._number, False)  # noqa: FBT003
        await socket.send(msgspec.json.encode(command).decode())


_DECODER: Final = msgspec.json.Decoder(_Frame)


def _situation(seen: dict[str, Any]) -> str:
    """What tells one moment to act from the next: the trick, or how much this seat has declared."""
    hand = seen["hand"]
    if seen["phase"] == "declaring":
        return f"declaring {sum(declared['seat'] == seen['viewer'] for declared in hand['declarations'])}"
    return f"{hand['trick_no']} {hand['turn']}"
