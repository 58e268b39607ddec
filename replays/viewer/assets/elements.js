// Elements from data, and regions that are drawn anew without losing the reader's place in them.

// An element: `make("p", { className: "muted", onclick: f, "data-key": "x" }, "text", child, …)`. Names with a dash and
// `role`, `for`, `scope` are attributes, others properties; null and false children are left out.
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.includes("-") || ATTRIBUTES.has(name)) element.setAttribute(name, value === true ? "" : value);
    else element[name] = value;
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

const ATTRIBUTES = new Set(["role", "for", "scope", "colspan", "lang"]);

// An element of a drawing, with attributes only.
export function draw(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children.flat(Infinity).filter(Boolean));
  return element;
}

// A button with a text.
export const button = (text, onclick, properties = {}) => make("button", { type: "button", onclick, ...properties }, text);

// A table with a caption and heads: `heads` are texts, `rows` lists of cells, or `{ cells, properties }`; a cell is a
// node, a text, or `{ value, properties }`. The first cell of a row is its head.
export function tableOf({ caption, hideCaption = false, heads, rows, className = "" }) {
  return make(
    "table", { className },
    make("caption", { className: hideCaption ? "visually-hidden" : "" }, caption),
    make("thead", {}, make("tr", {}, heads.map((head) => make("th", { scope: "col" }, head)))),
    make("tbody", {}, rows.map(rowOf)),
  );
}

function rowOf(row) {
  const { cells, properties } = Array.isArray(row) ? { cells: row, properties: {} } : row;
  return make("tr", properties, cells.map((cell, place) => cellOf(cell, place === 0)));
}

function cellOf(cell, isHead) {
  const plain = cell === null || typeof cell !== "object" || cell instanceof Node || Array.isArray(cell);
  const { value, properties = {} } = plain ? { value: cell } : cell;
  return make(isHead ? "th" : "td", { ...(isHead ? { scope: "row" } : {}), ...properties }, value);
}

// Puts new children into a region. Who had the focus on something with a `data-key` has it on the same thing again.
export function redraw(region, ...children) {
  const key = region.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  region.replaceChildren(...children.flat(Infinity).filter(Boolean));
  if (key === undefined) return;
  const same = [...region.querySelectorAll("[data-key]")].find((element) => element.dataset.key === key);
  same?.focus({ preventScroll: true });
}
