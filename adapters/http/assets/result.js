// What a hand and the match came to: the account of the last hand, and, at the end, the final standing.

import { accountTable } from "/assets/viewer/account.js";
import { signed, t } from "/assets/viewer/words.js";
import { element } from "./elements.js";

// Draws the last hand's account: wide open when it has just ended, folded while the next one is played.
export function drawResult(place, table) {
  const { view } = table;
  const ended = view.last_hand;
  place.hidden = !ended && view.phase !== "settled";
  if (place.hidden) return;
  const names = [0, 1, 2, 3].map((seat) => table.who(seat));
  const account = ended ? accountTable(ended, names, table.me) : null;
  const wide = account && element("div", { class: "wide", tabindex: 0, role: "group", "aria-label": t("table.result") }, account);
  if (view.hand) {
    const open = place.querySelector("details")?.open;
    place.replaceChildren(
      element("details", { open }, element("summary", { "data-key": "result" }, t("account.caption", { hand: ended.hand_no })), wide),
    );
    return;
  }
  place.replaceChildren(...[view.phase === "settled" ? standing(table, names) : null, wide].filter(Boolean));
}

function standing(table, names) {
  const { points, blood } = table.view;
  const order = [0, 1, 2, 3].sort((one, other) => points[other] - points[one]);
  const placeOf = (seat) => 1 + points.filter((score) => score > points[seat]).length;
  const number = (score) => element("td", { class: `number ${score < 0 ? "minus" : "plus"}` }, signed(score));
  const heads = ["place", "player", "points", ...(blood ? ["blood"] : [])];
  const lines = order.map((seat) =>
    element(
      "tr",
      { class: seat === table.me ? "mine" : null },
      element("td", {}, String(placeOf(seat))),
      element("th", { scope: "row" }, names[seat]),
      number(points[seat]),
      blood ? number(blood[seat]) : null,
    ));
  const head = heads.map((name) =>
    element("th", { scope: "col", class: name === "points" || name === "blood" ? "number" : null }, t(`result.${name}`)));
  return element(
    "table",
    { id: "standing" },
    element("caption", {}, t("result.final")),
    element("thead", {}, element("tr", {}, head)),
    element("tbody", {}, lines),
  );
}
