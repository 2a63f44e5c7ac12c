// The judging desk: a key says what one thinks of a document and the next one stands there at once; what was
// said goes through the outbox to the server. Without this file every button is a form that works by itself.
import { activeMilliseconds, restart } from "../active_time.js";
import { Beside } from "./beside.js";
import { openChannel } from "./channel.js";
import { Documents } from "./documents.js";
import { finishedArticle, offerTopic, takeEnter } from "./finished.js";
import { freshId } from "./ids.js";
import { isForDesk, meaningOf, readKeys } from "./keys.js";
import { announce, isSaid, light, say, unsay } from "./light.js";
import * as list from "./list.js";
import { nearAnswer } from "./near.js";
import { openOutbox } from "./outbox.js";
import { Pace } from "./pace.js";
import * as receipts from "./receipts.js";
import { startSender } from "./sender.js";
import * as show from "./show.js";
import { listenToSwipes, sayWays } from "./swipe.js";
import { Topic } from "./topic.js";
import { Training } from "./training.js";

const MOST_UNSENT = 50;
const RETRY_MS = 2000;
const UNDONE = 3;
const AHEAD = 3; // with fewer ahead a queue is asked for more

const byId = (id) => document.getElementById(id);
const desk = byId("desk");
const facts = JSON.parse(desk.dataset.desk);
const work = JSON.parse(desk.dataset.work);
const { assignment, addresses, grades, asked } = facts;
const { account } = work;
const keys = readKeys(desk);

const topic = new Topic(work);
const pace = new Pace(work);
const documents = new Documents(addresses.documents, (article) => {
  desk.dispatchEvent(new CustomEvent("desk:ready", { detail: { article } }));
});
const training = new Training(byId("document"));

let outbox = null;
let sender = { wake() {} };
let channel = { tell() {} };
let state = "saved"; // how sending stands
let unsent = 0;
let writing = 0; // events on their way into the outbox
let current = null; // the document on the desk; null while one comes, and at the end
let wanted = null; // the document that is to come
let waitsFor = null; // the event whose answer decides what comes next, where they come one by one
let asking = false; // for more of a queue
let atEnd = false; // of what the queue has given: waits to hear whether there is more
let round = "before"; // the second look at the unsure ones: before, now, after
let signedOutElsewhere = false;
const spent = new Map(); // active time before one went away from a document without judging it
const drafts = new Map(); // comments that wait for a grade
let awaiting = null; // the grade that waits for its comment: {docno, grade}
const beside = new Beside({ onChange: changeBeside, say: announce, warn: (text) => say("passages", text) });

// ---- how it stands -------------------------------------------------------------------------------------

function drawLight() {
  desk.toggleAttribute("data-waits", waitsFor !== null || wanted !== null || atEnd);
  const shown = unsent ? (state === "saved" ? "sending" : state) : state === "sending" ? "saved" : state;
  if (unsent && !navigator.onLine) light("offline", unsent);
  else if (!unsent && waitsFor) light("waiting", 0);
  else if (!unsent && (atEnd || (wanted !== null && current === null))) light("fetching", 0);
  else if (topic.closed && !unsent) byId("light-text").textContent = "closed";
  else light(unsent || shown === "signed-out" || shown === "other" ? shown : "saved", unsent);
}

const commentOf = (docno) => drafts.get(docno) ?? topic.answers.get(docno)?.comment ?? "";

function drawBar() {
  const docno = current?.docno ?? null;
  const said = docno === null ? null : (topic.answers.get(docno) ?? null);
  show.showAnswer(said, {
    off: docno === null || topic.closed || training.waits,
    mayUndo: topic.trail.length > 0 && !topic.closed && !waitsFor && !training.waits,
    mayPutOff: !said && !topic.oneByOne && !topic.training.has(docno),
    draft: docno !== null && commentOf(docno),
  });
  beside.show(docno, said, docno === null || topic.closed);
  show.showProgress(topic.answered, topic.total);
  show.showPace(pace.sitting, pace.minutes(topic.total - topic.answered), pace.breakIsDue());
  const at = docno === null ? topic.order.length : topic.places.get(docno);
  show.showSteps(topic.order[at - 1] ?? null, topic.order[at + 1] ?? null, addresses.desk);
  list.draw(topic, listOptions());
}

