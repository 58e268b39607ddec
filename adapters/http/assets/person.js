// Who one is: choosing a name, changing it, and having this browser forget.

import { t } from "/assets/viewer/words.js";
import { Refused, ask } from "./api.js";
import { button, element } from "./elements.js";
import { callMyself, forgetMe, learnNames, nameOf, pass } from "./me.js";

// Shows who one is; gives a function that shows it anew.
export function showMe(place, lobby) {
  const redraw = () => place.replaceChildren(...(pass() ? known(lobby) : unknown(lobby)));
  redraw();
  if (pass()) checkPass(lobby, redraw);
  return redraw;
}

// A token that the site no longer accepts (its keys were changed) is forgotten, and that is said.
async function checkPass(lobby, redraw) {
  const { player, token } = pass();
  try {
    await ask(`/names?player=${player}`, { token });
    if (await learnNames([player])) redraw();
  } catch (refused) {
    if (!(refused instanceof Refused) || refused.status !== 401) return;
    forgetMe();
    lobby.say(() => t("me.expired"), { bad: true });
    lobby.refresh();
  }
}

function unknown(lobby) {
  if (!lobby.offer.guests) return [element("p", {}, t("me.noguests"))];
  return [element("p", { class: "muted" }, t("me.unknown")), nameForm(lobby, t("me.keep"), "")];
}

function known(lobby) {
  const name = nameOf(pass().player);
  return [
    element("p", {}, `${t("me.known")} `, element("strong", {}, name)),
    nameForm(lobby, t("me.rename"), name),
    button(t("me.forget"), () => forget(lobby), { key: "forget" }),
  ];
}

function nameForm(lobby, label, name) {
  const field = element("input", {
    type: "text", id: "my-name", name: "name", required: true, maxlength: 40, autocomplete: "nickname", value: name,
    "data-key": "my-name",
  });
  const send = element("button", { type: "submit", class: pass() ? null : "main", "data-key": "keep-name" }, label);
  const form = element("form", { class: "bar" }, element("label", { for: "my-name" }, t("me.name")), field, send);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      const mine = await callMyself(field.value);
      lobby.say(() => t("me.named", { name: nameOf(mine.player) }));
      lobby.refresh();
    } catch (refused) {
      lobby.refuse(refused);
    }
  });
  return form;
}

function forget(lobby) {
  if (!confirm(t("me.sure"))) return;
  forgetMe();
  lobby.say(() => t("me.forgotten"));
  lobby.refresh();
}
