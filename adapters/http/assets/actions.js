// What one can do at a table besides playing: get up, fill it, let the autopilot play, end it; and, watching, turn it.

import { t } from "/assets/viewer/words.js";
import { post } from "./api.js";
import { button, element } from "./elements.js";
import { pass } from "./me.js";
import { forgetNonce } from "./nonce.js";
import { askForBots } from "./sitting.js";

const OVER = new Set(["settled", "abandoned"]);

// Draws what can be done now: buttons in a row, and what is to be said of it.
export function drawActions(place, table) {
  const { buttons, notes } = doable(table);
  place.replaceChildren(
    ...notes.filter(Boolean).map(([text, kind]) => element("p", { class: kind }, text)),
    element("div", { class: "bar" }, buttons),
  );
}

function doable(table) {
  const { phase } = table.view;
  if (OVER.has(phase)) return { buttons: [replayLink(table)], notes: [] };
  if (phase === "seating") return beforeTheDeal(table);
  return table.me === null ? { buttons: [turnButton(table)], notes: [watching()] } : inPlay(table);
}

const watching = () => [t("do.watching"), "muted"];
const replayLink = (table) => element("a", { class: "button", href: `/replay/${table.match}` }, t("do.replay"));
const turnButton = (table) => button(t("do.turn"), () => table.turn(), { key: "turn" });

function beforeTheDeal(table) {
  const free = table.view.players.includes(null);
  const seated = table.me !== null;
  const opener = table.terms.opened_by === pass()?.player;
  const fill = () => table.try(() => askForBots(table.match));
  return {
    buttons: [
      seated && free && table.offer.bots ? button(t("do.bots"), fill, { key: "bots", main: true }) : null,
      seated ? button(t("do.leave"), () => leave(table), { key: "leave" }) : turnButton(table),
      opener ? button(t("do.close"), () => abandon(table), { key: "close" }) : null,
    ],
    notes: [seated ? null : watching(), free ? [t("do.invite"), "muted"] : null],
  };
}

function inPlay(table) {
  const away = table.view.autopilot[table.me];
  const give = button(t("do.hand_over"), () => table.command("hand-over"), { key: "hand-over" });
  const take = button(t("do.take_back"), () => table.command("take-back"), { key: "take-back", main: true });
  const agreed = table.agreed ? [t("do.agreed", { count: table.agreed }), "muted"] : null;
  return {
    buttons: [away ? take : give, button(t("do.abandon"), () => abandon(table), { key: "abandon" })],
    notes: [away ? [t("do.away"), "notice"] : null, agreed],
  };
}

// Over HTTP: the socket of a seat ends as soon as the seat is left.
async function leave(table) {
  table.leaving = true;
  const left = await table.try(() => post(`/matches/${table.match}/seats/${table.me}/leave`, pass()?.token));
  if (left) forgetNonce(table.match);
  else table.leaving = false;
}

async function abandon(table) {
  if (!confirm(t("do.sure"))) return;
  await table.try(async () => {
    const { agreed } = await post(`/matches/${table.match}/abandon`, pass()?.token);
    table.agreed = agreed.filter(Boolean).length;
    table.redraw();
  });
}
