// Sentences about the game as people read them: players by name where they have one, cards as cards.

import { card } from "./cards.js";
import { make } from "./elements.js";
import { language, t } from "./words.js";

const MEANT = /seat (\d)|(\d) 号座位|\b([SHDC][2-9TJQKA][ab]?)\b/g;

// What a seat is called: its player's name, or the seat.
export const seatName = (replay, seat) => replay.playerAt(seat) ?? t("seat", { seat });

// The same, with the seat's number.
export const seatTitle = (replay, seat) => {
  const name = replay.playerAt(seat);
  return name ? `${name} (${seat})` : t("seat", { seat });
};

// A ruleset in a few words, from its value.
export const rulesetTitle = ({ settlement, decks, partners }) =>
  [t(settlement ? "rules.by_blood" : "rules.by_points"), t(`rules.of_decks.${decks}`), partners && t("rules.with_partners")]
    .filter(Boolean).join(t("rules.between"));

// A sentence as nodes.
export function toldNodes(replay, text) {
  const nodes = [];
  let done = 0;
  text = text.replace(/(^|[\s(：])-(?=\d)/g, "$1−");
  for (const found of text.matchAll(MEANT)) {
    const [whole, english, chinese, name] = found;
    nodes.push(text.slice(done, found.index));
    nodes.push(name ? card(name, { size: "small" }) : make("b", {}, seatName(replay, Number(english ?? chinese))));
    done = found.index + whole.length;
  }
  return [...nodes, text.slice(done)].filter((node) => node !== "");
}

// A line with both languages (`{ en, zh }`) as nodes, in the language in use.
export const lineNodes = (replay, line) => toldNodes(replay, line[language()]);

// The caption of a step.
export const captionNodes = (replay, step) => lineNodes(replay, replay.document.steps[step - 1]);

// A clause of the rules in brackets, as behind a sentence; nothing where there is none.
export function clauseWords(rule) {
  if (!rule) return "";
  if (language() === "en") return ` (${rule})`;
  return `（${rule.replace("rules ", "规则 ").replace(", following a pair", "，跟对").replace(", ban", "，亮牌禁出")}）`;
}

// A time in seconds: 3.2 s.
export const seconds = (ms) => `${(ms / 1000).toFixed(ms < 9950 ? 1 : 0)} s`;
