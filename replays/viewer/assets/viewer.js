// The replay viewer: gets the document, and draws every part of the page anew when the replay has changed.

import { Branches, branchBar, branchList } from "./branches.js";
import { choiceNodes } from "./choices.js";
import { button, make, redraw } from "./elements.js";
import { KEYS, listenForKeys, listenForSwipes } from "./keys.js";
import { KnowledgePanel } from "./knowledge.js";
import { noteNodes, Notes } from "./notes.js";
import { addedPanels } from "./panels.js";
import { goTo, placeOf, viewerName } from "./place.js";
import { Replay, VIEWERS } from "./replay.js";
import "./review.js";
import { scoreNodes } from "./scores.js";
import { scoresheet } from "./scoresheet.js";
import { tableNodes } from "./table.js";
import { themeButton } from "./theme.js";
import { standings, thinkTimes } from "./timeline.js";
import { captionNodes, rulesetTitle, seatTitle, toldNodes } from "./told.js";
import { handList, trickList } from "./tricks.js";
import { keep, kept, languageButton, localise, onLanguage, t } from "./words.js";
import "./viewer_words.js";

const at = (id) => document.getElementById(id);
const SPOILERS = "gongzhu.spoilers";

// The document: embedded in a file that works alone, else asked for.
async function documentOf() {
  const embedded = at("document");
  if (embedded) return { found: JSON.parse(embedded.textContent), served: false };
  const match = location.pathname.split("/").filter(Boolean).at(-1) ?? "";
  const answer = await fetch(`/matches/${encodeURIComponent(match)}/replay`);
  if (answer.ok) return { found: await answer.json(), served: true };
  return { problem: answer.status === 404 || answer.status === 400 ? "problem.unknown" : "problem.away", match };
}

const notice = (key, values = {}, link = null) =>
  make("p", { className: "notice" }, t(key, values), link && [" ", make("a", { href: link }, t("notice.watch"))]);

// A page on which there is nothing to replay, and why.
function emptyPage(...said) {
  const draw = () => at("notices").replaceChildren(notice(...said));
  at("tools").replaceChildren(themeButton(), languageButton());
  draw();
  onLanguage(draw);
}

class Page {
  constructor(replay, served) {
    this.replay = replay;
    this.served = served;
    this.branches = new Branches(replay);
    this.notes = new Notes(replay);
    this.draft = { step: null, text: "" };
    this.knowledge = new KnowledgePanel(replay);
    this.panels = {
      tricks: () => [trickList(replay)],
      play: () => choiceNodes(replay, this.branches),
      score: () => scoreNodes(replay),
      known: () => this.knowledge.nodes(),
      hands: () => [handList(replay)],
      branches: () => branchList(this.branches),
      notes: () => noteNodes(this.notes, this.draft, { served }),
    };
    for (const { name, draw } of addedPanels(replay)) this.panels[name] = () => draw(replay);
    this.tab = "tricks";
  }

  begin() {
    at("tools").replaceChildren(this.spoilerSwitch(), button("?", () => this.help(), { "aria-label": t("help") }), themeButton(), languageButton());
    this.makeControls();
    this.makeTabs();
    this.replay.onChange(() => this.draw());
    onLanguage(() => {
      this.makeControls();
      this.makeTabs();
      this.draw();
    });
    const nothingThere = () => this.say(t("said.nothing"));
    listenForKeys(this.replay, { nothingThere, help: () => this.help() });
    listenForSwipes(at("board"), this.replay, { nothingThere });
    window.addEventListener("hashchange", () => location.hash !== placeOf(this.replay) && goTo(this.replay, location.hash));
    window.addEventListener("beforeprint", () => at("paper").replaceChildren(scoresheet(this.replay)));
    window.addEventListener("afterprint", () => at("paper").replaceChildren());
    at("stage").hidden = false;
    this.replay.spoilerFree = kept(SPOILERS) === "hide";
    goTo(this.replay, location.hash);
  }

  say(text) {
    at("said").textContent = "";
    at("said").textContent = text;
    at("counter").title = text;
  }

  spoilerSwitch() {
    const box = make("input", { type: "checkbox", id: "spoilers", onchange: () => {
      keep(SPOILERS, box.checked ? "hide" : "show");
      this.replay.setSpoilerFree(box.checked);
    } });
    const words = make("span", { "data-t": "spoilers" }, t("spoilers"));
    return make("label", { className: "check" }, box, words);
  }

  makeControls() {
    const { replay } = this;
    const nothing = (there) => there || this.say(t("said.nothing"));
    const go = (sign, key, act, className = "") =>
      button(sign, () => nothing(act()), { className, "aria-label": t(key), title: t(key) });
    this.slider = make("input", { type: "range", min: 1, "aria-label": t("slider"), oninput: () => replay.go(Number(this.slider.value)) });
    this.end = go("›|", "keys.end", () => replay.go(replay.last), "far");
    at("controls").replaceChildren(
      go("|‹", "keys.first", () => replay.go(1), "far"),
      go("[", "keys.last_hand", () => replay.moveHand(-1)),
      go("«", "keys.last_trick", () => replay.moveTrick(-1)),
      go("‹", "keys.back", () => replay.move(-1)),
      make("output", { id: "counter", className: "counter" }),
      go("›", "keys.next", () => replay.move(1)),
      go("»", "keys.next_trick", () => replay.moveTrick(1)),
      go("]", "keys.next_hand", () => replay.moveHand(1)),
      this.end, this.slider,
    );
  }

