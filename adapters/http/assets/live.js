// A live match over its socket: a snapshot, then numbered changes; cut off, it comes back with the last number it has.

import { Refused, ask, randomId } from "./api.js";

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5000;
const STALLED_MS = 5000;
const SEAT_LOST = 4403;
const EXPIRED = 4401;
const ASKED_AGAIN = new Set([429, 503]);
const ASK_WHY_AFTER = 3;

// One viewer's match. Events: "change" (`detail`: the match's events since; none of them with a first or fresh view),
// "cut" and "back" (the connection), "lost" (`detail`: why the seat or the token is no more).
export class LiveMatch extends EventTarget {
  constructor(match, { token = null, seated = false } = {}) {
    super();
    this.match = match;
    this.view = null;
    this.terms = null;
    this.number = 0;
    this.connected = false;
    this.deadline = null;
    this.token = token;
    this.seated = seated;
    this.waiting = new Map();
    this.ahead = 0;
    this.failures = 0;
    this.closed = false;
    this.retry = null;
    this.onLine = () => this.reconnectNow();
    addEventListener("online", this.onLine);
    this.open();
  }

  // The time at the service, in ms, as far as can be told from its last frame.
  now() {
    return performance.now() + this.ahead;
  }

  // How long until the service acts, in ms; null where it waits for nobody.
  left() {
    return this.deadline === null ? null : this.deadline - this.now();
  }

  // Gives a command; resolves with its receipt, throws `Refused`. Asked again after a cut, under the same id.
  command(what, body = {}) {
    const id = randomId();
    const message = JSON.stringify({ do: what, body: { ...body, command_id: id }, sent_ms: Date.now() });
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { message, resolve, reject });
      if (this.connected) this.socket.send(message);
    });
  }

  // Ends it for good.
  close() {
    this.closed = true;
    clearTimeout(this.retry);
    removeEventListener("online", this.onLine);
    this.socket.close();
  }

  // Comes back at once if the service should have acted long ago and nothing was heard: the line may be dead.
  watch() {
    if (this.connected && this.deadline !== null && this.left() < -STALLED_MS) {
      this.deadline = null;
      this.socket.close();
      this.cut(0);
    }
  }

  open() {
    this.socket?.close();
    const query = new URLSearchParams({ as: this.seated ? "seat" : "spectator" });
    if (this.number) query.set("after", this.number);
    const address = new URL(`/matches/${this.match}/live?${query}`, location.href);
    address.protocol = address.protocol.replace("http", "ws");
    const protocols = this.token ? ["gongzhu", `bearer.${this.token}`] : ["gongzhu"];
    const socket = new WebSocket(address, protocols);
    this.socket = socket;
    socket.addEventListener("message", (message) => this.take(JSON.parse(message.data), socket));
    socket.addEventListener("close", (event) => {
      if (socket === this.socket) this.cut(event.code);
    });
  }

  take(frame, socket) {
    if (socket !== this.socket || this.closed) return;
    if (frame.frame === "answer") this.answer(frame);
    else if (frame.frame === "snapshot") this.adopt(frame);
    else if (frame.after === this.number && this.view) this.apply(frame);
    else this.startAnew();
  }

  adopt(frame) {
    const first = this.view === null;
    this.view = frame.view;
    this.terms = frame.terms;
    this.advance(frame, [], first);
  }

  apply(frame) {
    const { hand } = this.view;
    const merged = { ...this.view, ...frame.changes };
    if (hand && frame.changes.hand) merged.hand = { ...hand, ...frame.changes.hand };
    this.view = merged;
    this.advance(frame, frame.events);
  }

  advance(frame, events, first = false) {
    this.number = frame.number;
    this.ahead = Date.parse(frame.now) - performance.now();
    this.deadline = frame.deadline === null ? null : Date.parse(frame.deadline);
    if (!this.connected) this.settle(first);
    this.dispatchEvent(new CustomEvent("change", { detail: { events } }));
  }

  // The first frame is here: whatever waits for an answer is asked (again).
  settle(first) {
    this.connected = true;
    this.failures = 0;
    if (!first) this.dispatchEvent(new CustomEvent("back"));
    for (const { message } of this.waiting.values()) this.socket.send(message);
  }

  // An answer without a command's id is one to whatever came too often.
  answer(frame) {
    if (ASKED_AGAIN.has(frame.status)) {
      setTimeout(() => this.askAgain(frame.command_id), (frame.body.retry_after_s ?? 1) * 1000);
      return;
    }
    const waiting = this.waiting.get(frame.command_id);
    if (!waiting) return;
    this.waiting.delete(frame.command_id);
    if (frame.status === 200) waiting.resolve(frame.body);
    else waiting.reject(new Refused(frame.body));
  }

  askAgain(id) {
    if (!this.connected) return;
    for (const [one, { message }] of this.waiting) if (id === null || id === one) this.socket.send(message);
  }

  startAnew() {
    this.number = 0;
    this.socket.close();
    this.cut(0);
  }

  cut(code) {
    if (this.closed) return;
    if (code === SEAT_LOST || code === EXPIRED) {
      this.lose(code === SEAT_LOST ? "seat" : "token");
      return;
    }
    this.connected = false;
    this.dispatchEvent(new CustomEvent("cut"));
    this.failures += 1;
    const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.failures) * (0.75 + Math.random() / 2);
    clearTimeout(this.retry);
    this.retry = setTimeout(() => this.comeBack(), wait);
  }

  // A browser is not told why a socket was refused: after some failures it is asked for over HTTP.
  async comeBack() {
    if (this.failures >= ASK_WHY_AFTER && this.seated) {
      try {
        await ask(`/matches/${this.match}?as=seat`, { token: this.token });
      } catch (refused) {
        if (refused.status === 401 || refused.status === 403) {
          this.lose(refused.status === 401 ? "token" : "seat");
          return;
        }
      }
    }
    if (!this.closed) this.open();
  }

  // The seat or the token is no more.
  lose(why) {
    this.close();
    for (const { reject } of this.waiting.values()) {
      reject(new Refused({ reason: "Lost", status: 403, detail: "this seat is lost", detail_zh: "座位已不在" }));
    }
    this.waiting.clear();
    this.dispatchEvent(new CustomEvent("lost", { detail: why }));
  }

  reconnectNow() {
    if (this.closed || this.connected) return;
    clearTimeout(this.retry);
    this.open();
  }
}
