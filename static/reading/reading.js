// Reading at the desk: hits in colour and by key, the best passages first, a map of the hits at the edge.
//
// The desk tells by the event "desk:shown" which document stands there, and what was said of one nearly identical to
// it: {article, docno, assignmentId, near}.
import { analyseAhead, analysisOf } from "./analysis.js";
import { Excerpts } from "./excerpts.js";
import { keysOf, listenToKeys, showCaps } from "./keys.js";
import { Minimap } from "./minimap.js";
import { OwnWords } from "./own_words.js";
import { Near } from "./near.js";
import { makePainter } from "./painting.js";
import { placeAtTop, showRange } from "./places.js";
import { topicTerms } from "./terms.js";
import { DocumentText } from "./text.js";
import { listen } from "./text_choice.js";

const PAINTED_AT_ONCE = 3000; // hits; of more only those around the place that is read
const FIRST_PAINT = 20_000; // characters

const desk = document.getElementById("desk");
const data = JSON.parse(document.getElementById("reading-data").dataset.begin);
const status = document.getElementById("reading-status");
const topic = topicTerms(data.title, data.description);
const painter = makePainter();
const own = new OwnWords(data.words, () => shown?.search());
const map = new Minimap(desk, (share) => shown?.goToShare(share));
const keys = keysOf(desk.dataset.keys);
showCaps(keys, document);
showCaps(keys, document.getElementById("reading-bar").content);
const near = new Near();
const textForm = document.querySelector("#text form");
listen(textForm, () => shown?.redraw());
const readingBar = document.getElementById("reading-bar").content.firstElementChild.cloneNode(true);
const startsAtPassage = () => new FormData(textForm).get("start") !== "top";

// One document on the desk, until the next stands there.
class Shown {
  constructor(article, docno) {
    this.article = article;
    this.docno = docno;
    this.region = article.closest("#document");
    this.root = article.querySelector(".text");
    this.bar = readingBar;
    this.#placeBar();
    this.current = -1;
    this.touched = false;
    this.excerpts = null; // the view of the best passages, while it is shown
    this.found = []; // the best passages themselves
    this.painted = null;
    this.evidence = [];
    this.leaving = new AbortController();
    const { signal } = this.leaving;
    this.region.addEventListener("scroll", () => this.#scrolled(), { passive: true, signal });
    this.article.addEventListener("click", (event) => this.#clicked(event), { signal });
    this.bar.addEventListener("click", (event) => {
      const act = event.target.closest("[data-act]")?.dataset.act;
      if (act) this.act(act);
    }, { signal });
  }

  // The bar stays in its place for the document that comes.
  leave() {
    this.leaving.abort();
    this.searching?.abort();
    this.analysis?.stop();
    this.showWhole({ keep: false });
    painter.clear();
    map.clear();
    near.clear();
  }

  #placeBar() {
    if (this.bar.isConnected) return;
    let strip = this.region.querySelector(".strip");
    if (!strip) {
      strip = document.createElement("div");
      strip.className = "strip";
      this.region.prepend(strip);
    }
    const browse = strip.querySelector(".browse");
    if (browse) browse.before(this.bar);
    else strip.append(this.bar);
  }

  // ---- finding ----------------------------------------------------------------------------------------------

  // Looks for the words anew; what is shown stays where it is.
  search() {
    this.searching?.abort();
    this.searching = new AbortController();
    if (!this.root) {
      own.count([]);
      this.#count();
      return;
    }
    painter.clear();
    this.painted = null;
    this.current = -1;
    const analysis = analysisOf(this.article, this.root, topic, own.words);
    this.analysis = analysis;
    ({ text: this.text, hits: this.hits, matcher: this.matcher } = analysis);
    this.found = [];
    this.ready = false;
    analysis.onProgress = (offset) => {
      if (offset <= FIRST_PAINT) return;
      analysis.onProgress = () => {};
      if (painter.leavesText) this.#paint();
    };
    analysis.finish(() => this.#found(), this.searching.signal);
  }

  #found() {
    this.ready = true;
    ({ counts: this.counts, found: this.found } = this.analysis);
    this.#count();
    own.count(own.words.map((_, index) => this.counts[index] ?? 0));
    if (this.excerpts) this.showExcerpts({ scroll: false });
    else if (this.found.length && startsAtPassage() && !this.touched && this.region.scrollTop === 0) this.showExcerpts();
    else this.redraw();
  }

  #count() {
    const count = this.hits?.count ?? 0;
    const terms = (this.matcher?.terms ?? [])
      .map(({ shown }, number) => [shown, this.counts?.[number] ?? 0])
      .filter(([, times]) => times);
    terms.sort(([, one], [, other]) => other - one);
    const said = count === 1 ? "1 hit" : `${count.toLocaleString("en")} hits`;
    this.bar.querySelector(".hits").textContent = this.current >= 0 ? `${(this.current + 1).toLocaleString("en")} of ${said}` : said;
    this.bar.querySelector(".by-term").textContent = terms.map(([word, times]) => `${word} ${times}`).join(", ");
    this.bar.querySelector(".hits").title = terms.map(([word, times]) => `${word} ${times}`).join(", ");
    for (const act of ["next", "previous"]) this.bar.querySelector(`[data-act=${act}]`).disabled = !count;
    const toggle = this.bar.querySelector("[data-act=toggle]");
    toggle.hidden = !this.found.length;
    toggle.querySelector("span").textContent = this.excerpts ? "Whole text" : "Best passages";
  }

