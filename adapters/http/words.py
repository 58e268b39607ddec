"""What refusals say in Chinese: one text for every refusal, with the same details as the English one.

A refusal's English words are its own (`domain.errors`); here stand the Chinese ones, and the Chinese for the words that
appear among its details. A test holds that no refusal, and no word the rules put into one, is missing.
"""

import re
from typing import Final

from domain.errors import CommandRefused

CHINESE: Final[dict[str, str]] = {
    "UnknownCard": "{card} 不是 {decks} 副牌里的牌；请写花色和点数，如 SQ（两副牌还要写是哪一张：SQa）",
    "UnknownRuleset": "没有名为 {name} 的规则；可选：{known}",
    "WrongPhase": "牌局正处于“{phase}”阶段，不能{what}",
    "MatchAlreadyOpen": "这一局已经开设",
    "MatchNotOpen": "没有这一局：{match}",
    "WrongTerms": "{what}",
    "SeatTaken": "这个座位已有人",
    "SeatEmpty": "这个座位没有人",
    "AlreadySeated": "这位玩家已经坐在 {at_seat} 号座位",
    "NotASeat": "{given} 不是座位；座位是 0 到 3",
    "NonceNotCommitted": "这个座位没有待公开的随机数",
    "NonceDiffers": "随机数与入座时的承诺不符",
    "NoncesMissing": "座位 {seats} 还没有公开承诺过的随机数",
    "DealUnavailable": "发牌不可用：这一盘已封存，此处没有它的密钥；请取来密钥，或中止此局",
    "WrongDeal": "{what}",
    "AlreadyDone": "这个座位已表示亮牌完毕",
    "NotDeclarable": "{card} 不能亮；只有 SQ、DJ、CT、HA 可以",
    "AlreadyDeclared": "{card} 已经亮过；亮牌不能收回、改为明亮或重复",
    "HiddenNotAllowed": "{ruleset} 没有暗亮；{card} 只能明亮或不亮",
    "CardNotHeld": "{card} 不在这手牌里",
    "NotYourTurn": "现在轮到 {turn} 号座位",
    "WrongNumberOfCards": "出了 {given} 张牌，应出 {owed} 张",
    "NotAPair": "领出两张牌时必须是一对，即同一张牌的两张",
    "MustFollowSuit": "{card} 没有跟花色；手里还有{suit}",
    "HeldBack": "{card} 已亮，在这门花色领出并打完一墩之前不能出；须先用其他牌",
    "MustPlayPair": "领出的是一对，而手里有可出的同花色对子；须出对子",
    "MustUseHeldBack": "{card} 是别的花色；须先出完所领花色的牌，亮过的也要出",
    "MustLeadTwoOfClubs": "每局第一墩必须领出 C2",
    "NotHandedOver": "这个座位没有托管",
    "AlreadyHandedOver": "这个座位已在托管中",
    "TooEarly": "期限 {deadline} 还没有到",
    "MatchNotEnded": "此局还没有结束；请在结束后作废或更正，或现在中止",
    "AlreadyAnnulled": "此局已经作废",
    "NotAnnulled": "此局没有作废",
    "NoSuchHand": "此局没有第 {hand_no} 盘的结果",
    "CommandIdReused": "指令编号 {command_id} 已用于这个座位的另一条指令；请换一个",
    "TooContended": "此局 {match} 变化太快，这条指令来不及判定；请再试一次",
    "Overtaken": "牌局已前进到第 {version} 步；这条指令是针对之前的",
    "NotYourSeat": "这不是您的座位",
    "RoleRefused": "这需要角色为 {needed} 的令牌",
    "NotTheOpener": "发牌之前只有开设此局的玩家或管理员可以中止",
    "TooManyTables": "已开设 {most} 桌；请先关闭一桌，或等一桌坐满",
    "NotAMatchId": "{match} 不是最近十分钟内生成的第 7 版 UUID",
}
"""The Chinese text of every refusal, by its reason."""

