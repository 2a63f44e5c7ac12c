// The desk of pairs side by side: its keys, and the answer that is sent until it has arrived. Without this file the
// buttons work by clicking.
import { activeMilliseconds, restart } from "../shared/active_time.js";
import { byId } from "../shared/dom.js";
import { FormSender } from "../shared/form_sender.js";
import { listenToKeys, UNDO } from "../shared/keys.js";
import { announce, light } from "../shared/light.js";
import { hideNotices, showRefusal } from "../shared/notices.js";
import { reloadFromMemory } from "../shared/page.js";
import { ignoreSecondClicks } from "../shared/second_click.js";

const sender = new FormSender();

document.addEventListener("submit", (event) => {
  const form = event.target.closest("#sides form");
  if (!form) return;
  event.preventDefault();
  if (!sender.isBusy) answer(form, event.submitter);
});

async function answer(form, button) {
  const time = form.elements.active_ms;
  if (time) time.value = String(activeMilliseconds());
  const body = new FormData(form, button);
  hideNotices();
  byId("sides").setAttribute("aria-busy", "true");
  const { outcome, result, reason } = await sender.send(form.action, body, sidesOf);
  byId("sides").setAttribute("aria-busy", "false");
  if (outcome === "sent") arrived(result);
  else {
    // The answer stays in the form, to be changed and given again.
    light("refused");
    showRefusal(reason);
  }
}

// The desk of a response; null where there is none in it.
async function sidesOf(response) {
  const template = document.createElement("template");
  template.innerHTML = await response.text();
  return template.content.querySelector("#sides");
}

function arrived(sides) {
  byId("sides").replaceWith(sides);
  restart();
  light("saved");
  announce(`Saved. ${sides.dataset.announce}`);
}

function actionOf(key) {
  const wanted = key === UNDO ? "z" : key;
  const button = byId("sides").querySelector(`[data-key="${CSS.escape(wanted)}"]`);
  return button && !button.disabled ? () => button.click() : null;
}

listenToKeys({ find: actionOf, reason: "[name=reason]" });
ignoreSecondClicks(document, "#sides button[data-key]");
reloadFromMemory();
announce(byId("sides").dataset.announce);
