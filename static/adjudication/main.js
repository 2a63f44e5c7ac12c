// The adjudicator's desk: its keys, and the decision that is sent until it has arrived while the next pair is shown.
// Everything it does is a button, link or form of the page: without this file the desk works by clicking.
import { activeMilliseconds, restart } from "../shared/active_time.js";
import { byId } from "../shared/dom.js";
import { FormSender } from "../shared/form_sender.js";
import { isOnControl, listenToKeys, UNDO } from "../shared/keys.js";
import { announce, light } from "../shared/light.js";
import { hideNotices, showNotice, showRefusal } from "../shared/notices.js";
import { pageThrough, reloadFromMemory } from "../shared/page.js";
import { ignoreSecondClicks } from "../shared/second_click.js";
import { Ahead, piecesOf, recount, showPieces } from "./ahead.js";
import { Passages } from "./passages.js";

const desk = byId("desk");
const ahead = new Ahead(desk.dataset.ahead);
const sender = new FormSender();

// Where the next pair is shown before the decision on the last one has arrived: the pieces of that last pair, and
// what was pressed since, which waits until it has.
let before = null;
let early = null;
let passages = null;

const isOvertaken = () => "overtaken" in byId("document").dataset;

// Another pair is on the desk; `news` is how the decision before it went.
function arrived(news = "") {
  restart();
  hideNotices();
  const box = byId("document");
  box.focus({ preventScroll: true });
  if (isOvertaken()) {
    early = null;
    light("overtaken");
  }
  announce(news && !isOvertaken() ? `${news} ${box.dataset.announce}` : box.dataset.announce);
  showPassages();
}

// Another topic has other words to be looked for.
let topic = null;
function readTopic() {
  const { reading } = byId("statement").dataset;
  if (topic !== null && reading !== topic) tell("desk:topic", JSON.parse(reading));
  topic = reading;
}

const tell = (name, detail) => desk.dispatchEvent(new CustomEvent(name, { detail }));

// Reading begins after the passages are painted: their marks divide the text anew.
function beginReading(hasPassages) {
  const article = byId("document").querySelector(":scope:not(.finished) > article");
  if (hasPassages) tell("desk:shown", { article: null });
  tell("desk:shown", { article });
  if (hasPassages) tell("desk:whole");
}

function showPassages() {
  passages?.leave();
  readTopic();
  passages = new Passages(desk, ({ list }) => {
    beginReading(list.length > 0);
    const button = byId("passages");
    if (!button || !list.length) return;
    button.hidden = false;
    button.querySelector("span").textContent = list.length === 1 ? "1 passage" : `${list.length} passages`;
  });
}

function showNextPassage() {
  const description = passages?.step();
  if (description) announce(description);
}

// The pair on the desk as its form names it, or null at the end.
function pairShown() {
  const { topic, docno } = desk.querySelector("form.answers").elements;
  return topic ? { topic: topic.value, docno: docno.value } : null;
}

function lookAhead() {
  const pair = pairShown();
  if (pair) ahead.look(pair);
  else ahead.take();
}

// Shows a pair at once; the browser's address follows after it is seen. Gives the pieces that were there.
function showPair(pieces) {
  const replaced = showPieces(pieces);
  setTimeout(() => history.replaceState(null, "", pieces.address));
  return replaced;
}

// ---- sending -------------------------------------------------------------------------------------------

desk.addEventListener("submit", (event) => {
  event.preventDefault();
  event.stopImmediatePropagation();
  const { target: form, submitter: button } = event;
  if (!sender.isBusy) decide(form, button);
  else if (before) early = () => form.isConnected && form.requestSubmit(button);
}, true);