  // ---- painting ---------------------------------------------------------------------------------------------

  redraw() {
    if (!this.ready) return;
    this.#paint();
    map.draw(this.hits, this.matcher.terms, Math.max(1, this.text.length), this.excerpts ? this.found : []);
    this.#markCurrent();
  }

  #rangeOf(index) {
    const [start, end] = [this.hits.starts[index], this.hits.ends[index]];
    return this.excerpts ? this.excerpts.staticRange(start, end) : this.text.staticRange(start, end);
  }

  #paint() {
    const count = this.hits.count;
    let [from, to] = [0, count];
    if (!this.excerpts && count > PAINTED_AT_ONCE) {
      const middle = this.hits.from(this.#offsetAtTop() ?? 0);
      [from, to] = [Math.max(0, middle - PAINTED_AT_ONCE / 2), Math.min(count, middle + PAINTED_AT_ONCE / 2)];
    }
    if (this.painted && this.painted.from === from && this.painted.to === to && this.painted.view === this.excerpts) return;
    const marks = [];
    for (let index = from; index < to; index += 1) {
      const range = this.#rangeOf(index);
      const { own: number } = this.matcher.terms[this.hits.terms[index]];
      if (range) marks.push({ name: number ? `own-${number}` : "topic", range });
    }
    marks.unshift(...this.#titleMarks());
    marks.push(...this.#evidenceMarks());
    painter.paint(marks);
    this.painted = { from, to, view: this.excerpts };
    if (!painter.leavesText && !this.excerpts) this.#readAgain();
  }

  // The title stands above the text: its hits are shown, and not counted.
  #titleMarks() {
    const node = this.article.querySelector(":scope > h2")?.firstChild;
    const marks = [];
    if (node?.nodeType !== Node.TEXT_NODE || !painter.leavesText) return marks;
    this.matcher.scan(node.data, 0, 200, (start, end, number) => {
      const { own: mine } = this.matcher.terms[number];
      const range = new StaticRange({ startContainer: node, startOffset: start, endContainer: node, endOffset: end });
      marks.push({ name: mine ? `own-${mine}` : "topic", range });
    });
    return marks;
  }

  // Passages that were marked before: where they stood, or where their words stand now. Only colour is laid over
  // words that may be hits: where marks would have to go around them the list of passages must do.
  #evidenceMarks() {
    if (!painter.leavesText || !this.evidence.length) return [];
    const marks = [];
    const whole = this.text.slice(0, this.text.length);
    for (const [start, end, quote] of this.evidence) {
      const from = whole.slice(start, end) === quote ? start : whole.indexOf(quote);
      if (from < 0) continue;
      for (const range of this.#rangesOf(from, from + quote.length)) marks.push({ name: "evidence", range });
    }
    return marks;
  }

  // In the view of passages only what of it stands there.
  #rangesOf(start, end) {
    if (!this.excerpts) return [this.text.staticRange(start, end)];
    return this.excerpts.parts
      .filter((part) => part.start < end && start < part.end)
      .map((part) => this.excerpts.staticRange(Math.max(start, part.start), Math.min(end, part.end)));
  }

  markPassages(passages) {
    this.evidence = passages;
    this.painted = null;
    if (this.ready) this.redraw();
  }

  // Marks around words divide text nodes: the offsets stay, the nodes are others.
  #readAgain() {
    this.text = new DocumentText(this.root);
    for (const step of this.text.read()) void step;
  }

  #markCurrent() {
    painter.current(this.current >= 0 ? this.#rangeOf(this.current) : null);
    map.here(this.current >= 0 ? this.hits.starts[this.current] / Math.max(1, this.text.length) : null);
  }

  #scrolled() {
    if (this.region.scrollTop > 0) this.touched = true;
    if (this.excerpts || !this.ready || this.hits.count <= PAINTED_AT_ONCE || this.repaint) return;
    this.repaint = setTimeout(() => {
      this.repaint = null;
      if (!this.leaving.signal.aborted && !this.excerpts) this.redraw();
    }, 120);
  }

  // ---- going about ------------------------------------------------------------------------------------------

  #offsetAtTop() {
    const place = placeAtTop(this.region, this.excerpts ? this.excerpts.element : this.root);
    if (!place) return null;
    return this.excerpts ? this.excerpts.offsetOf(place.node, place.offset) : this.text.offsetOf(place.node, place.offset);
  }

  act(name) {
    this.touched = true;
    if (name === "next") this.#step(1);
    else if (name === "previous") this.#step(-1);
    else if (name === "toggle") this.toggle();
    else if (name === "words") own.open();
  }

  #step(direction) {
    if (!this.ready || !this.hits.count) {
      status.textContent = this.ready ? "There is no hit in this document" : "";
      return;
    }
    const count = this.hits.count;
    let index = this.current;
    if (index < 0) {
      const here = this.hits.from(this.#offsetAtTop() ?? 0);
      index = direction > 0 ? here - 1 : here;
    }
    // In the view of passages only their hits count.
    for (let tried = 0; tried < count; tried += 1) {
      index = (index + direction + count) % count;
      if (!this.excerpts || this.excerpts.has(this.hits.starts[index], this.hits.ends[index])) break;
    }
    this.goTo(index);
  }

  goTo(index) {
    this.current = index;
    const [start, end] = [this.hits.starts[index], this.hits.ends[index]];
    const range = this.excerpts ? this.excerpts.staticRange(start, end) : this.text.range(start, end);
    if (range) showRange(range, this.region);
    if (!this.excerpts && this.hits.count > PAINTED_AT_ONCE) this.#paint();
    this.#markCurrent();
    this.#count();
    status.textContent = `Hit ${index + 1} of ${this.hits.count}: ${this.matcher.terms[this.hits.terms[index]].shown}`;
  }

  goToShare(share) {
    if (!this.ready || !this.hits.count) return;
    this.touched = true;
    const wanted = share * this.text.length;
    let index = Math.min(this.hits.from(wanted), this.hits.count - 1);
    if (index > 0 && wanted - this.hits.starts[index - 1] < this.hits.starts[index] - wanted) index -= 1;
    if (this.excerpts && !this.excerpts.has(this.hits.starts[index], this.hits.ends[index])) this.showWhole();
    this.goTo(index);
  }

  #clicked(event) {
    const box = event.target.closest(".excerpt");
    if (!box || !this.excerpts) return;
    // Words that are being selected are no click; links and buttons of their own stay what they are.
    if (!event.target.closest(".place") && !getSelection().isCollapsed) return;
    this.showWhole({ at: Number(box.dataset.start) });
  }

  // ---- the two views ----------------------------------------------------------------------------------------

  toggle() {
    if (!this.ready) return;
    if (this.excerpts) this.showWhole({ at: this.excerpts.firstInSight(this.region).start });
    else if (this.found.length) this.showExcerpts();
    else status.textContent = "This document is shown whole";
  }

  showExcerpts({ scroll = true } = {}) {
    const here = this.current >= 0 ? this.hits.starts[this.current] : null;
    this.excerpts?.element.remove();
    this.excerpts = null;
    if (!this.found.length) {
      this.showWhole();
      return;
    }
    if (!painter.leavesText) {
      painter.clear();
      this.#readAgain();
    }
    this.excerpts = new Excerpts(this.text, this.found);
    this.root.after(this.excerpts.element);
    this.article.classList.add("excerpted");
    if (here !== null && !this.excerpts.has(here, this.hits.ends[this.current])) this.current = -1;
    if (scroll) {
      const { best } = this.excerpts;
      this.region.scrollTop = 0;
      if (best !== this.excerpts.excerpts[0]) this.excerpts.boxOf(best).scrollIntoView({ block: "start" });
    }
    this.redraw();
    this.#count();
  }

  showWhole({ at = null, keep = true } = {}) {
    if (!this.excerpts) return;
    if (!painter.leavesText) painter.clear();
    this.excerpts.element.remove();
    this.excerpts = null;
    this.article.classList.remove("excerpted");
    if (!keep) return;
    if (at !== null && at !== undefined) showRange(this.text.range(at, Math.min(at + 1, this.text.length)), this.region, 0.12);
    this.redraw();
    this.#count();
    this.region.focus({ preventScroll: true });
  }

  // The selection as {start, end, quote} in offsets of the document's text, in either view; null where there is none.
  selection() {
    const chosen = getSelection();
    if (!chosen.rangeCount || chosen.isCollapsed || !this.text) return null;
    const range = chosen.getRangeAt(0).cloneRange();
    const view = this.excerpts ? this.excerpts.element : this.root;
    if (!view.contains(range.startContainer)) return null;
    // The last paragraph, chosen whole by three clicks, ends where the next thing on the page begins.
    if (!view.contains(range.endContainer)) range.setEnd(view, view.childNodes.length);
    const places = this.excerpts ?? this.text;
    const from = places.offsetOf(range.startContainer, range.startOffset);
    const to = places.offsetOf(range.endContainer, range.endOffset, true);
    if (from === null || to === null || from >= to) return null;
    // White space around what was meant is nobody's evidence.
    const chosenText = this.text.slice(from, to);
    const quote = chosenText.trim();
    const start = from + chosenText.length - chosenText.trimStart().length;
    return quote ? { start, end: start + quote.length, quote } : null;
  }
}

