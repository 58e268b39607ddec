"""What changed with an event, as data and in a sentence. From public forms only, so anyone may read it."""

import re
from collections.abc import Callable
from typing import Any, Final, TypeAlias

import msgspec

from domain import events
from domain.events import Event
from replays.places import place_of


class Caption(msgspec.Struct, frozen=True, kw_only=True):
    """What changed: the event's type, what of the game it concerns, and a sentence without its full stop.

    `text` is English, `text_zh` Chinese; both write seats and cards alike, as `seat 2` (`2 号座位`) and `SQ`.
    """

    kind: str
    hand_no: int | None
    trick_no: int | None
    seat: int | None
    cards: tuple[str, ...]
    text: str
    text_zh: str


def caption(event: Event) -> Caption:
    """The caption of an event."""
    place = place_of(event)
    kind = type(event).__name__
    english, chinese = _SENTENCES.get(type(event), (_kind, _kind))
    return Caption(
        kind=kind,
        hand_no=place.hand_no,
        trick_no=place.trick_no,
        seat=place.seat,
        cards=place.cards,
        text=english(event),
        text_zh=chinese(event),
    )


def _kind(event: Event) -> str:
    """An event that has no sentence of its own."""
    return type(event).__name__


def _opened(event: events.MatchOpened) -> str:
    hands = f", {event.hands_agreed} hands agreed" if event.hands_agreed is not None else ""
    return f"a match of {event.ruleset.name} is opened{hands}"


def _dealt(event: events.HandDealt) -> str:
    return f"hand {event.hand_no} is dealt" + (
        f", seat {event.leader} leads" if event.leader is not None else ""
    )


def _declared(event: events.CardDeclared) -> str:
    if event.card is None:
        return f"seat {event.seat} declares a card face down"
    return f"seat {event.seat} declares {event.card} {event.level}" + (
        ", the automatic fourth" if event.automatic else ""
    )


def _closed(event: events.DeclarationsClosed) -> str:
    cause = "time is up" if event.cause == "time" else "all are done"
    return f"declarations are closed, {cause}; seat {event.leader} leads"


def _played(event: events.CardsPlayed) -> str:
    who = f"seat {event.seat}" + (" (autopilot)" if event.by == "autopilot" else "")
    opened = "".join(f", {opening.card} was declared face down" for opening in event.openings)
    return f"{who} plays {' '.join(event.cards)}{opened}"


def _ended(event: events.HandEnded) -> str:
    return f"hand {event.hand_no} is over, raw scores {_numbers(event.raw_scores)}"


def _settled(event: events.MatchSettled) -> str:
    return f"the match is settled ({event.cause.replace('_', ' ')}), points {_numbers(event.points)}"


def _abandoned(event: events.MatchAbandoned) -> str:
    void = f", hand {event.hand_no} is void" if event.hand_no is not None else ""
    return f"the match is abandoned ({event.cause}){void}"


_CAUSES: Final = {
    "all_done": "各家亮毕",
    "time": "时间到",
    "threshold": "已到界限",
    "hands_played": "约定盘数已打完",
    "limit": "盘数已到上限",
    "away": "离开",
    "asked": "应要求",
    "voluntary": "自愿",
    "staff": "工作人员",
    "nobody came": "没有人来",
    "nonce not revealed": "随机数未公开",
}
"""The Chinese for the causes that the service gives; what people wrote stands as it is."""


def _cause(cause: str) -> str:
    away = re.fullmatch(r"seat (\d) is away", cause)
    return f"{away[1]} 号座位离开" if away else _CAUSES.get(cause, cause)


def _opened_zh(event: events.MatchOpened) -> str:
    hands = f"，约定 {event.hands_agreed} 盘" if event.hands_agreed is not None else ""
    return f"开设一局 {event.ruleset.name}{hands}"


def _dealt_zh(event: events.HandDealt) -> str:
    return f"第 {event.hand_no} 盘发牌" + (f"，{event.leader} 号座位首出" if event.leader is not None else "")


