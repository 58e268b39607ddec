// The language of a page, Chinese or English, and its texts. Modules register their own; `t` gives one.
//
// The language is that of `?lang=`, else the one chosen before on this machine, else the browser's. A text is a string
// with `{name}` places, or a function of the values. Nothing here knows the game.

const LANGUAGES = ["zh", "en"];
const KEPT = "gongzhu.language";

const texts = { zh: new Map(), en: new Map() };
const listeners = new Set();
let chosen = null;

// The language in use: "zh" or "en".
export function language() {
  chosen ??= fromAddress() ?? fromStorage() ?? fromBrowser();
  return chosen;
}

// Uses a language from now on, keeps the choice, and tells whoever listens.
export function setLanguage(wanted) {
  chosen = LANGUAGES.includes(wanted) ? wanted : "en";
  keep(KEPT, chosen);
  localise(document);
  for (const listener of listeners) listener(chosen);
}

// Calls back after each change of the language; gives a function that ends this.
export function onLanguage(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

// Adds texts: `{ zh: { key: text }, en: { key: text } }`. Both languages have every key.
export function register(dictionaries) {
  for (const one of LANGUAGES) {
    for (const [key, text] of Object.entries(dictionaries[one])) texts[one].set(key, text);
  }
}

// A text in the language in use (or in the one given); the key itself where nobody registered it.
export function t(key, values = {}, lang = language()) {
  const text = texts[lang].get(key);
  if (text === undefined) return key;
  if (typeof text === "function") return text(values);
  return text.replace(/\{(\w+)\}/g, (place, name) => (name in values ? String(values[name]) : place));
}

// The keys that one language has and the other lacks; empty when all is well.
export function untranslated() {
  const missing = (has, lacks) => [...texts[has].keys()].filter((key) => !texts[lacks].has(key));
  return [...missing("zh", "en"), ...missing("en", "zh")];
}

// Fills in the texts of a page that is there already: `data-t` is the key of an element's text, `data-t-label` of its
// aria-label, `data-t-title` of its title, `data-t-hint` of its placeholder. The document gets its `lang`.
export function localise(root) {
  if (root === document) document.documentElement.lang = language() === "zh" ? "zh-CN" : "en";
  for (const element of root.querySelectorAll("[data-t]")) element.textContent = t(element.dataset.t);
  for (const element of root.querySelectorAll("[data-t-label]")) {
    element.setAttribute("aria-label", t(element.dataset.tLabel));
  }
  for (const element of root.querySelectorAll("[data-t-title]")) element.title = t(element.dataset.tTitle);
  for (const element of root.querySelectorAll("[data-t-hint]")) element.placeholder = t(element.dataset.tHint);
}

// A button that changes to the other language; it is named in that language.
export function languageButton() {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "quiet";
  const name = () => {
    const other = language() === "zh" ? "en" : "zh";
    button.lang = other === "zh" ? "zh-CN" : "en";
    button.textContent = other === "zh" ? "中文" : "English";
  };
  name();
  onLanguage(name);
  button.addEventListener("click", () => setLanguage(language() === "zh" ? "en" : "zh"));
  return button;
}

// A number with its sign, as scores are written: +120, −50, 0.
export function signed(number) {
  if (number === 0) return "0";
  return number > 0 ? `+${number}` : `−${-number}`;
}

// What was kept on this machine under a name, null where nothing was or nothing can be.
export function kept(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

// Keeps a text on this machine; whether it could be.
export function keep(name, text) {
  try {
    localStorage.setItem(name, text);
    return true;
  } catch {
    return false; // storage is off or full; the page works without
  }
}

function fromAddress() {
  const asked = new URLSearchParams(location.search).get("lang");
  return LANGUAGES.includes(asked) ? asked : null;
}

function fromStorage() {
  const before = kept(KEPT);
  return LANGUAGES.includes(before) ? before : null;
}

function fromBrowser() {
  return (navigator.language || "").toLowerCase().startsWith("zh") ? "zh" : "en";
}