let shown = null;

function show({ article, docno, near: said = null }) {
  if (shown && shown.article === article && shown.docno === docno) return;
  shown?.leave();
  shown = null;
  if (!article?.closest("#document")) return;
  shown = new Shown(article, docno);
  shown.search();
  if (said) near.put(article, said);
}

desk.addEventListener("desk:shown", (event) => show(event.detail));
// What stands ready to be shown next is read ahead.
desk.addEventListener("desk:ready", ({ detail }) => analyseAhead(detail.article, topic, own.words));
// Where the desk shows something else than a document, nothing of the last one stays.
new MutationObserver(() => {
  if (!shown || shown.article.isConnected) return;
  shown.leave();
  shown.bar.remove();
  shown = null;
}).observe(document.getElementById("document"), { childList: true });
// The first document may have been told before anybody listened.
document.addEventListener("DOMContentLoaded", () => {
  if (!shown) show({ article: document.querySelector("#document article"), docno: null });
});
listenToKeys(keys, (name) => {
  if (shown) shown.act(name);
  else if (name === "words") own.open();
});

// For the desk, whose scripts have another address for this module and so speak by events: what is selected is
// written into the event, and passages to be marked come with one.
desk.addEventListener("desk:selection", (event) => {
  event.detail.passage = selectedPassage();
});
desk.addEventListener("desk:passages", (event) => shown?.markPassages(event.detail.passages));

// What is selected, to be kept as evidence.
export const selectedPassage = () => shown?.selection() ?? null;
