// The desk of pairs side by side: a key gives the answer and the next pair is shown at once; the answer goes through the
// outbox to the server. Only what differs from one pair to the next is changed, so that the statement stays as it was
// and the focus where it was. Without this file the buttons work by clicking.
import { listen as listenToTextChoice } from "../reading/text_choice.js";
import { activeMilliseconds, restart } from "../shared/active_time.js";
import { byId } from "../shared/dom.js";
import { freshId } from "../shared/ids.js";
import { isOnControl, listenToKeys, UNDO } from "../shared/keys.js";
import { announce, showSaving } from "../shared/light.js";
import { hideNotice, isShown, showNotice } from "../shared/notices.js";
import { pageThrough, reloadFromMemory } from "../shared/page.js";
import { notRecorded } from "../shared/receipts.js";
import { Saving } from "../shared/saving.js";
import { ignoreSecondClicks } from "../shared/second_click.js";
import { Backoff, onWake } from "../shared/sending.js";
import { SideHits } from "./hits.js";
import { Pages } from "./pages.js";
import { Pairs } from "./pairs.js";

const SIDES = ["left", "right"];
const LINE = 48; // pixels that an arrow key scrolls where the browser does not
const RETRY_MS = 2000;
const desk = byId("sides");
const facts = JSON.parse(desk.dataset.task);
const pairs = new Pairs(facts);
const pages = new Pages(facts.addresses.desk);
const hits = new SideHits(JSON.parse(desk.dataset.terms));
const waiting = new Backoff();
const reason = byId("reason");
let isEnded = false; // nothing more is taken of this task
let current = facts.number || null; // the pair on the desk; null while one comes, and at the end
let isFetching = false; // the pair that is to come next
let asked = 0; // for which pair, last: what comes of an earlier request is not shown
let reading = "left"; // the side that was read last

const saving = new Saving({
  account: facts.account,
  address: facts.addresses.events,
  signIn: facts.addresses.sign_in,
  onChange: drawLight,
  onReceipts: takeReceipts,
  onMade: takeFromOtherTab,
});

// ---- answering -----------------------------------------------------------------------------------------

document.addEventListener("submit", (event) => {
  const form = event.target.closest("#sides form");
  if (!form) return;
  event.preventDefault();
  // Only a button answers: whatever else sends a form, such as Enter in a field, does not.
  const { submitter } = event;
  if (submitter?.matches("[data-undo]")) undo();
  else if (submitter) answer(submitter);
});

// Makes an event and applies it here; whoever calls it hands it to the outbox in the same task.
function makeEvent(event) {
  const sent = { task: facts.task, client_id: freshId(), said_at: new Date().toISOString(), ...event };
  pairs.apply(sent);
  saving.expectOne();
  return sent;
}

function answer({ value, dataset }) {
  if (current === null || isEnded || !saving.isReady || !saving.mayTake()) return;
  const sent = makeEvent({ pair: current, said: value, reason: reason.value.trim(), active_ms: activeMilliseconds() });
  // The next pair stands there first; whatever happens to it, the answer is kept.
  try {
    go(pairs.next, `${dataset.said}.`);
  } finally {
    saving.keep(sent);
  }
}

function undo() {
  const pair = pairs.latest;
  if (pair === null || isEnded || !saving.isReady || !saving.mayTake()) return;
  const { reason: before = "" } = pairs.answers.get(pair);
  const sent = makeEvent({ pair, said: "withdrawn", reason: "" });
  try {
    go(pair, "Undone.", before);
  } finally {
    saving.keep(sent);
  }
}

function takeReceipts(receipts) {
  for (const receipt of receipts) {
    if (receipt.outcome !== "kept_aside" && receipt.outcome !== "refused") continue;
    notRecorded(receipt);
    if (receipt.event.task !== facts.task) continue;
    pairs.forget(receipt.event);
    isEnded ||= Boolean(receipt.ends);
  }
  drawBar();
  saving.recount();
}

function takeFromOtherTab(event) {
  if (event.task !== facts.task) return;
  pairs.apply(event);
  drawBar();
}

// ---- going on ------------------------------------------------------------------------------------------

// Shows a pair, or the end for null; `news` is what was done before.
function go(pair, news, typed = "") {
  asked += 1;
  if (pair === null) showEnd(news);
  else if (pages.has(pair)) showPair(pair, news, typed);
  else fetchPair(pair, news, typed);
}

