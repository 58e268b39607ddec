// Cards as elements that everyone can read: rank and suit sign for the eye, words for a screen reader.
//
// A card is named as everywhere in this project: suit S H D C, rank 2–9 T J Q K A, in two decks its copy a or b.

import { language, onLanguage, register, t } from "./words.js";

register({
  en: {
    "card.S": "spades", "card.H": "hearts", "card.D": "diamonds", "card.C": "clubs",
    "card.T": "10", "card.J": "jack", "card.Q": "queen", "card.K": "king", "card.A": "ace",
    "card.name": ({ suit, rank, copy }) => `${rank} of ${suit}${copy ? `, copy ${copy}` : ""}`,
    "card.SQ": "the pig", "card.DJ": "the sheep", "card.CT": "the transformer",
    "card.down": "a card face down", "card.downs": ({ count }) => `${count} cards face down`,
    "card.open": "declared open", "card.hidden": "declared face down", "card.held": "held back",
    "card.takes": "takes the trick", "card.leads": "led", "card.autopilot": "played by the autopilot",
    "card.automatic": "declared by the rules", "card.none": "no cards",
  },
  zh: {
    "card.S": "黑桃", "card.H": "红桃", "card.D": "方块", "card.C": "梅花",
    "card.T": "10", "card.J": "J", "card.Q": "Q", "card.K": "K", "card.A": "A",
    "card.name": ({ suit, rank, copy }) => `${suit}${rank}${copy ? `（${copy}）` : ""}`,
    "card.SQ": "猪", "card.DJ": "羊", "card.CT": "变压器",
    "card.down": "一张扣着的牌", "card.downs": ({ count }) => `${count} 张扣着的牌`,
    "card.open": "明亮", "card.hidden": "暗亮", "card.held": "禁出", "card.takes": "得墩", "card.leads": "领出",
    "card.autopilot": "托管代出", "card.automatic": "按规则自动亮", "card.none": "没有牌",
  },
});

export const SUITS = "SHDC";
export const RANKS = "23456789TJQKA";
const SIGNS = { S: "♠\uFE0E", H: "♥\uFE0E", D: "♦\uFE0E", C: "♣\uFE0E" };
const SCORING = new Set(["SQ", "DJ", "CT"]);

// The sign of a suit, as text and never as a picture.
export const suitSign = (suit) => SIGNS[suit];

// The rank of a card as people write it: 10, Q.
export const rankText = (name) => name[1].replace("T", "10");

// A card as short text, as in ♠Q or, in two decks, ♠Qa.
export const cardText = (name) => SIGNS[name[0]] + rankText(name) + name.slice(2);

// Whether the card scores: a heart, the pig, the sheep, the transformer.
export const isScoring = (name) => name[0] === "H" || SCORING.has(name.slice(0, 2));

// A card in words, with what is marked on it: "queen of spades, the pig, declared open".
export function cardWords(name, marks = []) {
  const rank = "TJQKA".includes(name[1]) ? t(`card.${name[1]}`) : name[1];
  const words = [t("card.name", { suit: t(`card.${name[0]}`), rank, copy: name.slice(2) })];
  if (SCORING.has(name.slice(0, 2))) words.push(t(`card.${name.slice(0, 2)}`));
  return [...words, ...marks.map((mark) => t(`card.${mark}`))].join(language() === "zh" ? "，" : ", ");
}

// The order in which people hold cards: by suit, the highest first.
export function inHandOrder(names) {
  const key = (name) => SUITS.indexOf(name[0]) * 64 + (12 - RANKS.indexOf(name[1])) * 2 + (name[2] === "b");
  return [...names].sort((one, other) => key(one) - key(other));
}

// A card face. `size`: "big" (with a border) or "small" (a chip in a line of text). `marks`: any of open, hidden, held,
// takes, leads, autopilot, automatic; each is drawn as a sign too, never as a colour alone.
export function card(name, { size = "big", marks = [] } = {}) {
  const face = document.createElement("span");
  face.className = `card ${size} suit-${name[0]}${isScoring(name) ? " scoring" : ""}`;
  face.setAttribute("role", "img");
  face.dataset.card = name;
  face.dataset.marks = marks.join(" ");
  face.setAttribute("aria-label", cardWords(name, marks));
  face.append(part("rank", rankText(name)), part("suit", SIGNS[name[0]]));
  if (name.length > 2) face.append(part("copy", name[2]));
  for (const mark of marks) {
    face.classList.add(`is-${mark}`);
    if (mark in MARKS) face.append(part(`mark mark-${mark}`, MARKS[mark]));
  }
  return face;
}

const MARKS = { open: "☀\uFE0E", hidden: "☾\uFE0E", held: "⊘", takes: "✓", autopilot: "⚙\uFE0E", automatic: "§" };

// A card that can be chosen. The button is named by its card; `onChoose` gets the card's name. A card that may not be
// played stays reachable (aria-disabled) so that one can learn why.
export function cardButton(name, { size = "big", marks = [], disabled = false, pressed, onChoose } = {}) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "card-button";
  button.dataset.card = name;
  const face = card(name, { size, marks });
  button.setAttribute("aria-label", cardWords(name, marks));
  face.setAttribute("aria-hidden", "true");
  face.removeAttribute("role");
  face.removeAttribute("aria-label");
  if (disabled) button.setAttribute("aria-disabled", "true");
  if (pressed !== undefined) button.setAttribute("aria-pressed", String(pressed));
  button.append(face);
  if (onChoose) button.addEventListener("click", () => onChoose(name, button));
  return button;
}

// One card from behind, or a stack of `count`.
export function faceDown({ size = "big", count = 1 } = {}) {
  const back = document.createElement("span");
  back.className = `card ${size} back`;
  back.setAttribute("role", "img");
  back.dataset.down = String(count);
  back.setAttribute("aria-label", downWords(count));
  if (count !== 1) back.append(part("count", String(count)));
  return back;
}

// Cards as a list, in the order given. `marksOf(name)` says what is marked on each.
export function cardList(names, { size = "big", marksOf = () => [], label } = {}) {
  const list = document.createElement("ul");
  list.className = `cards ${size}`;
  if (label) list.setAttribute("aria-label", label);
  for (const name of names) {
    const item = document.createElement("li");
    item.append(card(name, { size, marks: marksOf(name) }));
    list.append(item);
  }
  return list;
}

const downWords = (count) => (count === 1 ? t("card.down") : t("card.downs", { count }));

function part(className, text) {
  const element = document.createElement("span");
  element.className = className;
  element.setAttribute("aria-hidden", "true");
  element.textContent = text;
  return element;
}

// Cards that stand in a page are named anew when the language changes.
onLanguage(() => {
  for (const face of document.querySelectorAll("[data-card][aria-label]")) {
    const marked = face.dataset.marks ?? face.querySelector("[data-marks]")?.dataset.marks ?? "";
    face.setAttribute("aria-label", cardWords(face.dataset.card, marked.split(" ").filter(Boolean)));
  }
  for (const back of document.querySelectorAll("[data-down]")) {
    back.setAttribute("aria-label", downWords(Number(back.dataset.down)));
  }
});
