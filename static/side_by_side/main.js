// The desk of pairs side by side: its keys, and the answer that is sent until it has arrived. Only what differs from one
// pair to the next is changed, so that the statement stays as it was and the focus where it was. Without this file
// the buttons work by clicking.
import { listen as listenToTextChoice } from "../reading/text_choice.js";
import { activeMilliseconds, restart } from "../shared/active_time.js";
import { byId } from "../shared/dom.js";
import { FormSender } from "../shared/form_sender.js";
import { isOnControl, listenToKeys, UNDO } from "../shared/keys.js";
import { announce, light } from "../shared/light.js";
import { hideNotices, showRefusal } from "../shared/notices.js";
import { pageThrough, reloadFromMemory } from "../shared/page.js";
import { ignoreSecondClicks } from "../shared/second_click.js";
import { SideHits } from "./hits.js";

const SIDES = ["left", "right"];
const LINE = 48; // pixels that an arrow key scrolls where the browser does not
const sender = new FormSender();
const hits = new SideHits(JSON.parse(byId("sides").dataset.terms));
let reading = "left"; // the side that was read last

// ---- answering -----------------------------------------------------------------------------------------

document.addEventListener("submit", (event) => {
  const form = event.target.closest("#sides form");
  if (!form) return;
  event.preventDefault();
  // Only a button answers: whatever else sends a form, such as Enter in a field, does not.
  if (event.submitter && !sender.isBusy) answer(form, event.submitter);
});

async function answer(form, button) {
  const time = form.elements.active_ms;
  if (time) time.value = String(activeMilliseconds());
  const body = new FormData(form, button);
  const said = button.dataset.said;
  hideNotices();
  byId("sides").setAttribute("aria-busy", "true");
  const { outcome, result, reason } = await sender.send(form.action, body, sidesOf);
  byId("sides").setAttribute("aria-busy", "false");
  if (outcome === "sent") arrived(result, said ? `Recorded: ${said}.` : "Undone.");
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

const isFinished = (sides) => sides.classList.contains("finished");

function arrived(next, news) {
  const now = byId("sides");
  if (isFinished(now) || isFinished(next)) {
    now.replaceWith(next);
    (next.querySelector(".end h2") ?? byId("left")).focus();
  } else showPair(now, next);
  restart();
  light("saved");
  announce(`${news} ${next.dataset.announce}`);
  hits.find();
}

function showPair(now, next) {
  for (const id of SIDES) {
    byId(id).replaceChildren(...next.querySelector(`#${id}`).childNodes);
    byId(id).scrollTop = 0;
  }
  showSide("left");
  for (const field of now.querySelectorAll("footer [name]:not(button)")) {
    const [form, name] = [field.form.className, field.name];
    field.value = next.querySelector(`form.${CSS.escape(form)} [name=${CSS.escape(name)}]`).value;
  }
  const fresh = next.querySelectorAll("[name=said]");
  for (const [at, button] of now.querySelectorAll("[name=said]").entries()) {
    button.setAttribute("aria-pressed", fresh[at].getAttribute("aria-pressed"));
  }
  const undo = now.querySelector("[data-undo]");
  const hadFocus = document.activeElement === undo;
  undo.disabled = next.querySelector("[data-undo]").disabled;
  if (hadFocus && undo.disabled) byId(reading).focus({ preventScroll: true });
  for (const part of [".count", "svg.bar"]) now.querySelector(part)?.replaceWith(next.querySelector(part));
}

// ---- reading -------------------------------------------------------------------------------------------

// On a narrow screen only one side is seen.
function showSide(id) {
  reading = id;
  byId(`show-${id}`).checked = true;
}

function goTo(id) {
  showSide(id);
  byId(id).focus({ preventScroll: true });
}

document.addEventListener("focusin", ({ target }) => {
  const side = target.closest?.(".side");
  if (side) reading = side.id;
});
document.addEventListener("change", ({ target }) => {
  if (target.name === "which") reading = target.value;
});

const READING = {
  arrowleft: () => goTo("left"),
  arrowright: () => goTo("right"),
  arrowup: () => byId(reading).scrollBy({ top: -LINE }),
  arrowdown: () => byId(reading).scrollBy({ top: LINE }),
};

function step(direction) {
  announce(hits.step(reading, direction) ?? "There is no hit on this side");
}

function commandOf(key) {
  const { next_hit: next, previous_hit: previous, guidelines } = JSON.parse(document.body.querySelector("#keys").dataset.keys);
  if (key === next) return () => step(1);
  if (key === previous) return () => step(-1);
  const statement = byId("statement");
  return key === guidelines && statement ? () => { statement.open = !statement.open; } : null;
}

function actionOf(key, event) {
  const card = byId("keys");
  const control = byId("sides").querySelector(key === UNDO ? "[data-undo]" : `[data-key="${CSS.escape(key)}"]`);
  if (card.matches(":popover-open")) return control?.matches("[popovertarget=keys]") ? () => card.hidePopover() : null;
  if (control) return control.disabled ? null : () => control.click();
  if (isFinished(byId("sides"))) return null;
  if (key === " " && !isOnControl(event.target)) return () => pageThrough(byId(reading), event.shiftKey ? -1 : 1);
  if (!(key in READING)) return commandOf(key);
  const isVertical = key === "arrowup" || key === "arrowdown";
  // In a side the browser scrolls, and between the two of the switch it chooses.
  return event.target.closest?.(isVertical ? ".side, [name=which]" : "[name=which]") ? null : READING[key];
}

listenToKeys({ find: actionOf, reason: "[name=reason]", leave: () => byId(reading) });
ignoreSecondClicks(document, "#sides button[name=said], #sides [data-undo]");
// A click on an answer leaves the focus where one reads, so that Space goes on reading.
document.addEventListener("mousedown", (event) => {
  if (event.target.closest("#sides button[name=said], #sides [data-undo]")) event.preventDefault();
});
listenToTextChoice(document.querySelector("#text form"), () => {});
reloadFromMemory();
// On a low screen the statement would leave no room for what is compared.
if (matchMedia("(max-height: 500px)").matches) byId("statement")?.removeAttribute("open");
announce(byId("sides").dataset.announce);
if (!isFinished(byId("sides"))) byId("left").focus({ preventScroll: true });
hits.find();
