// A place in a replay as it stands in an address: `#hand=2&step=45&viewer=seat0&spoilers=hide`.

const VIEWER = /^(seat[0-3]|spectator|all)$/;

export const viewerName = (viewer) => (typeof viewer === "number" ? `seat${viewer}` : viewer);
const viewerOf = (name) => (name.startsWith("seat") ? Number(name[4]) : name);

// The address of where a replay stands.
export function placeOf(replay) {
  const place = new URLSearchParams();
  const hand = replay.handAt();
  if (hand) place.set("hand", hand.number);
  place.set("step", replay.step);
  place.set("viewer", viewerName(replay.viewer));
  if (replay.spoilerFree) place.set("spoilers", "hide");
  return `#${place}`;
}

// Brings a replay to an address. What is missing or wrong in it leaves the replay as it is; a hand without a step is
// its deal, a hand with a trick is where that trick is led.
export function goTo(replay, address) {
  const place = new URLSearchParams(address.replace(/^#/, ""));
  const viewer = place.get("viewer") ?? "";
  if (VIEWER.test(viewer)) replay.viewer = viewerOf(viewer);
  if (place.has("spoilers")) replay.spoilerFree = place.get("spoilers") === "hide";
  const step = stepOf(replay, place);
  if (step) replay.go(step);
  else replay.changed();
}

function stepOf(replay, place) {
  const number = (name) => (/^\d{1,6}$/.test(place.get(name) ?? "") ? Number(place.get(name)) : null);
  const step = number("step");
  if (step >= 1 && step <= replay.last) return step;
  const hand = replay.document.hands.find((one) => one.number === number("hand"));
  if (!hand) return null;
  return ledAt(replay, hand, number("trick")) ?? hand.first;
}

function ledAt(replay, hand, trick) {
  for (let step = hand.first; step <= hand.last; step += 1) {
    const event = replay.eventAt(step);
    if (trick === 1 && event.type === "DeclarationsClosed") return step;
    if (event.type === "TrickTaken" && event.trick_no === trick - 1) return step;
  }
  return null;
}
