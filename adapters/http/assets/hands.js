// The library of hands: a search as a form and as this page's address, and what it finds, each with its replay.

import { language, onLanguage, signed, t } from "/assets/viewer/words.js";
import { ask } from "./api.js";
import { element, keepingFocus } from "./elements.js";
import { framePage } from "./frame.js";
import { fillForm, queryOf, showQuery } from "./hand_form.js";
import "./hands_texts.js";
import { learnNames, nameOf, pass } from "./me.js";
import { rulesetName } from "./rulesets.js";

const PAGE = 20;

const form = document.getElementById("search");
const list = document.getElementById("found");
const said = document.getElementById("said");
const more = document.getElementById("more");

let hands = [];
let next = null;
let saying = () => "";
let asked = 0;

// The search as it stands in the address; the page's own parameters are no part of it.
function query() {
  const found = new URLSearchParams(location.search);
  found.delete("lang");
  return found;
}

function say(words, isProblem = false) {
  saying = words;
  said.className = isProblem ? "problem" : "muted";
  said.textContent = words();
}

async function search(before = null) {
  const wanted = query();
  const turn = (asked += 1);
  wanted.set("limit", PAGE);
  if (before) wanted.set("before", before);
  else say(() => t("hands.wait"));
  try {
    const page = await ask(`/hands?${wanted}`);
    await learnNames([...page.hands.flatMap((hand) => hand.players), ...playersOf(query())]);
    if (turn !== asked) return;
    hands = before ? [...hands, ...page.hands] : page.hands;
    next = page.next;
    say(() => outcome());
  } catch (refused) {
    if (!refused.words) throw refused;
    if (turn !== asked) return;
    if (!before) [hands, next] = [[], null];
    say(() => refused.words, true);
  }
  redraw();
}

const playersOf = (wanted) => ["player", "partner", "opponent"].flatMap((name) => wanted.getAll(name));

function outcome() {
  if (hands.length === 0) return t([...query()].length ? "hands.none" : "hands.empty");
  return t(next ? "hands.some" : "hands.all", { count: hands.length });
}

function redraw() {
  keepingFocus(() => {
    list.replaceChildren(...hands.map(line));
    more.hidden = next === null;
  });
  const known = new Map(hands.flatMap((hand) => hand.players).map((player) => [player, nameOf(player)]));
  document.getElementById("known").replaceChildren(
    ...[...known].map(([player, name]) => element("option", { value: player }, name)),
  );
}

function line(hand) {
  const when = new Date(hand.ended_at).toLocaleString(language() === "zh" ? "zh-CN" : "en", {
    dateStyle: "medium", timeStyle: "short",
  });
  const what = t("hands.hand", { ruleset: rulesetName(hand.ruleset), hand: hand.hand_no });
  const marks = [...hand.specials.map((name) => t(`special.${name}`)), ...(hand.annulled ? [t("hands.annulled")] : [])];
  return element(
    "li", {},
    element("h3", {}, element("a", { href: `/replay/${hand.match}#hand=${hand.hand_no}`, "data-key": keyOf(hand) }, what)),
    element("p", { class: "muted" }, `${when} · ${t("hands.swing.of", { swing: hand.swing })}`,
      element("span", { class: "chips" }, marks.map((mark) => element("span", { class: "chip" }, mark)))),
    element("ul", { class: "scores" }, hand.players.map((player, seat) => score(hand, player, seat))),
  );
}

const keyOf = (hand) => `${hand.match} ${hand.hand_no}`;

function score(hand, player, seat) {
  const raw = hand.raw_scores[seat];
  const place = element("span", { class: "visually-hidden" }, `${t("hands.seat", { seat })} `);
  return element(
    "li", { class: playersOf(query()).includes(player) ? "searched" : null },
    element("a", { href: `/hands?player=${player}` }, place, nameOf(player)),
    element("span", { class: `number ${raw < 0 ? "minus" : "plus"}` }, signed(raw)),
  );
}

// Makes a query the page's address and searches for it.
function go(wanted) {
  const text = wanted.toString();
  history.pushState(null, "", text ? `/hands?${text}` : "/hands");
  showQuery(form, wanted);
  return search();
}

async function copy() {
  try {
    await navigator.clipboard.writeText(location.href);
    say(() => t("hands.copied"));
  } catch {
    say(() => t("hands.address"));
  }
}

framePage(() => t("hands.title"));
fillForm(form);
showQuery(form, query());
form.addEventListener("submit", (event) => {
  event.preventDefault();
  go(queryOf(form));
});
document.getElementById("clear").addEventListener("click", () => go(new URLSearchParams()));
document.getElementById("copy").addEventListener("click", copy);
const mine = document.getElementById("mine");
mine.hidden = pass() === null;
mine.addEventListener("click", () => go(new URLSearchParams({ player: pass()?.player ?? "" })));
more.addEventListener("click", async () => {
  const first = hands.length;
  await search(next);
  list.querySelectorAll("h3 a")[first]?.focus();
});
addEventListener("popstate", () => {
  showQuery(form, query());
  search();
});
onLanguage(() => {
  fillForm(form);
  said.textContent = saying();
  redraw();
});
search();
