// What happened at a table, in sentences: the events of a match as they come in, the newest last.

import { card, faceDown, isScoring } from "/assets/viewer/cards.js";
import { onLanguage, signed, t } from "/assets/viewer/words.js";
import { element, filled } from "./elements.js";
import { nameOf } from "./me.js";

const MOST_LINES = 80;
const UNTOLD = new Set(["MatchOpened"]);

// A list that is read aloud as it grows, and told anew when the language changes.
export class Log {
  constructor(place) {
    this.place = place;
    this.list = place.querySelector("ol");
    this.lines = [];
    onLanguage(() => this.list.replaceChildren(...this.lines.map((tell) => element("li", {}, tell()))));
  }

  // One more line; `tell` makes its text or element in the language in use.
  add(tell) {
    this.lines.push(tell);
    this.list.append(element("li", {}, tell()));
    if (this.lines.length > MOST_LINES) {
      this.lines.shift();
      this.list.firstElementChild.remove();
    }
    this.place.scrollTop = this.place.scrollHeight;
  }

  // A line for each event that is worth one.
  tell(events, table) {
    for (const event of events) if (!UNTOLD.has(event.type)) this.add(() => sentenceOf(event, table));
  }
}

// An event as a sentence. Names are those of who sits there now, so they are right once they are known.
function sentenceOf(event, table) {
  const mine = event.player !== undefined ? event.player === table.player : seatOf(event) === table.me;
  const values = {
    who: event.player ? nameOf(event.player) : table.who(seatOf(event)),
    seat: String(event.seat ?? ""), hand: String(event.hand_no ?? ""), cards: cardsOf(event), scores: scoresOf(event, table),
  };
  return filled(t(keyOf(event, mine)), values);
}

const seatOf = (event) => (event.type === "DeclarationsClosed" ? event.leader : event.seat);

function keyOf(event, mine) {
  const base = `log.${event.type}`;
  const own = mine && t(`${base}.mine`) !== `${base}.mine` ? `${base}.mine` : base;
  if (event.type === "CardsPlayed" && event.by === "autopilot") return `${own}.autopilot`;
  if (event.type === "TrickTaken" && event.cards.some(isScoring)) return `${own}.with`;
  return own;
}

function cardsOf(event) {
  const face = (name, marks = []) => card(name, { size: "small", marks });
  if (event.type === "CardDeclared") {
    const marks = [event.level, ...(event.automatic ? ["automatic"] : [])];
    return event.card ? [face(event.card, marks)] : [faceDown({ size: "small" })];
  }
  if (event.type === "TrickTaken") return event.cards.filter(isScoring).map((name) => face(name));
  if (event.type !== "CardsPlayed") return [];
  const opened = new Set(event.openings.map((opening) => opening.card));
  return event.cards.map((name) => face(name, opened.has(name) ? ["hidden"] : []));
}

function scoresOf(event, table) {
  const scores = event.type === "MatchSettled" ? event.points : event.raw_scores;
  return scores ? scores.map((score, seat) => `${table.who(seat)} ${signed(score)}`).join(" · ") : "";
}
