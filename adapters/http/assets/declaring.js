// The declaration window of one's own seat: each declarable card in hand, open or face down, and being done.

import { cardText } from "/assets/viewer/cards.js";
import { t } from "/assets/viewer/words.js";
import { button, element } from "./elements.js";

const DECLARABLE = new Set(["SQ", "DJ", "CT", "HA"]);

// Draws what may be declared into `place`, and hides it where there is nothing to say any more.
export function drawDeclaring(place, table) {
  const { view, me } = table;
  place.hidden = me === null || view.phase !== "declaring" || view.hand.done[me];
  if (place.hidden) {
    place.replaceChildren();
    return;
  }
  const declared = new Set(view.hand.declarations.map((declaration) => declaration.card));
  const cards = view.hand.cards.filter((name) => DECLARABLE.has(name.slice(0, 2)) && !declared.has(name));
  const levels = table.ruleset.hidden_declarations ? ["open", "hidden"] : ["open"];
  place.replaceChildren(
    element("p", {}, t(cards.length ? "declare.held" : "declare.none")),
    element(
      "div",
      { class: "bar" },
      cards.flatMap((card) => levels.map((level) => declareButton(card, level, table))),
      button(t("declare.done"), () => table.command("done"), { key: "done", main: true }),
    ),
  );
}

const declareButton = (card, level, table) =>
  button(t(`declare.${level}`, { card: cardText(card) }), () => table.command("declare", { card, level }), {
    key: `declare-${card}-${level}`,
  });
