// The adjudicator's desk: its keys, its save light, and the decision that is sent until it has arrived.
// Everything it does is a button, link or form of the page: without this file the desk works by clicking.
import { activeMilliseconds, restart } from "../shared/active_time.js";
import { AS_PIECES, Ahead, piecesOf, put, recount } from "./ahead.js";
import { Passages } from "./passages.js";
import { secondClicks } from "../shared/second_click.js";

const RETRY_SECONDS = [1, 2, 4, 8, 15];
const KEPT_TRYING = new Set([401, 408, 425, 429]);
const TIMEOUT_MS = 20_000;

const desk = document.getElementById("desk");
const byId = (id) => document.getElementById(id);
const ahead = new Ahead(desk.dataset.ahead);
const isSecondClick = secondClicks();

// What is under way to the server: {send, attempt, timer}, with `form` where htmx sends it and `before`, the pieces
// of the pair decided, where the next one stands there already. While there is one, no other is sent.
let pending = null;
// What was pressed when the next pair stood there already, but the one before was not yet told to have arrived.
let early = null;
let passages = null;

function light(state, text) {
  byId("light").dataset.state = state;
  byId("light-text").textContent = text;
}

// Another pair stands on the desk; `said` is how its decision went.
function arrived(said = "") {
  restart();
  byId("trouble").replaceChildren();
  const box = byId("document");
  const overtaken = "overtaken" in box.dataset;
  box.focus({ preventScroll: true });
  if (overtaken) {
    early = null;
    light("failed", "not recorded");
  }
  byId("status").textContent = said && !overtaken ? `${said} ${box.dataset.announce}` : box.dataset.announce;
  showPassages();
}

function showPassages() {
  passages?.leave();
  passages = new Passages(desk, ({ list }) => {
    const button = byId("passages");
    if (!button || !list.length) return;
    button.hidden = false;
    button.querySelector("span").textContent = list.length === 1 ? "1 passage" : `${list.length} passages`;
  });
}

function nextPassage() {
  const said = passages?.step();
  if (said) byId("status").textContent = said;
}

// The pair on the desk as its form names it, or null at the end.
function pairShown() {
  const form = desk.querySelector("form.answers");
  const { topic, docno } = form.elements;
  return topic ? { topic: topic.value, docno: docno.value } : null;
}

function lookAhead() {
  const pair = pairShown();
  if (pair) ahead.look(pair);
  else ahead.take();
}

// The pair that stands ready, at once; what the browser's address says of it comes after it is seen.
function putAhead(pieces) {
  const before = put(pieces);
  setTimeout(() => history.replaceState(null, "", pieces.address));
  return before;
}

// ---- sending -------------------------------------------------------------------------------------------

desk.addEventListener("submit", (event) => {
  const form = event.target;
  const button = event.submitter;
  if (pending && !pending.again) {
    event.preventDefault();
    event.stopImmediatePropagation();
    if (pending.before) early = () => form.isConnected && form.requestSubmit(button);
    return;
  }
  if (!pending) {
    const field = form.elements.active_ms;
    if (field) field.value = String(activeMilliseconds());
    const pieces = form.matches(".answers") ? ahead.take() : null;
    if (pieces) {
      event.preventDefault();
      event.stopImmediatePropagation();
      decideAndGoOn(form, button, pieces);
      return;
    }
    pending = { form, attempt: 0, timer: null, again: false, send: () => form.requestSubmit(button) };
  }
  pending.again = false;
  desk.setAttribute("aria-busy", "true");
  if (pending.attempt === 0) light("sending", "saving");
}, true);

desk.addEventListener("click", (event) => {
  const target = event.target.closest("a[hx-get], button[name=decision]");
  if (!target) return;
  const link = target.matches("a");
  const twice = !link && isSecondClick(event);
  const waits = link && pending;
  const skipped = link && !waits && target.getAttribute("href") === ahead.address;
  if (!twice && !waits && !skipped) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  if (waits && pending.before) early = () => target.isConnected && target.click();
  if (!skipped) return;
  putAhead(ahead.take());
  light("saved", "ready");
  arrived();
  lookAhead();
}, true);

