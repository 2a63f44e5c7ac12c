// What is found in a document: its text, the hits, and the best passages of a long one. Nothing of it needs the
// document to stand in the page, so that it can be found ahead; it stops at any time and goes on where it stood.
import { excerptsOf } from "./excerpts.js";
import { findHits, Hits } from "./hits.js";
import { bestWindows, isLong, weightsOf, windowFor, windows } from "./passages.js";
import { inSlices } from "./slices.js";
import { Matcher } from "./terms.js";
import { DocumentText } from "./text.js";
import { UNSPACED } from "./folding.js";

const AHEAD = { delayed: true, milliseconds: 2 }; // a key that comes meanwhile waits no longer than that

export class Analysis {
  #steps = this.#run();

  constructor(root, topic, words) {
    this.root = root;
    this.words = words;
    this.text = new DocumentText(root);
    this.hits = new Hits();
    this.matcher = new Matcher(topic, words);
    this.found = []; // the best passages
    this.onProgress = () => {};
  }

  // The rest of it, in slices; then calls `done`.
  finish(done, signal, how = {}) {
    inSlices(this.#steps, done, signal, how);
  }

  ahead() {
    this.stopping = new AbortController();
    this.finish(() => {}, this.stopping.signal, AHEAD);
  }

  stop() {
    this.stopping?.abort();
  }

  *#run() {
    yield* this.text.read();
    for (const step of findHits(this.text, this.matcher, this.hits)) {
      this.onProgress(this.hits.ends.at(-1) ?? 0);
      yield step;
    }
    this.counts = this.hits.byTerm(this.matcher.terms);
    const sample = this.text.slice(0, 2000);
    this.unspaced = [...sample].filter((letter) => UNSPACED.test(letter)).length * 3 > sample.length;
    if (isLong(this.text.length, this.unspaced) && this.hits.count) {
      const all = [];
      yield* windows(this.hits, weightsOf(this.matcher.terms, this.counts), windowFor(this.unspaced), all);
      yield;
      this.found = excerptsOf(this.text, bestWindows(this.hits, all));
    }
  }
}

// Of documents that are to come, by their nodes.
const prepared = new WeakMap();

export function analyseAhead(article, topic, words) {
  const root = article.querySelector(".text");
  if (!root) return;
  const analysis = new Analysis(root, topic, words);
  prepared.set(article, analysis);
  analysis.ahead();
}

// What was found of a document already, if it was looked for with these words; else it begins anew.
export function analysisOf(article, root, topic, words) {
  const known = prepared.get(article);
  prepared.delete(article);
  known?.stop();
  return known && known.words === words ? known : new Analysis(root, topic, words);
}
