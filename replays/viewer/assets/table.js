// The table as the chosen eyes see it: four seats around the trick.

import { card, cardButton, cardList, cardText, faceDown, inHandOrder } from "./cards.js";
import { make } from "./elements.js";
import { heldBack } from "./rules.js";
import { seatTitle } from "./told.js";
import { signed, t } from "./words.js";

const PLACES = ["bottom", "right", "top", "left"];

// Draws the table. `onCard(name)` is called for a card of the seat to move, whether it may be played or not.
export function tableNodes(replay, { onCard } = {}) {
  const { view, state } = replay;
  const below = typeof replay.eyes === "number" ? replay.eyes : 0;
  const placeOf = (seat) => `at-${PLACES[(seat - below + 4) % 4]}`;
  const seats = [0, 1, 2, 3].map((turn) => (below + turn) % 4);
  return make(
    "div", { className: `table${replay.ruleset.decks === 2 ? " two-decks" : ""}` },
    seats.map((seat) => seatBox(replay, view, state, seat, placeOf(seat), onCard)),
    make("div", { className: "middle" }, view.hand ? trickBox(replay, view, placeOf) : standing(replay, view)),
  );
}

function seatBox(replay, view, state, seat, place, onCard) {
  const { hand } = view;
  const toMove = view.phase === "playing" && hand?.turn === seat;
  const signs = [
    toMove && t("table.to_move"),
    hand && hand.leader === seat && view.phase === "playing" && t("table.leads_hand"),
    view.autopilot[seat] && t("table.autopilot"),
    view.phase === "declaring" && hand?.done[seat] && t("table.done"),
  ].filter(Boolean);
  return make(
    "section", { className: `seat ${place}${toMove ? " to-move" : ""}`, "aria-label": seatTitle(replay, seat) },
    make("h3", {}, seatTitle(replay, seat), signs.length > 0 && make("small", { className: "muted" }, signs.join(" · "))),
    hand && [
      handOf(view, state, seat, toMove && onCard),
      declarationsOf(view, seat),
      takenOf(view, seat),
    ],
    totals(view, seat),
  );
}

// The cards of a seat: faces where they are seen, backs where not.
function handOf(view, state, seat, onCard) {
  const { hand } = view;
  const seen = hand.all_cards?.[seat] ?? (view.viewer === seat ? hand.cards : null);
  if (!seen) {
    const left = hand.cards_left[seat];
    return make("div", { className: "cards" }, left > 0 && faceDown({ size: "small", count: left }));
  }
  const held = heldBack(state.hand);
  const declared = new Map(hand.declarations.filter((one) => one.seat === seat).map((one) => [one.card, one.level]));
  const marksOf = (name) => [declared.get(name), held.includes(name) && "held"].filter(Boolean);
  const label = t("table.cards_of");
  if (!onCard) return cardList(inHandOrder(seen), { size: "small", marksOf, label });
  const buttons = inHandOrder(seen).map((name) => {
    const choice = cardButton(name, { size: "small", marks: marksOf(name), onChoose: onCard });
    choice.dataset.key = `card ${name}`;
    return make("li", {}, choice);
  });
  return make("ul", { className: "cards small", "aria-label": label }, buttons);
}

function declarationsOf(view, seat) {
  const own = view.hand.declarations.filter((one) => one.seat === seat);
  if (own.length === 0) return null;
  const faces = own.map((one) =>
    one.card
      ? card(one.card, { size: "small", marks: [one.level, one.automatic && "automatic"].filter(Boolean) })
      : faceDown({ size: "small" }));
  return make("p", { className: "row" }, make("span", { className: "muted" }, t("table.declared")), faces);
}

function takenOf(view, seat) {
  const { taken, takers } = view.hand;
  const tricks = takers.filter((one) => one === seat).length;
  if (tricks === 0) return null;
  const text = taken[seat].length ? taken[seat].map(cardText).join(" ") : t("table.no_points");
  return make(
    "p", { className: "row taken" },
    make("span", { className: "muted" }, t("table.taken", { tricks })), make("span", {}, text),
  );
}

function totals(view, seat) {
  const number = view.blood ? view.blood[seat] : view.points[seat];
  if (view.hands_ended === 0) return null;
  return make(
    "p", { className: "row" },
    make("span", { className: "muted" }, t(view.blood ? "blood" : "points")),
    make("span", { className: number < 0 ? "minus" : "plus" }, signed(number)),
  );
}

// The trick in progress, or the one just taken with its taker.
function trickBox(replay, view, placeOf) {
  const { hand } = view;
  const justTaken = hand.trick.length === 0 && hand.last_trick.length > 0;
  const plays = justTaken ? hand.last_trick : hand.trick;
  const taker = justTaken ? hand.takers.at(-1) : null;
  const levels = new Map(hand.declarations.filter((one) => one.card).map((one) => [one.card, one.level]));
  const title = view.phase === "declaring"
    ? t("table.declaring", { hand: hand.number })
    : t(justTaken ? "table.trick_taken" : "table.trick", { hand: hand.number, trick: hand.trick_no - justTaken });
  return [
    make("p", { className: "muted trick-title" }, title),
    make("div", { className: `trick${justTaken ? " done" : ""}` }, plays.map((play, place) =>
      make(
        "div", { className: `play ${placeOf(play.seat)}`, role: "group", "aria-label": seatTitle(replay, play.seat) },
        play.cards.map((name) => card(name, {
          marks: [levels.get(name), place === 0 && "leads", play.seat === taker && "takes"].filter(Boolean),
        })),
      ))),
  ];
}

// Between hands and after the match.
function standing(replay, view) {
  const text = {
    seating: t("table.seating"), between_hands: t("table.between", { hands: view.hands_ended }),
    settled: t("table.settled"), abandoned: t("table.abandoned"),
  }[view.phase];
  return [make("p", {}, text), view.annulled && make("p", { className: "problem" }, t("table.annulled"))];
}
