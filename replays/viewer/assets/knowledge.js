// Who could know what at the step on show: where each unseen card can lie, with the reasons, beside the truth.
//
// A file that works alone carries this in its document; a served page asks for it, hand by hand and knower by knower.

import { card, cardText, inHandOrder } from "./cards.js";
import { button, make, tableOf } from "./elements.js";
import { viewerName } from "./place.js";
import { clauseWords, lineNodes, seatName, seatTitle } from "./told.js";
import { t } from "./words.js";

export class KnowledgePanel {
  constructor(replay) {
    this.replay = replay;
    this.loaded = new Map();
    this.chosen = null;
    this.truth = true;
  }

  // Who is asked about: the eyes on the table, unless another knower was chosen here.
  get knower() {
    return this.chosen ?? (this.replay.viewer === "all" ? 0 : this.replay.viewer);
  }

  nodes() {
    const { replay } = this;
    const hand = replay.states[replay.step]?.hand;
    if (replay.branch) return [make("p", { className: "muted" }, t("known.branch"))];
    if (!hand) return [make("p", { className: "muted" }, t("known.no_hand"))];
    if (!hand.holdings) return [make("p", { className: "muted" }, t("known.not_public"))];
    const shown = this.shownOf(hand.number, this.knower);
    return [this.choice(), ...(shown ? this.told(shown, hand) : [make("p", { role: "status" }, t("known.loading"))])];
  }

  choice() {
    const to = (knower) => button(
      knower === "spectator" ? t("viewer.spectator") : seatTitle(this.replay, knower),
      () => {
        this.chosen = knower;
        this.replay.changed();
      },
      { "aria-pressed": String(this.knower === knower), "data-key": `knower ${knower}` },
    );
    const check = make("input", { type: "checkbox", checked: this.truth, "data-key": "truth", onchange: () => {
      this.truth = check.checked;
      this.replay.changed();
    } });
    return make(
      "div", {},
      make("div", { className: "bar", role: "group", "aria-label": t("known.whose") }, [0, 1, 2, 3, "spectator"].map(to)),
      make("label", { className: "check" }, check, t("known.truth")),
    );
  }

  // What holds through a hand; null while it is on its way.
  shownOf(number, knower) {
    const { document: { knowledge: embedded }, match, step } = this.replay;
    if (embedded) return embedded;
    const asked = `/matches/${match}/hands/${number}/knowledge?viewer=${viewerName(knower)}`;
    const loaded = this.loaded.get(asked);
    // What could not be had is asked for again at another step.
    if (loaded === undefined || (loaded?.failedAt ?? step) !== step) {
      this.loaded.set(asked, null);
      this.load(asked, step);
      return null;
    }
    return loaded;
  }

  async load(asked, step) {
    try {
      const answer = await fetch(asked);
      if (!answer.ok) throw new Error(String(answer.status));
      this.loaded.set(asked, await answer.json());
    } catch {
      this.loaded.set(asked, { failedAt: step });
    }
    this.replay.changed();
  }

  told(shown, hand) {
    if (shown.failedAt) return [make("p", { className: "problem" }, t("known.failed"))];
    const known = knownAt(shown, hand, this.replay.step, this.knower);
    return [this.matrix(known, hand), this.reasons(shown, known)].flat();
  }

  // Cards down, seats across: ● surely, ○ possibly, – not.
  matrix(known, hand) {
    return [
      make("p", { className: "muted" }, t("known.signs")),
      make("div", { className: "wide" }, tableOf({
        caption: t("known.unseen"), hideCaption: true, className: "known",
        heads: [t("known.card"), ...known.others.map((seat) => seatTitle(this.replay, seat))],
        rows: inHandOrder(known.unseen).map((name) => [
          card(name, { size: "small" }),
          ...known.others.map((seat) => this.cell(known, hand, name, seat)),
        ]),
      })),
    ];
  }

  cell(known, hand, name, seat) {
    const kind = known.surely(seat, name) ? "surely" : known.cannot[seat].has(name) ? "not" : "possibly";
    const holds = this.truth && hand.holdings[seat].includes(name);
    return {
      properties: { className: `${kind}${holds ? " holds" : ""}` },
      value: [
        make("span", { "aria-hidden": "true" }, { surely: "●", possibly: "○", not: "–" }[kind], holds && " ✓"),
        make("span", { className: "visually-hidden" }, t(`known.${kind}`), holds && `, ${t("known.holds")}`),
      ],
    };
  }

  reasons(shown, known) {
    return known.others.map((seat) => {
      const groups = byReason(known.cannot[seat]);
      return [
        make("h3", {}, t("known.about", { seat: seatTitle(this.replay, seat), count: known.left[seat] })),
        make("ul", { className: "explained" }, groups.map(([index, entries]) => {
          const reason = shown.reasons[index];
          const names = inHandOrder(entries.map(([name]) => name));
          return make(
            "li", {}, lineNodes(this.replay, reason), make("small", { className: "muted" }, clauseWords(reason.rule)),
            make("div", { className: "muted" }, `${t("known.so_not")} ${names.map(cardText).join(" ")}`),
          );
        })),
        known.pairs[seat].length > 0 && make("p", {}, `${t("known.no_pairs")} ${known.pairs[seat].map(cardText).join(" ")}`),
        known.faceDown[seat] > 0 && make("p", {}, t("known.face_down", {
          seat: seatName(this.replay, seat), count: known.faceDown[seat], cards: known.canBeDown[seat].map(cardText).join(" "),
        })),
        groups.length === 0 && make("p", { className: "muted" }, t("known.nothing")),
      ].filter(Boolean);
    }).flat();
  }
}

// [card, reason] pairs as [reason, its pairs].
function byReason(entries) {
  const groups = new Map();
  for (const entry of entries) groups.set(entry[1], [...(groups.get(entry[1]) ?? []), entry]);
  return [...groups];
}

// What one who knows no more than he may could know: for each other seat, which unseen cards it cannot hold and why.
function knownAt(shown, hand, step, knower) {
  const others = [0, 1, 2, 3].filter((seat) => seat !== knower);
  const unseen = others.flatMap((seat) => hand.holdings[seat]);
  const now = (shown.hands[hand.number]?.[knower] ?? []).filter(([, , , first, last]) => first <= step && step <= last);
  const cannot = [0, 1, 2, 3].map(() => new Map());
  const pairs = [0, 1, 2, 3].map(() => []);
  for (const [seat, names, reason] of now) {
    if (reason === null) pairs[seat].push(...names);
    else for (const name of names) cannot[seat].set(name, reason);
  }
  const surely = (seat, name) => !cannot[seat].has(name) && others.every((other) => other === seat || cannot[other].has(name));
  const openly = hand.declarations.filter((one) => one.public).map((one) => one.card);
  const faceDown = [0, 1, 2, 3].map((seat) => hand.declarations.filter((one) => one.seat === seat && !one.public).length);
  const canBeDown = [0, 1, 2, 3].map((seat) => inHandOrder(unseen.filter((name) =>
    /^(SQ|DJ|CT|HA)/.test(name) && !openly.includes(name) && !cannot[seat].has(name))));
  return { others, unseen, cannot, pairs, surely, faceDown, canBeDown, left: hand.holdings.map((cards) => cards.length) };
}
