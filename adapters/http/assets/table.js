// A live table: from one's own seat, or as everyone may see it.

import { keep, kept, onLanguage, t } from "/assets/viewer/words.js";
import { drawActions } from "./actions.js";
import { Refused, ask } from "./api.js";
import { Countdown } from "./countdown.js";
import { drawDeclaring } from "./declaring.js";
import { element, keepingFocus } from "./elements.js";
import { framePage } from "./frame.js";
import { OwnHand } from "./hand.js";
import { LiveMatch } from "./live.js";
import { learnNames, nameOf, pass } from "./me.js";
import { forgetNonce, nonceFor, noteShown } from "./nonce.js";
import { drawLast, drawRules, drawState } from "./panels.js";
import { drawResult } from "./result.js";
import { rulesetName } from "./rulesets.js";
import { drawTable } from "./seats.js";
import { sitDown } from "./sitting.js";
import "./table_texts.js";
import { Log } from "./telling.js";

const KEPT_TWICE = "gongzhu.ask-twice";
const at = (id) => document.getElementById(id);

class TablePage {
  constructor(match, offer) {
    this.match = match;
    this.offer = offer;
    this.me = null;
    this.bottom = 0;
    this.agreed = 0;
    this.said = null;
    this.connection = null;
    this.revealed = false;
    this.told = Promise.resolve();
    this.leaving = false;
    this.playing = false;
    this.wasMyTurn = false;
    this.log = new Log(at("log"));
    this.countdown = new Countdown(at("clock"), this);
    this.hand = new OwnHand(at("hand"), at("chosen"), {
      play: (cards) => this.play(cards),
      explain: (cards) => this.explain(cards),
      askTwice: () => at("ask-twice").checked,
    });
    at("ask-twice").checked = kept(KEPT_TWICE) === "yes";
    at("ask-twice").addEventListener("change", (event) => keep(KEPT_TWICE, event.target.checked ? "yes" : "no"));
    this.retitle = framePage(() => this.title());
    onLanguage(() => this.redraw());
  }

  get view() {
    return this.live?.view ?? null;
  }

  get terms() {
    return this.live?.terms ?? null;
  }

  get ruleset() {
    return this.terms?.ruleset ?? null;
  }

  get player() {
    return pass()?.player ?? null;
  }

  // What a seat's player is called; the seat itself where nobody sits.
  who(seat) {
    const player = this.view?.players[seat];
    return player ? nameOf(player) : t("seat.title", { seat });
  }

  title() {
    const { view } = this;
    if (!view) return t("table.title");
    return view.hand?.turn === this.me && this.me !== null ? `● ${t("state.turn.mine")}` : rulesetName(view.ruleset);
  }

  // Connects as who one is: at one's seat, or as a spectator.
  connect(players) {
    const mine = pass();
    const seat = mine ? players.indexOf(mine.player) : -1;
    this.live?.close();
    this.me = seat >= 0 ? seat : null;
    this.bottom = this.me ?? this.bottom;
    this.live = new LiveMatch(this.match, { token: mine?.token ?? null, seated: seat >= 0 });
    this.live.addEventListener("change", (event) => this.changed(event.detail));
    this.live.addEventListener("cut", () => this.connected(() => t("net.cut")));
    this.live.addEventListener("back", () => {
      const { number } = this.live;
      this.connected(() => t("net.back", { number }));
      this.log.add(() => t("log.back"));
    });
    this.live.addEventListener("lost", (event) => this.lost(event.detail));
    this.log.add(() => (this.me === null ? t("log.watch") : t("log.sit", { seat: this.me })));
  }

  connected(words) {
    this.connection = words;
    at("connection").textContent = words ? words() : "";
    document.body.classList.toggle("cut", !this.live.connected);
  }

  changed({ events }) {
    const mine = this.isMyTurn();
    const begins = mine && !this.wasMyTurn && !this.view.autopilot[this.me];
    if (mine !== this.wasMyTurn && !this.said?.stays) this.say(null);
    this.wasMyTurn = mine;
    this.redraw();
    document.body.classList.toggle("cut", !this.live.connected);
    this.told = this.told.then(() => this.tell(events, begins));
    this.reveal();
  }

  isMyTurn() {
    const { view, me } = this;
    return me !== null && view.phase === "playing" && view.hand.turn === me;
  }

  // Tells what happened, one change after another, once the names are known. They are a courtesy: where they cannot be
  // had now, ids stand for them, and a later change asks again.
  async tell(events, turnBegins) {
    try {
      if (await learnNames(this.view?.players ?? [])) this.redraw();
    } catch (refused) {
      if (!(refused instanceof Refused)) throw refused;
    }
    this.log.tell(events, this);
    if (turnBegins) this.log.add(() => t("log.your_turn"));
  }

