// The review of a hand: what each decision cost, marks on plays, the choices at a step, and exercises out of it.
//
// A file that works alone carries reviews in its document; a served page asks for them, and has them made on request.
// Costs by what a player knew and with all cards shown are kept apart: the first grade, the second explain.

import { cardText } from "./cards.js";
import { button, make, tableOf } from "./elements.js";
import { choiceText, Exercises } from "./exercises.js";
import { addMarks, addPanel } from "./panels.js";
import { seatName, seatTitle } from "./told.js";
import { language, signed, t } from "./words.js";
import "./review_words.js";

const COSTLY = new Set(["inaccuracy", "mistake", "blunder"]);
const SIGNS = { inaccuracy: "?!", mistake: "?", blunder: "??" };
const POLL_MS = 5000;

class ReviewPanel {
  constructor(replay) {
    this.replay = replay;
    this.found = new Map();
    this.limits = {};
    this.costly = false;
    this.exercises = new Exercises(replay, () => this.exerciseTold());
    const embedded = replay.document.review;
    for (const review of embedded?.hands ?? []) this.found.set(review.hand_no, { review });
    if (embedded) this.limits = embedded;
  }

  // `{ sign, words }` of a costly decision, null of any other.
  mark(step) {
    const hand = this.replay.handAt(step);
    const one = this.found.get(hand?.number)?.review?.decisions.find((decision) => decision.step === step && COSTLY.has(decision.size));
    return one ? { sign: SIGNS[one.size], words: `${t(`size.${one.size}`)}, ${t("review.cost")} ${costText(madeOf(one).known_cost)}` } : null;
  }

  nodes() {
    const { replay } = this;
    const hand = replay.handAt();
    if (!hand?.scores) return [make("p", { className: "muted" }, t("review.none"))];
    if (this.exercises.open) return this.exercises.nodes();
    const { review, state } = this.of(hand.number);
    if (review) return this.told(review);
    if (state === "missing") {
      const ask = () => this.load(hand.number, true);
      return [make("p", {}, t("review.not_made")), button(t("review.make"), ask, { className: "main", "data-key": "review" })];
    }
    return [make("p", { role: "status", className: state === "failed" ? "problem" : "" }, t(`review.${state}`))];
  }

  // What is known of a hand's review: `{ review }`, or `{ state }`.
  of(number) {
    if (!this.found.has(number)) {
      const embedded = document.getElementById("document");
      this.found.set(number, { state: embedded ? "no_file" : "loading" });
      if (!embedded) this.load(number, false);
    }
    return this.found.get(number);
  }

  async load(number, order) {
    this.found.set(number, { state: order ? "waiting" : "loading" });
    if (order) this.replay.changed();
    try {
      const answer = await fetch(`/matches/${this.replay.match}/review?hand=${number}&order=${order ? "yes" : "no"}`);
      if (!answer.ok) throw new Error(String(answer.status));
      const body = await answer.json();
      this.limits = body;
      this.found.set(number, body.hands.length ? { review: body.hands[0] } : { state: order ? "waiting" : "missing" });
      if (order && !body.hands.length) setTimeout(() => this.load(number, true), POLL_MS);
    } catch {
      this.found.set(number, { state: "failed" });
    }
    this.replay.changed();
  }

  told(review) {
    const decisions = this.shownOf(review);
    return [
      this.filters(),
      this.replay.spoilerFree && make("p", { className: "muted" }, t("review.hidden")),
      this.choices(review),
      decisions.length ? make("div", { className: "wide" }, this.table(review, decisions)) : make("p", {}, t("review.nothing")),
      !this.replay.spoilerFree && make("div", { className: "wide" }, this.luck(review)),
      ...this.limitsTold(review),
    ].filter(Boolean);
  }

  // The decisions to show: of the eyes on the table, costly ones only if so wished, none of later steps without spoilers.
  shownOf(review) {
    const { viewer, upTo } = this.replay;
    return review.decisions.filter((one) =>
      one.step <= upTo && (typeof viewer !== "number" || one.seat === viewer) && (!this.costly || COSTLY.has(one.size)));
  }

  filters() {
    const { replay } = this;
    const check = make("input", { type: "checkbox", checked: this.costly, "data-key": "costly", onchange: () => {
      this.costly = check.checked;
      replay.changed();
    } });
    const whose = ["all", 0, 1, 2, 3].map((viewer) => button(
      viewer === "all" ? t("review.everyone") : seatTitle(replay, viewer),
      () => replay.setViewer(viewer),
      { "aria-pressed": String(typeof replay.viewer === "number" ? replay.viewer === viewer : viewer === "all"), "data-key": `whose ${viewer}` },
    ));
    const practise = () => this.exercises.begin(this.exercisesOf());
    return make("div", {},
      make("div", { className: "bar", role: "group", "aria-label": t("review.whose") }, whose),
      make("div", { className: "bar" },
        make("label", { className: "check" }, check, t("review.costly")),
        button(t("review.practise"), practise, { "data-key": "practise", disabled: this.exercisesOf().length === 0 }),
      ));
  }

  exercisesOf() {
    const { review } = this.found.get(this.replay.handAt()?.number) ?? {};
    return review ? this.shownOf(review).filter(({ size, by }) => COSTLY.has(size) && by === "player") : [];
  }

