// A hand's score, line by line: what hearts, pig, sheep and transformer count for each seat, and what they come to.
//
// It is made from the accounts that `HandEnded` records, so nothing is computed here but products of two numbers.

import { cardText } from "./cards.js";
import { register, signed, t } from "./words.js";

register({
  en: {
    "account.caption": ({ hand }) => `Score of hand ${hand}`,
    "account.hearts": "hearts", "account.pigs": "pig", "account.sheep": "sheep",
    "account.transformers": "transformer", "account.raw": "raw score", "account.points": "points",
    "account.blood": "blood so far", "account.all_hearts": "all hearts", "account.slam": "slam",
    "account.lone": "transformer alone", "account.part": "part",
  },
  zh: {
    "account.caption": ({ hand }) => `第 ${hand} 盘得分`,
    "account.hearts": "红桃", "account.pigs": "猪", "account.sheep": "羊",
    "account.transformers": "变压器", "account.raw": "原始分", "account.points": "积分",
    "account.blood": "累计血值", "account.all_hearts": "满红", "account.slam": "满贯",
    "account.lone": "单变压器", "account.part": "项目",
  },
});

const PARTS = ["hearts", "pigs", "sheep", "transformers"];

// The table of a finished hand. `names` are four texts by seat, in the order of the columns; `mine` is the seat to
// mark, if any. `ended` is a `HandEnded`, or whatever has its scores.
export function accountTable(ended, names, mine = null) {
  const table = document.createElement("table");
  table.className = "account";
  const caption = document.createElement("caption");
  caption.textContent = t("account.caption", { hand: ended.hand_no });
  const head = row("th", t("account.part"), names.map((name) => [name]), mine);
  const body = document.createElement("tbody");
  for (const part of PARTS) {
    const cells = ended.accounts.map((account) => cellOf(account, part));
    if (cells.some((lines) => lines.length)) body.append(row("td", t(`account.${part}`), cells, mine));
  }
  const foot = document.createElement("tfoot");
  for (const [key, numbers] of totals(ended)) {
    foot.append(row("td", t(`account.${key}`), numbers.map((number) => [number]), mine));
  }
  const top = document.createElement("thead");
  top.append(head);
  table.append(caption, top, body, foot);
  return table;
}

const totals = (ended) =>
  [["raw", ended.raw_scores], ["points", ended.points], ["blood", ended.blood]].filter(([, numbers]) => numbers);

// What one part of an account says, as lines of text.
function cellOf(account, part) {
  if (account.rule === "nothing") return [];
  if (account.rule === "slam") return part === "hearts" ? slamLines(account) : [];
  if (account.rule === "lone_transformer") {
    return part === "transformers" ? [t("account.lone"), `${account.base} × ${account.factor}`] : [];
  }
  if (part === "hearts") return heartLines(account);
  if (part === "transformers") return account.transformers.length ? [`× ${account.factor}`] : [];
  return account[part].map(({ card, value, factor }) => `${cardText(card)} ${product(value, factor)}`);
}

function heartLines({ hearts, hearts_factor: factor, all_hearts: all }) {
  if (hearts === 0) return [];
  return all ? [t("account.all_hearts"), product(hearts, factor)] : [product(hearts, factor)];
}

function slamLines(account) {
  const parts = account.slam_parts;
  const sum = parts.length ? `(${parts.join(" + ")})` : `${account.base} × ${account.hearts_factor}`;
  const by = account.divisor === 1 ? "" : ` ÷ ${account.divisor}`;
  return [t("account.slam"), `${sum} × ${account.factor}${by}`];
}

const product = (value, factor) => (factor === 1 ? signed(value) : `${signed(value)} × ${factor}`);

function row(kind, title, cells, mine) {
  const line = document.createElement("tr");
  const head = document.createElement("th");
  head.scope = kind === "th" ? "col" : "row";
  head.textContent = title;
  line.append(head);
  cells.forEach((lines, seat) => line.append(cell(kind, lines, seat === mine)));
  return line;
}

function cell(kind, lines, isMine) {
  const element = document.createElement(kind);
  if (kind === "th") element.scope = "col";
  element.className = `number${isMine ? " mine" : ""}`;
  if (lines.length === 0) element.textContent = "·";
  for (const line of lines) {
    const text = document.createElement("div");
    text.textContent = typeof line === "number" ? signed(line) : line;
    if (typeof line === "number") text.className = line < 0 ? "minus" : "plus";
    element.append(text);
  }
  return element;
}
