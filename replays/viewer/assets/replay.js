// The replay on show: where in the match it stands, with whose eyes it looks, and what may be shown at all.
//
// In spoiler-free mode nothing that lies after the present step may reach the page. `upTo` is the last step whose
// content may be shown; every part of the page asks it, and none looks further.

import { afterPlay, canSee, statesOf, viewOf } from "./course.js";

export const VIEWERS = [0, 1, 2, 3, "spectator", "all"];
const TRICK_MARKS = new Set(["HandDealt", "DeclarationsClosed", "TrickTaken", "HandEnded", "MatchSettled", "MatchAbandoned"]);

export class Replay {
  constructor(document_) {
    this.document = document_;
    this.states = statesOf(document_);
    this.viewer = "all";
    this.spoilerFree = false;
    this.branch = null;
    this.step = this.start;
    this.listeners = new Set();
  }

  // Calls back after every change.
  onChange(listener) {
    this.listeners.add(listener);
  }

  changed() {
    for (const listener of this.listeners) listener(this);
  }

  get match() {
    return this.document.match;
  }

  get ruleset() {
    return this.document.ruleset;
  }

  get last() {
    return this.document.steps.length;
  }

  // Where one begins to look: at the first deal.
  get start() {
    return this.document.hands[0]?.first ?? 1;
  }

  // The last step whose content may be shown.
  get upTo() {
    return this.spoilerFree ? this.step : this.last;
  }

  eventAt(step) {
    return this.document.steps[step - 1].event;
  }

  // The steps that may be shown, in order, as [number, event].
  *shownSteps(first = 1, last = this.last) {
    for (let step = first; step <= Math.min(last, this.upTo); step += 1) yield [step, this.eventAt(step)];
  }

  // The hand of a step, or the one before it; null before the first deal.
  handAt(step = this.step) {
    return this.document.hands.findLast((hand) => hand.first <= step) ?? null;
  }

  // The hands that may be shown.
  get hands() {
    return this.document.hands.filter((hand) => hand.first <= this.upTo);
  }

  // The state on show: of the branch, where one is looked at, else of the step.
  get state() {
    return this.branch ? this.branch.stateAt(this.branch.cursor) : this.states[this.step];
  }

  // The view on show, with the spectator's eyes where others cannot see.
  get view() {
    return viewOf(this.state, this.eyes);
  }

  // Whose eyes are used: the chosen ones, or a spectator's where the cards never became public.
  get eyes() {
    return canSee(this.state, this.viewer) ? this.viewer : "spectator";
  }

  // Whether the chosen eyes see the cards of a seat.
  sees(seat) {
    return this.eyes === "all" || this.eyes === seat;
  }

  playerAt(seat) {
    const player = this.states[this.step]?.players[seat];
    return player ? this.document.names[player] ?? null : null;
  }

  // Goes to a step, out of any branch. Gives whether there is such a step.
  go(step) {
    const there = step >= 1 && step <= this.last;
    if (there) this.step = step;
    this.branch = null;
    this.changed();
    return there;
  }

  // One step on (or back, with -1); in a branch, one play of it.
  move(by) {
    if (!this.branch) return this.go(this.step + by);
    const there = this.branch.move(by);
    this.changed();
    return there;
  }

  // To where the next trick (or, with -1, the one before) is about to be led, or the hand ends.
  moveTrick(by) {
    if (this.branch) return this.move(by * 4);
    for (let step = this.step + by; step >= 1 && step <= this.last; step += by) {
      if (TRICK_MARKS.has(this.eventAt(step).type)) return this.go(step);
    }
    return this.go(by > 0 ? this.last + 1 : this.start);
  }

  // To the next deal, or back to this one and the one before. Without spoilers a hand is never jumped over: first its
  // end is shown.
  moveHand(by) {
    const hand = this.handAt();
    if (by < 0) return this.go(hand && this.step > hand.first ? hand.first : this.handAt((hand?.first ?? 1) - 1)?.first ?? 1);
    if (this.spoilerFree) return this.go(hand && this.step < hand.last ? hand.last : this.step + 1);
    const next = this.document.hands.find((one) => one.first > this.step);
    return this.go(next ? next.first : this.last + (this.step === this.last ? 1 : 0));
  }

  setViewer(viewer) {
    this.viewer = viewer;
    this.changed();
  }

  setSpoilerFree(on) {
    this.spoilerFree = on;
    this.changed();
  }

  setBranch(branch) {
    this.branch = branch;
    this.changed();
  }

  // The state at a step after some plays that were not made.
  stateAfter(step, plays) {
    return plays.reduce(afterPlay, this.states[step]);
  }
}