// Nor is it to leave the focus on a grade, where Space would decide.
desk.addEventListener("mousedown", (event) => {
  if (event.detail > 1 && event.target.closest("button[name=decision]")) event.preventDefault();
});

function decideAndGoOn(form, button, pieces) {
  const body = new URLSearchParams(new FormData(form, button));
  const before = putAhead(pieces);
  const shown = pairShown();
  body.set("now_topic", shown.topic);
  body.set("now_docno", shown.docno);
  pending = { before, shown, attempt: 0, timer: null, send: () => sendDecision(form.action, body) };
  light("sending", "saving");
  arrived();
  pending.send();
}

async function sendDecision(address, body) {
  let response = null;
  let pieces = null;
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    response = await fetch(address, { method: "POST", body, headers: AS_PIECES, signal });
    if (response.ok) pieces = await piecesOf(response);
    else if (!mayBeTried(response.status)) pieces = await response.text();
  } catch {
    response = null;
  }
  if (response?.ok && pieces) decisionArrived(response, pieces);
  else if (!response || mayBeTried(response.status)) tryAgain(response?.status);
  else refused(pieces);
}

function decisionArrived(response, pieces) {
  const { shown, attempt: tried } = pending;
  settled();
  if ("overtaken" in pieces.nodes[0].dataset) {
    putAhead(pieces);
    arrived();
    lookAhead();
    return;
  }
  recount(pieces);
  ahead.keep(pieces);
  light("saved", "saved");
  // The pair was told when it came; that all is well needs no word, unless it was not so for a while.
  if (tried) byId("status").textContent = "Saved.";
  byId("trouble").replaceChildren();
  // Somebody else has decided the pair that came to the desk: it is shown as it is now.
  const { topic, docno, seen } = desk.querySelector("form.answers").elements;
  const same = topic?.value === shown.topic && docno.value === shown.docno;
  if (same && response.headers.get("Desk-Seen") !== seen.value) {
    early = null;
    htmx.ajax("GET", location.pathname + location.search, { source: desk, target: "#document", swap: "outerHTML" });
    return;
  }
  takeEarly();
}

// Refused for good: the pair comes back, with the reason above the bar.
function refused(reason) {
  const { before } = pending;
  settled();
  early = null;
  putAhead(before);
  arrived();
  byId("trouble").innerHTML = reason;
  light("failed", "not saved");
  lookAhead();
}

function takeEarly() {
  const act = early;
  early = null;
  act?.();
}

function sendAgain() {
  if (!pending || pending.timer === null) return;
  clearTimeout(pending.timer);
  pending.timer = null;
  pending.again = true;
  pending.send();
}

const mayBeTried = (status) => status === undefined || status < 400 || status >= 500 || KEPT_TRYING.has(status);

function tryAgain(status) {
  const signedOut = status === 401;
  const text = signedOut ? "signed out" : "not saved, trying again";
  const seconds = RETRY_SECONDS[Math.min(pending.attempt, RETRY_SECONDS.length - 1)];
  pending.attempt += 1;
  pending.timer = setTimeout(sendAgain, seconds * 1000);
  light("failed", text);
  byId("trouble").textContent = signedOut
    ? "You are signed out: sign in again in another tab, then this decision is sent."
    : "";
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
    if (done) {
      arrived();
      lookAhead();
    } else if (!(status >= 400 && status < 500)) light("failed", "the pair did not come, try again");
    return;
  }
  if (!pending?.form) return;
  if (done) {
    settled();
    if (!("overtaken" in byId("document").dataset)) light("saved", "saved");
    arrived("Saved.");
    if (!early) lookAhead();
    takeEarly();
  } else if (mayBeTried(status)) {
    tryAgain(status);
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
  const fixed =
    event.key === "[" ? byId("previous")
    : event.key === "]" ? byId("next")
    : event.key === "Backspace" ? desk.querySelector("[data-undo]")
    : null;
  // A key that was chosen for a grade means the grade, whatever else it does.
  const element = keyed(event) ?? fixed;
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
  else if (pending.before || !pending.form.isConnected) early = () => act(event);
});

desk.addEventListener("click", (event) => {
  if (event.target.closest("#passages")) nextPassage();
});

arrived();
lookAhead();
