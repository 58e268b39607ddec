// Branches: other cards tried from a step of the record, by hand or played on plainly, and compared with what was played.

import { card } from "./cards.js";
import { afterPlay, isPlayedOut } from "./course.js";
import { button, make, tableOf } from "./elements.js";
import { plainPlay } from "./plain_play.js";
import { rawScores, refusalOf } from "./rules.js";
import { seatName, seatTitle } from "./told.js";
import { keep, kept, signed, t } from "./words.js";

// One line of play that was not made: from a step of the record, so many plays.
export class Branch {
  constructor(replay, { id, from, plays }) {
    this.replay = replay;
    this.id = id;
    this.from = from;
    this.plays = plays;
    this.cursor = plays.length;
    this.states = [];
  }

  stateAt(cursor) {
    for (let place = this.states.length; place <= cursor; place += 1) {
      this.states.push(this.replay.stateAfter(this.from, this.plays.slice(0, place)));
    }
    return this.states[cursor];
  }

  get state() {
    return this.stateAt(this.cursor);
  }

  // Whether the hand is played out at the branch's end.
  get isOver() {
    return isPlayedOut(this.stateAt(this.plays.length).hand);
  }

  move(by) {
    const wanted = Math.max(0, Math.min(this.plays.length, this.cursor + by));
    const there = wanted !== this.cursor;
    this.cursor = wanted;
    return there;
  }

  // Plays cards at the cursor; what followed there is given up.
  play(cards) {
    this.plays = [...this.plays.slice(0, this.cursor), cards];
    this.states = this.states.slice(0, this.cursor + 1);
    this.cursor += 1;
  }

  // Lets all seats play plainly, up to the hand's end or for so many plays.
  playOn(most = Infinity) {
    this.cursor = this.plays.length;
    for (let count = 0; count < most && !isPlayedOut(this.state.hand); count += 1) {
      this.play(plainPlay(this.replay.ruleset, this.state.hand));
    }
  }

  // What the play before the cursor was, as a sentence of captions; null at the branch's beginning.
  get told() {
    if (this.cursor === 0) return null;
    const { hand: before } = this.stateAt(this.cursor - 1);
    const { hand } = this.state;
    const played = t("branch.played", { seat: before.turn, cards: this.plays[this.cursor - 1].join(" ") });
    const taken = hand.takers.length > before.takers.length;
    return played + (taken ? t("branch.takes", { seat: hand.takers.at(-1) }) : "");
  }

  // The raw scores of a branch that is played out, null of any other.
  get scores() {
    if (!this.isOver) return null;
    const { hand, ruleset } = this.stateAt(this.plays.length);
    return rawScores(ruleset, hand.taken, Object.fromEntries(hand.declarations.map((one) => [one.card, one.level])));
  }
}

// The branches of a match, kept on this machine.
export class Branches {
  constructor(replay) {
    this.replay = replay;
    this.name = `gongzhu.branches.${replay.match}`;
    this.all = stored(this.name).filter((one) => isPlayable(replay, one)).map((one) => new Branch(replay, one));
  }

  // A new branch that begins with these cards at a step of the record; the branch on show goes on instead.
  try(from, cards) {
    const { branch } = this.replay;
    if (branch) {
      branch.play(cards);
    } else {
      const id = Math.max(0, ...this.all.map((one) => one.id)) + 1;
      this.all.push(new Branch(this.replay, { id, from, plays: [cards] }));
    }
    this.show(branch ?? this.all.at(-1));
  }

  show(branch) {
    this.save();
    if (branch) this.replay.step = branch.from;
    this.replay.setBranch(branch);
  }

  remove(branch) {
    this.all = this.all.filter((one) => one !== branch);
    this.show(this.replay.branch === branch ? null : this.replay.branch);
  }

  save() {
    keep(this.name, JSON.stringify(this.all.map(({ id, from, plays }) => ({ id, from, plays }))));
  }
}

function stored(name) {
  try {
    const found = JSON.parse(kept(name) ?? "[]");
    return Array.isArray(found) ? found : [];
  } catch {
    return [];
  }
}

// Whether what was kept is a line of legal plays from a step of this record.
function isPlayable(replay, { from, plays } = {}) {
  let state = replay.states[from];
  return Array.isArray(plays) && state?.phase === "playing" && plays.every((cards) => {
    const may = state.hand.turn !== null && state.hand.holdings && refusalOf(replay.ruleset, state.hand, cards) === null;
    if (may) state = afterPlay(state, cards);
    return may;
  });
}

// The line over the table while a branch is on show.
export function branchBar(branches) {
  const { branch } = branches.replay;
  if (!branch) return null;
  const play = (most) => () => {
    branch.playOn(most);
    branches.show(branch);
  };
  return make(
    "div", { className: "notice bar", role: "group", "aria-label": t("branch.one", { id: branch.id }) },
    make("span", {}, make("b", {}, t("branch.one", { id: branch.id })), " ", t("branch.where", {
      from: branch.from, play: branch.cursor, plays: branch.plays.length,
    })),
    button(t("branch.one_more"), play(1), { "data-key": "branch one more", disabled: branch.isOver }),
    button(t("branch.play_on"), play(Infinity), { "data-key": "branch play on", disabled: branch.isOver }),
    button(t("branch.back"), () => branches.show(null), { className: "main", "data-key": "branch back" }),
  );
}

// The list of branches, those from steps that may be shown.
export function branchList(branches) {
  const { replay } = branches;
  const shown = branches.all.filter((branch) => branch.from <= replay.upTo);
  return [
    make("p", { className: "muted" }, t("branch.how")),
    shown.map((branch) => make(
      "section", { className: "branch", "aria-label": t("branch.one", { id: branch.id }) },
      make("h3", {}, t("branch.one", { id: branch.id })),
      make("p", {}, told(replay, branch)),
      branch.scores ? comparison(replay, branch) : make("p", { className: "muted" }, t("branch.not_over")),
      make("div", { className: "bar" },
        button(t("branch.show"), () => branches.show(branch), { "data-key": `branch ${branch.id} show` }),
        button(t("branch.remove"), () => branches.remove(branch), { "data-key": `branch ${branch.id} remove`, className: "quiet" })),
    )),
  ].flat();
}

// From where, and with which cards instead of which.
function told(replay, branch) {
  const { turn, trick_no: trick } = replay.states[branch.from].hand;
  const event = branch.from < replay.upTo ? replay.eventAt(branch.from + 1) : null;
  const faces = (names) => names.map((name) => card(name, { size: "small" }));
  return [
    t("branch.from", { step: branch.from, trick }), " ", make("b", {}, seatName(replay, turn)), " ", faces(branch.plays[0]),
    event?.type === "CardsPlayed" ? [" ", t("branch.instead"), " ", faces(event.cards)] : [],
  ].flat();
}

// The raw scores of the branch beside those of the record, where these may be shown.
function comparison(replay, branch) {
  const hand = replay.handAt(branch.from);
  const recorded = hand.scores && hand.last <= replay.upTo ? replay.eventAt(hand.last).raw_scores : null;
  const number = (value) => ({ properties: { className: "number" }, value });
  return make("div", { className: "wide" }, tableOf({
    caption: t("branch.compared"),
    heads: [t("branch.seat"), t("branch.record"), t("branch.branch"), t("branch.difference")],
    rows: [0, 1, 2, 3].map((seat) => [
      seatTitle(replay, seat),
      number(recorded ? signed(recorded[seat]) : "?"),
      number(signed(branch.scores[seat])),
      number(recorded ? signed(branch.scores[seat] - recorded[seat]) : "?"),
    ]),
  }));
}
