// Sitting down and opening tables: what the lobby and the table do alike.

import { callMyself, pass } from "./me.js";
import { post } from "./api.js";
import { commitment, forgetNonce } from "./nonce.js";

// Takes a seat, with a nonce of one's own where the browser can make one. Throws `Refused`.
export async function sitDown(match, seat) {
  const mine = pass() ?? (await callMyself(""));
  const committed = await commitment(match, seat);
  try {
    return await post(`/matches/${match}/seats/${seat}/take`, mine.token, committed ? { commitment: committed } : {});
  } catch (refused) {
    if (refused.reason !== "AlreadySeated") forgetNonce(match);
    throw refused;
  }
}

// Asks the house for bots at the free seats of a match. Throws `Refused`.
export const askForBots = (match) => post(`/matches/${match}/bots`, pass()?.token);

// Opens a match, sits down at seat 0 and, where asked for, lets bots sit down beside; gives its id. Throws `Refused`.
export async function openTable(terms, { bots = false } = {}) {
  const { match } = await post("/matches", pass()?.token, terms);
  await sitDown(match, 0);
  if (bots) await askForBots(match);
  return match;
}

// The page of a table.
export const tableAddress = (match) => `/table/${match}`;