async function recount() {
  unsent = (await outbox.count()) + writing;
  if (unsent < MOST_UNSENT) unsay("full");
  drawLight();
}

// ---- documents -----------------------------------------------------------------------------------------

function remember() {
  if (current) spent.set(current.docno, (spent.get(current.docno) ?? 0) + activeMilliseconds());
}

function expectNext() {
  if (topic.oneByOne) return;
  // And what an undo would bring back.
  documents.expect((count) => [...topic.ahead(count, current?.docno ?? null), ...topic.trail.slice(-UNDONE)]);
}

function put(found, article) {
  current = found;
  wanted = null;
  drawBar();
  show.showDocument(found, article);
  byId("training").hidden = !topic.training.has(found.docno);
  drawLight();
  const near = nearAnswer(found.docno, found.near, topic, { grades, address: addresses.compare });
  show.arrive({ article, docno: found.docno, assignmentId: assignment, near });
  beside.arrive();
  announce(`${found.position} of ${topic.total}: ${found.title}`);
  restart();
  setTimeout(expectNext);
}

// Told to the browser only where it is another one: that takes longer than all the rest of a judgment.
function addressIs(address) {
  if (location.pathname + location.search !== address) history.replaceState(null, "", address);
}

// Goes to a document, or to the end of the topic for null.
function go(docno, { browsing = false } = {}) {
  if (browsing && training.waits) return;
  remember();
  closeBoxes();
  addressIs(browsing ? `${addresses.desk}?docno=${encodeURIComponent(docno)}` : addresses.desk);
  unsay("no-document");
  atEnd = docno === null && topic.mayGrow;
  if (atEnd) {
    current = null;
    drawBar();
    drawLight();
    askForMore();
    return;
  }
  if (docno === null) {
    end();
    return;
  }
  const found = documents.get(docno);
  if (found) put(found, documents.article(docno));
  else bring(docno);
}

async function bring(docno) {
  current = null;
  wanted = docno;
  drawBar();
  drawLight();
  while (wanted === docno) {
    try {
      await documents.fetch([docno]);
    } catch (error) {
      if (wanted !== docno) return;
      if (error.message === "401") askToSignIn();
      else if (/^4\d\d$/.test(error.message)) {
        say("no-document", "This document is no longer yours to judge.", [{ label: "My topics", address: addresses.topics }]);
        return;
      } else if (!isSaid("no-document")) say("no-document", "The next document cannot be fetched now; it is tried again.");
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      continue;
    }
    unsay("no-document");
    if (wanted === docno) put(documents.get(docno), documents.article(docno));
    return;
  }
}

function end() {
  current = null;
  wanted = null;
  if (round === "now") round = "after";
  const article = finishedArticle(topic, { round, onRound: secondLook });
  show.showFinished(article);
  byId("training").hidden = true;
  show.showPlace(topic.total, topic.total);
  drawBar();
  drawLight();
  announce("Every document of this topic has an answer");
  show.arrive();
  offer(article);
}

async function offer(article) {
  try {
    const response = await fetch(addresses.next, { headers: { Accept: "application/json" } });
    if (response.ok) offerTopic(article, (await response.json()).topic);
  } catch {
    // Without the network there is the list of topics.
  }
}

function secondLook() {
  round = "now";
  topic.beginRound();
  go(topic.next());
}

// A queue hands out a few ahead; more is asked for before they run out. At the end the answers go first, and only
// there a training says what comes after it.
async function askForMore() {
  const enough = !topic.inBatches || topic.ahead(AHEAD, current?.docno ?? null).length === AHEAD;
  if (!topic.mayGrow || asking || (atEnd ? unsent > 0 : enough)) return;
  asking = true;
  const asAtEnd = atEnd;
  let heard = false;
  try {
    const response = await fetch(addresses.work, { headers: { Accept: "application/json" } });
    if (response.status === 401) askToSignIn();
    if (response.status === 404) {
      atEnd = false;
      say("no-document", "This topic is no longer yours to judge.", [{ label: "My topics", address: addresses.topics }]);
    }
    if (response.ok) {
      topic.extend(await response.json(), current?.docno ?? wanted);
      show.showGoal(topic.goal);
      heard = true;
      unsay("no-document");
    }
  } catch {
    if (atEnd) say("no-document", "The next document cannot be fetched now; it is tried again.");
  }
  asking = false;
  if (!atEnd) {
    drawBar();
    expectNext();
  } else if (unsent) return;
  else if (!asAtEnd) askForMore(); // what was heard is from before the last answers
  else if (!heard) setTimeout(askForMore, RETRY_MS);
  else if (topic.next() !== null) go(topic.next());
  else {
    atEnd = false;
    end();
  }
}

