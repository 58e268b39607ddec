// Exercises out of costly decisions: the table as the player saw it, a question, and the answer once one has chosen.
//
// While one practises, the replay stands at the step before the decision, with the player's eyes and without spoilers.

import { cardText } from "./cards.js";
import { button, make } from "./elements.js";
import { t } from "./words.js";

export class Exercises {
  // `answerTold()` gives the nodes that show what each choice was worth.
  constructor(replay, answerTold) {
    this.replay = replay;
    this.answerTold = answerTold;
    this.decisions = [];
    this.place = 0;
    this.given = null;
    this.before = null;
  }

  get current() {
    return this.decisions[this.place] ?? null;
  }

  get open() {
    return this.current !== null;
  }

  begin(decisions) {
    const { step, viewer, spoilerFree } = this.replay;
    this.before = { step, viewer, spoilerFree };
    this.replay.spoilerFree = true;
    this.decisions = decisions;
    this.show(0);
  }

  show(place) {
    this.place = place;
    this.given = null;
    if (!this.open) return this.end();
    this.replay.viewer = this.current.seat;
    return this.replay.go(this.current.step - 1);
  }

  end() {
    this.decisions = [];
    Object.assign(this.replay, { viewer: this.before.viewer, spoilerFree: this.before.spoilerFree });
    this.replay.go(this.before.step);
  }

  nodes() {
    const one = this.current;
    const asked = one.kind === "play" ? t("review.ask_play") : t("review.ask_declare", { card: cardText(one.card) });
    const options = one.choices.map(({ label }) => label).sort();
    return [
      make("h3", {}, t("review.exercise", { number: this.place + 1, many: this.decisions.length })),
      make("p", {}, asked),
      make("div", { className: "bar", role: "group", "aria-label": asked }, options.map((label) => this.option(one, label))),
      ...(this.given === null ? [] : this.answer(one)),
      make("div", { className: "bar" },
        button(t("review.next"), () => this.show(this.place + 1), { className: "main", "data-key": "next exercise" }),
        button(t("review.stop"), () => this.end(), { "data-key": "stop" })),
    ];
  }

  option(one, label) {
    const choose = () => {
      this.given = label;
      this.replay.changed();
    };
    return button(choiceText(one, label), choose, { "aria-pressed": String(this.given === label), "data-key": `option ${label}` });
  }

  answer(one) {
    const best = choiceText(one, one.best);
    const { known_cost: { mean } } = one.choices.find(({ label }) => label === this.given);
    const words = this.given === one.best
      ? t("review.right", { best })
      : t("review.wrong", { best, chosen: choiceText(one, this.given), cost: Math.round(mean) });
    return [
      make("p", { role: "status" }, make("b", {}, words), " ", t("review.then", { chosen: choiceText(one, one.chosen) })),
      make("div", { className: "wide" }, this.answerTold()),
    ];
  }
}

// A choice as one reads it: cards, or how a card is declared.
export const choiceText = (one, label) => (one.kind === "play" ? label.split(" ").map(cardText).join(" ") : t(`review.${label}_declared`));