  // Each tab can be reached by itself, for the arrows go on stepping through the replay.
  makeTabs() {
    const names = Object.keys(this.panels);
    const choose = (name) => {
      this.tab = name;
      this.makeTabs();
      this.draw();
      at(`tab-${name}`).focus();
    };
    at("tabs").replaceChildren(...names.map((name) => button(t(`tab.${name}`), () => choose(name), {
      role: "tab", id: `tab-${name}`, "aria-selected": String(name === this.tab), "aria-controls": "panel",
    })));
    at("panels").replaceChildren(make("section", {
      id: "panel", className: "panel", role: "tabpanel", tabIndex: 0, "aria-labelledby": `tab-${this.tab}`,
    }));
  }

  draw() {
    const { replay } = this;
    if (location.hash !== placeOf(replay)) history.replaceState(null, "", placeOf(replay));
    this.drawHead();
    redraw(at("branch"), branchBar(this.branches));
    redraw(at("board"), tableNodes(replay, { onCard: (name) => this.tryCard(name) }));
    redraw(at("caption"), replay.branch?.told ? this.branchCaption() : captionNodes(replay, replay.step));
    this.drawControls();
    redraw(at("times"), thinkTimes(replay), standings(replay));
    redraw(at("panel"), this.panels[this.tab]());
    Object.assign(at("stage").dataset, { step: replay.step, viewer: viewerName(replay.viewer) });
  }

  branchCaption() {
    const { branch } = this.replay;
    return [t("branch.caption", { id: branch.id }), " ", toldNodes(this.replay, branch.told)];
  }

  drawHead() {
    const { replay } = this;
    const hand = replay.handAt();
    const where = [hand && t("hands.number", { hand: hand.number }), t("step", { step: replay.step })].filter(Boolean).join(" · ");
    document.title = `${where} · ${t("title")}`;
    at("subtitle").textContent = `${rulesetTitle(replay.ruleset)} · ${replay.document.opened_at.slice(0, 10)} · ${replay.match.slice(-6)}`;
    at("spoilers").checked = replay.spoilerFree;
    redraw(at("notices"), this.notices());
    redraw(at("eyes"), VIEWERS.map((viewer) => button(
      typeof viewer === "number" ? seatTitle(replay, viewer) : t(`viewer.${viewer}`),
      () => replay.setViewer(viewer),
      { "aria-pressed": String(replay.viewer === viewer), "data-key": `eyes ${viewer}` },
    )), replay.eyes !== replay.viewer && make("p", { className: "muted" }, t("eyes.not_public")));
  }

  // What became of the match, as far as it may be told.
  notices() {
    const { replay, served } = this;
    const { failure, in_play: inPlay, match } = replay.document;
    const { annulled, corrected, phase } = replay.states[replay.upTo];
    return [
      !replay.spoilerFree && failure && notice("notice.broken", { what: failure }),
      !replay.spoilerFree && inPlay && !failure && served && notice("notice.in_play", {}, `/table/${match}`),
      phase === "abandoned" && notice("notice.abandoned"),
      annulled && notice("notice.annulled"),
      corrected && notice("notice.corrected"),
    ];
  }

  drawControls() {
    const { replay } = this;
    at("counter").textContent = replay.spoilerFree
      ? t("step", { step: replay.step })
      : t("step_of", { step: replay.step, last: replay.last });
    // The length of the match is a spoiler: then there is neither a slider nor a way to its end.
    this.slider.hidden = this.end.hidden = replay.spoilerFree;
    this.slider.max = replay.upTo;
    this.slider.value = replay.step;
  }

  // A click on a card of the seat to move: it is tried where the rules allow it alone, else the reasons are shown.
  tryCard(name) {
    this.tab = "play";
    this.makeTabs();
    this.draw();
    at("panel").querySelector(`[data-key="try ${name}"]`)?.focus();
  }

  help() {
    const dialog = at("help");
    dialog.replaceChildren(
      make("h2", { id: "help-title" }, t("help")),
      make("ul", {}, KEYS.filter(([, sign]) => sign).map(([, sign, key]) => make("li", {}, make("kbd", {}, sign), " ", t(key)))),
      make("p", {}, make("kbd", {}, "?"), " ", t("help"), ". ", t("help.touch")),
      make("p", {}, t("help.cards")),
      make("p", {}, t("help.spoilers")),
      make("p", {}, t("help.kept")),
      button(t("help.close"), () => dialog.close(), { className: "main" }),
    );
    dialog.showModal();
  }
}

async function begin() {
  localise(document);
  const { found, problem, match, served } = await documentOf();
  if (problem) {
    emptyPage(problem, { match });
  } else if (found.steps.length === 0) {
    if (found.failure) emptyPage("notice.broken", { what: found.failure });
    else emptyPage("notice.nothing_yet", {}, served ? `/table/${found.match}` : null);
  } else {
    new Page(new Replay(found), served).begin();
  }
  document.documentElement.dataset.ready = "yes";
}

begin();
