"""Scores explained line by line, in English and Chinese: raw scores, points of a hand, settlements (rules.md §5–§8).

Every line is made from what was recorded and from the ruleset's numbers, by the same functions that decided it.
"""

from collections.abc import Sequence
from typing import Final

import msgspec

from domain.events import MatchSettled
from domain.rulesets import BloodSettlement, Ruleset
from domain.scoring import Account, CardScore, explain
from domain.seats import SEATS, SIDES, BySeat, Seat, side_of
from domain.settlement import fall, hand_points, later_winner_less, pay, sides_of


class Line(msgspec.Struct, frozen=True):
    """One line of an explanation, in both languages. Seats and cards are written as in captions."""

    en: str
    zh: str


def account_lines(account: Account) -> tuple[Line, ...]:
    """The account of a raw score, a line a step, ending with the raw score."""
    english, chinese = explain(account), _account_zh(account)
    return tuple(Line(en, zh) for en, zh in zip(english, chinese, strict=True))


def _account_zh(account: Account) -> list[str]:
    match account.rule:
        case "nothing":
            return ["没有分牌：0"]
        case "lone_transformer":
            return [f"只有变压器：{account.base} × {account.factor} = {account.raw}"]
        case "slam":
            return ["满贯：收齐全部分牌", _slam_zh(account)]
    lines = []
    if account.hearts or account.all_hearts:
        word = "满红" if account.all_hearts else "红桃"
        lines.append(f"{word} {_times(account.hearts, account.hearts_factor)}")
    lines += [f"猪 {_part(part)}" for part in account.pigs] + [f"羊 {_part(part)}" for part in account.sheep]
    if account.transformers:
        cards = " ".join(part.card for part in account.transformers)
        lines.append(f"变压器 {cards} ×{account.factor}")
    return [*(lines or ["红桃 0"]), f"原始分 {_signed(account.raw)}"]


def _slam_zh(account: Account) -> str:
    if account.slam_parts:
        hearts, pigs, sheep = account.slam_parts
        divided = f" ÷ {account.divisor}" if account.divisor != 1 else ""
        return f"(红桃 {hearts} + 猪 {pigs} + 羊 {sheep}) × {account.factor}{divided} = {account.raw}"
    return f"{account.base} × {account.hearts_factor}（♥A）× {account.factor}（变压器）= {account.raw}"


def _part(part: CardScore) -> str:
    return f"{part.card} {_times(part.value, part.factor)}"


def _times(value: int, factor: int) -> str:
    return f"{value:+d}" + (f" ×{factor} = {value * factor:+d}" if factor != 1 else "")


def points_lines(ruleset: Ruleset, raw: BySeat[int]) -> BySeat[Line]:
    """How a hand's raw scores become points, by seat (rules.md §8). For rulesets with points of a hand."""
    points = hand_points(ruleset, raw)
    return _by_seat([_points_line(ruleset, raw, seat, points[seat]) for seat in SEATS])


def _points_line(ruleset: Ruleset, raw: BySeat[int], seat: Seat, points: int) -> Line:
    factor = ruleset.hand_points_factor or 0
    times = f" × {factor}" if factor != 1 else ""
    result = f"{times} = {_signed(points)}"
    if ruleset.partners:
        own, other = sides_of(raw)[side_of(seat)], sides_of(raw)[1 - side_of(seat)]
        share = f"({_signed(own)} − ({_signed(other)})) / 2"
        return Line(f"half the difference of the sides: {share}{result}", f"两方之差的一半：{share}{result}")
    others = sum(raw) - raw[seat]
    share = f"{_signed(raw[seat])} − ({_signed(others)}) / 3"
    if (4 * raw[seat] - sum(raw)) % 3 == 0:
        return Line(
            f"less a third of the others' sum: {share}{result}", f"减去另三家之和的三分之一：{share}{result}"
        )
    rounded = f"{share} ≈ {_signed(points // factor)}" + (result if factor != 1 else "")
    return Line(
        f"less a third of the others' sum, rounded so that all four add up to 0: {rounded}",
        f"减去另三家之和的三分之一，取整使四家之和为 0：{rounded}",
    )


def settlement_lines(ruleset: Ruleset, settled: MatchSettled) -> tuple[Line, ...]:
    """Why a match ended, and how each seat's points came about (rules.md §6–§8)."""
    if ruleset.settlement is None or settled.blood is None:
        return (_HANDS_PLAYED,)
    if settled.cause == "limit":
        return (_LIMIT,)
    if ruleset.partners:
        return tuple(_of_sides(ruleset.settlement, settled.blood))
    return tuple(_of_individuals(ruleset.settlement, settled.blood, settled.points))


_HANDS_PLAYED: Final = Line(
    "all agreed hands are played: the points of the hands are added up", "约定的盘数已打完：各盘积分相加"
)
_LIMIT: Final = Line(
    "the match has as many hands as a match can have and no threshold is reached: a draw",
    "盘数已到上限而没有到达界限：平局",
)
_ALL_WIN: Final = Line("all four are on one side of it: nobody gains or loses", "四家都在同一侧：不输不赢")
_DRAW: Final = Line(
    "both sides are past the same threshold and equal: nobody gains or loses",
    "两方都过了同一界限而且相等：不输不赢",
)


