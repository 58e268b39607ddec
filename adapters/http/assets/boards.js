// A leaderboard, by ruleset, period and who played.

import { signed, t } from "/assets/viewer/words.js";
import { ask } from "./api.js";
import { element } from "./elements.js";
import { learnNames, nameOf, pass } from "./me.js";
import { rulesetName } from "./rulesets.js";

const COLUMNS = ["rank", "player", "points", "average", "matches", "hands", "wins", "pigs", "slams", "rating"];
const SHOWN = 50;

// Shows the board that is chosen; gives a function that shows it anew.
export function showBoards(place, lobby) {
  const choices = ["ruleset", "period", "origin"].map((name) => document.getElementById(`board-${name}`));
  let board = null;
  const redraw = () => place.replaceChildren(boardOf(board, choices[0].value));
  async function read() {
    const [ruleset, period, origin] = choices.map((choice) => choice.value);
    const query = new URLSearchParams({ period: periodNow(period), origin, limit: SHOWN });
    try {
      board = await ask(`/leaderboards/${ruleset}?${query}`);
      await learnNames(board.map((line) => line.player));
      redraw();
    } catch (refused) {
      if (!refused.words) throw refused;
      place.replaceChildren(element("p", { class: "muted" }, refused.words));
    }
  }
  for (const choice of choices) choice.addEventListener("change", () => read().catch(lobby.refuse));
  redraw();
  read().catch(lobby.refuse);
  return redraw;
}

// A period as the site names it, in UTC: "all", "2025", "2025-06", "2025-06-30".
function periodNow(period) {
  const lengths = { all: 0, year: 4, month: 7, day: 10 };
  return period === "all" ? "all" : new Date().toISOString().slice(0, lengths[period]);
}

function boardOf(board, ruleset) {
  if (board === null) return element("p", { class: "muted" }, t("lobby.loading"));
  if (board.length === 0) return element("p", { class: "muted" }, t("lobby.none.board"));
  const head = COLUMNS.map((name) =>
    element("th", { scope: "col", class: name === "player" ? null : "number" }, t(`board.${name}`)));
  return element(
    "table",
    {},
    element("caption", {}, t("board.caption", { ruleset: rulesetName(ruleset) })),
    element("thead", {}, element("tr", {}, head)),
    element("tbody", {}, board.map(line)),
  );
}

function line(entry) {
  const rating = entry.mu === null ? "·" : entry.mu.toFixed(1);
  const texts = {
    ...entry, player: nameOf(entry.player), points: signed(entry.points),
    average: signed(Math.round(entry.points_per_hand * 10) / 10), rating,
  };
  const cell = (name) =>
    name === "player"
      ? element("th", { scope: "row" }, texts.player)
      : element("td", { class: "number" }, String(texts[name]));
  return element("tr", { class: entry.player === pass()?.player ? "mine" : null }, COLUMNS.map(cell));
}
