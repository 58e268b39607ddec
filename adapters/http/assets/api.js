// Asking the site: JSON there and back, refusals in the words of the language in use.

import { cardText } from "/assets/viewer/cards.js";
import { language, register, t } from "/assets/viewer/words.js";

register({
  en: {
    "api.away": "The site cannot be reached. Is the connection all right?",
    "api.odd": "The site answered something this page does not understand ({status}).",
  },
  zh: {
    "api.away": "无法连接网站。网络正常吗？",
    "api.odd": "网站的答复无法识别（{status}）。",
  },
});

const MOST_TRIES = 4;
const LONGEST_WAIT_S = 5;
const CARD = /\b[SHDC][2-9TJQKA][ab]?\b/g;

// What the site refused, or that it was not reached. `reason` is stable; `words` are for people, in either language.
export class Refused extends Error {
  constructor(problem) {
    super(problem.detail);
    this.problem = problem;
    this.reason = problem.reason;
    this.status = problem.status;
  }

  get words() {
    if (this.reason === "Away") return t("api.away");
    if (this.reason === "Odd") return t("api.odd", { status: this.status });
    const words = language() === "zh" ? this.problem.detail_zh : this.problem.detail;
    return words.replace(CARD, cardText);
  }
}

// A random UUID; a page that did not come over HTTPS has `crypto.getRandomValues` only.
export function randomId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = hexOf(bytes);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

export const hexOf = (bytes) => [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");

// What the site answers. A command is asked again where it is busy; what is only read is not. Throws `Refused`.
export async function ask(path, { method = "GET", body, token } = {}) {
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const request = { method, headers, body: body === undefined ? undefined : JSON.stringify(body), cache: "no-store" };
  for (let tries = 1; ; tries += 1) {
    const answer = await reached(path, request);
    if (answer.ok) return answer.json();
    const refused = await refusal(answer);
    const wait = refused.problem.retry_after_s ?? LONGEST_WAIT_S + 1;
    if (method === "GET" || tries >= MOST_TRIES || wait > LONGEST_WAIT_S) throw refused;
    await new Promise((resolve) => setTimeout(resolve, wait * 1000));
  }
}

export const post = (path, token, body = {}) => ask(path, { method: "POST", body, token });

async function reached(path, request) {
  try {
    return await fetch(path, request);
  } catch {
    throw new Refused({ reason: "Away", status: 0, detail: "the site cannot be reached" });
  }
}

async function refusal(answer) {
  try {
    return new Refused(await answer.json());
  } catch {
    return new Refused({ reason: "Odd", status: answer.status, detail: `status ${answer.status}` });
  }
}
