// One document on the desk, until the next stands there: its hits, where one is among them, and which of its two
// views is shown, the whole text or its best passages.
import { analysisOf } from "./analysis.js";
import { Marking } from "./marking.js";
import { showRange } from "./places.js";
import { selectedIn, Views } from "./views.js";

const FIRST_PAINT = 20_000; // characters
const SCROLLED_MS = 120;

export class Shown {
  #current = -1; // the hit where one is
  #found = []; // the best passages themselves
  #touched = false; // by whoever reads: it moves no more by itself
  #ready = false; // everything is found
  #leaving = new AbortController();
  #searching = null;
  #analysis = null;
  #repaint = null;

  // `tools` are what all documents share: {topic, own, painter, bar, status, startsAtPassage()}.
  constructor(article, tools) {
    Object.assign(this, { article, tools });
    this.region = article.closest("#document");
    this.root = article.querySelector(".text");
    this.views = new Views(article, this.region);
    this.marking = new Marking(article, this.views, tools.painter);
    tools.bar.place(this.region);
    const { signal } = this.#leaving;
    this.region.addEventListener("scroll", () => this.#scrolled(), { passive: true, signal });
    this.article.addEventListener("click", (event) => this.#clicked(event), { signal });
  }

  leave() {
    this.#leaving.abort();
    this.#searching?.abort();
    this.#analysis?.stop();
    this.#takePassages();
    this.marking.clear();
  }

  // ---- finding ---------------------------------------------------------------------------------------------

  // Looks for the words anew; what is shown stays where it is.
  search() {
    const { own, topic } = this.tools;
    this.#searching?.abort();
    this.#searching = new AbortController();
    if (!this.root) {
      own.count([]);
      this.#count();
      return;
    }
    this.marking.clear();
    this.#current = -1;
    this.#found = [];
    this.#ready = false;
    const analysis = analysisOf(this.article, this.root, topic, own.words);
    this.#analysis = analysis;
    ({ hits: this.hits, matcher: this.matcher } = analysis);
    this.views.text = analysis.text;
    analysis.onProgress = (offset) => {
      if (offset <= FIRST_PAINT) return;
      analysis.onProgress = () => {};
      this.marking.paint(this.hits, this.matcher);
    };
    analysis.finish(() => this.#takeFound(), this.#searching.signal);
  }

  #takeFound() {
    const { own, startsAtPassage } = this.tools;
    this.#ready = true;
    ({ counts: this.counts, found: this.#found } = this.#analysis);
    this.#count();
    own.count(own.words.map((_, index) => this.counts[index] ?? 0));
    const hasPassages = this.#found.length > 0;
    if (hasPassages && this.views.excerpts) this.#showPassages({ scroll: false });
    // Asked last, since it has the page laid out.
    else if (hasPassages && !this.#touched && startsAtPassage() && this.region.scrollTop === 0) this.#showPassages();
    else {
      this.#takePassages(); // with other words there may be none left to show
      this.redraw();
    }
  }

  #count() {
    this.tools.bar.show({
      count: this.hits?.count ?? 0,
      current: this.#current,
      terms: (this.matcher?.terms ?? []).map(({ shown }, number) => [shown, this.counts?.[number] ?? 0]),
      passages: this.#found.length,
      asPassages: this.views.excerpts !== null,
    });
  }

  // ---- drawing ---------------------------------------------------------------------------------------------

  redraw() {
    if (!this.#ready) return;
    this.marking.paint(this.hits, this.matcher);
    this.#drawCurrent();
  }

  markPassages(passages) {
    this.marking.keep(passages);
    this.redraw();
  }

  #rangeOf(index) {
    return this.views.range(this.hits.starts[index], this.hits.ends[index]);
  }

  #drawCurrent() {
    this.marking.current(this.#current >= 0 ? this.#rangeOf(this.#current) : null);
  }

  #scrolled() {
    if (this.region.scrollTop > 0) this.#touched = true;
    if (this.views.excerpts || !this.#ready || !Marking.isPartial(this.hits) || this.#repaint) return;
    this.#repaint = setTimeout(() => {
      this.#repaint = null;
      if (!this.#leaving.signal.aborted && !this.views.excerpts) this.redraw();
    }, SCROLLED_MS);
  }

  // ---- going about -----------------------------------------------------------------------------------------

  act(name) {
    this.#touched = true;
    if (name === "next") this.#step(1);
    else if (name === "previous") this.#step(-1);
    else if (name === "toggle") this.#toggle();
    else if (name === "whole" && this.views.excerpts) this.#showWhole();
  }

  #step(direction) {
    if (!this.#ready || !this.hits.count) {
      this.tools.status.textContent = this.#ready ? "There is no hit in this document" : "";
      return;
    }
    const current = this.#current;
    const offset = current < 0 ? this.views.offsetAtTop() : null;
    this.#goTo(nextHit(this.hits, { current, direction, offset, views: this.views }));
  }

  #goTo(index) {
    this.#current = index;
    const range = this.#rangeOf(index);
    if (range) showRange(range, this.region);
    if (!this.views.excerpts && Marking.isPartial(this.hits)) this.marking.paint(this.hits, this.matcher);
    this.#drawCurrent();
    this.#count();
    this.tools.status.textContent = `Hit ${index + 1} of ${this.hits.count}: ${this.matcher.terms[this.hits.terms[index]].shown}`;
  }

  #clicked(event) {
    const box = event.target.closest(".excerpt");
    if (!box || !this.views.excerpts) return;
    // Words that are being selected are no click; links and buttons of their own stay what they are.
    if (!event.target.closest(".place") && !getSelection().isCollapsed) return;
    this.#showWhole(Number(box.dataset.start));
  }

  // ---- the two views ---------------------------------------------------------------------------------------

  #toggle() {
    if (!this.#ready) return;
    const { excerpts } = this.views;
    if (excerpts) this.#showWhole(excerpts.firstInSight(this.region).start);
    else if (this.#found.length) this.#showPassages();
    else this.tools.status.textContent = "This document is shown whole";
  }

  #showPassages({ scroll = true } = {}) {
    const { views } = this;
    views.showPassages(this.#found);
    const here = this.#current;
    if (here >= 0 && !views.has(this.hits.starts[here], this.hits.ends[here])) this.#current = -1;
    if (scroll) {
      this.region.scrollTop = 0;
      views.excerpts.showBest();
    }
    this.redraw();
    this.#count();
  }

  // `at` is the offset to be seen.
  #showWhole(at = null) {
    const { text } = this.views;
    this.#takePassages();
    if (at !== null) showRange(text.staticRange(at, Math.min(at + 1, text.length)), this.region, 0.12);
    this.redraw();
    this.#count();
    this.region.focus({ preventScroll: true });
  }

  #takePassages() {
    if (!this.views.excerpts) return;
    this.views.showWhole();
  }

  // As {start, end, quote} in offsets of the document's text, in either view; null where there is none.
  selection() {
    return this.views.text && selectedIn(this.views);
  }
}

// The hit one step before or after `current`, around the ends; from the offset at the top of the screen where there is
// none yet. Only those in the view that is shown count.
function nextHit(hits, { current, direction, offset, views }) {
  let index = current;
  if (index < 0) {
    const here = hits.from(offset ?? 0);
    index = direction > 0 ? here - 1 : here;
  }
  for (let tried = 0; tried < hits.count; tried += 1) {
    index = (index + direction + hits.count) % hits.count;
    if (views.has(hits.starts[index], hits.ends[index])) break;
  }
  return index;
}