  exerciseTold() {
    const { current, before } = this.exercises;
    return current ? [choiceTable(current, { shown: !before.spoilerFree })] : [];
  }

  table(review, decisions) {
    const { replay } = this;
    const { points_per_value: points, at_stake: stake, hand_no: hand } = review;
    const shown = !replay.spoilerFree;
    return tableOf({
      caption: t(points ? "review.caption_points" : "review.caption", { hand, points, stake }),
      heads: [t("review.play"), t("review.chosen"), t("review.better"),
        ...(shown ? [t("review.shown")] : [])],
      className: "review",
      rows: decisions.map((one) => ({
        properties: { className: [one.step === replay.step && "now", `size-${one.size}`].filter(Boolean).join(" ") },
        cells: [
          button(`${placeText(one)} ${seatName(replay, one.seat)}`, () => replay.go(one.step - 1), {
            className: "plain", "data-key": `decision ${one.step} ${one.card}`, "aria-label": `${placeText(one)} ${seatName(replay, one.seat)}: ${t("review.go", { step: one.step - 1 })}`,
          }),
          [choiceText(one, one.chosen), ...sizeNodes(one)],
          betterText(one, one.best, madeOf(one).known_cost),
          ...(shown ? [betterText(one, one.best_shown, madeOf(one).shown_cost)] : []),
        ],
      })),
    });
  }

  // Every choice of the decision at the step on show, or (with spoilers) of the one that comes next.
  choices(review) {
    const { replay } = this;
    const one = review.decisions.find(({ step }) => step === replay.step)
      ?? (replay.spoilerFree ? null : review.decisions.find(({ step }) => step === replay.step + 1));
    if (!one) return null;
    const method = one.method === "exact"
      ? t("review.exact")
      : t("review.playouts", { worlds: review.settings.worlds, possible: manyText(one.worlds) });
    return make("div", { className: "wide" }, choiceTable(one, { shown: !replay.spoilerFree }), make("p", { className: "muted" }, method));
  }

  luck(review) {
    const { replay } = this;
    return tableOf({
      caption: t("review.luck_caption"),
      heads: [t("review.seat"), t("review.result"), t("review.luck"), t("review.adjusted"), t("review.all_costs")],
      rows: review.luck.map((luck, seat) => [
        seatTitle(replay, seat), signed(Math.round(luck.result)), estimateText(luck.deal), signed(Math.round(luck.adjusted)),
        String(Math.round(sum(review.decisions.filter((one) => one.seat === seat).map((one) => madeOf(one).known_cost.mean)))),
      ]),
    });
  }

  limitsTold(review) {
    const lines = (language() === "zh" ? this.limits.limits_zh : this.limits.limits) ?? [];
    const few = review.settings.worlds < 1000;
    return [make("details", { open: true, "data-key": "limits" },
      make("summary", {}, t("review.limits")),
      make("ul", { className: "muted" }, [...(few ? [t("review.few")] : []), ...lines].map((line) => make("li", {}, line))))];
  }
}

const sum = (numbers) => numbers.reduce((one, other) => one + other, 0);
const madeOf = (one) => one.choices.find(({ label }) => label === one.chosen);

// A decision's place: its trick, or the card that was to be declared.
const placeText = (one) => (one.kind === "play" ? t("review.trick", { trick: one.trick_no }) : cardText(one.card));

// A cost with its standard error; 0 where nothing was better.
const costText = ({ mean, error }) => (mean ? Math.round(mean) + (error ? ` ±${Math.round(error)}` : "") : "0");

// The size of a costly decision: its sign, and its word for who cannot see it.
const sizeNodes = ({ size }) => (COSTLY.has(size)
  ? [make("b", { className: "size", title: t(`size.${size}`), "aria-hidden": "true" }, ` ${SIGNS[size]}`),
    make("span", { className: "visually-hidden" }, ` ${t(`size.${size}`)}`)]
  : []);

// What was better, and by how much; nothing where the choice made was best.
const betterText = (one, best, cost) => (best === one.chosen ? "" : `${choiceText(one, best)}: ${costText(cost)}`);

const estimateText = ({ mean, error }) => signed(Math.round(mean)) + (error ? ` ±${Math.round(error)}` : "");

// A count that can be huge, in a few characters.
const manyText = (count) => (count.length < 7 ? count : `${Number(count).toExponential(1).replace("e+", " × 10^")}`);

// All choices of a decision with what each was worth.
function choiceTable(one, { shown }) {
  return tableOf({
    caption: t("review.choices", { step: one.step }),
    className: "review",
    heads: [t("review.choice"), t("review.worth"), t("review.cost"), ...(shown ? [t("review.worth_shown"), t("review.shown_cost")] : [])],
    rows: one.choices.map((choice) => ({
      properties: { className: choice.label === one.chosen ? "now" : "" },
      cells: [
        choiceText(one, choice.label), estimateText(choice.known), costText(choice.known_cost),
        ...(shown ? [estimateText(choice.shown), costText(choice.shown_cost)] : []),
      ],
    })),
  });
}

const panels = new WeakMap();

function panelOf(replay) {
  if (!panels.has(replay)) panels.set(replay, new ReviewPanel(replay));
  return panels.get(replay);
}

addPanel("review", (replay) => panelOf(replay).nodes());
addMarks((replay, step) => panelOf(replay).mark(step));
