"""What every page and export of a review says with its numbers, in plain words."""

from typing import Final

LIMITS: Final[tuple[str, ...]] = (
    "Costs are leads, not verdicts: they say which decisions to look at again, not how good a player is.",
    "What a player knew: own cards, all plays, declarations, and what the rules tell of the others' cards.",
    "Every deal that fits counts alike; what others' ways of playing tell beyond the rules is not used.",
    "Hands are played out by a plain rule for all four seats: sound play, not the best, and the same for everyone.",
    "Nobody in a playout reacts to what is declared, but for the ban: declarations are judged roughly.",
    "The column with all cards shown explains what happened; it grades nobody, for nobody saw all cards.",
    "Not to be found: signals, plans over several tricks that the plain rule cannot follow, the state of the match.",
    "A hand's luck is what plain players make of its deal and declarations; one hand says little, many say more.",
)
"""English."""

LIMITS_ZH: Final[tuple[str, ...]] = (
    "代价是线索，不是结论：它说明哪些决定值得再看，不说明牌手的水平。",
    "“当时所知”指：自己的牌、所有已出的牌、亮牌，以及由规则可知的他家牌情。",
    "凡符合所知的发牌一律等可能；别家打法透露的、规则之外的信息不予采用。",
    "余下的牌由四家按同一简单规则打完：合理但非最佳，对每个人一视同仁。",
    "模拟中除禁出规则外没有人针对亮牌调整打法：对亮牌的评价只是粗略的。",
    "“看全牌”一列用来解释发生了什么，不用来评分，因为谁也没有看到全部的牌。",
    "查不出的：信号、简单规则跟不上的多轮计划、整局的形势。",
    "一副牌的运气指普通打法在同样发牌与亮牌下的平均结果；一副说明不了多少，多副才有意义。",
)
"""Chinese."""
