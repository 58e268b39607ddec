// The four seats around the trick, from the eyes of the seat at the bottom; play runs counter-clockwise.

import { card, cardList, faceDown, inHandOrder } from "/assets/viewer/cards.js";
import { signed, t } from "/assets/viewer/words.js";
import { button, element } from "./elements.js";
import { nameOf } from "./me.js";

const PLACES = ["at-bottom", "at-right", "at-top", "at-left"];
// As the eye goes around: a screen reader meets the seats in turn order, from the bottom on.
const placeOf = (seat, bottom) => PLACES[(seat - bottom + 4) % 4];

// Draws the seats and the trick of `table.view` into `place`.
export function drawTable(place, table) {
  const seats = [0, 1, 2, 3].map((step) => seatPanel((table.bottom + step) % 4, table));
  place.replaceChildren(...seats, trickOf(table));
}

function seatPanel(seat, table) {
  const { view } = table;
  const { hand } = view;
  const turn = hand?.turn === seat && view.phase === "playing";
  return element(
    "section",
    {
      class: `seat ${placeOf(seat, table.bottom)}${turn ? " to-move" : ""}`,
      "data-seat": seat,
      "aria-label": `${t("seat.title", { seat })}: ${nameOf(view.players[seat])}`,
    },
    element("h3", {}, seatName(seat, table), badges(seat, table, turn)),
    view.players[seat] ? scoreLine(seat, view) : freeSeat(seat, table),
    hand ? declaredOf(seat, table) : null,
    hand && hand.taken[seat].length ? takenOf(seat, table) : null,
  );
}

function seatName(seat, table) {
  const name = element("span", { class: "who" }, table.view.players[seat] ? table.who(seat) : t("seat.free"));
  const you = seat === table.me ? ` (${t("seat.you")})` : "";
  return [name, element("span", { class: "muted small" }, `${t("seat.title", { seat })}${you}`)];
}

function badges(seat, table, turn) {
  const { view } = table;
  const partner = table.ruleset?.partners && table.me !== null && seat === (table.me + 2) % 4;
  const told = [
    turn ? "seat.turn" : null,
    view.hand?.leader === seat && view.hand.trick_no === 1 ? "seat.leads" : null,
    view.phase === "declaring" && view.hand.done[seat] ? "seat.done" : null,
    view.autopilot[seat] ? "seat.autopilot" : null,
    partner ? "seat.partner" : null,
  ];
  return told.filter(Boolean).map((key) => element("span", { class: "chip" }, t(key)));
}

function scoreLine(seat, view) {
  const key = view.blood ? "seat.blood" : "seat.points";
  const score = t(key, { score: signed((view.blood ?? view.points)[seat]) });
  const left = view.hand ? ` · ${t("seat.left", { count: view.hand.cards_left[seat] })}` : "";
  return element("p", { class: "muted small" }, score + left);
}

function freeSeat(seat, table) {
  if (table.me !== null || table.view.phase !== "seating") return null;
  return button(t("seat.sit"), () => table.sit(seat), { key: `sit-${seat}`, main: true });
}

function declaredOf(seat, table) {
  const mine = table.view.hand.declarations.filter((declaration) => declaration.seat === seat);
  if (mine.length === 0) return null;
  const shown = mine.map(({ card: name, level, automatic }) =>
    name
      ? card(name, { size: "small", marks: [level, ...(automatic ? ["automatic"] : [])] })
      : faceDown({ size: "small" }));
  const label = t("seat.declared", { who: table.who(seat) });
  return element("ul", { class: "cards small", "aria-label": label }, shown.map((face) => element("li", {}, face)));
}

const takenOf = (seat, table) =>
  cardList(inHandOrder(table.view.hand.taken[seat]), {
    size: "small", label: t("seat.taken", { who: table.who(seat) }),
  });

// The trick in progress; between tricks the last one, with who takes it.
function trickOf(table) {
  const { hand, phase } = table.view;
  const trick = element("section", { class: "middle trick", "aria-label": trickLabel(table) });
  if (!hand || phase !== "playing") return trick;
  const over = hand.trick.length === 0 && hand.last_trick.length > 0;
  const plays = over ? hand.last_trick : hand.trick;
  const taker = over ? hand.takers[hand.takers.length - 1] : null;
  trick.append(...playsOf(plays, taker, table));
  if (over) trick.classList.add("over");
  return trick;
}

function trickLabel({ view, ruleset }) {
  if (!view.hand || view.phase !== "playing") return t("table.nobody");
  return t("table.trick_no", { trick: view.hand.trick_no, tricks: 13 * (ruleset?.decks ?? 1) });
}

// The plays of a trick, each at its seat's place.
function playsOf(plays, taker, table) {
  return plays.map(({ seat, cards }, number) => {
    const marks = [...(seat === taker ? ["takes"] : []), ...(number === 0 ? ["leads"] : [])];
    return element(
      "div",
      { class: `played ${placeOf(seat, table.bottom)}`, role: "group", "aria-label": table.who(seat), "data-seat": seat },
      cards.map((name) => card(name, { marks })),
    );
  });
}
