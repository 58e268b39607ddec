// The matches that ended last, each with its replay.

import { language, signed, t } from "/assets/viewer/words.js";
import { ask } from "./api.js";
import { element } from "./elements.js";
import { learnNames, nameOf } from "./me.js";
import { rulesetName } from "./rulesets.js";

const LOOKED_AT = 40;
const SHOWN = 8;

// Shows the last ended matches; gives a function that shows them anew.
export function showEnded(place, lobby) {
  let matches = null;
  const redraw = () => place.replaceChildren(...lines(matches));
  redraw();
  ask(`/matches?limit=${LOOKED_AT}`)
    .then(async (found) => {
      const ended = found.matches.filter((match) => match.ended_at !== null);
      matches = ended.sort((one, other) => other.ended_at.localeCompare(one.ended_at)).slice(0, SHOWN);
      await learnNames(matches.flatMap((match) => match.players));
      redraw();
    })
    .catch((refused) => {
      place.replaceChildren(element("p", { class: "muted" }, refused.words ?? String(refused)));
      if (!refused.words) lobby.refuse(refused);
    });
  return redraw;
}

function lines(matches) {
  if (matches === null) return [element("p", { class: "muted" }, t("lobby.loading"))];
  if (matches.length === 0) return [element("p", { class: "muted" }, t("lobby.none.ended"))];
  return [element("ul", { class: "ended" }, matches.map(line))];
}

function line(match) {
  const results = match.players
    .map((player, seat) => (player ? `${nameOf(player)} ${signed(match.points[seat])}` : null))
    .filter(Boolean);
  const when = new Date(match.ended_at).toLocaleString(language() === "zh" ? "zh-CN" : "en", {
    dateStyle: "medium", timeStyle: "short",
  });
  return element(
    "li",
    {},
    element("a", { href: `/replay/${match.match}` }, `${t("lobby.replay")}: ${rulesetName(match.ruleset)}`),
    " ",
    element("span", { class: "muted" }, `${t(`phase.${match.phase}`)} · ${when}`),
    element("div", {}, results.join(" · ")),
  );
}
