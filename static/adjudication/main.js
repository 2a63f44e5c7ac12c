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
import { Passages } from "./passages.js";

const PIECES = ["document", "statement", "said", "verdicts"];
const desk = byId("desk");
const sender = new FormSender();
let passages = null;

const isOvertaken = () => "overtaken" in byId("document").dataset;

// Another pair is on the desk; `news` is how the decision before it went.
function arrived(news = "") {
  restart();
  hideNotices();
  const box = byId("document");
  box.focus({ preventScroll: true });
  if (isOvertaken()) light("overtaken");
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

// The pieces of the desk in a response, as nodes, with the address of their pair; null where there is no pair in it.
async function piecesOf(response) {
  const template = document.createElement("template");
  template.innerHTML = await response.text();
  const nodes = PIECES.map((id) => template.content.querySelector(`#${id}`));
  if (nodes.includes(null)) return null;
  for (const node of nodes) node.removeAttribute("hx-swap-oob");
  return { nodes, address: response.headers.get("HX-Replace-Url") };
}

function show({ nodes, address }) {
  for (const node of nodes) {
    byId(node.id).replaceWith(node);
    htmx.process(node);
  }
  history.replaceState(null, "", address);
}

// ---- sending: the pair stays on the desk until its decision has arrived -----------------------------------

desk.addEventListener("submit", (event) => {
  event.preventDefault();
  event.stopImmediatePropagation();
  if (!sender.isBusy) decide(event.target, event.submitter);
}, true);

async function decide(form, button) {
  const field = form.elements.active_ms;
  if (field) field.value = String(activeMilliseconds());
  const said = button?.dataset.said;
  const nobody = said && "nobody" in button.dataset ? byId("document").querySelector(".strip .mono").textContent : null;
  desk.setAttribute("aria-busy", "true");
  const body = new URLSearchParams(new FormData(form, button));
  const { outcome, result, reason } = await sender.send(form.action, body, piecesOf);
  desk.setAttribute("aria-busy", "false");
  if (outcome !== "sent") {
    light("refused");
    showRefusal(reason);
    return;
  }
  show(result);
  light("saved");
  arrived(said ? `Recorded: ${said}.` : form.matches(".undo") ? "Undone." : "Saved.");
  if (nobody !== null && !isOvertaken()) warnOfNobody(said, nobody);
}

// A grade between those of the assessors may be meant, or a slip of the finger.
function warnOfNobody(said, docno) {
  showNotice("nobody", `${docno} was decided as “${said}”, a grade that nobody gave.`, [
    { label: "Undo", act: () => desk.querySelector("[data-undo]").click() },
  ]);
}

// ---- going to another pair without a decision -----------------------------------------------------------

ignoreSecondClicks(desk, "button[name=decision]");

desk.addEventListener("click", (event) => {
  if (event.target.closest("#passages")) showNextPassage();
  if (!sender.isBusy || !event.target.closest("a[hx-get]")) return;
  event.preventDefault();
  event.stopImmediatePropagation();
}, true);

document.addEventListener("htmx:finally:request", (event) => {
  const { ctx } = event.detail;
  const status = ctx.response?.status;
  if (status >= 200 && status < 300 && ctx.status === "swapped") arrived();
  else if (!(status >= 400 && status < 500)) light("missing");
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
  return controlOf(key) ? () => press(key) : null;
}

listenToKeys({ find: actionOf, reason: "#reason" });

arrived();
