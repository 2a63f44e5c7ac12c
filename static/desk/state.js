// The state of the desk, the one that its parts share. Whoever changes it draws it afterwards (view.js).
import { activeMilliseconds } from "../shared/active_time.js";
import { byId } from "../shared/dom.js";
import { announce } from "../shared/light.js";
import { Documents } from "./documents.js";
import { Pace } from "./pace.js";
import { Topic } from "./topic.js";
import { Training } from "./training.js";

export class Desk {
  current = null; // the document on the desk; null while one comes, and at the end
  wanted = null; // the document that is to come
  waitsFor = null; // the event whose answer decides what comes next, where they come one by one
  atEnd = false; // of what the server has sent: waits for whether there is more
  asking = false; // for more of the work
  isOutdated = false; // guidelines or grades are others than this page shows
  round = "before"; // the second look at the unsure ones: before, now, after
  #done = ""; // what was just done, for whoever hears the desk: it is said with what comes next
  // Made by main.js, since they speak to the whole desk.
  saving = null;
  annotations = null;
  comments = null;
  #spent = new Map(); // active time before one went away from a document without judging it
  #drafts = new Map(); // comments that wait for a grade; kept in this tab, so that a reload loses none

  constructor(element) {
    this.element = element;
    const facts = JSON.parse(element.dataset.desk);
    const work = JSON.parse(element.dataset.work);
    this.facts = facts;
    this.account = work.account;
    this.assignment = facts.assignment;
    this.addresses = facts.addresses;
    this.grades = facts.grades;
    this.topic = new Topic(work);
    this.#drafts = new Map(JSON.parse(sessionStorage.getItem(this.#draftsKey) ?? "[]"));
    this.pace = new Pace(work);
    this.training = new Training(byId("document"));
    this.documents = new Documents(this.addresses.documents, (article) => {
      element.dispatchEvent(new CustomEvent("desk:ready", { detail: { article } }));
    });
  }

  get docno() {
    return this.current?.docno ?? null;
  }

  // Whether something is awaited before which nothing else can be answered.
  get isBlocked() {
    return this.waitsFor !== null || this.training.waits || this.isOutdated;
  }

  // Whether there is a document that can be judged now.
  get isOpen() {
    return this.current !== null && this.saving.isReady && !this.topic.closed && !this.isBlocked;
  }

  // The same, and whether saving takes more; where it does not a notice says why.
  mayJudge() {
    return this.isOpen && this.saving.mayTake();
  }

  titleOf(docno) {
    return this.documents.get(docno)?.title ?? null;
  }

  labelOf(grade) {
    return this.grades.find(([value]) => value === grade)?.[1] ?? "";
  }

  // An answer in words.
  wordsOf({ answer, grade, reason }) {
    if (answer === "grade") return this.labelOf(grade);
    if (answer === "unsure") return "unsure";
    return reason ? `cannot judge, ${reason}` : "cannot judge";
  }

  // What was done is said with the next document, or by itself where that is still to come.
  did(words) {
    this.#done = words;
  }

  sayDone() {
    if (this.#done) announce(`${this.#done}.`);
    this.#done = "";
  }

  sayArrival(words, { isEnd = false } = {}) {
    announce(this.#done ? `${this.#done}. ${isEnd ? "" : "Next: "}${words}` : words);
    this.#done = "";
  }

  commentOf(docno) {
    return this.#drafts.get(docno) ?? this.topic.answers.get(docno)?.comment ?? "";
  }

  draftComment(docno, text) {
    this.#drafts.set(docno, text);
    this.#storeDrafts();
  }

  dropComment(docno) {
    if (this.#drafts.delete(docno)) this.#storeDrafts();
  }

  get #draftsKey() {
    return `comments ${this.account} ${this.assignment}`;
  }

  #storeDrafts() {
    sessionStorage.setItem(this.#draftsKey, JSON.stringify([...this.#drafts]));
  }

  // Active milliseconds on the document on the desk.
  spent() {
    return (this.#spent.get(this.docno) ?? 0) + activeMilliseconds();
  }

  // Before one looks elsewhere.
  remember() {
    if (this.current) this.#spent.set(this.docno, this.spent());
  }

  // After a document has its answer: nothing of it waits any more, and it leaves the desk.
  leave(docno) {
    this.#spent.delete(docno);
    this.dropComment(docno);
    this.annotations.forget(docno);
    this.current = null;
  }
}