WORDS: Final[dict[str, str]] = {
    "seating": "入座",
    "declaring": "亮牌",
    "playing": "出牌",
    "between hands": "两盘之间",
    "settled": "已结算",
    "abandoned": "已中止",
    "dealing": "发牌",
    "saying done": "表示亮牌完毕",
    "closing the declarations": "结束亮牌",
    "playing a card": "出牌",
    "taking a trick": "收墩",
    "sitting down": "入座",
    "getting up": "离座",
    "revealing a nonce": "公开随机数",
    "revealing a nonce before all four sit": "在四人入座之前公开随机数",
    "handing over a seat": "托管",
    "taking back a seat": "取消托管",
    "abandoning": "中止",
    "this": "这样做",
    "spades": "黑桃",
    "hearts": "红桃",
    "diamonds": "方块",
    "clubs": "梅花",
    "1 or 2 different": "1 或 2 张不同的",
    "1, or a pair,": "1 张，或一对，共 2",
    "of this id": "（此编号）",
    "of this window": "（此次亮牌）",
    "player": "玩家",
    "this player": "这位玩家",
    "operator": "管理员",
    "service": "服务",
    "investigator": "调查员",
    "spectator": "旁观者",
}
"""The Chinese for words that the rules put into a refusal's details."""

_SENTENCES: Final[dict[str, str]] = {
    r"(.+) ends at a threshold; no number of hands is agreed": r"\1 打到界限为止；不约定盘数",
    r"(.+) needs an agreed number of hands from 1 to (\d+), not (.+)": r"\1 须约定 1 到 \2 盘，而不是 \3",
    r"clocks cannot be negative": "时限不能是负数",
    r"clocks of more than (\d+) seconds are not offered": r"时限不能超过 \1 秒",
    r"players have at least 1 second for a nonce, to declare and to play": "公开随机数、亮牌和出牌至少各有 1 秒",
    r"a nonce commitment is a SHA-256 in 64 lower-case hex digits": "随机数的承诺是 64 位小写十六进制的 SHA-256",
    r"a hidden declaration brings an opening of (\d+) random bytes": r"暗亮须带 \1 个随机字节以便日后公开",
    r"a chain root has (\d+) bytes": r"种子链的根有 \1 字节",
    r"imported matches have no chain of seeds, all others have one": "导入的牌局没有种子链，其他牌局都有",
    r"only imported matches take their first leader as given": "只有导入的牌局可以指定首家",
    r"only an imported match takes recorded hands": "只有导入的牌局可以用记录的发牌",
    r"this ruleset takes the first leader as given; the record must name it": "此规则的首家由记录指定；记录须写明",
    r"by the rules seat (\d) leads this hand; the record names seat (\d)": (
        r"按规则此盘由 \1 号座位领出；记录写的是 \2 号"
    ),
    r"two seats hold a C2 and the order of the deal, which says who leads, is not known": (
        "两个座位各有一张 C2，而决定首家的发牌次序不明"
    ),
    r"hands of (.+) cards dealt where each seat gets (\d+)": r"各家牌数为 \1，应各为 \2 张",
    r"the deal is not every card of (\d) deck\(s\) once: (\d+) cards given": (
        r"发牌应是 \1 副牌的每张各一次：给出 \2 张"
    ),
}
"""Whole sentences that stand in a refusal's details, as patterns, with their Chinese."""


def in_english(refusal: CommandRefused) -> str:
    """A refusal in words, with its rule."""
    return refusal.describe()


def in_chinese(refusal: CommandRefused) -> str:
    """The same in Chinese."""
    details = {name: _word(value) for name, value in refusal.details.items()}
    text = CHINESE[refusal.reason].format(card=refusal.card, **details)
    who = "" if refusal.seat is None else f"{refusal.seat} 号座位："
    return f"{who}{text}" + (f"（{_rule(refusal.rule)}）" if refusal.rule else "")


def _word(value: object) -> object:
    """A detail as it stands in a Chinese sentence."""
    if not isinstance(value, str):
        return value
    if value in WORDS:
        return WORDS[value]
    for pattern, chinese in _SENTENCES.items():
        if found := re.fullmatch(pattern, value):
            return found.expand(chinese)
    return value


def _rule(rule: str) -> str:
    return (
        rule.replace("rules ", "规则 ").replace(", following a pair", "，跟对").replace(", ban", "，亮牌禁出")
    )
