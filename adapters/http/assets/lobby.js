// The lobby: tables in play and waiting, ended matches, boards, opening a table, and who one is.

import { onLanguage, t } from "/assets/viewer/words.js";
import { Refused, ask } from "./api.js";
import { showBoards } from "./boards.js";
import { element, keepingFocus } from "./elements.js";
import { showEnded } from "./ended.js";
import { framePage } from "./frame.js";
import "./lobby_texts.js";
import { showOpening } from "./opening.js";
import { showMe } from "./person.js";
import { rulesList, rulesetName } from "./rulesets.js";
import { showTables } from "./tables.js";

const at = (id) => document.getElementById(id);

// Says something to everyone, aloud for a screen reader: a text that is made anew when the language changes.
function sayIn(place) {
  let last = null;
  const show = () => {
    place.replaceChildren(...(last ? [element("p", { class: last.bad ? "problem" : "notice" }, last.words())] : []));
  };
  onLanguage(show);
  return (words, { bad = false } = {}) => {
    last = words ? { words, bad } : null;
    show();
  };
}

function showRules(place, rulesets) {
  place.replaceChildren(
    ...rulesets.map((ruleset) =>
      element(
        "details",
        { id: `rules-${ruleset.name}` },
        element("summary", {}, rulesetName(ruleset.name)),
        rulesList(ruleset),
      )),
  );
  const named = location.hash && document.getElementById(location.hash.slice(1));
  if (named?.tagName === "DETAILS") named.open = true;
}

function options(select, names, textOf) {
  const { value } = select;
  select.replaceChildren(...names.map((name) => element("option", { value: name }, textOf(name))));
  select.value = names.includes(value) ? value : names[0];
}

function fillFilters(rulesets) {
  const names = rulesets.map((ruleset) => ruleset.name);
  const rulesetOr = (name) => (name === "all" ? t("lobby.all") : rulesetName(name));
  options(at("filter-ruleset"), ["all", ...names], rulesetOr);
  options(at("filter-phase"), ["all", "seating", "declaring", "playing", "between_hands"], (name) =>
    name === "all" ? t("lobby.all") : t(`phase.${name}`));
  options(at("board-ruleset"), names, rulesetName);
  options(at("board-period"), ["all", "year", "month", "day"], (name) => t(`period.${name}`));
  options(at("board-origin"), ["served", "bots", "seeded", "imported", "all"], (name) => t(`origin.${name}`));
}

async function start() {
  framePage(() => t("lobby.title"));
  const say = sayIn(at("said"));
  const refuse = (refused) => {
    if (!(refused instanceof Refused)) throw refused;
    say(() => refused.words, { bad: true });
  };
  try {
    const [offer, rulesets] = await Promise.all([ask("/site"), ask("/rulesets")]);
    fillFilters(rulesets);
    if (rulesets.some(({ name }) => name === "zero_sum-1")) at("board-ruleset").value = "zero_sum-1";
    const lobby = { offer, rulesets, say, refuse };
    const shown = [
      showMe(at("me"), lobby), showOpening(at("open"), lobby), showTables(at("tables"), lobby),
      showEnded(at("ended"), lobby), showBoards(at("board"), lobby),
    ];
    showRules(at("rulesets"), rulesets);
    lobby.refresh = () => keepingFocus(() => shown.forEach((redraw) => redraw()));
    onLanguage(() => {
      fillFilters(rulesets);
      showRules(at("rulesets"), rulesets);
      lobby.refresh();
    });
  } catch (refused) {
    refuse(refused);
  }
}

start();
