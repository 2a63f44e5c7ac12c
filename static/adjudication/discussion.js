// A discussed pair: the passages that its assessors marked, the judging desk's keys, and an answer that goes through the
// outbox to the server. The next pair comes when it has arrived. Without this file the form works by itself.
import { byId } from "../shared/dom.js";
import { activeMilliseconds } from "../shared/active_time.js";
import { AS_FRAGMENT } from "../shared/form_sender.js";
import { freshId } from "../shared/ids.js";
import { isOnControl, listenToKeys } from "../shared/keys.js";
import { announce, showSaving } from "../shared/light.js";
import { hideNotice, showNotice } from "../shared/notices.js";
import { pageThrough, reloadFromMemory } from "../shared/page.js";
import { notRecorded } from "../shared/receipts.js";
import { Saving } from "../shared/saving.js";
import { Passages } from "./passages.js";

const form = byId("answering");
const card = byId("keys");
const commands = JSON.parse(card.dataset.commands);
const place = document.querySelector(".doc.alone");
const facts = JSON.parse(form.dataset.facts);
let asksWhy = false; // "cannot judge" was pressed: the next digit is its reason
let pending = null; // the id of the answer that is on its way; until it has arrived nothing else is answered
let isEarly = false; // recorded before the outbox was open: goes as soon as it is

const saving = new Saving({
  account: facts.account,
  address: facts.addresses.events,
  signIn: facts.addresses.sign_in,
  onChange: drawLight,
  onReceipts: takeReceipts,
  onMade: takeUp,
});

form.addEventListener("submit", (event) => {
  event.preventDefault();
  isEarly = !saving.isReady;
  if (isEarly || pending !== null || !saving.mayTake()) return;
  const fields = form.elements;
  const said = fields.answer.value;
  const isGrade = /^\d+$/.test(said);
  const sent = {
    discussion: facts.discussion,
    topic: fields.topic.value,
    docno: fields.docno.value,
    client_id: freshId(),
    kind: "answer",
    answer: isGrade ? "grade" : said,
    grade: isGrade ? Number(said) : null,
    reason: said === "cannot_judge" ? fields.reason.value : "",
    comment: fields.comment.value,
    shown_sha256: fields.shown_sha256.value,
    latest: Number(fields.latest.value),
    active_ms: activeMilliseconds(),
    said_at: new Date().toISOString(),
  };
  pending = sent.client_id;
  hideNotice("kept");
  saving.expectOne();
  saving.keep(sent);
});

const isOfThisPair = (event) =>
  event.discussion === facts.discussion && event.topic === form.elements.topic.value && event.docno === form.elements.docno.value;

// An answer of this pair that this browser keeps, from a tab that was closed or from another one.
function takeUp(event) {
  if (!isOfThisPair(event)) return;
  const { answer, grade, reason, comment } = event;
  form.elements.answer.value = String(grade ?? answer);
  form.elements.reason.value = reason;
  form.elements.comment.value = comment;
  showWhyNot();
  pending = event.client_id;
}

function takeReceipts(receipts) {
  for (const receipt of receipts) {
    const isLost = receipt.outcome === "kept_aside" || receipt.outcome === "refused";
    if (isLost) notRecorded(receipt);
    if (receipt.client_id !== pending) continue;
    pending = null;
    if (isLost) continue;
    announce("Recorded.");
    location.assign(facts.addresses.then);
  }
  saving.recount();
}

// Where the answer cannot leave now, whoever waits is told that they need not.
function drawLight() {
  showSaving(saving, pending === null && saving.state === "saved" && !saving.signedOutElsewhere ? "ready" : null);
  const isDelayed = pending !== null && (!navigator.onLine || ["offline", "failing"].includes(saving.state));
  if (!isDelayed) hideNotice("kept");
  else showKept();
}

let isTold = false;
function showKept() {
  if (isTold) return; // once: a screen reader would read it each time
  isTold = true;
  showNotice("kept", "Your answer is kept in this browser and sent when the server can be reached. You can close this page.");
}

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
window.addEventListener("beforeunload", (event) => {
  if (saving.wouldLose) event.preventDefault();
});
for (const change of ["online", "offline"]) window.addEventListener(change, drawLight);
reloadFromMemory();
place.focus({ preventScroll: true });
new Passages(document.querySelector(".discussing"));

async function begin() {
  const left = await saving.open();
  left.forEach(takeUp);
  saving.start(left);
  drawLight();
  if (isEarly) record();
}

begin();