// Where documents come one by one the answer has arrived: what comes next is known now.
async function goOn() {
  while (waitsFor) {
    try {
      const response = await fetch(addresses.work, { headers: { Accept: "application/json" } });
      if (response.status === 401) askToSignIn();
      if (response.status === 404) {
        say("no-document", "This topic is no longer yours to judge.", [{ label: "My topics", address: addresses.topics }]);
        waitsFor = null;
        drawLight();
        return;
      }
      if (response.ok) {
        const found = await response.json();
        topic.replace(found);
        for (const one of found.documents) documents.put(one);
        waitsFor = null;
        go(topic.next());
        return;
      }
    } catch {
      say("no-document", "The next document cannot be fetched now; it is tried again.");
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

// ---- saying something ----------------------------------------------------------------------------------

function mayJudge() {
  if (topic.closed || waitsFor || training.waits || current === null) return false;
  if (state === "other" || signedOutElsewhere) {
    say("stopped", "Somebody else may be sitting here now: nothing more is taken on this screen until you sign in again.", [signInWay()]);
    return false;
  }
  if (unsent >= MOST_UNSENT) {
    say("full", `${unsent} answers are kept here and not sent yet. Judging goes on as soon as the server has taken them.`);
    sender.wake();
    return false;
  }
  return true;
}

// Says something: it holds on this screen from now on. `keep` puts it into the outbox, in the same task and in
// the order in which it was said.
function hold(event) {
  const sent = {
    assignment,
    client_id: freshId(),
    said_at: new Date().toISOString(),
    before: topic.before(event.docno),
    ...event,
  };
  topic.apply(sent);
  unsent += 1;
  writing += 1;
  return sent;
}

function keep(sent) {
  drawLight();
  outbox.add(sent).then(() => {
    writing -= 1;
    channel.tell({ type: "made", event: sent });
    sender.wake();
    if (!outbox.lasting) sayPassing();
  });
}

function post(event) {
  keep(hold(event));
}

function judge(answer, { grade = null, reason = "" } = {}) {
  if (!mayJudge() || (answer === "grade" && asksFirst(grade))) return;
  const { docno, sha256 } = current;
  const trains = topic.training.has(docno);
  if (trains && topic.answers.has(docno)) {
    announce("In training the first answer counts");
    return;
  }
  const active = (spent.get(docno) ?? 0) + activeMilliseconds();
  const sent = hold({
    kind: "answer", docno, answer, grade, reason, comment: commentOf(docno), active_ms: active, shown_sha256: sha256,
    ...beside.take(),
  });
  // The next document stands there first; whatever happens to it, the answer is kept.
  try {
    pace.judged(active);
    afterJudging(sent, { docno, grade, trains });
  } finally {
    keep(sent);
  }
}

function afterJudging(sent, { docno, grade, trains }) {
  if (trains) {
    drafts.delete(docno);
    training.ask(sent.client_id, grades.find(([value]) => value === grade)?.[1] ?? "", () => {
      forget(docno);
      go(topic.next());
    });
    drawBar();
    return;
  }
  forget(docno);
  topic.lookedAtAgain(docno);
  goAfter(sent);
}

// What this campaign wants said before a grade is given: the key asks for it.
function asksFirst(grade) {
  unsay("passages");
  const open = beside.missing(asked.required);
  const needs = asked.comment_for.includes(grade) && !commentOf(current.docno);
  // A field that takes the focus takes the selection away.
  if (open !== null || needs) beside.hold();
  if (open !== null) {
    say("asked", `“${open}” is asked for with every grade: answer it, then give the grade again.`);
    beside.ask(open);
    return true;
  }
  unsay("asked");
  if (!needs) return false;
  openBox("commenting", "comment");
  awaiting = { docno: current.docno, grade };
  const [, label] = grades.find(([value]) => value === grade);
  showNeed(`“${label}” needs a comment. Enter gives the grade.`);
  return true;
}

function showNeed(text) {
  byId("comment-needed").hidden = !text;
  byId("comment-needed").textContent = text;
  byId("keep-comment").textContent = text ? "Give the grade" : "Keep";
}

// Passages, answers to questions or subtopics changed: an answer that is given keeps them at once.
function changeBeside(docno, { evidence, ratings, subtopics }) {
  unsay("asked");
  if (!topic.answers.has(docno) || !mayJudge()) return;
  post({ kind: "extras", docno, evidence, ratings, subtopics });
  beside.forget(docno);
}

function putOff() {
  if (!mayJudge() || topic.oneByOne || topic.training.has(current.docno)) return;
  const { docno } = current;
  if (topic.answers.has(docno)) {
    announce("It has an answer already");
    return;
  }
  const others = topic.ahead(1, docno).length > 0;
  post({ kind: "later", docno, active_ms: (spent.get(docno) ?? 0) + activeMilliseconds() });
  forget(docno);
  if (others) go(topic.next());
  else announce("It is the last one");
}

function undo() {
  if (topic.closed || waitsFor || training.waits || !topic.trail.length || state === "other" || signedOutElsewhere) return;
  if (unsent >= MOST_UNSENT) {
    mayJudge();
    return;
  }
  const docno = topic.trail.at(-1);
  beside.keep(docno, topic.answers.get(docno));
  post({ kind: "undo", docno });
  if (round === "after") round = "before";
  go(docno);
}

function keepComment() {
  const text = byId("comment").value.trim();
  const waits = awaiting;
  if (waits && !text) {
    byId("comment").focus();
    return;
  }
  awaiting = null;
  byId("commenting").hidePopover();
  if (current === null || !mayJudge()) return;
  const { docno } = current;
  if (waits?.docno === docno) {
    drafts.set(docno, text);
    judge("grade", { grade: waits.grade });
    return;
  }
  const said = topic.answers.get(docno);
  if (!said) announce("The comment is kept with your judgment");
  else {
    drafts.delete(docno);
    if (text !== said.comment) post({ kind: "comment", docno, comment: text });
    announce("Comment kept");
  }
  drawBar();
}

function forget(docno) {
  spent.delete(docno);
  drafts.delete(docno);
  beside.forget(docno);
  unsay("asked");
  current = null;
}

function goAfter(sent) {
  if (!topic.oneByOne) {
    go(topic.next());
    return;
  }
  waitsFor = sent.client_id;
  drawBar();
  drawLight();
}

// ---- receipts, and other tabs --------------------------------------------------------------------------

function take(found) {
  signedOutElsewhere = false; // the server took them as this account's
  for (const receipt of found) {
    const { event } = receipt;
    const here = event.assignment === assignment;
    if (receipt.outcome === "kept_aside" || receipt.outcome === "refused") receipts.notTaken(receipt);
    else if (receipt.elsewhere && here) {
      receipts.saidElsewhere(receipt, { grades, titleOf, onLook: (docno) => go(docno, { browsing: true }) });
    }
    if (receipt.client_id === waitsFor) goOn();
    const told = training.take(receipt);
    if (told) announce(told);
  }
  recount().then(askForMore);
}

function stand(now) {
  state = now;
  if (now === "signed-out") askToSignIn();
  if (now === "other") {
    say("other", `Another account is signed in on this browser. What you said is kept here and sent when you sign in again.`, [signInWay()]);
  }
  if (now === "saved" && !signedOutElsewhere) for (const matter of ["signed-out", "other", "stopped"]) unsay(matter);
  drawLight();
}

const signInWay = () => ({ label: "Sign in again", address: addresses.sign_in });

function askToSignIn() {
  if (!isSaid("signed-out")) {
    say("signed-out", "You are signed out. What you said is kept here and sent when you have signed in again, in another tab.", [signInWay()]);
  }
}

function hear(message) {
  if (message.type === "made") {
    if (message.event.assignment === assignment) heardOf(message.event);
    recount();
    sender.wake();
  } else if (message.type === "receipts") take(message.receipts);
  else if (message.type === "state") stand(message.state);
  else if (message.type === "ask") channel.tell({ type: "state", state });
  else if (message.type === "signed-out") {
    signedOutElsewhere = true;
    askToSignIn();
  } else if (message.type === "signed-in") {
    signedOutElsewhere = false;
    for (const matter of ["signed-out", "stopped"]) unsay(matter);
    sender.wake();
  }
}

// Another tab said something of this topic.
function heardOf(event) {
  topic.apply(event);
  if (event.docno === current?.docno && event.kind === "answer") {
    receipts.saidElsewhere(
      { event, elsewhere: { answer: event.answer, grade: event.grade, seconds_ago: 0 } },
      { grades, titleOf, onLook: null },
    );
  }
  if (!topic.oneByOne) {
    drawBar();
    expectNext();
  }
}

const titleOf = (docno) => documents.get(docno)?.title ?? null;

// ---- keys, buttons, boxes ------------------------------------------------------------------------------

const isOpen = (id) => byId(id).matches(":popover-open");

function closeBoxes() {
  for (const id of ["reasons", "commenting", "keys", "passages"]) if (isOpen(id)) byId(id).hidePopover();
}

function listOptions() {
  return {
    grades,
    titleOf,
    shown: current?.docno ?? null,
    onChoose(docno) {
      if (matchMedia("(max-width: 900px)").matches) list.close();
      go(docno, { browsing: true });
    },
  };
}

function step(by) {
  if (waitsFor || training.waits) return;
  const at = current ? topic.places.get(current.docno) : topic.order.length;
  const docno = topic.order[at + by];
  if (docno !== undefined) go(docno, { browsing: true });
}

// What is typed right after the key belongs into the box: the focus does not wait for an event.
function openBox(id, focused) {
  if (!mayJudge()) return;
  byId(id).showPopover();
  byId(focused).focus();
}

const COMMANDS = {
  unsure: () => judge("unsure"),
  cannot_judge: () => openBox("reasons", "reasons"),
  later: putOff,
  undo,
  comment: () => openBox("commenting", "comment"),
  next_document: () => step(1),
  previous_document: () => step(-1),
  list: () => (list.isOpen() ? closeList() : list.open(topic, listOptions(), addresses.titles)),
  guidelines: showGuidelines,
  card: () => byId("keys").togglePopover(),
};

function closeList() {
  list.close();
  byId("document").focus({ preventScroll: true });
}

function showGuidelines() {
  const guidelines = byId("guidelines");
  if (!guidelines) return;
  guidelines.open = !guidelines.open;
  if (guidelines.open) guidelines.scrollIntoView({ block: "start" });
}

function reasonKey(event) {
  const chosen = byId("reasons").querySelector(`[data-reason="${CSS.escape(event.key)}"]`);
  if (!chosen) return;
  event.preventDefault();
  if (chosen.matches("input")) chosen.focus();
  else chosen.click();
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    // The browser would close a box too, but later: a digit that follows at once must be a grade again.
    closeBoxes();
    if (list.isOpen()) closeList();
    return;
  }
  const sends = event.ctrlKey || event.metaKey || (awaiting && !event.shiftKey && !event.isComposing);
  if (event.key === "Enter" && sends && event.target === byId("comment")) {
    event.preventDefault();
    keepComment();
    return;
  }
  if (!isForDesk(event)) return;
  if (isOpen("reasons")) {
    reasonKey(event);
    return;
  }
  const meaning = meaningOf(event, keys);
  if (isOpen("commenting") || (isOpen("keys") && meaning?.command !== "card")) return;
  const onControl = event.target.closest?.("button, a, summary, input");
  if (event.key === " " && !onControl) {
    event.preventDefault();
    show.page(event.shiftKey ? -1 : 1);
  } else if (event.key === "Enter" && !onControl) {
    if (!training.enter()) takeEnter();
  }
  else if (meaning?.grade !== undefined) {
    event.preventDefault();
    judge("grade", { grade: meaning.grade });
  } else if (meaning && COMMANDS[meaning.command]) {
    event.preventDefault();
    COMMANDS[meaning.command]();
  }
});

// A box takes the focus, none of its buttons does: Space must not choose one by accident. The event comes late:
// who has gone on to a field of the box by then stays there.
desk.addEventListener("toggle", (event) => {
  const box = event.target;
  if (event.newState !== "open" || !box.matches("[popover]")) return;
  if (box.id === "commenting") byId("comment").focus();
  else if (!box.contains(document.activeElement)) box.focus();
}, true);
byId("commenting").addEventListener("beforetoggle", (event) => {
  if (!current) return;
  const { docno } = current;
  if (event.newState === "open") byId("comment").value = commentOf(docno);
  else if (byId("comment").value.trim() !== commentOf(docno)) {
    // However the box was closed, what was typed waits for the next grade.
    drafts.set(docno, byId("comment").value.trim());
    drawBar();
  }
  if (event.newState === "closed") {
    if (awaiting) announce("No grade is given yet");
    awaiting = null;
    showNeed("");
  }
});

byId("verdicts").addEventListener("submit", (event) => {
  event.preventDefault();
  const { submitter } = event;
  const value = submitter?.name === "answer" ? submitter.value : null;
  if (submitter?.id === "keep-comment") keepComment();
  else if (event.target.id === "undoing") undo();
  else if (value === "unsure") judge("unsure");
  else if (value === "later") putOff();
  else if (value !== null) judge("grade", { grade: Number(value) });
  else {
    const reason = submitter?.name === "reason" ? submitter.value : byId("other").value;
    byId("other").value = "";
    judge("cannot_judge", { reason: reason.trim() || "other" });
  }
}, true);

desk.addEventListener("click", (event) => {
  const link = event.target.closest("#previous, #next");
  if (event.target.closest("#listing")) COMMANDS.list();
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  step(link.id === "next" ? 1 : -1);
});

listenToSwipes({
  place: byId("document"),
  hint: byId("swipe-hint"),
  grades,
  relevantFrom: facts.relevant_from,
  mayJudge: () => current !== null && outbox !== null && !topic.closed && !waitsFor && !training.waits,
  judge: (grade) => judge("grade", { grade }),
});
sayWays(byId("swipes"), grades, facts.relevant_from);

window.addEventListener("beforeunload", (event) => {
  if (writing || (unsent && !outbox.lasting)) event.preventDefault();
});
for (const change of ["online", "offline"]) window.addEventListener(change, drawLight);
// A desk out of the browser's memory could show an answer as open that was given since.
window.addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});

