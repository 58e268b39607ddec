// Keyboard and touch: what each key does, and swipes over the table.

const SWIPE = 40;
const SCROLLING = new Set(["ArrowUp", "ArrowDown", "PageUp", "PageDown", "Home", "End"]);

// The keys with what they do to a replay; `said` is told where nothing lies that way. The help lists them from here.
export const KEYS = [
  ["ArrowRight", "→", "keys.next", (replay) => replay.move(1)],
  ["ArrowLeft", "←", "keys.back", (replay) => replay.move(-1)],
  ["ArrowDown", "↓ PgDn", "keys.next_trick", (replay) => replay.moveTrick(1)],
  ["ArrowUp", "↑ PgUp", "keys.last_trick", (replay) => replay.moveTrick(-1)],
  ["PageDown", null, null, (replay) => replay.moveTrick(1)],
  ["PageUp", null, null, (replay) => replay.moveTrick(-1)],
  ["]", "]", "keys.next_hand", (replay) => replay.moveHand(1)],
  ["[", "[", "keys.last_hand", (replay) => replay.moveHand(-1)],
  ["Home", "Home", "keys.first", (replay) => replay.go(1)],
  ["End", "End", "keys.end", (replay) => !replay.spoilerFree && replay.go(replay.last)],
  ["1", "1 2 3 4", "keys.seat", (replay) => see(replay, 0)],
  ["2", null, null, (replay) => see(replay, 1)],
  ["3", null, null, (replay) => see(replay, 2)],
  ["4", null, null, (replay) => see(replay, 3)],
  ["s", "s", "keys.spectator", (replay) => see(replay, "spectator")],
  ["a", "a", "keys.all", (replay) => see(replay, "all")],
];

function see(replay, viewer) {
  replay.setViewer(viewer);
  return true;
}

// Listens for keys in the whole page, but not where someone writes, chooses from a list or uses a dialog.
export function listenForKeys(replay, { nothingThere, help }) {
  const doing = new Map(KEYS.map(([key, , , act]) => [key, act]));
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTaken(event)) return;
    if (event.key === "?") {
      help();
      return;
    }
    const act = doing.get(event.key);
    if (!act) return;
    event.preventDefault();
    if (!act(replay)) nothingThere();
  });
}

// Whether the element that has the focus uses this key itself: where someone writes, a slider, a panel that scrolls.
function isTaken({ target, key }) {
  if (target.closest("textarea, select, dialog, input:not([type=checkbox]):not([type=range])")) return true;
  if (target.matches("input[type=range]")) return key.startsWith("Arrow") || SCROLLING.has(key);
  return target.matches("[role=tabpanel]") && SCROLLING.has(key);
}

// A swipe to the left goes one step on, to the right one back.
export function listenForSwipes(region, replay, { nothingThere }) {
  let from = null;
  region.addEventListener("touchstart", ({ touches }) => {
    from = touches.length === 1 ? { x: touches[0].clientX, y: touches[0].clientY } : null;
  }, { passive: true });
  region.addEventListener("touchend", ({ changedTouches: [touch] }) => {
    if (!from) return;
    const [across, down] = [touch.clientX - from.x, touch.clientY - from.y];
    from = null;
    if (Math.abs(across) < SWIPE || Math.abs(down) > Math.abs(across) / 2) return;
    if (!replay.move(across < 0 ? 1 : -1)) nothingThere();
  });
}
