// This player's share in the deals: 32 random bytes, committed to when sitting down and shown when all four sit
// (the protocol of fair dealing). They are kept in this browser until they are shown.

import { keep, kept } from "/assets/viewer/words.js";
import { hexOf } from "./api.js";

const SHOWN = '"shown"';
const keptAs = (match) => `gongzhu.nonce.${match}`;

// The commitment for a seat, its nonce kept; null where the browser cannot digest (a page that did not come over HTTPS)
// or cannot keep it: who could not show it would lose the seat.
export async function commitment(match, seat) {
  if (!globalThis.crypto?.subtle) return null;
  const nonce = crypto.getRandomValues(new Uint8Array(32));
  const digest = await crypto.subtle.digest("SHA-256", nonce);
  return keep(keptAs(match), JSON.stringify({ seat, nonce: hexOf(nonce) })) ? hexOf(digest) : null;
}

// The nonce to show for this seat, null where none is owed.
export function nonceFor(match, seat) {
  try {
    const found = JSON.parse(kept(keptAs(match)));
    return found?.seat === seat ? found.nonce : null;
  } catch {
    return null;
  }
}

// Notes that the nonce was shown: from now on everyone has it.
export const noteShown = (match) => keep(keptAs(match), SHOWN);

// Whether this browser's nonce has its share in the deals of a match.
export const hasShare = (match) => kept(keptAs(match)) === SHOWN;

// Forgets the nonce: the seat was left, or was not to be had.
export function forgetNonce(match) {
  try {
    localStorage.removeItem(keptAs(match));
  } catch {
    // nothing was kept
  }
}
