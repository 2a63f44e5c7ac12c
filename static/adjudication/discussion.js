// A discussed pair: the passages that its assessors marked, the judging desk's keys, and an answer that is sent until it
// has arrived. Without this file the form works by itself.
import { byId } from "../shared/dom.js";
import { AS_FRAGMENT, FormSender } from "../shared/form_sender.js";
import { isOnControl, listenToKeys } from "../shared/keys.js";
import { announce, light } from "../shared/light.js";
import { hideNotices, showRefusal } from "../shared/notices.js";
import { pageThrough, reloadFromMemory } from "../shared/page.js";
import { Passages } from "./passages.js";

const form = byId("answering");
const card = byId("keys");
const commands = JSON.parse(card.dataset.commands);
const place = document.querySelector(".doc.alone");
const sender = new FormSender();
let asksWhy = false; // "cannot judge" was pressed: the next digit is its reason

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (sender.isBusy) return;
  hideNotices();
  const { outcome, result, reason } = await sender.send(form.action, new FormData(form), (response) => response.text());
  if (outcome === "sent") {
    location.assign(result);
    return;
  }
  light("refused");
  showRefusal(reason);
});

// Who has the page before them reads what is new on it.
const replied = byId("replied");
if (replied) fetch(replied.action, { method: "POST", body: new FormData(replied), headers: AS_FRAGMENT, keepalive: true }).catch(() => {});

// ---- keys ----------------------------------------------------------------------------------------------

const record = () => form.requestSubmit();

function choose(radio) {
  radio.checked = true;
  asksWhy = radio.value === "cannot_judge";
  showWhyNot();
  if (!asksWhy) {
    record();
    return;
  }
  byId("why-not").scrollIntoView({ block: "nearest" });
  announce("Why can it not be judged? A digit chooses the reason, Enter records without one.");
}

function showWhyNot() {
  byId("why-not").hidden = form.elements.answer.value !== "cannot_judge";
}

function chooseReason(option) {
  form.elements.reason.value = option.value;
  record();
}

function go(address) {
  return address ? () => location.assign(address) : null;
}

function actionOf(key, event) {
  if (card.matches(":popover-open")) return key === commands.card ? () => card.hidePopover() : null;
  if (asksWhy) {
    if (key === "escape") return () => { asksWhy = false; };
    if (key === "enter") return record;
    const option = form.querySelector(`option[data-key="${CSS.escape(key)}"]`);
    if (option) return () => chooseReason(option);
  }
  const radio = form.querySelector(`input[data-key="${CSS.escape(key)}"]`);
  if (radio) return () => choose(radio);
  if (key === " " && !isOnControl(event.target)) return () => pageThrough(place, event.shiftKey ? -1 : 1);
  const acts = {
    comment: () => form.elements.comment.focus(),
    card: () => card.showPopover(),
    next_document: go(card.dataset.next),
    previous_document: go(card.dataset.previous),
    guidelines: () => document.querySelector("details.guidelines")?.toggleAttribute("open"),
  };
  return acts[Object.keys(acts).find((name) => commands[name] === key)] ?? null;
}

listenToKeys({ find: actionOf, leave: () => place });
form.addEventListener("change", showWhyNot);
showWhyNot();
reloadFromMemory();
place.focus({ preventScroll: true });
new Passages(document.querySelector(".discussing"));
