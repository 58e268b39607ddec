// Who uses this page: a guest of the site, whose random id and token are kept in this browser and nowhere else.

import { keep, kept, register, t } from "/assets/viewer/words.js";
import { ask, post } from "./api.js";

register({
  en: { "me.you": "you", "me.seat": "seat {seat}", "me.nobody": "free seat", "me.player": "player {id}" },
  zh: { "me.you": "您", "me.seat": "{seat} 号座位", "me.nobody": "空座", "me.player": "玩家 {id}" },
});

const KEPT = "gongzhu.pass";
const MOST_NAMES = 100;
const ASK_AGAIN_MS = 3000;

const names = new Map();
const nameless = new Map();

// The pass that is kept: `player`, `token`, `expires` (ms); null where there is none, or it is over.
export function pass() {
  try {
    const found = JSON.parse(kept(KEPT));
    return found && found.expires > Date.now() ? found : null;
  } catch {
    return null;
  }
}

// Becomes a guest, or changes the name one has; gives the pass. Throws `Refused`.
export async function callMyself(name) {
  const mine = pass() ?? (await newPass());
  if (name) {
    const given = await ask(`/players/${mine.player}/name`, { method: "PUT", body: { name }, token: mine.token });
    names.set(mine.player, given.name);
  }
  return mine;
}

async function newPass() {
  const given = await post("/guests");
  const made = { player: given.player, token: given.token, expires: Date.now() + given.expires_s * 1000 };
  keep(KEPT, JSON.stringify(made));
  return made;
}

// Forgets the pass; nobody can play as this player any more.
export function forgetMe() {
  try {
    localStorage.removeItem(KEPT);
  } catch {
    // there was nothing to forget
  }
}

// What a player is called, as far as it is known here.
export function nameOf(player) {
  if (!player) return t("me.nobody");
  return names.get(player) ?? t("me.player", { id: player.slice(-4) });
}

// Asks for the names of those players that are not known yet; whether there was something new. Who had none is asked
// for again after a while: he may just be choosing one.
export async function learnNames(players) {
  const since = Date.now() - ASK_AGAIN_MS;
  const unknown = [...new Set(players)]
    .filter((player) => player && !names.has(player) && !(nameless.get(player) > since))
    .slice(0, MOST_NAMES);
  if (unknown.length === 0) return false;
  const query = new URLSearchParams(unknown.map((player) => ["player", player]));
  const found = await ask(`/names?${query}`);
  for (const { player, name } of found) {
    if (name) names.set(player, name);
    else nameless.set(player, Date.now());
  }
  return found.some(({ name }) => name);
}
