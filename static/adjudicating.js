// The adjudicator's desk: its keys, its save light, and the decision that is sent until it has arrived.
// Everything it does is a button, link or form of the page: without this file the desk works by clicking.
import { activeMilliseconds, restart } from "./active_time.js";
import { markPassages } from "./adjudicating_passages.js";

const RETRY_SECONDS = [1, 2, 4, 8, 15];
const KEPT_TRYING = new Set([401, 408, 425, 429]);

const desk = document.getElementById("desk");
const byId = (id) => document.getElementById(id);

// The decision under way: {form, button, attempt, timer, again}. While there is one, nothing else is taken.
let pending = null;
// A key pressed when the next pair stood there already, but the one before was not yet told to have arrived.
let early = null;

function light(state, text) {
  byId("light").dataset.state = state;
  byId("light-text").textContent = text;
}

function arrived(saved) {
  restart();
  byId("trouble").replaceChildren();
  const box = byId("document");
  markPassages(desk);
  const overtaken = "overtaken" in box.dataset;
  box.focus({ preventScroll: true });
  if (overtaken) {
    early = null;
    light("failed", "not recorded");
  } else if (saved) {
    light("saved", "saved");
  }
  byId("status").textContent = saved && !overtaken ? `Saved. ${box.dataset.announce}` : box.dataset.announce;
}

// ---- sending -------------------------------------------------------------------------------------------

desk.addEventListener("submit", (event) => {
  if (pending && !pending.again) {
    event.preventDefault();
    event.stopImmediatePropagation();
    return;
  }
  if (!pending) {
    const field = event.target.elements.active_ms;
    if (field) field.value = String(activeMilliseconds());
    pending = { form: event.target, button: event.submitter, attempt: 0, timer: null, again: false };
  }
  pending.again = false;
  desk.setAttribute("aria-busy", "true");
  if (pending.attempt === 0) light("sending", "saving");
}, true);

desk.addEventListener("click", (event) => {
  if (pending && event.target.closest("a[hx-get]")) {
    event.preventDefault();
    event.stopImmediatePropagation();
  }
}, true);

function sendAgain() {
  if (!pending || pending.timer === null) return;
  clearTimeout(pending.timer);
  pending.timer = null;
  pending.again = true;
  pending.form.requestSubmit(pending.button);
}

function tryLater(text, explained = "") {
  const seconds = RETRY_SECONDS[Math.min(pending.attempt, RETRY_SECONDS.length - 1)];
  pending.attempt += 1;
  pending.timer = setTimeout(sendAgain, seconds * 1000);
  light("failed", text);
  byId("trouble").textContent = explained;
  byId("status").textContent = text;
}

function settled() {
  pending = null;
  desk.removeAttribute("aria-busy");
}

document.addEventListener("htmx:finally:request", (event) => {
  const { ctx } = event.detail;
  const status = ctx.response?.status;
  const done = status >= 200 && status < 300 && ctx.status === "swapped";
  if (ctx.request.method !== "POST") {
    if (done) arrived(false);
    else if (!(status >= 400 && status < 500)) light("failed", "the pair did not come, try again");
    return;
  }
  if (!pending) return;
  if (done) {
    settled();
    arrived(true);
    const key = early;
    early = null;
    if (key) act(key);
  } else if (status === 401) {
    tryLater("signed out", "You are signed out: sign in again in another tab, then this decision is sent.");
  } else if (status === undefined || status < 400 || status >= 500 || KEPT_TRYING.has(status)) {
    tryLater("not saved, trying again");
  } else {
    // Refused for good: the reason stands in the box above the bar.
    settled();
    light("failed", "not saved");
  }
});

for (const sooner of ["online", "focus"]) window.addEventListener(sooner, sendAgain);
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible") sendAgain();
});
window.addEventListener("beforeunload", (event) => {
  if (pending) event.preventDefault();
});
// A desk out of the browser's memory could show a pair as open that was decided since.
window.addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});

// ---- keys ----------------------------------------------------------------------------------------------

const typing = (target) =>
  target instanceof Element && target.closest("input, textarea, select, [contenteditable]:not([contenteditable=false])");

function keyed(event) {
  const find = (key) => desk.querySelector(`[data-key="${CSS.escape(key)}"]`);
  // Where digits need Shift the key itself is meant.
  const digit = /^Digit(\d)$/.exec(event.code);
  return find(event.key.toLowerCase()) ?? (digit && !event.shiftKey ? find(digit[1]) : null);
}

function act(event) {
  const element =
    event.key === "[" ? byId("previous")
    : event.key === "]" ? byId("next")
    : event.key === "Backspace" ? desk.querySelector("[data-undo]")
    : keyed(event);
  if (!element) return;
  event.preventDefault();
  if (!element.disabled) element.click();
}

function page(direction) {
  const box = byId("document");
  box.scrollBy({ top: direction * box.clientHeight * 0.85 });
}

document.addEventListener("keydown", (event) => {
  if (event.target.id === "reason" && !event.shiftKey && !event.isComposing && ["Enter", "Escape"].includes(event.key)) {
    // The reason is written: the keys decide again.
    event.preventDefault();
    byId("document").focus({ preventScroll: true });
    return;
  }
  const modified = (event.ctrlKey || event.altKey || event.metaKey) && !event.getModifierState("AltGraph");
  if (event.defaultPrevented || event.repeat || modified || typing(event.target)) return;
  if (event.key === "?") {
    event.preventDefault();
    byId("keys").togglePopover();
    return;
  }
  if (byId("keys").matches(":popover-open")) return;
  if (event.key === " ") {
    if (event.target.closest?.("button, a, summary")) return;
    event.preventDefault();
    page(event.shiftKey ? -1 : 1);
    return;
  }
  if (!pending) act(event);
  else if (!pending.form.isConnected) early = event;
});

markPassages(desk);
byId("document").focus({ preventScroll: true });
byId("status").textContent = byId("document").dataset.announce;
