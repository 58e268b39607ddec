// The rulesets in short words, made from the value that the site gives for each (`GET /rulesets`).

import { register, t } from "/assets/viewer/words.js";
import { element } from "./elements.js";

register({
  en: {
    "rules.blood": "Blood", "rules.zero_sum": "Zero-sum",
    "rules.decks.1": "one deck", "rules.decks.2": "two decks", "rules.partners": "partners", "rules.join": ", ",
    "rules.cards": "{decks}, {size} cards each; everyone for himself.",
    "rules.cards.partners": "{decks}, {size} cards each; opposite seats are partners.",
    "rules.play": "Follow suit if you can; the highest card of the led suit takes the trick and leads next.",
    "rules.pairs": "A pair may be led too: then two cards are owed, and a pair of the suit must be played by who has one.",
    "rules.score": "Hearts cost 10 to 50 each (♥2–♥4 nothing), the pig ♠Q costs 100, the sheep ♦J brings 100.",
    "rules.transformer": "The transformer ♣10 multiplies what you took; alone it brings 50 or more.",
    "rules.all": "Whoever takes all hearts gets +{all} for them instead; every scoring card of the hand is a slam.",
    "rules.declare.hidden": "Before play ♠Q, ♦J, ♣10 and ♥A may be declared, open or face down: they then count more.",
    "rules.declare.open": "Before play ♠Q, ♦J, ♣10 and ♥A may be declared, openly: they then count more.",
    "rules.fourth": "Are three of the four declared, the fourth is declared by itself.",
    "rules.ban": "A declared card is held back until a trick led in its suit is over: others of the suit go first.",
    "rules.ban.lead": "A declared card is held back, for leading too, until a trick led in its suit is over.",
    "rules.lead.any": "Who holds ♣2 leads the first hand, with any card; afterwards whoever took the pig leads.",
    "rules.lead.two": "Who holds ♣2 leads the first hand with it; afterwards whoever took the pig leads.",
    "rules.end.blood": "Scores add up as blood; the match ends with the hand in which someone reaches ±{threshold}.",
    "rules.end.side": "A side's scores add up as blood; the match ends with the hand in which a side reaches ±{threshold}.",
    "rules.end.hands": "Each hand's points count at once and add up to 0; the number of hands is agreed beforehand.",
  },
  zh: {
    "rules.blood": "血值", "rules.zero_sum": "零和",
    "rules.decks.1": "一副牌", "rules.decks.2": "两副牌", "rules.partners": "打对家", "rules.join": " · ",
    "rules.cards": "{decks}，每人 {size} 张，各自为战。",
    "rules.cards.partners": "{decks}，每人 {size} 张，对座为一家。",
    "rules.play": "有同花色须跟；所领花色最大者得墩，并领出下一墩。",
    "rules.pairs": "也可领出一对：这时各出两张，有同花色对子的须出对子。",
    "rules.score": "红桃每张扣 10 到 50 分（♥2–♥4 不扣），猪 ♠Q 扣 100，羊 ♦J 加 100。",
    "rules.transformer": "变压器 ♣10 使所得分翻倍；只得变压器则加 50 分或更多。",
    "rules.all": "收齐全部红桃为满红，改得 +{all}；收齐全部分牌为满贯。",
    "rules.declare.hidden": "出牌前可亮 ♠Q、♦J、♣10、♥A，明亮或暗亮；亮后分值加倍。",
    "rules.declare.open": "出牌前可明亮 ♠Q、♦J、♣10、♥A；亮后分值加倍。",
    "rules.fourth": "四张亮了三张时，第四张自动亮出。",
    "rules.ban": "亮过的牌在该花色领出并打完一墩之前不得出，须先出同花色的其他牌。",
    "rules.ban.lead": "亮过的牌在该花色领出并打完一墩之前不得出，也不得领出。",
    "rules.lead.any": "首盘由持 ♣2 者领出任意一张；以后由上盘得猪者领出。",
    "rules.lead.two": "首盘由持 ♣2 者领出 ♣2；以后由上盘得猪者领出。",
    "rules.end.blood": "各盘得分累计为血值；有人达到 ±{threshold} 的那一盘打完即终局。",
    "rules.end.side": "一家两人的得分累计为血值；有一家达到 ±{threshold} 的那一盘打完即终局。",
    "rules.end.hands": "每盘积分当即计算，四人之和为零；盘数事先约定。",
  },
});

// What a ruleset is called by people: "Blood, one deck, partners".
export function rulesetName(name) {
  const [family, decks, partners] = name.split("-");
  const parts = [t(`rules.${family}`), t(`rules.decks.${decks}`), partners ? t("rules.partners") : null];
  return parts.filter(Boolean).join(t("rules.join"));
}

// The rules of one ruleset, as a list of sentences.
export function rulesList(ruleset) {
  return element("ul", { class: "rules" }, sentences(ruleset).map((sentence) => element("li", {}, sentence[0].toUpperCase() + sentence.slice(1))));
}

function sentences(ruleset) {
  const { decks, partners, settlement, scoring } = ruleset;
  const cards = { decks: t(`rules.decks.${decks}`), size: 13 * decks };
  return [
    t(partners ? "rules.cards.partners" : "rules.cards", cards),
    t("rules.play"),
    decks === 2 ? t("rules.pairs") : null,
    t("rules.score"),
    t("rules.transformer"),
    t("rules.all", { all: scoring.all_hearts }),
    t(ruleset.hidden_declarations ? "rules.declare.hidden" : "rules.declare.open"),
    ruleset.automatic_fourth ? t("rules.fourth") : null,
    t(ruleset.ban_when_leading ? "rules.ban.lead" : "rules.ban"),
    t(ruleset.first_lead === "two_of_clubs_leads_it" ? "rules.lead.two" : "rules.lead.any"),
    t(endOf(settlement, partners), { threshold: settlement?.threshold }),
  ].filter(Boolean);
}

const endOf = (settlement, partners) =>
  settlement ? (partners ? "rules.end.side" : "rules.end.blood") : "rules.end.hands";
