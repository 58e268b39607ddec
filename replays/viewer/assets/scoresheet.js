// The hand on show as a scoresheet for print: deal, declarations, tricks, score. It stands in the page only while it is
// printed, and holds only what may be shown.

import { cardText, inHandOrder, rankText, SUITS, suitSign } from "./cards.js";
import { make, tableOf } from "./elements.js";
import { handScore } from "./scores.js";
import { rulesetTitle, seatTitle } from "./told.js";
import { tricksOf } from "./tricks.js";
import { t } from "./words.js";

export function scoresheet(replay) {
  const hand = replay.handAt();
  const { ruleset, opened_at: opened, match } = replay.document;
  return make(
    "article", { className: "scoresheet" },
    make("h1", {}, t("sheet.title", { ruleset: rulesetTitle(ruleset), date: opened.slice(0, 10) })),
    make("p", {}, match),
    hand ? handSheet(replay, hand) : make("p", {}, t("tricks.none")),
  );
}

function handSheet(replay, hand) {
  const ended = hand.scores && hand.last <= replay.upTo ? replay.eventAt(hand.last) : null;
  return [
    make("h2", {}, t("hands.number", { hand: hand.number })),
    hand.deal && dealTable(replay, hand),
    declarations(replay, hand),
    trickTable(replay, hand),
    ended && handScore(replay, hand, ended),
  ].flat().filter(Boolean);
}

const heads = (replay, first) => [first, ...[0, 1, 2, 3].map((seat) => seatTitle(replay, seat))];

function dealTable(replay, hand) {
  // Cards that the chosen eyes did not see are dealt face down on paper too, until the hand has ended.
  const ended = hand.last <= replay.upTo;
  const seen = (seat) => ended || replay.sees(seat);
  return tableOf({
    caption: t("sheet.deal"), heads: heads(replay, ""),
    rows: [...SUITS].map((suit) => [
      suitSign(suit),
      ...[0, 1, 2, 3].map((seat) => (seen(seat) ? ranks(hand.deal[seat], suit) : "?")),
    ]),
  });
}

const ranks = (names, suit) =>
  inHandOrder(names.filter((name) => name[0] === suit)).map((name) => rankText(name) + name.slice(2)).join(" ") || "—";

function declarations(replay, hand) {
  const ended = hand.last <= replay.upTo;
  const texts = [...replay.shownSteps(hand.first, hand.last)]
    .filter(([, event]) => event.type === "CardDeclared")
    .map(([step, event]) => {
      const known = event.card ?? (ended || replay.sees(event.seat) ? replay.document.steps[step - 1].card : null);
      return `${seatTitle(replay, event.seat)}: ${known ? cardText(known) : t("card.down")} (${t(`card.${event.level}`)})`;
    });
  return make("p", {}, make("b", {}, t("sheet.declarations")), " ", texts.join("; ") || t("sheet.no_declarations"));
}

function trickTable(replay, hand) {
  return tableOf({
    caption: t("sheet.tricks"), heads: heads(replay, "#"), className: "tricks",
    rows: tricksOf(replay, hand).map((trick) => [
      String(trick.number),
      ...[0, 1, 2, 3].map((seat) => trickCell(trick, seat)),
    ]),
  });
}

// `›` leads, `✓` takes, `⚙` was played by the autopilot.
function trickCell(trick, seat) {
  const found = trick.plays.find(([, event]) => event.seat === seat);
  if (!found) return "";
  const [, event] = found;
  const leads = trick.plays[0][1] === event ? "› " : "";
  const signs = (trick.taken?.seat === seat ? " ✓" : "") + (event.by === "autopilot" ? " ⚙\uFE0E" : "");
  return leads + event.cards.map(cardText).join(" ") + signs;
}
