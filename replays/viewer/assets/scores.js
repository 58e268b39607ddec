// A hand's score explained line by line, and the settlement of the match.

import { accountTable } from "./account.js";
import { make } from "./elements.js";
import { lineNodes, seatName, seatTitle } from "./told.js";
import { t } from "./words.js";

// The score of the hand on show and, where the match is settled, how. Nothing of what lies ahead.
export function scoreNodes(replay) {
  const hand = replay.handAt();
  const ended = hand?.scores && hand.last <= replay.upTo ? replay.eventAt(hand.last) : null;
  return [
    ended ? handScore(replay, hand, ended) : make("p", { className: "muted" }, t(hand ? "scores.not_yet" : "tricks.none")),
    correctionsOf(replay, hand),
    settlementOf(replay),
  ].flat();
}

export function handScore(replay, hand, ended) {
  const names = [0, 1, 2, 3].map((seat) => seatTitle(replay, seat));
  return [
    make("div", { className: "wide" }, accountTable(ended, names, typeof replay.viewer === "number" ? replay.viewer : null)),
    make("h3", {}, t("scores.in_words")),
    make("ul", { className: "explained" }, [0, 1, 2, 3].map((seat) =>
      make("li", {}, make("b", {}, seatName(replay, seat)), make("ul", {}, [
        ...hand.scores.accounts[seat].map((line) => make("li", {}, lineNodes(replay, line))),
        hand.scores.points && make("li", {}, lineNodes(replay, hand.scores.points[seat])),
      ].filter(Boolean))))),
  ];
}

// What integrity staff made of the hand's scores, where they did.
function correctionsOf(replay, hand) {
  return [...replay.shownSteps()]
    .filter(([, event]) => event.type === "HandCorrected" && event.hand_no === hand?.number)
    .map(([step, event]) => make(
      "p", { className: "notice" },
      lineNodes(replay, replay.document.steps[step - 1]), `: ${event.raw_scores.join(", ")} (${event.case})`,
    ));
}

function settlementOf(replay) {
  const settled = [...replay.shownSteps()].find(([, event]) => event.type === "MatchSettled");
  if (!settled) return [];
  const [step] = settled;
  return [
    make("h3", {}, t("scores.settlement")),
    make("p", {}, lineNodes(replay, replay.document.steps[step - 1])),
    make("ul", { className: "explained" }, replay.document.settlement.map((line) => make("li", {}, lineNodes(replay, line)))),
  ];
}
