// A plain way to play on, for the rest of a branch: sensible, quick, and the same every time.
//
// It looks at the cards of the seat to move and at what lies on the table, and at nothing else. It avoids tricks that
// cost, takes the sheep where it can, and gets rid of what is dangerous. It is not the service's autopilot.

import { RANKS } from "./cards.js";
import { legalPlays, takingPlay } from "./rules.js";

const rank = (name) => RANKS.indexOf(name[1]);

// What a card is roughly worth to who takes it.
function worth(ruleset, name) {
  const { scoring } = ruleset;
  if (name[0] === "H") return scoring.heart_values[rank(name)];
  if (name.startsWith("SQ")) return scoring.pig;
  if (name.startsWith("DJ")) return scoring.sheep;
  return 0;
}

// The play of the seat to move: the legal play that looks best.
export function plainPlay(ruleset, hand) {
  const plays = legalPlays(ruleset, hand);
  let best = plays[0];
  for (const play of plays.slice(1)) {
    if (outlook(ruleset, hand, play) > outlook(ruleset, hand, best)) best = play;
  }
  return best;
}

function outlook(ruleset, hand, cards) {
  const onTable = hand.plays.map((play) => play.cards);
  const value = [...onTable, cards].flat().reduce((sum, name) => sum + worth(ruleset, name), 0);
  const relief = cards.reduce((sum, name) => sum + reliefOf(ruleset, hand, name), 0);
  if (onTable.length === 0) return relief - 3 * Math.max(...cards.map(rank)) - 20 * (cards.length - 1);
  const takes = takingPlay(ruleset, [...onTable, cards]) === onTable.length;
  const sure = onTable.length === 3 ? 1 : 0.6;
  return relief + (takes ? sure * (value - 5) : -0.3 * value);
}

// How good it is not to hold a card any longer: high cards are a burden, a sheep is not.
function reliefOf(ruleset, hand, name) {
  if (name.startsWith("DJ")) return -40;
  if (name.startsWith("SQ")) return 40;
  const pigIsOut = !hand.taken.flat().some((taken) => taken.startsWith("SQ"));
  const dangerous = name[0] === "S" && pigIsOut && rank(name) > rank("SQ") ? 15 : 0;
  return dangerous + rank(name) * 0.5 - 0.2 * Math.min(0, worth(ruleset, name));
}
