// The rules of play on names of cards (rules.md §4–§5), for trying other cards than those that were played.
//
// Everything is driven by the ruleset's value, as it stands in the match. The engine that decides matches is another
// one; a test plays recorded hands of every ruleset through both and wants the same legal plays, refusals, takers and
// scores. A hand here has: number, trick_no, turn, plays (of the trick in progress), holdings (by seat), declarations,
// suits_led (text of suit letters).

import { RANKS, SUITS } from "./cards.js";

const LEVELS = ["open", "hidden", "none"];
const SUIT_WORDS = { S: "spades", H: "hearts", D: "diamonds", C: "clubs" };

const suitOf = (name) => name[0];
const rankOf = (name) => RANKS.indexOf(name[1]);
const kindOf = (name) => name.slice(0, 2);
const isPair = (cards) => cards.length === 2 && kindOf(cards[0]) === kindOf(cards[1]);
const ofSuit = (cards, suit) => cards.filter((name) => suitOf(name) === suit);
const without = (cards, others) => cards.filter((name) => !others.includes(name));

// The declared cards of a hand that are held back: no trick led in their suit has been completed.
export function heldBack(hand) {
  const declared = hand.declarations.map((one) => one.card).filter(Boolean);
  return declared.filter((name) => !hand.suits_led.includes(suitOf(name)));
}

// Every play that the seat to move may make, each one or two names.
export function legalPlays(ruleset, hand) {
  const mine = hand.holdings[hand.turn];
  const held = heldBack(hand);
  return hand.plays.length === 0 ? leads(ruleset, hand, mine, held) : follows(hand, mine, held);
}

function leads(ruleset, hand, mine, held) {
  const cards = leadable(ruleset, hand, mine, held);
  return [...cards.map((name) => [name]), ...(ruleset.decks === 2 ? pairsIn(cards) : [])];
}

function leadable(ruleset, hand, mine, held) {
  if (mustLeadTwoOfClubs(ruleset, hand)) return mine.filter((name) => kindOf(name) === "C2");
  if (!ruleset.ban_when_leading) return mine;
  const free = without(mine, held);
  return mine.filter((name) => !held.includes(name) || ofSuit(free, suitOf(name)).length === 0);
}

function mustLeadTwoOfClubs(ruleset, hand) {
  const first = hand.number === 1 && hand.trick_no === 1 && hand.plays.length === 0;
  return first && ruleset.first_lead === "two_of_clubs_leads_it";
}

function follows(hand, mine, held) {
  const [lead] = hand.plays;
  const suit = suitOf(lead.cards[0]);
  const suited = ofSuit(mine, suit);
  const free = without(suited, held);
  if (lead.cards.length === 1) {
    const cards = free.length ? free : suited.length ? suited : mine;
    return cards.map((name) => [name]);
  }
  const pairs = pairsIn(free);
  return pairs.length ? pairs : filledInOrder([free, without(suited, free), without(mine, suited)], 2);
}

function pairsIn(cards) {
  const firsts = cards.filter((name) => name[2] === "a" && cards.includes(kindOf(name) + "b"));
  return firsts.map((name) => [name, kindOf(name) + "b"]);
}

// Every choice of so many cards that uses all of each layer before it touches the next.
function filledInOrder(layers, owed) {
  let used = [];
  for (const layer of layers) {
    const left = owed - used.length;
    if (layer.length >= left) return choices(layer, left).map((chosen) => [...used, ...chosen]);
    used = [...used, ...layer];
  }
  return [used];
}

function choices(cards, count) {
  if (count === 0) return [[]];
  return cards.flatMap((name, place) => choices(cards.slice(place + 1), count - 1).map((rest) => [name, ...rest]));
}

// Why the seat to move may not play these cards: a reason with its details, or null where it may.
export function refusalOf(ruleset, hand, cards) {
  const mine = hand.holdings[hand.turn];
  const missing = cards.find((name) => !mine.includes(name));
  if (missing) return { reason: "CardNotHeld", card: missing };
  const held = heldBack(hand);
  return hand.plays.length === 0
    ? leadRefusal(ruleset, hand, mine, held, cards)
    : followRefusal(hand, mine, held, cards);
}

function leadRefusal(ruleset, hand, mine, held, cards) {
  if (cards.length > ruleset.decks) return { reason: "WrongNumberOfCards", given: cards.length, owed: 1 };
  if (cards.length === 2 && !isPair(cards)) return { reason: "NotAPair" };
  if (mustLeadTwoOfClubs(ruleset, hand) && kindOf(cards[0]) !== "C2") {
    return { reason: "MustLeadTwoOfClubs", card: cards[0] };
  }
  const may = leadable(ruleset, { ...hand, number: 0 }, mine, held);
  const barred = cards.find((name) => !may.includes(name));
  return barred ? { reason: "HeldBack", card: barred } : null;
}

function followRefusal(hand, mine, held, cards) {
  const [lead] = hand.plays;
  const owed = lead.cards.length;
  if (cards.length !== owed) return { reason: "WrongNumberOfCards", given: cards.length, owed };
  const suit = suitOf(lead.cards[0]);
  const suited = ofSuit(mine, suit);
  const free = without(suited, held);
  const playsFreePair = isPair(cards) && cards.every((name) => free.includes(name));
  if (owed === 2 && pairsIn(free).length && !playsFreePair) return { reason: "MustPlayPair", card: cards[0] };
  const notFree = canonical(without(cards, free));
  if (notFree.length && without(free, cards).length) {
    const [card] = notFree;
    const reason = suited.includes(card) ? "HeldBack" : "MustFollowSuit";
    return reason === "HeldBack" ? { reason, card } : { reason, card, suit: SUIT_WORDS[suit] };
  }
  const stray = canonical(without(cards, suited));
  if (stray.length && without(suited, cards).length) return { reason: "MustUseHeldBack", card: stray[0] };
  return null;
}

