// The cards in one's own hand: only what may be played can be, a pair is chosen card by card, and the keyboard does it
// all. Buttons stay while their cards do, so that the focus stays where it was.

import { cardButton, cardText, inHandOrder } from "/assets/viewer/cards.js";
import { t } from "/assets/viewer/words.js";
import { button } from "./elements.js";

const same = (one, other) => one.length === other.length && one.every((name) => other.includes(name));

export class OwnHand {
  // `play(cards)` plays; `explain(cards)` says why these may not be played; `askTwice()` tells whether to ask first.
  constructor(place, chosenPlace, { play, explain, askTwice }) {
    this.place = place;
    this.chosenPlace = chosenPlace;
    this.playCards = play;
    this.explain = explain;
    this.askTwice = askTwice;
    this.buttons = new Map();
    this.cards = [];
    this.legal = [];
    this.chosen = [];
    place.addEventListener("keydown", (event) => this.key(event));
    place.addEventListener("focusin", (event) => this.rove(event.target.closest("button")));
  }

  // Shows the cards. `legal` are the plays that may be made now; none while it is not one's turn. `marksOf(name)` says
  // what is declared.
  show(cards, legal, marksOf) {
    this.cards = inHandOrder(cards);
    this.legal = legal ?? [];
    if (!this.fits(this.chosen)) this.chosen = [];
    this.place.classList.toggle("waiting", this.legal.length === 0);
    this.renew(marksOf);
    this.redraw();
  }

  renew(marksOf) {
    const focused = document.activeElement;
    const at = [...this.place.children].indexOf(focused);
    const wanted = new Map(this.cards.map((name) => [name, marksOf(name)]));
    for (const [name, made] of this.buttons) {
      if (wanted.get(name)?.join() === made.marks) continue;
      made.button.remove();
      this.buttons.delete(name);
    }
    for (const [name, marks] of wanted) if (!this.buttons.has(name)) this.make(name, marks);
    const order = this.order();
    order.forEach((one, number) => {
      if (this.place.children[number] !== one) this.place.insertBefore(one, this.place.children[number] ?? null);
    });
    if (at >= 0 && !focused.isConnected) order[Math.min(at, order.length - 1)]?.focus();
    if (!order.some((one) => one.tabIndex === 0) && order.length) this.rove(order[0]);
  }

  make(name, marks) {
    const made = cardButton(name, { marks, onChoose: () => this.choose(name) });
    made.tabIndex = -1;
    this.buttons.set(name, { button: made, marks: marks.join() });
  }

  order() {
    return this.cards.map((name) => this.buttons.get(name)?.button).filter(Boolean);
  }

  redraw() {
    for (const [name, { button: made }] of this.buttons) {
      made.dataset.fits = String(!this.chosen.includes(name) && this.fits([...this.chosen, name]));
      if (this.fits([name])) made.removeAttribute("aria-disabled");
      else made.setAttribute("aria-disabled", "true");
      made.setAttribute("aria-pressed", String(this.chosen.includes(name)));
    }
    this.chosenPlace.replaceChildren(...this.chosenButtons());
  }

  chosenButtons() {
    if (this.chosen.length === 0) return [];
    const ready = this.complete();
    return [
      button(t("table.play", { cards: this.chosen.map(cardText).join(" ") }), () => this.play(), {
        key: "play", main: true, disabled: !ready,
      }),
      button(t("table.unchoose"), () => this.unchoose(), { key: "unchoose" }),
    ];
  }

  // A card is chosen: it completes the only play there is with it, or waits for a second one, or for a yes.
  choose(name) {
    if (this.chosen.includes(name)) {
      if (this.complete()) this.play();
      else this.unchoose();
      return;
    }
    if (!this.fits([name])) {
      this.explain(this.attempt(name));
      return;
    }
    const together = [...this.chosen, name];
    this.chosen = this.fits(together) ? together : [name];
    const more = this.cards.some((one) => !this.chosen.includes(one) && this.fits([...this.chosen, one]));
    if (this.complete() && !more && !this.askTwice()) this.play();
    else this.redraw();
  }

  // What to ask about a card that is in no legal play: with as many cards as are owed.
  attempt(name) {
    const owed = Math.min(2, ...this.legal.map((play) => play.length));
    return owed === 2 ? [name, this.legal[0].find((one) => one !== name)] : [name];
  }

  // Whether there is a play with all of these cards.
  fits(cards) {
    return this.legal.some((play) => cards.every((name) => play.includes(name)));
  }

  complete() {
    return this.legal.find((play) => same(play, this.chosen));
  }

  play() {
    const cards = this.complete();
    this.chosen = [];
    this.legal = [];
    this.redraw();
    if (cards) this.playCards(cards);
  }

  unchoose() {
    this.chosen = [];
    this.redraw();
  }

  rove(to) {
    if (!to || !this.place.contains(to)) return;
    for (const { button: made } of this.buttons.values()) made.tabIndex = made === to ? 0 : -1;
  }

  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const order = this.order();
    const at = order.indexOf(document.activeElement);
    const to = this.target(event.key, order, at);
    if (event.key === "Escape") this.unchoose();
    else if (!to) return;
    event.preventDefault();
    to?.focus();
  }

  target(key, order, at) {
    if (key === "ArrowRight") return order[(at + 1) % order.length];
    if (key === "ArrowLeft") return order[(at - 1 + order.length) % order.length];
    if (key === "Home") return order[0];
    if (key === "End") return order[order.length - 1];
    if (!/^[1-9]$/.test(key)) return null;
    const allowed = order.filter((one) => !one.hasAttribute("aria-disabled"));
    return allowed[Number(key) - 1] ?? null;
  }
}
