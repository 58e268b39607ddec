// Elements of a page, made in one call; texts with elements in their places; focus that outlives a redrawing.

// An element with attributes (`on…` is a listener, `false` and `null` leave one out) and children (texts, elements).
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

// A button with a text. `key` names it across redrawings.
export const button = (text, onclick, { key, main = false, ...attributes } = {}) =>
  element("button", { type: "button", class: main ? "main" : null, "data-key": key, onclick, ...attributes }, text);

// A text whose `{name}` places are filled with elements or texts.
export function filled(text, values) {
  const sentence = document.createElement("span");
  for (const part of text.split(/(\{\w+\})/)) {
    const value = part.startsWith("{") ? values[part.slice(1, -1)] : undefined;
    if (value !== undefined) sentence.append(...[value].flat());
    else if (part) sentence.append(part);
  }
  return sentence;
}

// Redraws, and gives the focus back to the element of the same `data-key`, or else to `fallback`.
export function keepingFocus(redraw, fallback = () => null) {
  const before = document.activeElement;
  const key = before?.dataset?.key;
  redraw();
  if (!key || (before.isConnected && document.activeElement === before)) return;
  const again = document.querySelector(`[data-key="${CSS.escape(key)}"]`) ?? fallback();
  again?.focus();
}