// By copy, then suit, then rank from the two: the order in which the project names cards.
function canonical(cards) {
  const key = (name) => (name[2] === "b" ? 64 : 0) + SUITS.indexOf(name[0]) * 16 + rankOf(name);
  return [...cards].sort((one, other) => key(one) - key(other));
}

// Why a card of the seat to move is in none of its legal plays; null where it is in one. Where two cards are owed it is
// tried beside a card that may be played.
export function whyNot(ruleset, hand, name, legal = legalPlays(ruleset, hand)) {
  if (legal.some((play) => play.includes(name))) return null;
  if (hand.plays.length === 0 || hand.plays[0].cards.length === 1) return refusalOf(ruleset, hand, [name]);
  const beside = [...new Set(legal.flat())].filter((other) => other !== name);
  const tried = beside.map((other) => refusalOf(ruleset, hand, [name, other])).filter(Boolean);
  return tried.find((refusal) => refusal.card === name) ?? tried[0] ?? null;
}

// The index of the play that takes a complete trick. `plays` are lists of names, in the order played.
export function takingPlay(ruleset, plays) {
  const suit = suitOf(plays[0][0]);
  const top = (cards) => Math.max(-1, ...ofSuit(cards, suit).map(rankOf));
  if (plays[0].length === 1) return bestOf(plays, (cards) => [top(cards)]);
  const classes = ruleset.pair_tricks.classes[suit];
  const twoWinsTies = ruleset.pair_tricks.top_tie_two_of_suit.includes(suit);
  return bestOf(plays, (cards) => {
    const kind = kindOfPlay(cards, suit);
    return [classes[kind] ?? 0, top(cards), Number(twoWinsTies && kind === "two")];
  });
}

// The first of the strongest.
function bestOf(plays, strengthOf) {
  let best = 0;
  for (let place = 1; place < plays.length; place += 1) {
    if (stronger(strengthOf(plays[place]), strengthOf(plays[best]))) best = place;
  }
  return best;
}

function stronger(one, other) {
  const place = one.findIndex((value, index) => value !== other[index]);
  return place >= 0 && one[place] > other[place];
}

function kindOfPlay(cards, suit) {
  const suited = ofSuit(cards, suit);
  if (suited.length === 2) return isPair(cards) ? "pair" : "two";
  if (suited.length === 0) return "off";
  return without(cards, suited).some((name) => suitOf(name) === "H") ? "mixed_heart" : "mixed_other";
}

// The raw score of each seat from the scoring cards it has taken and the level of each declared card.
export function rawScores(ruleset, taken, levels) {
  const tariff = tariffOf(ruleset, levels);
  return taken.map((cards) => tariff(cards));
}

function tariffOf({ scoring, decks }, levels) {
  const copies = (kind) => (decks === 1 ? [kind] : [`${kind}a`, `${kind}b`]);
  const level = (name) => levels[name] ?? "none";
  const keyOf = (kind) =>
    copies(kind).map(level).sort((one, other) => LEVELS.indexOf(one) - LEVELS.indexOf(other)).join("+");
  const ownLevels = scoring.levels_of === "card";
  const heartsFactor = scoring.ace_of_hearts[keyOf("HA")];
  const special = (name) => scoring.special[ownLevels ? level(name) : keyOf(kindOf(name))];
  const factorOf = (transformers) => {
    if (transformers.length === 0) return 1;
    if (!ownLevels) return scoring.transformer[`${transformers.length}:${keyOf("CT")}`];
    return transformers.reduce((sum, name) => sum + scoring.transformer[level(name)], 0);
  };
  const slam = () => {
    if (!scoring.slam_by_components) {
      return scoring.slam_base * heartsFactor * scoring.slam_transformer[keyOf("CT")];
    }
    const part = (kind, value) => scoring.special[keyOf(kind)] * Math.abs(value) * decks;
    const sum = scoring.all_hearts * heartsFactor + part("SQ", scoring.pig) + part("DJ", scoring.sheep);
    return Math.floor((sum * factorOf(copies("CT"))) / scoring.slam_divisor);
  };
  const heartSum = (hearts) => {
    if (hearts.length === 13 * decks) return scoring.all_hearts;
    return hearts.reduce((sum, name) => sum + scoring.heart_values[rankOf(name)], 0);
  };
  return (cards) => {
    const kind = (wanted) => cards.filter((name) => kindOf(name) === wanted);
    const [hearts, transformers] = [ofSuit(cards, "H"), kind("CT")];
    const scored = [...hearts, ...transformers, ...kind("SQ"), ...kind("DJ")];
    if (scored.length === 0) return 0;
    if (scored.length === 16 * decks) return slam();
    if (scored.length === transformers.length) return scoring.lone_transformer * factorOf(transformers);
    let sum = heartSum(hearts) * heartsFactor;
    for (const name of kind("SQ")) sum += scoring.pig * special(name);
    for (const name of kind("DJ")) sum += scoring.sheep * special(name);
    return sum * factorOf(transformers) + 0;
  };
}
