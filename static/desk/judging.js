// Judging a document, putting it off, undoing the last answer, a comment, annotations. The screen shows each at once;
// its event goes into the outbox in the same task.
import { announce } from "../shared/light.js";
import { freshId } from "../shared/ids.js";
import { hideNotice, showNotice } from "../shared/notices.js";
import { closeBoxes } from "./boxes.js";
import { go } from "./navigation.js";
import { draw, drawBar } from "./view.js";

// Makes an event and applies it on this screen; whoever calls it hands it to the outbox in the same task.
function makeEvent({ assignment, topic, saving, facts: { instructions } }, event) {
  const sent = {
    assignment,
    client_id: freshId(),
    said_at: new Date().toISOString(),
    before: topic.before(event.docno),
    instructions,
    ...event,
  };
  topic.apply(sent);
  saving.expectOne();
  return sent;
}

function post(desk, event) {
  desk.saving.keep(makeEvent(desk, event));
}

// It has its answer: nothing of it waits any more.
function leave(desk, docno) {
  desk.leave(docno);
  hideNotice("asked");
}

export function judge(desk, answer, { grade = null, reason = "" } = {}) {
  if (!desk.mayJudge() || (answer === "grade" && asksFirst(desk, grade))) return;
  const { topic, docno } = desk;
  const trains = topic.training.has(docno);
  if (trains && topic.answers.has(docno)) {
    announce("In training the first answer counts");
    return;
  }
  const active = desk.spent();
  const sent = makeEvent(desk, {
    kind: "answer", docno, answer, grade, reason, comment: desk.commentOf(docno), active_ms: active,
    shown_sha256: desk.current.sha256, ...desk.annotations.take(),
  });
  // The next document stands there first; whatever happens to it, the answer is kept.
  try {
    desk.pace.judged(docno, active);
    desk.did(desk.wordsOf(sent)); // not that it is recorded: the server says so
    if (trains) awaitKnown(desk, sent);
    else goAfter(desk, sent);
    desk.sayDone();
  } finally {
    desk.saving.keep(sent);
  }
}

// In training the known grade is shown before one goes on.
function awaitKnown(desk, { docno, grade, client_id: clientId }) {
  closeBoxes(); // Enter is for going on
  desk.dropComment(docno);
  desk.training.ask(clientId, desk.labelOf(grade), () => {
    leave(desk, docno);
    go(desk, desk.topic.next());
  });
  drawBar(desk);
}

function goAfter(desk, { docno, client_id: clientId }) {
  const { topic } = desk;
  leave(desk, docno);
  topic.lookedAtAgain(docno);
  if (!topic.oneByOne) {
    go(desk, topic.next());
    return;
  }
  closeBoxes();
  desk.waitsFor = clientId;
  draw(desk);
}

// What this campaign requires with a grade: whether it is missing, and then asked for.
function asksFirst(desk, grade) {
  const { annotations, comments, docno } = desk;
  const { asked } = desk.facts;
  hideNotice("passages");
  const open = annotations.missing(asked.required);
  const needs = asked.comment_for.includes(grade) && !desk.commentOf(docno);
  // A field that takes the focus takes the selection away.
  if (open !== null || needs) annotations.keepSelection();
  if (open !== null) {
    showNotice("asked", `“${open}” is asked for with every grade: answer it, then give the grade again.`);
    annotations.ask(open);
    return true;
  }
  hideNotice("asked");
  if (needs) comments.ask(grade);
  return needs;
}

// Passages, answers to questions or subtopics changed: an answer that is given keeps them at once.
export function changeAnnotations(desk, docno, { evidence, ratings, subtopics }) {
  hideNotice("asked");
  if (!desk.topic.answers.has(docno) || !desk.mayJudge()) return;
  post(desk, { kind: "extras", docno, evidence, ratings, subtopics });
  desk.annotations.forget(docno);
}

export function putOff(desk) {
  const { topic, docno } = desk;
  if (!desk.mayJudge() || topic.oneByOne || topic.training.has(docno)) return;
  if (topic.answers.has(docno)) {
    announce("It has an answer already");
    return;
  }
  const isLast = topic.ahead(1, docno).length === 0;
  post(desk, { kind: "later", docno, active_ms: desk.spent() });
  leave(desk, docno);
  desk.did(isLast ? "It is the last one" : "Put to the end of the topic");
  go(desk, topic.next()); // the last one itself where nothing else is left
  desk.sayDone();
}

export function undo(desk) {
  const { topic, saving, annotations } = desk;
  if (!saving.isReady || topic.closed || desk.isBlocked || !topic.trail.length || saving.isStopped) return;
  if (!saving.mayTake()) return;
  const docno = topic.trail.at(-1);
  const undone = topic.answers.get(docno);
  annotations.keep(docno, undone);
  post(desk, { kind: "undo", docno });
  desk.pace.undone(docno);
  if (desk.round === "after") desk.round = "before";
  desk.did(`Undone: ${undone ? desk.wordsOf(undone) : "put to the end"}`);
  go(desk, docno);
  desk.sayDone();
}

export function keepComment(desk) {
  const taken = desk.comments.take();
  if (taken === null || !desk.mayJudge()) return;
  const { text, awaited } = taken;
  const { topic, docno } = desk;
  if (awaited?.docno === docno) {
    desk.draftComment(docno, text);
    judge(desk, "grade", { grade: awaited.grade });
    return;
  }
  const answer = topic.answers.get(docno);
  if (!answer) announce("The comment is kept with your judgment");
  else {
    desk.dropComment(docno);
    if (text !== answer.comment) post(desk, { kind: "comment", docno, comment: text });
    announce("Comment kept");
  }
  drawBar(desk);
}
