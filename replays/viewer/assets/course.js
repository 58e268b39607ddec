// The course of a match: the state after each of its steps, and what each viewer may see of it.
//
// A state is made from the one before and the step's event, so jumping and stepping come to the same. `viewOf` gives
// the fields of the project's own views (`domain/visibility.py`), under the same names; a test compares the two.

import { isScoring } from "./cards.js";
import { legalPlays, takingPlay } from "./rules.js";

const NOBODY = [null, null, null, null];
const replaced = (values, seat, value) => values.map((one, index) => (index === seat ? value : one));

// The states of a match by step number; index 0 is before the first step.
export function statesOf(replay) {
  const states = [null];
  const hands = new Map(replay.hands.map((hand) => [hand.number, hand]));
  for (const step of replay.steps) states.push(after(states.at(-1), step, hands));
  return states;
}

function after(state, step, hands) {
  const { event } = step;
  const change = CHANGES[event.type];
  const base = { ...state, version: event.version };
  if (step.totals) Object.assign(base, { blood: step.totals.blood, points: step.totals.points });
  return change ? { ...base, ...change(base, event, step, hands) } : base;
}

const CHANGES = {
  MatchOpened: (state, { ruleset }) => ({
    ruleset, phase: "seating", players: NOBODY, autopilot: [false, false, false, false], hand: null, hands_ended: 0,
    blood: ruleset.settlement ? [0, 0, 0, 0] : null, points: [0, 0, 0, 0], annulled: false, corrected: false, ended: null,
  }),
  PlayerSeated: (state, { seat, player }) => ({ players: replaced(state.players, seat, player) }),
  PlayerLeft: (state, { seat }) => ({ players: replaced(state.players, seat, null) }),
  HandDealt: (state, event, step, hands) => ({ phase: "declaring", hand: dealt(event, hands.get(event.hand_no)) }),
  CardDeclared: (state, event, step) => ({ hand: withDeclaration(state.hand, event, step.card) }),
  DeclarationDone: (state, { seat }) => ({ hand: { ...state.hand, done: replaced(state.hand.done, seat, true) } }),
  DeclarationsClosed: (state, { leader }) => ({ phase: "playing", hand: { ...state.hand, leader, turn: leader } }),
  CardsPlayed: (state, event) => ({ hand: withPlay(state.hand, event) }),
  TrickTaken: (state, { seat }) => ({ hand: withTrick(state.hand, seat) }),
  SeatHandedOver: (state, { seat }) => ({ autopilot: replaced(state.autopilot, seat, true) }),
  SeatTakenBack: (state, { seat }) => ({ autopilot: replaced(state.autopilot, seat, false) }),
  HandEnded: (state, event) => ({ phase: "between_hands", hand: null, hands_ended: event.hand_no, ended: event }),
  MatchSettled: () => ({ phase: "settled" }),
  MatchAbandoned: () => ({ phase: "abandoned", hand: null }),
  MatchAnnulled: () => ({ annulled: true }),
  AnnulmentLifted: () => ({ annulled: false }),
  HandCorrected: () => ({ corrected: true }),
};

function dealt({ hand_no: number, leader }, { deal }) {
  return {
    number, leader, holdings: deal, declarations: [], done: [false, false, false, false], suits_led: "", trick_no: 1,
    plays: [], last_trick: [], turn: null, taken: [[], [], [], []], takers: [], spent: 0,
  };
}

function withDeclaration(hand, { seat, level, automatic, card }, hidden = null) {
  const declaration = { seat, level, automatic, card: card ?? hidden, public: card !== null };
  return { ...hand, declarations: [...hand.declarations, declaration] };
}

function withPlay(hand, { seat, cards, openings = [] }) {
  let { declarations } = hand;
  for (const opening of openings) declarations = opened(declarations, opening);
  const holdings = hand.holdings && replaced(hand.holdings, seat, hand.holdings[seat].filter((one) => !cards.includes(one)));
  return { ...hand, declarations, holdings, plays: [...hand.plays, { seat, cards }], turn: (seat + 1) % 4 };
}

function opened(declarations, { seat, card }) {
  const known = declarations.findIndex((one) => one.card === card);
  const chosen = known >= 0 ? known : declarations.findIndex((one) => one.seat === seat && one.card === null);
  return replaced(declarations, chosen, { ...declarations[chosen], card, public: true });
}

function withTrick(hand, seat) {
  const cards = hand.plays.flatMap((play) => play.cards);
  return {
    ...hand, suits_led: hand.suits_led + hand.plays[0].cards[0][0], trick_no: hand.trick_no + 1, plays: [],
    last_trick: hand.plays, turn: seat, takers: [...hand.takers, seat], spent: hand.spent + hand.plays[0].cards.length,
    taken: replaced(hand.taken, seat, [...hand.taken[seat], ...cards.filter(isScoring)]),
  };
}

// What a state becomes when the seat to move plays these cards and, with the fourth play, the trick is taken. For
// trying other cards: the hand's cards must be public.
export function afterPlay(state, cards) {
  const { hand, ruleset } = state;
  const openings = hand.declarations
    .filter((one) => !one.public && cards.includes(one.card))
    .map(({ seat, card }) => ({ seat, card }));
  let next = withPlay(hand, { seat: hand.turn, cards, openings });
  if (next.plays.length === 4) {
    const taking = takingPlay(ruleset, next.plays.map((play) => play.cards));
    next = withTrick(next, next.plays[taking].seat);
  }
  return { ...state, hand: isPlayedOut(next) ? { ...next, turn: null } : next };
}

// Whether every card of a hand has been played.
export const isPlayedOut = (hand) => hand.holdings !== null && hand.holdings.every((cards) => cards.length === 0);

// Whether someone may look with these eyes: cards that never became public are nobody's but a spectator's not to see.
export const canSee = (state, viewer) => viewer === "spectator" || !state.hand || state.hand.holdings !== null;

// A state as a viewer (0–3, "spectator", "all") may see it.
export function viewOf(state, viewer) {
  const { version, phase, players, autopilot, blood, points, hands_ended, annulled, corrected, hand } = state;
  return {
    version, viewer, phase, players, autopilot, blood, points, hands_ended, annulled, corrected,
    hand: hand && handView(state, hand, viewer),
  };
}

function handView({ ruleset, phase }, hand, viewer) {
  const shown = (one) => one.public || viewer === "all" || viewer === one.seat;
  const leaderIsPublic = phase === "playing" || hand.number > 1 || ruleset.first_lead === "as_given";
  const mine = typeof viewer === "number" && hand.holdings;
  const moves = mine && viewer === hand.turn && phase === "playing";
  return {
    number: hand.number, leader: leaderIsPublic ? hand.leader : null, turn: hand.turn, trick_no: hand.trick_no,
    trick: hand.plays, last_trick: hand.last_trick, takers: hand.takers, taken: hand.taken, done: hand.done,
    declarations: hand.declarations.map((one) => ({
      seat: one.seat, level: one.level, card: shown(one) ? one.card : null, automatic: one.automatic,
    })),
    hidden_counts: NOBODY.map((_, seat) => hand.declarations.filter((one) => one.seat === seat && !one.public).length),
    cards_left: cardsLeft(ruleset, hand),
    cards: mine ? hand.holdings[viewer] : null,
    all_cards: viewer === "all" ? hand.holdings : null,
    legal: moves ? legalPlays(ruleset, hand) : null,
  };
}

function cardsLeft(ruleset, hand) {
  const left = NOBODY.map(() => 13 * ruleset.decks - hand.spent);
  for (const play of hand.plays) left[play.seat] -= play.cards.length;
  return left;
}
