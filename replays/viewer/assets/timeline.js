// Two drawings: how long each play of the hand was thought about, and who leads after each hand.
//
// Both are to click on, and show only what may be shown. What they draw stands in the lists of tricks and of hands too, for who reads those.

import { cardText } from "./cards.js";
import { draw, make } from "./elements.js";
import { marksOf } from "./panels.js";
import { seatName, seconds } from "./told.js";
import { tricksOf } from "./tricks.js";
import { signed, t } from "./words.js";

const HEIGHT = 56;
const STEP = 10;

// Think times: a bar a play, hollow where the autopilot played; a click goes to the play.
export function thinkTimes(replay) {
  const hand = replay.handAt();
  if (!hand) return null;
  const tricks = tricksOf(replay, hand);
  const plays = tricks.flatMap((trick) => trick.plays);
  if (plays.length === 0) return make("p", { className: "muted" }, t("timeline.none"));
  // Places for a whole hand, so that the drawing's width says nothing of what is still to come.
  const width = 13 * replay.ruleset.decks * 4 * STEP;
  const longest = Math.max(1000, ...plays.map(([, event]) => event.think_ms));
  const drawing = draw(
    "svg", { viewBox: `0 0 ${width} ${HEIGHT + 14}`, class: "timeline", role: "img", "aria-label": summary(replay, plays) },
    tricks.map((trick) => divider(trick, plays)),
    plays.map(([step, event], place) => bar(replay, step, event, place, longest)),
  );
  return make("figure", { className: "drawing" }, drawing, make("figcaption", { className: "muted" }, [
    t("timeline.caption", { longest: seconds(longest) }), " ", legend(replay),
  ]));
}

function bar(replay, step, event, place, longest) {
  const height = Math.max(2, Math.sqrt(event.think_ms / longest) * HEIGHT);
  const here = step === replay.step;
  const signs = marksOf(replay, step).map(({ sign }) => sign).join("");
  const area = draw(
    "g", { class: `bar seat-${event.seat}${event.by === "autopilot" ? " autopilot" : ""}${here ? " now" : ""}` },
    draw("title", {}, `${seatName(replay, event.seat)} ${event.cards.map(cardText).join(" ")} · ${seconds(event.think_ms)}`),
    draw("rect", { x: place * STEP, y: 0, width: STEP, height: HEIGHT + 14, class: "area" }),
    draw("rect", { x: place * STEP + 1.5, y: HEIGHT - height, width: STEP - 3, height, class: "time" }),
    signs && draw("text", { x: place * STEP + STEP / 2, y: 8, class: "sign" }, signs),
  );
  area.addEventListener("click", () => replay.go(step));
  return area;
}

function divider(trick, plays) {
  const place = plays.findIndex(([step]) => step === trick.plays[0][0]);
  return [
    draw("line", { x1: place * STEP, x2: place * STEP, y1: 0, y2: HEIGHT + 12, class: "divider" }),
    draw("text", { x: place * STEP + 3, y: HEIGHT + 12, class: "label" }, String(trick.number)),
  ];
}

function summary(replay, plays) {
  const [, longest] = plays.reduce((one, other) => (other[1].think_ms > one[1].think_ms ? other : one));
  const autopilot = plays.filter(([, event]) => event.by === "autopilot").length;
  return t("timeline.summary", {
    plays: plays.length, seat: seatName(replay, longest.seat), longest: seconds(longest.think_ms), autopilot,
  });
}

const legend = (replay) => [0, 1, 2, 3].map((seat) =>
  make("span", { className: `key seat-${seat}` }, make("i", { "aria-hidden": "true" }), seatName(replay, seat)));

// Blood or points after each hand, a line a seat.
export function standings(replay) {
  const { ruleset, document: { steps, hands_agreed } } = replay;
  const ended = replay.hands.filter((hand) => hand.scores && hand.last <= replay.upTo);
  if (ended.length === 0) return null;
  const rows = [[0, 0, 0, 0], ...ended.map((hand) => steps[hand.last - 1].totals.blood ?? steps[hand.last - 1].totals.points)];
  const limit = ruleset.settlement?.threshold ?? 0;
  const most = Math.max(limit, ...rows.flat().map(Math.abs), 1);
  // The width is that of the agreed hands, or of those shown: never of those to come.
  const places = Math.max(hands_agreed ?? rows.length - 1, 1);
  const [width, height] = [560, 120];
  const x = (place) => 8 + (place / places) * (width - 90);
  const y = (value) => height / 2 - (value / most) * (height / 2 - 8);
  const lines = [0, 1, 2, 3].map((seat) => [
    draw("polyline", { class: `line seat-${seat}`, points: rows.map((row, place) => `${x(place)},${y(row[seat])}`).join(" ") }),
    draw("circle", { class: `dot seat-${seat}`, cx: x(rows.length - 1), cy: y(rows.at(-1)[seat]), r: 3 }),
  ]);
  // Each hand is a strip to click on: it goes to the hand's end.
  const strips = ended.map((hand, place) => {
    const strip = draw("rect", { class: "area", x: x(place + 0.5), y: 0, width: x(1) - x(0), height });
    strip.addEventListener("click", () => replay.go(hand.last));
    return draw("g", { class: hand === replay.handAt() ? "strip now" : "strip" }, draw("title", {}, t("hands.number", { hand: hand.number })), strip);
  });
  const limits = limit ? [limit, -limit].map((at) => draw("line", { class: "limit", x1: 0, x2: width, y1: y(at), y2: y(at) })) : [];
  return make(
    "figure", { className: "drawing" },
    draw(
      "svg", { viewBox: `0 0 ${width} ${height}`, class: "standings", role: "img", "aria-label": leading(replay, rows.at(-1)) },
      draw("line", { class: "zero", x1: 0, x2: width, y1: y(0), y2: y(0) }), limits, lines, strips,
    ),
    make("figcaption", { className: "muted" }, t(ruleset.settlement ? "standings.blood" : "standings.points"), " ", legend(replay)),
  );
}

function leading(replay, totals) {
  const order = [0, 1, 2, 3].sort((one, other) => totals[other] - totals[one]);
  return t("standings.summary", { order: order.map((seat) => `${seatName(replay, seat)} ${signed(totals[seat])}`).join(", ") });
}