// ---- the beginning -------------------------------------------------------------------------------------

async function begin() {
  outbox = await openOutbox(account);
  for (const event of await outbox.all()) if (event.assignment === assignment) topic.apply(event);
  await recount();
  channel = openChannel(account, hear);
  sender = startSender({
    outbox,
    account,
    address: addresses.events,
    onState(now) {
      stand(now);
      channel.tell({ type: "state", state: now });
    },
    onReceipts(found) {
      channel.tell({ type: "receipts", receipts: found });
      take(found);
    },
  });
  channel.tell({ type: "signed-in" });
  channel.tell({ type: "ask" });
  if (!outbox.lasting) sayPassing();
  byId("listing").hidden = false;
  byId("keep-comment").disabled = false;
  const asked = new URLSearchParams(location.search).has("docno");
  const docno = asked ? facts.docno : topic.next();
  if (docno !== null && docno === facts.docno) firstOnPage(docno);
  else go(docno, { browsing: asked });
}

function sayPassing() {
  if (!isSaid("passing")) {
    say("passing", "This browser keeps nothing for this site: do not close this tab while the light is not green.");
  }
}

// The document that came with the page stands there already.
function firstOnPage(docno) {
  const article = byId("document").querySelector("article");
  documents.put({
    docno,
    shown: byId("document").querySelector(".strip .mono").textContent,
    title: article.querySelector("h2").textContent,
    sha256: facts.sha256,
    position: topic.places.get(docno) + 1,
    near: facts.near,
    html: article.outerHTML,
  });
  put(documents.get(docno), article);
}

begin();
