// What could be played at a play: the cards that the rules allow, to be tried, and why each other one was not allowed.

import { card, cardWords, inHandOrder } from "./cards.js";
import { button, make } from "./elements.js";
import { legalPlays, whyNot } from "./rules.js";
import { clauseWords, seatName } from "./told.js";
import { language, register, t } from "./words.js";

register({
  en: { "suit.spades": "spades", "suit.hearts": "hearts", "suit.diamonds": "diamonds", "suit.clubs": "clubs" },
  zh: { "suit.spades": "黑桃", "suit.hearts": "红桃", "suit.diamonds": "方块", "suit.clubs": "梅花" },
});

// The choice on show: whose it is, the state before it, the step it is made from, and what was played, if that may be
// shown. Null where nobody chooses cards, or where the chosen eyes do not see them.
function choiceOf(replay) {
  const { branch, step } = replay;
  if (branch) return choiceAt(replay, branch.state, branch.from, null);
  const event = replay.eventAt(step);
  return event.type === "CardsPlayed"
    ? choiceAt(replay, replay.states[step - 1], step - 1, event.cards)
    : choiceAt(replay, replay.states[step], step, null);
}

function choiceAt(replay, state, from, played) {
  const { hand } = state;
  if (state.phase !== "playing" || hand?.turn === null || !hand?.holdings || !replay.sees(hand.turn)) return null;
  const legal = legalPlays(replay.ruleset, hand);
  return { seat: hand.turn, state, from, played, legal };
}

// The panel: allowed plays, each a button to try it, and the others by the reason that bars them.
export function choiceNodes(replay, branches) {
  const choice = choiceOf(replay);
  if (!choice) return [make("p", { className: "muted" }, t("choice.none"))];
  const { hand } = choice.state;
  return [
    make("h3", {}, t("choice.whose", { seat: seatName(replay, choice.seat), trick: hand.trick_no })),
    make("h4", {}, t("choice.allowed", { count: choice.legal.length })),
    make("ul", { className: "cards" }, choice.legal.map((play) => make("li", {}, tryButton(choice, play, branches)))),
    barred(replay, choice),
  ].flat();
}

function tryButton(choice, play, branches) {
  const names = inHandOrder(play);
  const wasPlayed = choice.played !== null && names.every((name) => choice.played.includes(name));
  const words = names.map((name) => cardWords(name)).join(" + ");
  return button(names.map((name) => card(name, { size: "small" })), () => branches.try(choice.from, play), {
    className: "plain", "data-key": `try ${names.join("+")}`, "aria-pressed": String(wasPlayed), disabled: wasPlayed,
    "aria-label": wasPlayed ? t("choice.was_played", { cards: words }) : t("choice.try", { cards: words }),
  });
}

function barred(replay, { state, legal, seat }) {
  const { hand } = state;
  const groups = new Map();
  for (const name of inHandOrder(hand.holdings[seat])) {
    const refusal = whyNot(replay.ruleset, hand, name, legal);
    if (!refusal) continue;
    const group = groups.get(refusal.reason) ?? groups.set(refusal.reason, { refusal, names: [] }).get(refusal.reason);
    group.names.push(name);
  }
  if (groups.size === 0) return [make("p", { className: "muted" }, t("choice.all_allowed"))];
  return [
    make("h4", {}, t("choice.barred")),
    ...[...groups.values()].map(({ refusal, names }) => make(
      "p", { className: "barred" },
      names.map((name) => card(name, { size: "small" })), " ",
      refusalWords(replay, { ...refusal, card: names.length === 1 ? refusal.card : null }),
    )),
  ];
}

// A refusal in words, with its clause of the rules.
function refusalWords(replay, refusal) {
  const { en, zh, rule } = replay.document.refusals[refusal.reason];
  const values = {
    ...refusal,
    card: refusal.card ?? t("choice.these"),
    suit: refusal.suit ? t(`suit.${refusal.suit}`) : "",
  };
  const text = (language() === "zh" ? zh : en).replace(/\{(\w+)\}/g, (place, name) => values[name] ?? place);
  return text + clauseWords(rule);
}