async function fetchPair(pair, news, typed) {
  const mine = asked;
  current = null;
  isFetching = true;
  announce(news);
  desk.setAttribute("aria-busy", "true");
  drawLight();
  for (;;) {
    const found = await pages.fetch(pair);
    if (mine !== asked) return;
    if (found === "here") break;
    if (found === "gone") {
      showNotice("no-pair", "This comparison is no longer yours.", [{ label: "Side by side", address: facts.addresses.list }]);
      return;
    }
    if (found === "signed-out") saving.askToSignIn();
    else if (!isShown("no-pair")) showNotice("no-pair", "The next pair cannot be fetched now; it is tried again.");
    await waiting.asleep(RETRY_MS);
    if (mine !== asked) return;
  }
  showPair(pair, news, typed);
}

function showPair(pair, news, typed) {
  const { sides, news: arrival } = pages.get(pair);
  show({ isEnd: false });
  for (const [at, id] of SIDES.entries()) {
    byId(id).replaceChildren(sides[at]);
    byId(id).scrollTop = 0;
  }
  current = pair;
  reason.value = typed;
  showSide("left");
  restart();
  draw();
  // Nothing has the focus that is gone, hidden or cannot be pressed.
  const { activeElement: focused } = document;
  if (focused === document.body || focused.disabled || focused.closest("[hidden]")) byId(reading).focus({ preventScroll: true });
  announce(`${news} ${arrival}`.trim());
  hits.find();
  pages.expect((count) => pairs.ahead(count, current));
}

function showEnd(news) {
  current = null;
  show({ isEnd: true });
  draw();
  desk.querySelector(".end h2").focus();
  announce(`${news} ${desk.dataset.end}`.trim());
}

function show({ isEnd }) {
  isFetching = false;
  hideNotice("no-pair");
  desk.setAttribute("aria-busy", "false");
  desk.classList.toggle("finished", isEnd);
  desk.querySelector(".end").hidden = !isEnd;
  for (const part of desk.querySelectorAll(".side, .which, form.answers")) part.hidden = isEnd;
}

// ---- drawing -------------------------------------------------------------------------------------------

function draw() {
  drawBar();
  drawLight();
}

function drawBar() {
  const done = pairs.answers.size;
  const said = pairs.answers.get(current)?.said;
  for (const button of desk.querySelectorAll("[name=said]")) button.setAttribute("aria-pressed", String(button.value === said));
  desk.querySelector("[data-undo]").disabled = pairs.latest === null;
  desk.querySelector(".count b").textContent = done.toLocaleString("en");
  const bar = desk.querySelector("svg.bar");
  bar.setAttribute("aria-label", `${done} of ${pairs.total} compared`);
  bar.querySelector("rect")?.setAttribute("width", String((1000 * done) / pairs.total));
}

function drawLight() {
  showSaving(saving, isFetching ? "fetching" : null);
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
  const control = desk.querySelector(key === UNDO ? "[data-undo]" : `[data-key="${CSS.escape(key)}"]`);
  if (card.matches(":popover-open")) return control?.matches("[popovertarget=keys]") ? () => card.hidePopover() : null;
  if (control) return control.disabled ? null : () => control.click();
  if (current === null) return null;
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
window.addEventListener("beforeunload", (event) => {
  if (saving.wouldLose) event.preventDefault();
});
for (const change of ["online", "offline"]) window.addEventListener(change, drawLight);
onWake(() => waiting.wake());
reloadFromMemory();
// On a low screen the statement would leave no room for what is compared.
if (matchMedia("(max-height: 500px)").matches) byId("statement")?.removeAttribute("open");

async function begin() {
  if (current !== null) {
    pages.put(current, desk);
    byId("left").focus({ preventScroll: true });
    hits.find();
  }
  announce(current === null ? desk.dataset.end : desk.dataset.announce);
  const left = await saving.open();
  for (const event of left) if (event.task === facts.task) pairs.apply(event);
  saving.start(left);
  // What this browser kept may have answered the pair that came with the page.
  const isAsked = new URLSearchParams(location.search).has("pair");
  if (!isAsked && pairs.next !== current) go(pairs.next, "");
  else {
    draw();
    pages.expect((count) => pairs.ahead(count, current));
  }
}

begin();
