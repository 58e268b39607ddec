// Opening a table: the ruleset, the number of hands, the clocks; alone, or with bots of the house.

import { t } from "/assets/viewer/words.js";
import { element } from "./elements.js";
import { pass } from "./me.js";
import { rulesetName } from "./rulesets.js";
import { openTable, tableAddress } from "./sitting.js";

const PACES = {
  calm: { declare_s: 40, play_s: 60, pause_s: 20 },
  usual: { declare_s: 20, play_s: 25, pause_s: 10 },
  quick: { declare_s: 10, play_s: 10, pause_s: 5 },
};
const MOST_HANDS = 256;

// Shows the form; gives a function that shows it anew, with what was chosen.
export function showOpening(form, lobby) {
  const chosen = { ruleset: "zero_sum-1", hands: 4, pace: "usual", clocks: { ...PACES.usual }, gone: "play_on" };
  const redraw = () => form.replaceChildren(...fields(chosen, lobby, redraw));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    open(chosen, lobby, event.submitter?.value === "bots");
  });
  redraw();
  return redraw;
}

async function open(chosen, lobby, bots) {
  if (!pass()) {
    lobby.say(() => t("me.first"), { bad: true });
    document.getElementById("my-name")?.focus();
    return;
  }
  try {
    location.assign(tableAddress(await openTable(termsOf(chosen, lobby), { bots })));
  } catch (refused) {
    lobby.refuse(refused);
  }
}

function termsOf(chosen, lobby) {
  const ruleset = rulesetOf(chosen, lobby);
  const hands = ruleset.settlement ? {} : { hands: chosen.hands };
  return { ruleset: chosen.ruleset, ...hands, clocks: chosen.clocks, abandonment: chosen.gone };
}

const rulesetOf = (chosen, lobby) => lobby.rulesets.find((ruleset) => ruleset.name === chosen.ruleset);

function fields(chosen, lobby, redraw) {
  const ruleset = rulesetOf(chosen, lobby);
  const names = lobby.rulesets.map(({ name }) => [name, rulesetName(name)]);
  const paces = Object.keys(PACES).map((pace) => [pace, t(`open.pace.${pace}`)]);
  const gone = ["play_on", "abandon"].map((what) => [what, t(`open.gone.${what}`)]);
  return [
    choice("ruleset", t("lobby.ruleset"), names, chosen.ruleset, (name) => {
      chosen.ruleset = name;
      redrawAt(redraw, "open-ruleset");
    }),
    ruleset.settlement
      ? element("p", { class: "muted" }, t("open.threshold", { threshold: ruleset.settlement.threshold }))
      : number("hands", t("open.hands"), 1, MOST_HANDS, chosen.hands, (hands) => (chosen.hands = hands)),
    choice("pace", t("open.pace"), paces, chosen.pace, (pace) => {
      chosen.pace = pace;
      Object.assign(chosen.clocks, PACES[pace]);
      redrawAt(redraw, "open-pace");
    }),
    ownClocks(chosen, lobby.offer.most_clock_s),
    choice("gone", t("open.gone"), gone, chosen.gone, (what) => (chosen.gone = what)),
    element("div", { class: "bar" }, sendButtons(lobby)),
  ];
}

function redrawAt(redraw, id) {
  const open = document.querySelector("#open details")?.open;
  redraw();
  if (open) document.querySelector("#open details").open = true;
  document.getElementById(id).focus();
}

function ownClocks(chosen, most) {
  const clock = (name, key, least) =>
    number(name, t(`open.${key}`), least, most, chosen.clocks[name], (value) => (chosen.clocks[name] = value));
  return element(
    "details",
    {},
    element("summary", {}, t("open.own")),
    clock("declare_s", "declare", 1), clock("play_s", "play", 1), clock("pause_s", "pause", 0),
  );
}

function sendButtons(lobby) {
  const send = (value, text, main) =>
    element("button", { type: "submit", value, class: main ? "main" : null, "data-key": `open-${value}` }, text);
  const bots = lobby.offer.bots;
  return [bots ? send("bots", t("open.bots"), true) : null, send("alone", t("open.go"), !bots)];
}

function choice(name, label, options, value, onChoice) {
  const select = element(
    "select",
    { id: `open-${name}`, "data-key": `open-${name}`, onchange: (event) => onChoice(event.target.value) },
    options.map(([one, text]) => element("option", { value: one, selected: one === value }, text)),
  );
  return field(name, label, select);
}

function number(name, label, min, max, value, onNumber) {
  const input = element("input", {
    type: "number", id: `open-${name}`, "data-key": `open-${name}`, min, max, required: true, value,
    oninput: (event) => event.target.validity.valid && onNumber(event.target.valueAsNumber),
  });
  return field(name, label, input);
}

const field = (name, label, input) =>
  element("div", { class: "field" }, element("label", { for: `open-${name}` }, label), input);
