// Keys, buttons and links, and what each of them means.
import { byId } from "../shared/dom.js";
import { isOnControl, listenToKeys, UNDO } from "../shared/keys.js";
import { pageThrough, reloadFromMemory } from "../shared/page.js";
import { ignoreSecondClicks } from "../shared/second_click.js";
import { closeBoxes, isOpen, listenToBoxes, openBox, showGuidelines } from "./boxes.js";
import { takeEnter } from "./finished.js";
import { judge, keepComment, putOff, undo } from "./judging.js";
import * as list from "./list.js";
import { go, step } from "./navigation.js";
import { listenToPlain, togglePlain } from "./plain.js";
import { leaveTopic, listenToTopic, toggleTopic } from "./topic_pane.js";
import { drawLight } from "./view.js";

const COMMANDS = {
  unsure: (desk) => judge(desk, "unsure"),
  cannot_judge: (desk) => desk.mayJudge() && openBox("reasons", "reasons"),
  later: putOff,
  undo,
  comment: (desk) => desk.mayJudge() && desk.comments.open(),
  next_document: (desk) => step(desk, 1),
  previous_document: (desk) => step(desk, -1),
  plain: togglePlain,
  search: goSearching,
  list: (desk) => (list.isOpen() ? list.close() : list.open(desk)),
  topic: toggleTopic,
  guidelines: showGuidelines,
  card: () => (isOpen("keys") ? closeBoxes() : openBox("keys", "keys")),
};

export function listenToControls(desk) {
  const { element } = desk;
  const meanings = meaningsOf(JSON.parse(element.dataset.keys));
  listenToBoxes();
  listenToTopic();
  listenToPlain();
  element.addEventListener("desk:shown", leaveTopic);
  listenToKeys({
    before: (event) => pressedInBox(desk, event),
    find: (key, event) => actionOf(desk, meanings, key, event),
  });
  byId("verdicts").addEventListener("submit", (event) => submitted(desk, event), true);
  ignoreSecondClicks(byId("answers"), "button[name=answer]");
  element.addEventListener("click", (event) => clicked(desk, event));
  listenToWindow(desk);
}

// What each key means, of those that the assessor chose: a grade or a command.
export function meaningsOf({ grades, commands }) {
  const meanings = new Map([[UNDO, { command: "undo" }]]);
  for (const [command, key] of Object.entries(commands)) if (key) meanings.set(key, { command });
  for (const [grade, key] of Object.entries(grades)) if (key) meanings.set(key, { grade: Number(grade) });
  return meanings;
}

// Keys of the boxes, also while one types in them.
function pressedInBox(desk, event) {
  if (event.key === "Escape") {
    closeBoxes();
    if (list.isOpen()) list.close();
    return true;
  }
  const sends = event.ctrlKey || event.metaKey || (desk.comments.isAwaited && !event.shiftKey && !event.isComposing);
  if (event.key !== "Enter" || !sends || event.target !== byId("comment")) return false;
  event.preventDefault();
  keepComment(desk);
  return true;
}

function actionOf(desk, meanings, key, event) {
  if (isOpen("reasons")) return reasonOf(key);
  const { command, grade } = meanings.get(key) ?? {};
  if (isOpen("commenting") || (isOpen("keys") && command !== "card")) return null;
  // The field of a question keeps the focus after an answer in training.
  if (key === "enter" && desk.training.waits && !event.target.matches("button, a")) return () => enter(desk);
  if ((key === " " || key === "enter") && !isOnControl(event.target)) {
    return key === " " ? () => pageThrough(byId("document"), event.shiftKey ? -1 : 1) : () => enter(desk);
  }
  if (grade !== undefined) return () => judge(desk, "grade", { grade });
  // Other commands are those of reading.
  return COMMANDS[command] ? () => COMMANDS[command](desk) : null;
}

// The search page is told where to come back to.
function goSearching(desk) {
  const link = byId("searching");
  if (!link) return;
  const address = new URL(link.href);
  if (desk.docno !== null) address.searchParams.set("from", desk.docno);
  location.assign(address);
}

function enter(desk) {
  if (!desk.training.enter()) takeEnter();
}

function reasonOf(key) {
  const chosen = byId("reasons").querySelector(`[data-reason="${CSS.escape(key)}"]`);
  return chosen && (() => (chosen.matches("input") ? chosen.focus() : chosen.click()));
}

// Without this script each of them is a form that works by itself.
function submitted(desk, event) {
  event.preventDefault();
  const { submitter } = event;
  const value = submitter?.name === "answer" ? submitter.value : null;
  if (submitter?.id === "keep-comment") keepComment(desk);
  else if (event.target.id === "undoing") undo(desk);
  else if (value === "unsure") judge(desk, "unsure");
  else if (value === "later") putOff(desk);
  else if (value !== null) judge(desk, "grade", { grade: Number(value) });
  else {
    const reason = submitter?.name === "reason" ? submitter.value : byId("other").value;
    byId("other").value = "";
    judge(desk, "cannot_judge", { reason: reason.trim() || "other" });
  }
}

function clicked(desk, event) {
  if (event.target.closest("#listing")) COMMANDS.list(desk);
  const line = event.target.closest("#said [data-docno]");
  if (line) {
    if (matchMedia("(max-width: 900px)").matches) list.close();
    go(desk, line.dataset.docno, { browsing: true });
  }
  const link = event.target.closest("#previous, #next");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  step(desk, link.id === "next" ? 1 : -1);
}

function listenToWindow(desk) {
  window.addEventListener("beforeunload", (event) => {
    if (desk.saving.wouldLose) event.preventDefault();
  });
  for (const change of ["online", "offline"]) window.addEventListener(change, () => drawLight(desk));
  reloadFromMemory();
}
