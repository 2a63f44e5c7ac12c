// The annotations of a judgment, beside its grade: passages marked in the text, answers to further questions, subtopics
// ticked. A document that has an answer keeps every change at once; else it waits for the grade.
import { byId, make } from "../shared/dom.js";
import { showTopic } from "./topic_pane.js";

const MOST_PASSAGES = 20;
const LONGEST_QUOTE = 5000;
const LONGEST_TOGETHER = 12_000; // so that an event stays small enough to be sent whatever happens

const NOTHING = { evidence: [], ratings: {}, subtopics: [] };
const SHOWN = 160; // characters of a passage in the list

export class Annotations {
  #desk = byId("desk");
  #drafts = new Map();
  #docno = null;
  #now = NOTHING;
  #radios = [...document.querySelectorAll("#questions input")];
  #boxes = [...document.querySelectorAll("#subtopics input")];
  #fields = [...document.querySelectorAll(".asked fieldset, fieldset.asked")];

  // `onChange(docno, annotations)` is called with every change, `announce(text)` for screen readers and `warn(text)`
  // for everybody.
  constructor({ onChange, announce, warn }) {
    this.onChange = onChange;
    this.announce = announce;
    this.warn = warn;
    for (const radio of this.#radios) {
      radio.addEventListener("click", () => this.#chose(radio));
      // Chosen by the arrows: some browsers send only this event.
      radio.addEventListener("change", () => this.#chose(radio, { again: false }));
    }
    for (const box of this.#boxes) box.addEventListener("change", () => this.#ticked());
    document.addEventListener("selectionchange", () => this.#offer());
    const mark = byId("mark");
    // The selection stays while the button is pressed.
    mark.addEventListener("pointerdown", (event) => event.preventDefault());
    mark.addEventListener("mousedown", (event) => event.preventDefault());
    mark.addEventListener("click", () => this.#mark());
  }

  // Shows what goes with a document; null where there is none.
  show(docno, answer, off) {
    const same = docno === this.#docno;
    this.#docno = docno;
    this.#now = docno === null ? NOTHING : (this.#drafts.get(docno) ?? pick(answer));
    for (const radio of this.#radios) radio.checked = this.#now.ratings[questionOf(radio)] === Number(radio.value);
    for (const box of this.#boxes) box.checked = this.#now.subtopics.includes(box.value);
    for (const fields of this.#fields) {
      fields.disabled = off;
      if (!same) delete fields.dataset.missing;
    }
    this.#list();
  }

  // After the document was laid out: its passages are shown in it.
  arrive() {
    byId("mark").hidden = true;
    if (this.#now.evidence.length) this.#paint();
  }

  // What an answer takes with it, with what is selected right now; nothing that is empty.
  take() {
    const chosen = this.#selected();
    if (chosen) this.#add(chosen);
    const { evidence, ratings, subtopics } = this.#now;
    return {
      ...(evidence.length && { evidence }),
      ...(Object.keys(ratings).length && { ratings }),
      ...(subtopics.length && { subtopics }),
    };
  }

  // The first question that must be answered and is not.
  missing(required) {
    return required.find((name) => this.#now.ratings[name] === undefined) ?? null;
  }

  ask(name) {
    const fields = document.querySelector(`[data-question="${CSS.escape(name)}"]`);
    fields.dataset.missing = "";
    showTopic();
    fields.scrollIntoView({ block: "nearest" });
    fields.querySelector("input").focus({ preventScroll: true });
  }

  // An answer that is taken back leaves what went with it, to go with the next one.
  keep(docno, answer) {
    if (answer?.evidence || answer?.ratings || answer?.subtopics) this.#drafts.set(docno, pick(answer));
  }

  forget(docno) {
    this.#drafts.delete(docno);
  }

  #changed(now) {
    this.#now = now;
    this.#drafts.set(this.#docno, now);
    this.onChange(this.#docno, now);
  }

  #chose(radio, { again = true } = {}) {
    if (this.#docno === null) return;
    const name = questionOf(radio);
    const value = Number(radio.value);
    const ratings = { ...this.#now.ratings };
    if (ratings[name] !== value) ratings[name] = value;
    else if (again) {
      // Chosen a second time it is taken back.
      radio.checked = false;
      delete ratings[name];
    } else return;
    delete radio.closest("fieldset").dataset.missing;
    this.#changed({ ...this.#now, ratings });
  }

  #ticked() {
    if (this.#docno === null) return;
    this.#changed({ ...this.#now, subtopics: this.#boxes.filter((box) => box.checked).map((box) => box.value) });
  }

  // ---- passages --------------------------------------------------------------------------------------------

  #selected() {
    if (this.#docno === null || getSelection().isCollapsed) return null;
    const detail = { passage: null };
    this.#desk.dispatchEvent(new CustomEvent("desk:selection", { detail }));
    return detail.passage;
  }

  #offer() {
    const mark = byId("mark");
    const selection = getSelection();
    const article = document.querySelector("#document:not(.finished) article");
    const offered = this.#docno !== null && !selection.isCollapsed && article?.contains(selection.anchorNode);
    if (mark.hidden === Boolean(offered)) mark.hidden = !offered;
  }

  #mark() {
    if (this.keepSelection()) byId("document").focus({ preventScroll: true });
  }

  // Keeps what is selected as a passage; true where something was.
  keepSelection() {
    const chosen = this.#selected();
    if (!chosen || !this.#add(chosen)) return false;
    getSelection().removeAllRanges();
    this.#changed(this.#now);
    this.#paint();
    this.#list();
    this.announce("The passage is kept with your judgment");
    return true;
  }

  #add({ start, end, quote }) {
    const { evidence } = this.#now;
    if (evidence.some(([from, to]) => from === start && to === end)) return true;
    const together = evidence.reduce((sum, [, , words]) => sum + words.length, quote.length);
    if (quote.length > LONGEST_QUOTE || together > LONGEST_TOGETHER || evidence.length >= MOST_PASSAGES) {
      this.warn(`Not kept as a passage: at most ${LONGEST_QUOTE.toLocaleString("en")} characters each, ${MOST_PASSAGES} passages and ${LONGEST_TOGETHER.toLocaleString("en")} characters together`);
      return false;
    }
    const added = [...evidence, [start, end, quote]].sort(([one], [other]) => one - other);
    this.#now = { ...this.#now, evidence: added };
    return true;
  }

  #remove(index) {
    this.#changed({ ...this.#now, evidence: this.#now.evidence.filter((_, at) => at !== index) });
    this.#paint();
    this.#list();
    if (!this.#now.evidence.length) byId("passages").hidePopover();
    this.announce("The passage is removed");
  }

  #paint() {
    this.#desk.dispatchEvent(new CustomEvent("desk:passages", { detail: { passages: this.#now.evidence } }));
  }

  #list() {
    const { evidence } = this.#now;
    const marked = byId("marked");
    if (marked.hidden && !evidence.length) return;
    marked.hidden = !evidence.length;
    marked.textContent = evidence.length === 1 ? "1 passage" : `${evidence.length} passages`;
    const lines = evidence.map(([, , quote], index) => {
      const words = make("q", { dir: "auto" }, quote.length > SHOWN ? `${quote.slice(0, SHOWN)}…` : quote);
      const remove = make("button", { type: "button", className: "link", onclick: () => this.#remove(index) }, "Take out");
      remove.setAttribute("aria-label", `Take out passage ${index + 1}`);
      return make("li", {}, words, " ", remove);
    });
    byId("passages").querySelector("ol").replaceChildren(...lines);
  }
}

const questionOf = (radio) => radio.closest("fieldset").dataset.question;

function pick(answer) {
  return { evidence: answer?.evidence ?? [], ratings: answer?.ratings ?? {}, subtopics: answer?.subtopics ?? [] };
}
