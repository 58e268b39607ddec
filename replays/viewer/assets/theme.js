// Light or dark: as the system has it, or as chosen on this machine.

import { keep, kept, onLanguage, register, t } from "./words.js";

register({
  en: { "theme.system": "Light or dark: as the system", "theme.light": "Light", "theme.dark": "Dark" },
  zh: { "theme.system": "明暗：随系统", "theme.light": "浅色", "theme.dark": "深色" },
});

const KEPT = "gongzhu.theme";
const CHOICES = ["system", "light", "dark"];
const SIGNS = { system: "◐", light: "☀\uFE0E", dark: "☾\uFE0E" };

const chosen = () => (CHOICES.includes(kept(KEPT)) ? kept(KEPT) : "system");

function use(choice) {
  if (choice === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = choice;
}

use(chosen());

// A button that goes from one choice to the next; it is named by the choice in use.
export function themeButton() {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "quiet sign";
  let choice = chosen();
  const name = () => {
    button.textContent = SIGNS[choice];
    button.setAttribute("aria-label", t(`theme.${choice}`));
    button.title = t(`theme.${choice}`);
  };
  name();
  onLanguage(name);
  button.addEventListener("click", () => {
    choice = CHOICES[(CHOICES.indexOf(choice) + 1) % CHOICES.length];
    keep(KEPT, choice);
    use(choice);
    name();
  });
  return button;
}