def _of_individuals(settlement: BloodSettlement, blood: BySeat[int], points: BySeat[int]) -> Sequence[Line]:
    rose = [seat for seat in SEATS if blood[seat] >= settlement.threshold]
    winners = rose or [seat for seat in SEATS if blood[seat] > -settlement.threshold]
    losers = [seat for seat in SEATS if seat not in winners]
    reached = rose or losers
    lines = [_reached(settlement, reached, [blood[seat] for seat in reached], rise=bool(rose))]
    if not winners or not losers:
        return [*lines, _ALL_WIN]
    first = max(blood[seat] for seat in winners)
    lines += [
        _loses(settlement, f"seat {seat}", f"{seat} 号座位", blood[seat], first if rose else None)
        for seat in losers
    ]
    return [*lines, *_wins(settlement, blood, points, winners, losers)]


def _wins(
    settlement: BloodSettlement,
    blood: BySeat[int],
    points: BySeat[int],
    winners: Sequence[Seat],
    losers: Sequence[Seat],
) -> list[Line]:
    """One or two winners get the sum of what is lost each; of three, those behind the first get less."""
    if len(winners) < len(SEATS) - 1:
        return [_gains(seat, points[seat]) for seat in winners]
    first, lowest = max(blood[seat] for seat in winners), min(blood[seat] for seat in winners)
    loser = blood[losers[0]]
    distance = abs(abs(lowest) - min(abs(loser), settlement.cap_blood))
    less = later_winner_less(settlement, distance)
    whole = max(points[seat] for seat in winners)
    return [
        _gains(seat, whole)
        if blood[seat] == first
        else _gains_less(seat, whole, less, distance, points[seat])
        for seat in winners
    ]


def _gains(seat: Seat, points: int) -> Line:
    return Line(f"seat {seat} gains what is lost: {points:+d}", f"{seat} 号座位赢得所失之和：{points:+d}")


def _gains_less(seat: Seat, whole: int, less: int, distance: int, points: int) -> Line:
    sum_ = f"{whole} − H({distance}) = {whole} − {less} = {points:+d}"
    return Line(
        f"seat {seat}, not the first winner, gains less: {sum_}", f"{seat} 号座位不是第一赢家，少得：{sum_}"
    )


def _reached(settlement: BloodSettlement, seats: Sequence[Seat], blood: Sequence[int], *, rise: bool) -> Line:
    limit = settlement.threshold if rise else -settlement.threshold
    english = ", ".join(f"seat {seat} ({total:+d})" for seat, total in zip(seats, blood, strict=True))
    chinese = "、".join(f"{seat} 号座位（{total:+d}）" for seat, total in zip(seats, blood, strict=True))
    return Line(f"blood has reached {limit:+d}: {english}", f"血值到达 {limit:+d}：{chinese}")


def _loses(settlement: BloodSettlement, who: str, who_zh: str, blood: int, winner: int | None) -> Line:
    """What a loser pays: against the first winner where someone is at the upper threshold, else by its own fall."""
    base, step, threshold = settlement.loss, settlement.loss_step, settlement.threshold
    if winner is None:
        loss = fall(settlement, blood)
        sum_ = f"{base} − INT[({blood} + {threshold}) / {step}]"
    else:
        loss = pay(settlement, winner, blood)
        sum_ = f"{base} + INT[({abs(winner)} + {abs(blood)} − {threshold}) / {step}]"
    most = settlement.loss_cap
    capped, capped_zh = (f", at most {most}", f"，最多 {most}") if loss == most else ("", "")
    return Line(f"{who} loses {sum_}{capped}: −{loss}", f"{who_zh}失 {sum_}{capped_zh}：−{loss}")


def _of_sides(settlement: BloodSettlement, blood: BySeat[int]) -> Sequence[Line]:
    totals = sides_of(blood)
    rise = max(totals) >= settlement.threshold
    limit = settlement.threshold if rise else -settlement.threshold
    sums = f"{totals[0]:+d}, {totals[1]:+d}"
    lines = [
        Line(
            f"blood of the sides (seats 0 and 2, seats 1 and 3): {sums}; {limit:+d} is reached",
            f"两方（0、2 号与 1、3 号座位）的血值：{sums}；到达 {limit:+d}",
        )
    ]
    if totals[0] == totals[1]:
        return [*lines, _DRAW]
    winning = 0 if totals[0] > totals[1] else 1
    loser = totals[1 - winning]
    loss = pay(settlement, totals[winning], loser) if rise else fall(settlement, loser)
    first, second = SIDES[1 - winning]
    lines.append(
        _loses(
            settlement,
            f"each of seat {first} and seat {second}",
            f"{first} 号座位和 {second} 号座位各",
            loser,
            totals[winning] if rise else None,
        )
    )
    gain, (first, second) = settlement.winner_share_partners, SIDES[winning]
    return [
        *lines,
        Line(
            f"each of seat {first} and seat {second} gains {gain} × {loss} = {gain * loss:+d}",
            f"{first} 号座位和 {second} 号座位各得 {gain} × {loss} = {gain * loss:+d}",
        ),
    ]


def _by_seat(lines: Sequence[Line]) -> BySeat[Line]:
    return (lines[0], lines[1], lines[2], lines[3])


def _signed(number: int) -> str:
    return f"{number:+d}" if number else "0"
