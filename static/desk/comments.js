// The box for a comment. What is typed there joins the next judgment, however the box was closed; where a grade
// needs a comment it waits for it.
import { byId } from "../shared/dom.js";
import { announce } from "../shared/light.js";
import { openBox } from "./boxes.js";
import { drawBar } from "./view.js";

export class CommentBox {
  #desk;
  #field = byId("comment");
  #box = byId("commenting");
  #awaiting = null; // the grade that waits for its comment: {docno, grade}

  constructor(desk) {
    this.#desk = desk;
    this.#box.addEventListener("beforetoggle", (event) => this.#toggled(event.newState));
    this.#field.addEventListener("input", () => desk.docno !== null && desk.draftComment(desk.docno, this.#field.value));
  }

  // Whether a grade waits for what is typed.
  get isAwaited() {
    return this.#awaiting !== null;
  }

  open() {
    openBox("commenting", "comment");
  }

  // Asks for the comment that a grade of the document on the desk needs.
  ask(grade) {
    this.open();
    this.#awaiting = { docno: this.#desk.docno, grade };
    this.#say(`“${this.#desk.labelOf(grade)}” needs a comment. Enter gives the grade.`);
  }

  // What was typed, and the grade that waited for it: {text, awaited}. The box closes; null where it stays open
  // since nothing was typed though it must be.
  take() {
    const text = this.#field.value.trim();
    const awaited = this.#awaiting;
    if (awaited && !text) {
      this.#field.focus();
      return null;
    }
    this.#awaiting = null;
    this.#box.hidePopover();
    return { text, awaited };
  }

  #toggled(state) {
    const desk = this.#desk;
    if (!desk.current) return;
    const { docno } = desk;
    const typed = this.#field.value.trim();
    if (state === "open") this.#field.value = desk.commentOf(docno);
    else {
      if (typed !== desk.commentOf(docno)) desk.draftComment(docno, typed);
      drawBar(desk);
    }
    if (state === "closed") {
      if (this.#awaiting) announce("No grade is given yet");
      this.#awaiting = null;
      this.#say("");
    }
  }

  #say(text) {
    byId("comment-needed").hidden = !text;
    byId("comment-needed").textContent = text;
    byId("keep-comment").textContent = text ? "Give the grade" : "Save";
  }
}
