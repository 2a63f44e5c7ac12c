// Puts things into the page: a document in the place of the last, and what the bar says of it. Nothing moves.
import { byId } from "../shared/dom.js";
import { isTyping } from "../shared/keys.js";

const grouped = (number) => number.toLocaleString("en");

const place = byId("document");
const strip = place.querySelector(".strip");
const bar = byId("verdicts");

export function showDocument(found, article) {
  // The strip stays where it is: what is put in anew is laid out anew.
  if (article.parentNode !== place) {
    for (const other of [...place.children]) if (other !== strip) other.remove();
    place.append(article);
  }
  place.classList.remove("finished");
  strip.querySelector(".mono").textContent = found.shown;
  showPlace(found.position, null);
}

export function showFinished(article) {
  place.replaceChildren(strip, article);
  place.classList.add("finished");
  strip.querySelector(".mono").textContent = "";
}

// After everything else was written, since it has the page laid out: at its top, with the focus, and
// announced to whoever reads with the desk. Whoever is typing while a document comes late goes on typing: the next
// letters would be keys of the desk.
export function arrive(detail = null) {
  place.scrollTop = 0;
  if (!isTyping(document.activeElement)) place.focus({ preventScroll: true });
  if (detail) byId("desk").dispatchEvent(new CustomEvent("desk:shown", { detail }));
}

let total = 0;
let ofTotal = "of";

export function showPlace(position, among) {
  total = among ?? total;
  byId("place").textContent = `${grouped(position)} ${ofTotal} ${grouped(total)}`;
}

// The neighbours in the order: addresses for whoever opens them elsewhere, nothing where there is none.
export function showSteps(previous, next, address) {
  for (const [id, docno] of [["previous", previous], ["next", next]]) {
    const link = byId(id);
    if (docno === null) {
      link.removeAttribute("href");
      link.setAttribute("aria-disabled", "true");
    } else {
      link.href = `${address}?docno=${encodeURIComponent(docno)}`;
      link.removeAttribute("aria-disabled");
    }
  }
}

// What the buttons show of the document on the desk; `off` where nothing can be judged.
export function showAnswer(answer, { off, mayUndo, mayPutOff, draft }) {
  for (const button of bar.querySelectorAll(".answers button[name=answer]")) {
    const { value } = button;
    const pressed = answer?.answer === "grade" ? String(answer.grade) === value : answer?.answer === value;
    button.disabled = value === "later" ? off || !mayPutOff : off;
    if (value !== "later") button.setAttribute("aria-pressed", String(Boolean(pressed)));
  }
  byId("cannot").disabled = off;
  byId("cannot").setAttribute("aria-pressed", String(answer?.answer === "cannot_judge"));
  byId("remark").disabled = off;
  byId("remark").setAttribute("aria-pressed", String(Boolean(draft)));
  byId("undo").disabled = !mayUndo;
}

// What opens the work while one is at training.
export function showGoal(text) {
  byId("goal").hidden = !text;
  byId("goal").textContent = text;
}

// Where a topic is shared `among` is the most that can come: how much colleagues take is theirs to know.
export function showProgress(answered, among, atMost) {
  ofTotal = atMost ? "of up to" : "of";
  const rect = bar.querySelector("svg.bar rect");
  rect?.setAttribute("width", String(among ? (1000 * answered) / among : 0));
  bar.querySelector("svg.bar").setAttribute("aria-label", `${answered} ${ofTotal} ${among} answered`);
  bar.querySelector(".count b").textContent = grouped(answered);
  bar.querySelector(".count").lastChild.textContent = ` ${ofTotal} ${grouped(among)} done`;
  total = among;
}

export function showPace(sitting, minutes, breakIsDue) {
  byId("pace").textContent = !minutes ? "" : `about ${grouped(minutes)} min left`;
  byId("sitting").textContent = sitting ? `${grouped(sitting)} this sitting` : "";
  byId("break").hidden = !breakIsDue;
}
