// What stands around every page here: the bar with its links, the language, light and dark.

import { languageButton, localise, onLanguage, register, t } from "/assets/viewer/words.js";
import { themeButton } from "/assets/viewer/theme.js";
import { element } from "./elements.js";

register({
  en: {
    "frame.name": "Gongzhu", "frame.skip": "To the content", "frame.lobby": "Tables", "frame.hands": "Hands",
    "frame.links": "Pages", "frame.boards": "Boards", "frame.rules": "Rules",
  },
  zh: {
    "frame.name": "拱猪", "frame.skip": "跳到内容", "frame.lobby": "牌桌", "frame.hands": "牌谱",
    "frame.links": "页面", "frame.boards": "排行榜", "frame.rules": "规则",
  },
});

const LINKS = [["lobby", "/"], ["hands", "/hands"], ["boards", "/#boards"], ["rules", "/#rules"]];

// Puts the bar before everything else and fills in the page's texts; `title` gives the document's title.
export function framePage(title) {
  const links = LINKS.map(([key, href]) => element("a", { href, "data-t": `frame.${key}` }));
  const bar = element(
    "header",
    { class: "bar top" },
    element("a", { class: "home", href: "/", "data-t": "frame.name" }),
    element("nav", { class: "bar", "data-t-label": "frame.links" }, links),
    element("span", { class: "push" }),
    languageButton(),
    themeButton(),
  );
  document.body.prepend(element("a", { class: "skip", href: "#main", "data-t": "frame.skip" }), bar);
  localise(document);
  const rename = () => {
    document.title = `${title()} · ${t("frame.name")}`;
  };
  rename();
  onLanguage(rename);
  return rename;
}
