"""What every page and export of an investigation says with its numbers, in plain words."""

from typing import Final

LIMITS: Final[tuple[str, ...]] = (
    "These are leads, not verdicts. A number says where to look; a person looks, and hears the player first.",
    "The numbers assume that the honest players they are measured against play as this one would, by the same ruleset.",
    "A style that they do not have can sit a little off: less than 0.1 standard deviations a deal is never evidence.",
    "Cards are compared by playing on by a plain rule and in part by chance: no strong player, the same for everyone.",
    "Not to be found: cheating in few deals or decisions, knowledge that changed no play, help outside the cards.",
    "Looking at many players turns up some high numbers by chance: how many were looked at stands with every result.",
)
"""English."""

SIGNS_ARE_NO_EVIDENCE: Final = (
    "Pace, company and clients say where to look and prove nothing: habit, friends and families move them."
)
"""What the screenings by signs say beside these."""

LIMITS_ZH: Final[tuple[str, ...]] = (
    "这些是线索，不是结论。数字只说明该看哪里；作决定之前，要由人来看，并听取牌手本人的说明。",
    "数字假定：作为对照的诚实牌手与此人诚实时打法相近，且用同一套规则。",
    "对照中没有的风格可能略有偏离：每副低于 0.1 个标准差的效应不作为证据。",
    "比较牌局时按简单规则（部分按随机）打完余下的牌：评估器不是高手，但对每个人一视同仁。",
    "查不出的：只在少数几副或少数几次出牌中作弊、没有改变出牌的情报、牌外的帮助。",
    "同时看许多人，总会有几个数字偶然偏高：每个结果旁都写明看了多少人。",
)
"""Chinese."""