  // All four sit: shows the nonce that was committed to, once.
  async reveal() {
    const { view, me } = this;
    if (this.revealed || me === null || view.phase !== "seating" || view.players.includes(null)) return;
    const nonce = nonceFor(this.match, me);
    if (!nonce) return;
    this.revealed = true;
    try {
      await this.live.command("reveal", { nonce });
      noteShown(this.match);
      this.redraw();
    } catch (refused) {
      forgetNonce(this.match);
      if (refused.reason !== "NonceNotCommitted" && refused.reason !== "WrongPhase") this.refuse(refused);
    }
  }

  // The seat or the token is no more: what goes on is watched.
  lost(why) {
    if (!this.leaving) this.say(() => t(`lost.${why}`), { bad: true, stays: true });
    this.leaving = false;
    this.revealed = false;
    this.connect([]);
  }

  // Says something above the page, until the turn changes or, where it stays, something else is said.
  say(words, { bad = false, stays = false } = {}) {
    this.said = words ? { words, bad, stays } : null;
    this.drawSaid();
  }

  refuse(refused) {
    if (!(refused instanceof Refused)) throw refused;
    if (refused.reason === "Lost") return;
    this.say(() => refused.words, { bad: true });
  }

  // Whether something went well; a refusal is said.
  async try(work) {
    try {
      await work();
      this.say(null);
      return true;
    } catch (refused) {
      this.refuse(refused);
      return false;
    }
  }

  command(what, body) {
    return this.try(() => this.live.command(what, body));
  }

  async sit(seat) {
    await this.try(async () => {
      await sitDown(this.match, seat);
      const { view } = await ask(`/matches/${this.match}`);
      this.connect(view.players);
    });
  }

  turn() {
    this.bottom = (this.bottom + 1) % 4;
    this.redraw();
  }

  meant() {
    return { hand_no: this.view.hand.number, trick_no: this.view.hand.trick_no };
  }

  async play(cards) {
    this.playing = true;
    const played = await this.command("play", { cards, ...this.meant() });
    this.playing = false;
    if (!played) this.redraw();
  }

  // Why cards may not be played: it is not the time, or the site says which rule forbids it.
  // While a play is under way there is nothing to say: a second click is no second card.
  async explain(cards) {
    if (this.playing) return;
    if (!this.wasMyTurn) {
      this.say(() => t(this.view.phase === "declaring" ? "turn.not.declaring" : "turn.not"));
      return;
    }
    await this.command("play", { cards, ...this.meant() });
  }

  redraw() {
    if (!this.view) return;
    at("live").hidden = false;
    keepingFocus(() => this.draw());
    this.retitle();
  }

  draw() {
    const { view } = this;
    drawState(this);
    this.drawSaid();
    drawTable(at("table"), this);
    drawDeclaring(at("declaring"), this);
    this.drawHand();
    drawResult(at("result"), this);
    drawActions(at("actions"), this);
    drawLast(this);
    drawRules(this);
    this.countdown.redraw();
    const main = at("main");
    Object.assign(main.dataset, { phase: view.phase, number: view.version, mine: String(this.wasMyTurn) });
  }

  drawSaid() {
    const { said } = this;
    at("said").replaceChildren(...(said ? [element("p", { class: said.bad ? "problem" : "notice" }, said.words())] : []));
  }

  drawHand() {
    const { view, me } = this;
    const cards = me === null ? null : view.hand?.cards;
    at("own").hidden = !cards;
    if (!cards) return;
    const declared = new Map(view.hand.declarations.map((one) => [one.card, one.level]));
    this.hand.show(cards, view.hand.legal, (name) => (declared.has(name) ? [declared.get(name)] : []));
  }
}

async function start() {
  const match = location.pathname.split("/").pop();
  try {
    const [offer, found] = await Promise.all([ask("/site"), ask(`/matches/${match}`)]);
    new TablePage(match, offer).connect(found.view.players);
  } catch (refused) {
    framePage(() => t("table.title"));
    const words = () => (refused.status === 404 ? t("table.wrong") : (refused.words ?? String(refused)));
    const show = () =>
      at("said").replaceChildren(
        element("p", { class: "problem" }, words()),
        element("p", {}, element("a", { class: "button", href: "/" }, t("table.lobby"))),
      );
    show();
    onLanguage(show);
  }
}

start();
