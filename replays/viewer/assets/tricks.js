// The hands of a match and the tricks of a hand, as tables; a click goes there.

import { card, cardText } from "./cards.js";
import { button, make, tableOf } from "./elements.js";
import { marksOf } from "./panels.js";
import { seatName, seatTitle, seconds } from "./told.js";
import { signed, t } from "./words.js";

// The tricks of the hand on show, as far as they may be shown.
export function trickList(replay) {
  const hand = replay.handAt();
  if (!hand) return make("p", {}, t("tricks.none"));
  const tricks = tricksOf(replay, hand);
  const seats = [0, 1, 2, 3];
  const table = tableOf({
    caption: t("tricks.caption", { hand: hand.number }),
    heads: ["#", ...seats.map((seat) => seatName(replay, seat)), t("tricks.scoring")],
    className: "tricks",
    rows: tricks.map((trick) => ({
      properties: { className: trick.steps.includes(replay.step) ? "now" : "" },
      cells: [
        String(trick.number),
        ...seats.map((seat) => playCell(replay, trick, trick.plays.find(([, play]) => play.seat === seat))),
        trick.taken ? scoringOf(trick.taken) : "",
      ],
    })),
  });
  return make("div", { className: "wide" }, beginning(replay, hand), table);
}

// The tricks of a hand as `{ number, plays: [[step, event]…], taken, steps }`.
export function tricksOf(replay, hand) {
  const tricks = [];
  for (const [step, event] of replay.shownSteps(hand.first, hand.last)) {
    if (event.type === "CardsPlayed" && event.trick_no > tricks.length) {
      tricks.push({ number: event.trick_no, plays: [], taken: null, steps: [] });
    }
    if (event.type === "CardsPlayed") tricks.at(-1).plays.push([step, event]);
    if (event.type === "TrickTaken") tricks.at(-1).taken = event;
    if (event.type === "CardsPlayed" || event.type === "TrickTaken") tricks.at(-1).steps.push(step);
  }
  return tricks;
}

const scoringOf = ({ cards }) => cards.filter((name) => name[0] === "H" || /^(SQ|DJ|CT)/.test(name)).map(cardText).join(" ");

function playCell(replay, trick, found) {
  if (!found) return "";
  const [step, event] = found;
  const leads = trick.plays[0][0] === step;
  const takes = trick.taken?.seat === event.seat;
  const marks = [leads && "leads", takes && "takes", event.by === "autopilot" && "autopilot"].filter(Boolean);
  const think = seconds(event.think_ms);
  const reviewed = marksOf(replay, step);
  const words = `${t("tricks.go", { step })}: ${event.cards.map(cardText).join(" ")}, ${think}`;
  return button(
    [
      leads && make("span", { className: "lead-mark", "aria-hidden": "true" }, "›"),
      event.cards.map((name) => card(name, { size: "small", marks })),
      make("small", { className: "muted think" }, think),
    ].flat().filter(Boolean),
    () => replay.go(step),
    {
      className: "plain", "data-key": `step ${step}`, "aria-current": step === replay.step ? "step" : null,
      "aria-label": [words, ...marks.map((mark) => t(`card.${mark}`)), ...reviewed.map(({ words: said }) => said)].join(", "),
    },
  );
}

// What came before the first trick: deal and declarations, each a step to go to.
function beginning(replay, hand) {
  const words = { HandDealt: "tricks.deal", CardDeclared: "tricks.declared", DeclarationsClosed: "tricks.closed" };
  const steps = [...replay.shownSteps(hand.first, hand.last)].filter(([, event]) => event.type in words);
  return make(
    "ul", { className: "beginning" },
    steps.map(([step, event]) =>
      make("li", {}, button(
        [
          event.seat === undefined ? "" : `${seatName(replay, event.seat)} `,
          t(words[event.type]),
          declaredCard(replay, step, event),
        ].flat(),
        () => replay.go(step),
        { className: "plain", "data-key": `step ${step}`, "aria-current": step === replay.step ? "step" : null },
      ))),
  );
}

// The declared card, where the chosen eyes see it.
function declaredCard(replay, step, event) {
  if (event.type !== "CardDeclared") return [];
  const name = event.card ?? (replay.sees(event.seat) ? replay.document.steps[step - 1].card : null);
  return name ? [" ", card(name, { size: "small", marks: [event.level] })] : [" ", t("card.down")];
}

// The hands of the match with their scores; the hand's number goes to its deal.
export function handList(replay) {
  const rows = replay.hands.map((hand) => handRow(replay, hand));
  if (rows.length === 0) return make("p", {}, t("tricks.none"));
  return make("div", { className: "wide" }, tableOf({
    caption: t("hands.caption"),
    heads: [t("hands.hand"), ...[0, 1, 2, 3].map((seat) => seatTitle(replay, seat))],
    className: "hands",
    rows,
  }));
}

function handRow(replay, hand) {
  const ended = hand.scores && hand.last <= replay.upTo ? replay.eventAt(hand.last) : null;
  const totals = ended && replay.document.steps[hand.last - 1].totals;
  const running = totals && (totals.blood ?? totals.points);
  return {
    properties: { className: hand === replay.handAt() ? "now" : "" },
    cells: [
      button(t("hands.number", { hand: hand.number }), () => replay.go(hand.first), {
        className: "plain", "data-key": `hand ${hand.number}`, "aria-current": hand === replay.handAt() ? "true" : null,
      }),
      ...[0, 1, 2, 3].map((seat) => ({
        properties: { className: "number" },
        value: ended
          ? [signed(ended.raw_scores[seat]), make("small", { className: "muted block" }, `Σ ${signed(running[seat])}`)]
          : "·",
      })),
    ],
  };
}
