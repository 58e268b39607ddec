// What stands around the table: what is going on, the last trick, the rules and the proof of the deals.

import { card } from "/assets/viewer/cards.js";
import { t } from "/assets/viewer/words.js";
import { element } from "./elements.js";
import { hasShare } from "./nonce.js";
import { rulesList, rulesetName } from "./rulesets.js";

const at = (id) => document.getElementById(id);

// Draws which hand it is, and what is waited for.
export function drawState(table) {
  const { view, connection } = table;
  at("title").textContent = rulesetName(view.ruleset);
  const hand = view.hand?.number ?? view.hands_ended;
  const label = at("hand-number");
  label.hidden = hand === 0;
  label.textContent = t("table.hand_no", { hand, agreed: view.hands_agreed });
  at("state").textContent = stateWords(table);
  at("connection").textContent = connection ? connection() : "";
}

function stateWords(table) {
  const { view, me } = table;
  if (view.phase === "seating") return t(view.players.includes(null) ? "state.seating" : "state.nonces");
  if (view.phase === "declaring") {
    if (me === null) return t("state.declaring.watch");
    return t(view.hand.done[me] ? "state.declaring.others" : "state.declaring");
  }
  if (view.phase !== "playing") return t(`state.${view.phase === "between_hands" ? "between" : view.phase}`);
  const tricks = t("table.trick_no", { trick: view.hand.trick_no, tricks: 13 * table.ruleset.decks });
  const turn = view.hand.turn === me ? t("state.turn.mine") : t("state.turn", { who: table.who(view.hand.turn) });
  return `${turn} · ${tricks}`;
}

// Draws the last trick, while another one is on the table.
export function drawLast(table) {
  const { hand } = table.view;
  const plays = hand && hand.trick.length ? hand.last_trick : [];
  at("last").hidden = plays.length === 0;
  const taker = hand?.takers[hand.takers.length - 1];
  const faces = ({ seat, cards }) =>
    cards.map((name) => card(name, { size: "small", marks: seat === taker ? ["takes"] : [] }));
  const list = plays.map((play) => element("li", {}, faces(play), " ", table.who(play.seat)));
  at("last-trick").replaceChildren(element("ol", { class: "plain" }, list));
}

// Draws the rules in short, and by what the deals can be checked.
export function drawRules(table) {
  const { ruleset, terms, me, match } = table;
  if (!ruleset) return;
  at("rules").replaceChildren(rulesList(ruleset));
  const share = me === null ? null : element("p", {}, t(hasShare(match) ? "fair.share.yes" : "fair.share.no"));
  const anchor = terms.anchor ? element("p", {}, element("code", { class: "anchor" }, terms.anchor)) : null;
  at("fair").replaceChildren(...[element("p", {}, t("fair.text")), anchor, share].filter(Boolean));
}
