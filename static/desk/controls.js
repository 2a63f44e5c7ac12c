// Keys, buttons, links and swipes, and what each of them means.
import { closeBoxes, isOpen, listenToBoxes, openBox, showGuidelines } from "./boxes.js";
import { go, step } from "./navigation.js";
import { secondClicks } from "../shared/second_click.js";
import { byId } from "../shared/dom.js";
import { takeEnter } from "./finished.js";
import { judge, keepComment, putOff, undo } from "./judging.js";
import { isForDesk, meaningOf, readKeys } from "./keys.js";
import * as list from "./list.js";
import { page } from "./show.js";
import { listenToSwipes, sayWays } from "./swipe.js";
import { drawLight } from "./view.js";

const COMMANDS = {
  unsure: (desk) => judge(desk, "unsure"),
  cannot_judge: (desk) => desk.mayJudge() && openBox("reasons", "reasons"),
  later: putOff,
  undo,
  comment: (desk) => desk.mayJudge() && desk.comments.open(),
  next_document: (desk) => step(desk, 1),
  previous_document: (desk) => step(desk, -1),
  list: (desk) => (list.isOpen() ? list.close() : list.open(desk)),
  guidelines: showGuidelines,
  card: () => byId("keys").togglePopover(),
};

export function listenToControls(desk) {
  const { element, grades, facts } = desk;
  const keys = readKeys(element);
  listenToBoxes(element);
  document.addEventListener("keydown", (event) => pressed(desk, keys, event));
  byId("verdicts").addEventListener("submit", (event) => submitted(desk, event), true);
  listenToDoubleClicks(byId("answers"));
  element.addEventListener("click", (event) => clicked(desk, event));
  listenToSwipes({
    place: byId("document"),
    hint: byId("swipe-hint"),
    grades,
    relevantFrom: facts.relevant_from,
    mayJudge: () => desk.isOpen,
    judge: (grade) => judge(desk, "grade", { grade }),
  });
  sayWays(byId("swipes"), grades, facts.relevant_from);
  listenToWindow(desk);
}

function listenToDoubleClicks(answers) {
  const isSecond = secondClicks();
  answers.addEventListener("click", (event) => {
    if (event.target.closest("button[name=answer]") && isSecond(event)) event.preventDefault();
  });
}

function pressed(desk, keys, event) {
  if (event.key === "Escape") {
    closeBoxes();
    if (list.isOpen()) list.close();
    return;
  }
  const sends = event.ctrlKey || event.metaKey || (desk.comments.isAwaited && !event.shiftKey && !event.isComposing);
  if (event.key === "Enter" && sends && event.target === byId("comment")) {
    event.preventDefault();
    keepComment(desk);
    return;
  }
  if (!isForDesk(event)) return;
  if (isOpen("reasons")) {
    reasonPressed(event);
    return;
  }
  const meaning = meaningOf(event, keys);
  if (isOpen("commenting") || (isOpen("keys") && meaning?.command !== "card")) return;
  const onControl = event.target.closest?.("button, a, summary, input");
  if (event.key === " " && !onControl) {
    event.preventDefault();
    page(event.shiftKey ? -1 : 1);
  } else if (event.key === "Enter" && !onControl) {
    if (!desk.training.enter()) takeEnter();
  } else if (meaning?.grade !== undefined) {
    event.preventDefault();
    judge(desk, "grade", { grade: meaning.grade });
  } else if (meaning && COMMANDS[meaning.command]) {
    // Other meanings are those of who reads with the desk.
    event.preventDefault();
    COMMANDS[meaning.command](desk);
  }
}

function reasonPressed(event) {
  const chosen = byId("reasons").querySelector(`[data-reason="${CSS.escape(event.key)}"]`);
  if (!chosen) return;
  event.preventDefault();
  if (chosen.matches("input")) chosen.focus();
  else chosen.click();
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
  // A desk out of the browser's memory could show an answer as open that was given since.
  window.addEventListener("pageshow", (event) => {
    if (event.persisted) location.reload();
  });
}
