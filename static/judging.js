// The judging desk's keys, its save light, and the answer that is sent until it has arrived.
// Everything it does is a button, link or form of the page: without this file the desk works by clicking.
import { activeMilliseconds, restart } from "./active_time.js";

const RETRY_SECONDS = [1, 2, 4, 8, 15];
const KEPT_TRYING = new Set([401, 408, 425, 429]);

const desk = document.getElementById("desk");
const byId = (id) => document.getElementById(id);

// The answer under way: {form, button, attempt, timer}. While there is one, nothing else is taken.
let pending = null;
// A key that was pressed when the next document stood there already, but its predecessor's answer was not yet
// told to have arrived.
let early = null;

function light(state, text) {
  byId("light").dataset.state = state;
  byId("light-text").textContent = text;
}

function announce(saved) {
  const about = byId("document").dataset.announce;
  byId("status").textContent = saved ? `Saved. ${about}` : about;
}

const tellShown = () => desk.dispatchEvent(new CustomEvent("desk:shown", { detail: {
  article: byId("document").querySelector("article"), docno: byId("document").querySelector(".strip .mono")?.textContent, assignmentId: null } }));

function arrived(saved) {
  restart();
  tellShown();
  byId("trouble").replaceChildren();
  byId("document").focus({ preventScroll: true });
  announce(saved);
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

document.addEventListener("htmx:finally:request", (event) => {
  const { ctx } = event.detail;
  const status = ctx.response?.status;
  const done = status >= 200 && status < 300 && ctx.status === "swapped";
  if (ctx.request.method !== "POST") {
    if (done) arrived(false);
    else if (!(status >= 400 && status < 500)) light("failed", "the document did not come, try again");
    return;
  }
  if (!pending) return;
  if (done) {
    pending = null;
    desk.removeAttribute("aria-busy");
    arrived(true);
    const key = early;
    early = null;
    if (key) act(key);
  } else if (status === 401) {
    tryLater("signed out", "You are signed out: sign in again in another tab, then this answer is sent.");
  } else if (status === undefined || status < 400 || status >= 500 || KEPT_TRYING.has(status)) {
    tryLater("not saved, trying again");
  } else {
    // Refused for good: the reason stands in the box above the bar.
    pending = null;
    desk.removeAttribute("aria-busy");
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
// A desk out of the browser's memory could show an answer as open that was given since.
window.addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});

// The box of reasons takes the focus, none of its buttons does: Space must not choose one by accident. The
// event comes late: who has gone on to a field of the box by then stays there.
desk.addEventListener("toggle", (event) => {
  if (event.newState === "open" && !event.target.contains(document.activeElement)) event.target.focus();
}, true);

// ---- keys ----------------------------------------------------------------------------------------------

const typing = (target) =>
  target instanceof Element && target.closest("input, textarea, select, [contenteditable]:not([contenteditable=false])");
const isOpen = (id) => Boolean(byId(id)?.matches(":popover-open"));

function press(element) {
  if (!element || element.disabled) return;
  element.click();
}

function page(direction) {
  const box = byId("document");
  box.scrollBy({ top: direction * box.clientHeight * 0.85 });
}

function keyed(event) {
  const wanted = event.key.toLowerCase();
  const find = (key) => desk.querySelector(`[data-key="${CSS.escape(key)}"]`);
  // Where digits need Shift the key itself is meant.
  const digit = /^Digit(\d)$/.exec(event.code);
  return find(wanted) ?? (digit && !event.shiftKey ? find(digit[1]) : null);
}

function giveReason(event) {
  const chosen = byId("reasons").querySelector(`[data-reason="${CSS.escape(event.key)}"]`);
  if (!chosen) return;
  event.preventDefault();
  if (chosen.matches("input")) chosen.focus();
  else press(chosen);
}

function act(event) {
  if (isOpen("reasons")) {
    giveReason(event);
    return;
  }
  const element =
    event.key === "[" ? byId("previous")
    : event.key === "]" ? byId("next")
    : event.key === "Backspace" ? desk.querySelector('[data-key="z"]')
    : keyed(event);
  if (!element) return;
  event.preventDefault();
  press(element);
}

document.addEventListener("keydown", (event) => {
  // The browser would close the box too, but later: a digit that follows at once must be a grade again.
  if (event.key === "Escape" && isOpen("reasons")) byId("reasons").hidePopover();
  const modified = (event.ctrlKey || event.altKey || event.metaKey) && !event.getModifierState("AltGraph");
  if (event.defaultPrevented || event.repeat || modified || typing(event.target)) return;
  if (event.key === "?") {
    event.preventDefault();
    byId("keys").togglePopover();
    return;
  }
  if (isOpen("keys")) return;
  if (event.key === " ") {
    if (event.target.closest?.("button, a, summary")) return;
    event.preventDefault();
    page(event.shiftKey ? -1 : 1);
    return;
  }
  if (!pending) act(event);
  else if (!pending.form.isConnected) early = event;
});

byId("document").focus({ preventScroll: true });
announce(false);
tellShown();
