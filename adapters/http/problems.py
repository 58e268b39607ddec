"""Errors as `application/problem+json` (RFC 9457), in English and Chinese, the same over HTTP and sockets.

A refusal names its reason (stable, for programs), the clause of the rules, and the seat and card concerned. It says
nothing its receiver may not know: it is made from the refusal alone, which knows no other seat's cards.
"""

import logging
from collections.abc import Callable
from typing import Any, Final

import msgspec
from eventsourcing.persistence import PersistenceError
from litestar.exceptions import HTTPException, ValidationException

from adapters.errors import AdapterError
from adapters.group_commit import LogBusy, LogUnavailable
from adapters.hand_search import SearchRefused
from adapters.http.words import in_chinese, in_english
from adapters.identity.bearers import TokenRefused
from adapters.people.names import NameRefused, PlayerErased
from adapters.people.trail import TrailUnwritten
from adapters.postgres.generations import NotProjectedYet
from adapters.postgres.hand_library import SearchTooLong
from domain.errors import CommandRefused
from projections.read_model import RowsUnavailable
from replays.knowledge import NoHandThere
from replays.timeline import CardsNotPublic, NoSuchStep

_log = logging.getLogger(__name__)

MEDIA_TYPE: Final = "application/problem+json"

_NOT_FOUND: Final = {"MatchNotOpen", "NoSuchHand"}
_FORBIDDEN: Final = {"NotYourSeat", "RoleRefused", "NotTheOpener"}
_UNPROCESSABLE: Final = {
    "UnknownCard", "UnknownRuleset", "WrongTerms", "NotASeat", "NonceDiffers", "WrongDeal", "NotDeclarable",
    "HiddenNotAllowed", "CardNotHeld", "WrongNumberOfCards", "NotAPair", "MustFollowSuit", "HeldBack", "MustPlayPair",
    "MustUseHeldBack", "MustLeadTwoOfClubs", "NotAMatchId",
}  # fmt: skip


class ProblemRaised(AdapterError):
    """A problem that is known where it arises."""

    def __init__(self, found: "Problem") -> None:
        super().__init__(found.detail)
        self.problem = found


class Problem(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What went wrong. `type` is relative to the API; `reason` the refusal's name; `detail_zh` the Chinese words."""

    type: str
    title: str
    status: int
    detail: str
    detail_zh: str
    reason: str
    rule: str | None = None
    seat: int | None = None
    card: str | None = None
    retry_after_s: int | None = None


def problem_of(error: Exception) -> Problem:
    """The problem that an error is for whoever asked. An error of ours is logged, and said to be one."""
    for kinds, make in _KNOWN:
        if isinstance(error, kinds):
            return make(error)
    if isinstance(error, HTTPException) and error.status_code in _HTTP:
        reason, chinese = _HTTP[error.status_code]
        return problem(error.status_code, reason, error.detail, chinese)
    _log.error("an answer failed", exc_info=error)
    return problem(500, "InternalError", "something went wrong here; it is in the log", "服务器出错，已记录")


_AWAY: Final = "the match log cannot be reached; ask again with the same command id"
_HTTP: Final = {
    400: ("BadRequest", "请求有误"),
    401: ("TokenRefused", "需要令牌"),
    404: ("NotFound", "没有这个地址"),
    405: ("MethodNotAllowed", "这个地址不支持此方法"),
    413: ("TooLarge", "请求过大"),
}


def of_refusal(refusal: CommandRefused) -> Problem:
    """The problem that a refused command is."""
    reason = refusal.reason
    return Problem(
        type=f"/problems/{reason}",
        title=reason,
        status=status_of(reason),
        detail=in_english(refusal),
        detail_zh=in_chinese(refusal),
        reason=reason,
        rule=refusal.rule or None,
        seat=refusal.seat,
        card=refusal.card,
    )


def status_of(reason: str) -> int:
    """The HTTP status of a refusal: 404 not there, 403 not yours, 422 never possible so, 409 not possible now."""
    if reason in _NOT_FOUND:
        return 404
    if reason in _FORBIDDEN:
        return 403
    return 422 if reason in _UNPROCESSABLE else 409


def problem(
    status: int, reason: str, english: str, chinese: str, *, retry_after_s: int | None = None
) -> Problem:
    """A problem that is no refusal."""
    return Problem(
        type=f"/problems/{reason}",
        title=reason,
        status=status,
        detail=english,
        detail_zh=chinese,
        reason=reason,
        retry_after_s=retry_after_s,
    )


def _what_is_wrong(error: ValidationException) -> str:
    """Which parameter or field is wrong, and how."""
    extra: Any = error.extra
    if not isinstance(extra, list):
        return error.detail
    named = [
        f"{item.get('key') or item.get('source', 'body')}: {item['message']}"
        for item in extra
        if "message" in item
    ]
    return "; ".join(named) or error.detail


def too_many_requests() -> Problem:
    """The problem of a client that asks too often."""
    return problem(429, "TooManyRequests", "too many requests", "请求过于频繁；请稍后再试", retry_after_s=1)


def _log_away(error: Exception) -> Problem:
    reading = isinstance(error, PersistenceError)
    chinese = "牌局记录暂时无法读取；请稍后再试" if reading else "牌局记录暂时无法写入；请用同一指令编号再试"
    return problem(503, "LogUnavailable", _AWAY, chinese, retry_after_s=5)


_KNOWN: Final[tuple[tuple[tuple[type[Exception], ...], Callable[[Any], Problem]], ...]] = (
    ((ProblemRaised,), lambda error: error.problem),
    ((CommandRefused,), of_refusal),
    ((TokenRefused,), lambda error: problem(401, "TokenRefused", str(error), "令牌无效或已过期；请重新获取")),
    (
        (LogBusy,),
        lambda error: problem(503, "LogBusy", str(error), "等待写入的指令太多；请稍后再试", retry_after_s=1),
    ),
    ((LogUnavailable, PersistenceError), _log_away),
    (
        (NotProjectedYet, RowsUnavailable),
        lambda error: problem(
            503, "ReadModelsAway", str(error), "查询数据尚未就绪；请稍后再试", retry_after_s=5
        ),
    ),
    (
        (SearchRefused,),
        lambda error: problem(400, "BadRequest", str(error), f"查询条件 {error.parameter} 有误"),
    ),
    (
        (SearchTooLong,),
        lambda error: problem(
            503, "SearchTooLong", str(error), "查询时间过长；请缩小时间范围或减少条件", retry_after_s=5
        ),
    ),
    (
        (PlayerErased,),
        lambda error: problem(
            403, "PlayerErased", str(error), "这位玩家的资料已被删除，不再保存；新玩家有新的编号"
        ),
    ),
    (
        (TrailUnwritten,),
        lambda error: problem(
            503, "TrailUnwritten", str(error), "操作记录无法写入，因此未执行；请稍后再试", retry_after_s=5
        ),
    ),
    ((NoSuchStep,), lambda error: problem(404, "NoSuchStep", str(error), "没有这一步")),
    (
        (CardsNotPublic,),
        lambda error: problem(409, "CardsNotPublic", str(error), "这一副的牌尚未公开；请用旁观者视角"),
    ),
    ((NoHandThere,), lambda error: problem(409, "NoHandThere", str(error), "这一步没有进行中的牌")),
    ((NameRefused,), lambda error: problem(422, "NameRefused", str(error), "名字须为 1 到 40 个可见字符")),
    (
        (ValidationException,),
        lambda error: problem(400, "BadRequest", _what_is_wrong(error), "请求格式有误，见英文说明"),
    ),
)
"""What each kind of error is for whoever asked."""
