// Notes tied to steps, kept on this machine: write, change, delete, take away as JSON, Markdown or notation, bring back.

import { button, make } from "./elements.js";
import { captionNodes } from "./told.js";
import { keep, kept, language, t } from "./words.js";

const FORMAT = "gongzhu notes 1";
const MOST_BYTES = 1_000_000;

// The notes of a match. A note is `{ step, text, at }`; one a step.
export class Notes {
  constructor(replay) {
    this.replay = replay;
    this.name = `gongzhu.notes.${replay.match}`;
    this.problem = "";
    this.all = this.usable(parsed(kept(this.name) ?? "[]"));
  }

  at(step) {
    return this.all.find((note) => note.step === step) ?? null;
  }

  // Writes the note of a step; an empty text deletes it.
  write(step, text) {
    const others = this.all.filter((note) => note.step !== step);
    const note = { step, text: text.trim(), at: new Date().toISOString() };
    this.all = (note.text ? [...others, note] : others).sort((one, other) => one.step - other.step);
    this.problem = keep(this.name, JSON.stringify(this.all)) ? "" : t("notes.not_kept");
    this.replay.changed();
  }

  // Adds the notes of a file that was taken away before; those of the same step are replaced.
  async bring(file) {
    const found = file.size <= MOST_BYTES ? parsed(await file.text()) : null;
    if (found?.format !== FORMAT) this.problem = t("notes.not_ours");
    else if (found.match !== this.replay.match) this.problem = t("notes.other_match", { match: found.match });
    else for (const { step, text } of this.usable(found.notes)) this.write(step, text);
    this.replay.changed();
  }

  usable(notes) {
    if (!Array.isArray(notes)) return [];
    return notes.filter(({ step, text } = {}) => Number.isInteger(step) && step >= 1 && step <= this.replay.last && typeof text === "string");
  }

  asJson() {
    return `${JSON.stringify({ format: FORMAT, match: this.replay.match, notes: this.all }, null, 1)}\n`;
  }

  asMarkdown() {
    const { document: { steps } } = this.replay;
    const lines = this.all.map(({ step, text }) => {
      const hand = this.replay.handAt(step);
      const place = [hand && t("hands.number", { hand: hand.number }), t("step", { step })].filter(Boolean).join(", ");
      return `## ${place}\n${steps[step - 1][language()]}\n\n${text}\n`;
    });
    return `# ${t("notes.title", { match: this.replay.match })}\n\n${lines.join("\n")}`;
  }

  // The match in the notation with the notes as comments; only where the page is served.
  async asNotation() {
    const comments = this.all.map(({ step, text }) => ({ step, text }));
    const answer = await fetch(`/matches/${this.replay.match}/notation`, {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ comments }),
    });
    if (!answer.ok) throw new Error(String(answer.status));
    return answer.text();
  }
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

// The panel: the note of the step on show, all notes that may be shown, and what can be done with them. `draft` keeps a
// text that is being written while the page is drawn anew.
export function noteNodes(notes, draft, { served }) {
  const { replay } = notes;
  const own = notes.at(replay.step);
  if (draft.step !== replay.step) Object.assign(draft, { step: replay.step, text: own?.text ?? "" });
  const area = make("textarea", {
    id: "note", rows: 4, value: draft.text, "data-key": "note", oninput: () => { draft.text = area.value; },
  });
  return [
    make("label", { for: "note" }, t("notes.here", { step: replay.step })), area,
    make("div", { className: "bar" },
      button(t("notes.save"), () => notes.write(replay.step, area.value), { className: "main", "data-key": "note save" }),
      own && button(t("notes.delete"), () => {
        draft.step = null;
        notes.write(replay.step, "");
      }, { className: "quiet", "data-key": "note delete" })),
    notes.problem && make("p", { className: "problem", role: "alert" }, notes.problem),
    ...list(replay, t("notes.yours"), notes.all),
    ...list(replay, t("notes.of_record"), replay.document.comments ?? []),
    actions(notes, served),
  ].filter(Boolean);
}

function list(replay, title, notes) {
  const shown = notes.filter((note) => note.step <= replay.upTo);
  if (shown.length === 0) return [];
  return [
    make("h3", {}, title),
    make("ul", { className: "notes" }, shown.map(({ step, text }) => make(
      "li", {},
      button(t("step", { step }), () => replay.go(step), { className: "plain", "data-key": `note ${step}`, disabled: step < 1 }),
      step >= 1 && make("span", { className: "muted" }, captionNodes(replay, step)), make("p", { className: "text" }, text),
    ))),
  ];
}

function actions(notes, served) {
  const name = `notes-${notes.replay.match}`;
  const file = make("input", { type: "file", accept: ".json,application/json", className: "visually-hidden", tabIndex: -1,
    "aria-label": t("notes.bring"), onchange: () => file.files[0] && notes.bring(file.files[0]) });
  const some = notes.all.length > 0;
  const notation = async () => {
    try {
      save(`${notes.replay.match}.txt`, "text/plain", await notes.asNotation());
    } catch {
      notes.problem = t("notes.no_notation");
      notes.replay.changed();
    }
  };
  return make(
    "div", { className: "bar" },
    some && button(t("notes.json"), () => save(`${name}.json`, "application/json", notes.asJson()), { "data-key": "notes json" }),
    some && button(t("notes.markdown"), () => save(`${name}.md`, "text/markdown", notes.asMarkdown()), { "data-key": "notes md" }),
    some && served && button(t("notes.notation"), notation, { "data-key": "notes notation" }),
    button(t("notes.bring"), () => file.click(), { "data-key": "notes bring" }), file,
  );
}

function save(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = make("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
