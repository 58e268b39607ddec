// The form of a search, and the query that it stands for: the same names as the API and `gongzhu hands` take.

import { t } from "/assets/viewer/words.js";
import { element } from "./elements.js";
import { rulesetName } from "./rulesets.js";

export const SPECIALS = [
  "slam", "all_hearts", "lone_transformer", "pig_to_declarer", "hidden_pig_caught", "big_swing", "autopilot",
];
const FAMILIES = ["blood", "zero_sum"];
const RULESETS = FAMILIES.flatMap((family) =>
  ["1", "2", "1-partners", "2-partners"].map((rest) => `${family}-${rest}`));
const ORIGINS = ["served", "bots", "seeded", "imported"];
const ORDERS = ["newest", "swing", "highest", "lowest"];
const BOUNDS = ["score", "points", "swing"].flatMap((what) => [[what, "min"], [what, "max"]]);
const WHOLE_DAY = /^\d{4}-\d\d-\d\d$/;

// Fills in what depends on the language; what is chosen stays.
export function fillForm(form) {
  fillChoices(form.elements.ruleset, [["", t("hands.any")], ...RULESETS.map((name) => [name, rulesetName(name)])]);
  fillChoices(form.elements.origin, [["", t("hands.any")], ...ORIGINS.map((name) => [name, t(`hands.origin.${name}`)])]);
  fillChoices(form.elements.order, ORDERS.map((name) => [name === "newest" ? "" : name, t(`hands.order.${name}`)]));
  const chosen = new Set([...form.querySelectorAll("[name=special]:checked")].map((box) => box.value));
  form.querySelector("#specials").replaceChildren(...SPECIALS.map((name) => specialBox(name, chosen.has(name))));
  const numbers = Object.fromEntries([...form.querySelectorAll("#bounds input")].map((input) => [input.name, input.value]));
  form.querySelector("#bounds").replaceChildren(...BOUNDS.map(([what, end]) => bound(what, end, numbers)));
  form.querySelector("#meanings").replaceChildren(
    ...SPECIALS.flatMap((name) => [
      element("dt", {}, t(`special.${name}`)),
      element("dd", {}, t(`special.${name}.is`)),
    ]),
  );
}

function fillChoices(select, choices) {
  const before = select.value;
  select.replaceChildren(...choices.map(([value, text]) => element("option", { value }, text)));
  select.value = before;
}

const specialBox = (name, checked) =>
  element(
    "label", { class: "check" },
    element("input", { type: "checkbox", name: "special", value: name, checked }),
    t(`special.${name}`),
  );

function bound(what, end, numbers) {
  const name = `${what}_${end}`;
  const input = element("input", { type: "number", name, step: "1", inputmode: "numeric" });
  input.value = numbers[name] ?? "";
  return element("label", {}, element("span", {}, t(`hands.${end}`, { what: t(`hands.${what}`) })), input);
}

// The query of what the form holds: only what was given.
export function queryOf(form) {
  const query = new URLSearchParams();
  for (const [name, value] of new FormData(form)) {
    const texts = name === "opponent" ? value.split(/[\s,]+/) : [value.trim()];
    for (const text of texts) if (text) query.append(name, text);
  }
  return query;
}

// Puts a query into the form. A time that is no whole day is shown as the text that it is.
export function showQuery(form, query) {
  for (const input of form.querySelectorAll("input, select")) {
    if (input.name === "special") input.checked = query.getAll("special").includes(input.value);
    else if (input.name === "opponent") input.value = query.getAll("opponent").join(", ");
    else showValue(input, query.get(input.name) ?? "");
  }
  form.elements.order.value = query.get("order") === "newest" ? "" : (query.get("order") ?? "");
  if (BOUNDS.some(([what, end]) => query.has(`${what}_${end}`))) form.querySelector("#numbers").open = true;
}

function showValue(input, value) {
  if (input.name === "from" || input.name === "to") input.type = value && !WHOLE_DAY.test(value) ? "text" : "date";
  input.value = value;
}