def _declared_zh(event: events.CardDeclared) -> str:
    if event.card is None:
        return f"{event.seat} 号座位暗亮一张牌"
    return f"{event.seat} 号座位{'明亮' if event.level == 'open' else '暗亮'} {event.card}" + (
        "（第四张自动亮）" if event.automatic else ""
    )


def _closed_zh(event: events.DeclarationsClosed) -> str:
    return f"亮牌结束（{_cause(event.cause)}），{event.leader} 号座位首出"


def _played_zh(event: events.CardsPlayed) -> str:
    who = f"{event.seat} 号座位" + ("（托管）" if event.by == "autopilot" else "")
    opened = "".join(f"，{opening.card} 原为暗亮" for opening in event.openings)
    return f"{who}出 {' '.join(event.cards)}{opened}"


def _ended_zh(event: events.HandEnded) -> str:
    return f"第 {event.hand_no} 盘结束，原始分 {_numbers(event.raw_scores)}"


def _settled_zh(event: events.MatchSettled) -> str:
    return f"此局结算（{_cause(event.cause)}），积分 {_numbers(event.points)}"


def _abandoned_zh(event: events.MatchAbandoned) -> str:
    void = f"，第 {event.hand_no} 盘作废" if event.hand_no is not None else ""
    return f"此局中止（{_cause(event.cause)}）{void}"


def _numbers(numbers: tuple[int, ...]) -> str:
    """Scores with their signs, by seat."""
    return ", ".join(f"{number:+d}" if number else "0" for number in numbers)


Sentence: TypeAlias = Callable[[Any], str]

_SENTENCES: Final[dict[type[Event], tuple[Sentence, Sentence]]] = {
    events.MatchOpened: (_opened, _opened_zh),
    events.PlayerSeated: (lambda e: f"seat {e.seat} is taken", lambda e: f"{e.seat} 号座位有人入座"),
    events.PlayerLeft: (
        lambda e: f"seat {e.seat} is free again ({e.cause})",
        lambda e: f"{e.seat} 号座位空出（{_cause(e.cause)}）",
    ),
    events.NonceRevealed: (
        lambda e: f"seat {e.seat} reveals its nonce",
        lambda e: f"{e.seat} 号座位公开随机数",
    ),
    events.HandDealt: (_dealt, _dealt_zh),
    events.CardDeclared: (_declared, _declared_zh),
    events.DeclarationDone: (
        lambda e: f"seat {e.seat} declares no more",
        lambda e: f"{e.seat} 号座位亮牌完毕",
    ),
    events.DeclarationsClosed: (_closed, _closed_zh),
    events.CardsPlayed: (_played, _played_zh),
    events.TrickTaken: (
        lambda e: f"seat {e.seat} takes trick {e.trick_no}",
        lambda e: f"{e.seat} 号座位得第 {e.trick_no} 墩",
    ),
    events.SeatHandedOver: (
        lambda e: f"seat {e.seat} is handed over ({e.cause})",
        lambda e: f"{e.seat} 号座位交给托管（{_cause(e.cause)}）",
    ),
    events.SeatTakenBack: (
        lambda e: f"seat {e.seat} is taken back ({e.cause})",
        lambda e: f"{e.seat} 号座位取消托管（{_cause(e.cause)}）",
    ),
    events.HandEnded: (_ended, _ended_zh),
    events.MatchSettled: (_settled, _settled_zh),
    events.MatchAbandoned: (_abandoned, _abandoned_zh),
    events.MatchAnnulled: (
        lambda e: f"the match is annulled ({e.cause})",
        lambda e: f"此局作废（{_cause(e.cause)}）",
    ),
    events.AnnulmentLifted: (
        lambda e: f"the annulment is lifted ({e.cause})",
        lambda e: f"作废撤销（{_cause(e.cause)}）",
    ),
    events.HandCorrected: (
        lambda e: f"hand {e.hand_no} is corrected ({e.cause})",
        lambda e: f"第 {e.hand_no} 盘更正（{_cause(e.cause)}）",
    ),
}
"""The sentences of each event type, English and Chinese."""
