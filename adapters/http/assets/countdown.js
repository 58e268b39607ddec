// How much time is left, by the service's clock: a number and a bar that shrinks, and a word when it runs short.

import { t } from "/assets/viewer/words.js";

const EVERY_MS = 250;
const SHORT_S = 5;

export class Countdown {
  constructor(place, table) {
    this.place = place;
    this.table = table;
    this.bar = place.querySelector("progress");
    this.number = place.querySelector("b");
    this.warned = null;
    setInterval(() => this.tick(), EVERY_MS);
  }

  redraw() {
    this.tick();
  }

  tick() {
    const { live } = this.table;
    live?.watch();
    const left = this.runs() ? live.left() : null;
    this.place.hidden = left === null;
    if (left === null) return;
    const seconds = Math.max(0, Math.ceil(left / 1000));
    this.number.textContent = t("table.seconds", { left: seconds });
    this.bar.max = this.whole();
    this.bar.value = Math.max(0, left / 1000);
    this.place.classList.toggle("short", seconds <= SHORT_S);
    this.warn(seconds);
  }

  // Whether a clock runs that somebody here waits for; that an offer lapses after an hour is none.
  runs() {
    const { view } = this.table;
    return view !== null && (view.phase !== "seating" || !view.players.includes(null));
  }

  // The length of the clock that runs now, in seconds.
  whole() {
    const { view, terms } = this.table;
    const { clocks } = terms;
    const lengths = { seating: clocks.seat_s, declaring: clocks.declare_s, playing: clocks.play_s, between_hands: clocks.pause_s };
    return Math.max(1, lengths[view.phase] ?? 1);
  }

  // Says once for each turn that little time is left.
  warn(seconds) {
    const { table } = this;
    if (!table.wasMyTurn || table.view.autopilot[table.me]) return;
    if (seconds > SHORT_S || this.warned === table.live.number) return;
    this.warned = table.live.number;
    if (this.whole() > 2 * SHORT_S) table.say(() => t("turn.soon", { left: SHORT_S }));
  }
}