async function decide(form, button) {
  const field = form.elements.active_ms;
  if (field) field.value = String(activeMilliseconds());
  const body = new URLSearchParams(new FormData(form, button));
  const next = form.matches(".answers") ? ahead.take() : null;
  let shown = null;
  const said = button?.dataset.said;
  const nobody = said && "nobody" in button.dataset ? byId("document").querySelector(".strip .mono").textContent : null;
  if (next) {
    before = showPair(next);
    shown = pairShown();
    body.set("now_topic", shown.topic);
    body.set("now_docno", shown.docno);
    arrived(said ? `Decided: ${said}.` : "");
  }
  desk.setAttribute("aria-busy", String(!next));
  const { outcome, result, reason } = await sender.send(form.action, body, piecesOf);
  desk.setAttribute("aria-busy", "false");
  if (outcome !== "sent") refused(reason);
  else if (shown && !result.overtaken) tookNext(result, shown);
  else wentOn(result, said ? `Recorded: ${said}.` : form.matches(".undo") ? "Undone." : "Saved.");
  if (outcome === "sent" && !result.overtaken && nobody !== null) warnOfNobody(said, nobody);
  before = null;
  takeEarly();
}

// The next pair is on the desk already; what came is the one behind it.
function tookNext(pieces, shown) {
  recount(pieces);
  ahead.keep(pieces);
  light("saved");
  hideNotices();
  // Somebody else has decided the pair that came to the desk: it is shown as it is now.
  const { topic, docno, seen } = desk.querySelector("form.answers").elements;
  const isSame = topic?.value === shown.topic && docno.value === shown.docno;
  if (!isSame || pieces.latest === seen.value) return;
  early = null;
  htmx.ajax("GET", location.pathname + location.search, { source: desk, target: "#document", swap: "outerHTML" });
}

// What came is shown: the next pair, or the same one that somebody else has decided meanwhile.
function wentOn(pieces, news) {
  showPair(pieces);
  light("saved");
  arrived(news);
  if (!early) lookAhead();
}

// A grade between those of the assessors may be meant, or a slip of the finger.
function warnOfNobody(said, docno) {
  showNotice("nobody", `${docno} was decided as “${said}”, a grade that nobody gave.`, [
    { label: "Undo", act: () => desk.querySelector("[data-undo]").click() },
  ]);
}

// The pair comes back, with the reason above the bar.
function refused(reason) {
  early = null;
  if (before) showPair(before);
  light("refused");
  if (before) arrived();
  showRefusal(reason);
  if (before) lookAhead();
}

function takeEarly() {
  const act = early;
  early = null;
  act?.();
}

// ---- going to another pair without a decision -----------------------------------------------------------

ignoreSecondClicks(desk, "button[name=decision]");

desk.addEventListener("click", (event) => {
  if (event.target.closest("#passages")) showNextPassage();
  const link = event.target.closest("a[hx-get]");
  const isReady = link?.getAttribute("href") === ahead.address;
  if (!link || (!sender.isBusy && !isReady)) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  if (sender.isBusy) {
    if (before) early = () => link.isConnected && link.click();
    return;
  }
  showPair(ahead.take());
  light("ready");
  arrived();
  lookAhead();
}, true);

document.addEventListener("htmx:finally:request", (event) => {
  const { ctx } = event.detail;
  const status = ctx.response?.status;
  if (status >= 200 && status < 300 && ctx.status === "swapped") {
    arrived();
    lookAhead();
  } else if (!(status >= 400 && status < 500)) light("missing");
});

reloadFromMemory();

// ---- keys ----------------------------------------------------------------------------------------------

function controlOf(key) {
  const chosen = desk.querySelector(`[data-key="${CSS.escape(key)}"]`);
  // A key that was chosen for a grade means the grade, whatever else it does.
  if (chosen) return chosen;
  if (key === UNDO) return desk.querySelector("[data-undo]");
  return key === "[" ? byId("previous") : key === "]" ? byId("next") : null;
}

function press(key) {
  const control = controlOf(key);
  if (control && !control.disabled) control.click();
}

function actionOf(key, event) {
  const card = byId("keys");
  if (key === "?") return () => card.togglePopover();
  if (card.matches(":popover-open")) return null;
  if (key === " ") {
    return isOnControl(event.target) ? null : () => pageThrough(byId("document"), event.shiftKey ? -1 : 1);
  }
  if (!controlOf(key)) return null;
  if (!sender.isBusy) return () => press(key);
  return () => {
    if (before) early = () => press(key);
  };
}

listenToKeys({ find: actionOf, reason: "#reason" });

arrived();
lookAhead();
