// Where other modules add to the viewer: panels beside its own, and marks on plays (a costly one, say).

const panels = [];
const markers = [];

// Adds a panel: its name (`tab.NAME` is the key of its title), what draws its nodes, and whether a replay has it.
export function addPanel(name, draw, has = () => true) {
  panels.push({ name, draw, has });
}

// Adds marks: `markOf(replay, step)` gives `{ sign, words }` for a play that is marked, else null.
export function addMarks(markOf) {
  markers.push(markOf);
}

// The added panels of a replay.
export const addedPanels = (replay) => panels.filter(({ has }) => has(replay));

// The marks of a step.
export const marksOf = (replay, step) => markers.map((markOf) => markOf(replay, step)).filter(Boolean);
