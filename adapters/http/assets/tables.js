// The tables in play and waiting, asked for again every few seconds while somebody looks.

import { signed, t } from "/assets/viewer/words.js";
import { ask } from "./api.js";
import { element, keepingFocus } from "./elements.js";
import { learnNames, nameOf, pass } from "./me.js";
import { rulesetName } from "./rulesets.js";
import { sitDown, tableAddress } from "./sitting.js";

const EVERY_MS = 3000;
const FIRST = 20;
const MOST = 200;

// Shows the tables and keeps them up to date; gives a function that shows them anew.
export function showTables(place, lobby) {
  const shown = { tables: null, more: false, limit: FIRST, text: "" };
  const ruleset = document.getElementById("filter-ruleset");
  const phase = document.getElementById("filter-phase");
  const redraw = () => place.replaceChildren(...lines(shown, lobby, { ruleset, phase, refresh }));
  async function refresh() {
    const query = new URLSearchParams({ limit: shown.limit });
    if (ruleset.value !== "all") query.set("ruleset", ruleset.value);
    if (phase.value !== "all") query.set("phase", phase.value);
    const { tables, next } = await ask(`/tables?${query}`);
    const named = await learnNames(tables.flatMap((table) => table.players));
    const text = JSON.stringify([tables, next]);
    if (text === shown.text && !named) return;
    Object.assign(shown, { tables, more: next !== null, text });
    keepingFocus(redraw);
  }
  ruleset.addEventListener("change", () => refresh().catch(lobby.refuse));
  phase.addEventListener("change", () => refresh().catch(lobby.refuse));
  redraw();
  keepFresh(refresh, lobby);
  return redraw;
}

// Asks again every few seconds; not while nobody looks, and a failure is said once.
async function keepFresh(refresh, lobby) {
  let failed = false;
  for (;;) {
    if (!document.hidden) {
      try {
        await refresh();
        if (failed) lobby.say(null);
        failed = false;
      } catch (refused) {
        if (!failed) lobby.refuse(refused);
        failed = true;
      }
    }
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  }
}

function lines(shown, lobby, { ruleset, phase, refresh }) {
  if (shown.tables === null) return [element("p", { class: "muted" }, t("lobby.loading"))];
  if (shown.tables.length === 0) {
    const filtered = ruleset.value !== "all" || phase.value !== "all";
    return [element("p", { class: "muted" }, t(filtered ? "lobby.none.filtered" : "lobby.none"))];
  }
  const list = element("ul", { class: "tables" }, shown.tables.map((table) => line(table, lobby)));
  if (!shown.more || shown.limit >= MOST) return [list];
  const more = () => {
    shown.limit = Math.min(MOST, shown.limit * 2);
    refresh().catch(lobby.refuse);
  };
  return [list, element("button", { type: "button", "data-key": "more", onclick: more }, t("lobby.more"))];
}

function line(table, lobby) {
  const name = rulesetName(table.ruleset);
  const mine = table.players.indexOf(pass()?.player ?? "");
  const address = tableAddress(table.match);
  const go = mine >= 0 ? t("lobby.back") : t("lobby.watch");
  return element(
    "li",
    { "data-match": table.match },
    element("h3", {}, name, " ", element("span", { class: "chip" }, t(`phase.${table.phase}`))),
    element("p", { class: "muted" }, `${handsOf(table)} · ${clockOf(table)}`),
    element("ol", { class: "players", start: 0 }, table.players.map((player, seat) => seatOf(table, seat, mine, lobby))),
    element(
      "a",
      { class: "button", href: address, "data-key": `go-${table.match}`, "aria-label": `${go}: ${t("lobby.table", { ruleset: name })}` },
      go,
    ),
  );
}

const handsOf = ({ hands_ended: ended, hands_agreed: agreed }) =>
  t("lobby.hands", { done: agreed ? Math.min(ended + 1, agreed) : ended, agreed });

const clockOf = ({ clocks }) => t("lobby.clock", { declare: clocks.declare_s, play: clocks.play_s });

function seatOf(table, seat, mine, lobby) {
  const player = table.players[seat];
  if (player) {
    const score = (table.blood ?? table.points)[seat];
    return element(
      "li",
      {},
      seat === mine ? element("strong", {}, nameOf(player)) : nameOf(player),
      table.hands_ended ? element("span", { class: "number" }, ` ${signed(score)}`) : null,
      table.autopilot[seat] ? element("span", { class: "muted" }, ` (${t("lobby.autopilot")})`) : null,
    );
  }
  if (mine >= 0 || table.phase !== "seating") return element("li", { class: "muted" }, "—");
  const label = t("lobby.sit", { seat });
  return element(
    "li",
    {},
    element(
      "button",
      { type: "button", "data-key": `sit-${table.match}-${seat}`, onclick: () => sit(table.match, seat, lobby) },
      label,
    ),
  );
}

async function sit(match, seat, lobby) {
  if (!pass()) {
    lobby.say(() => t("me.first"), { bad: true });
    document.getElementById("my-name")?.focus();
    return;
  }
  try {
    await sitDown(match, seat);
    location.assign(tableAddress(match));
  } catch (refused) {
    lobby.refuse(refused);
  }
}
