// Shows in a document the passages that its assessors marked: a line below the words, a sort of line for each
// assessor, the name where a passage begins. Where passages overlap each keeps a line of its own.
//
// A passage stands where it was marked, by its place in the text. Only where other words stand there now, because
// the text was loaded anew, its words are looked for, the nearest first; the quotation beside the text says so.
import { showRange } from "../reading/places.js";
import { inSlices } from "../reading/slices.js";
import { DocumentText } from "../reading/text.js";
import { make } from "../shared/dom.js";

const LANES = 3; // lines below one another; more of them begin anew
const BETWEEN = new Set("TABLE THEAD TBODY TFOOT TR UL OL DL DIV".split(" "));
const escaped = (words) => words.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

// Where the words stand in a text, nearest to where they stood, whatever white space is between them; or null.
export function nearestWords(whole, quote, start) {
  const words = quote.trim().split(/\s+/).map(escaped).join("\\s+");
  let best = null;
  for (const found of whole.matchAll(new RegExp(words, "g"))) {
    if (best && Math.abs(found.index - start) >= Math.abs(best.start - start)) break;
    best = { start: found.index, end: found.index + found[0].length };
  }
  return best;
}

// Which line each passage has, so that none lies on another: sets `lane`; they are in the order of the text.
export function inLanes(passages) {
  passages.sort((one, other) => one.start - other.start || other.end - one.end);
  const ends = [];
  for (const passage of passages) {
    const free = ends.findIndex((end) => end <= passage.start);
    passage.lane = free < 0 ? ends.length : free;
    ends[passage.lane] = passage.end;
  }
  return passages;
}

export class Passages {
  #leaving = new AbortController();
  #at = -1;
  list = [];

  // `page` contains the document and the opinions; `ready` is called when they are shown, after the page is painted.
  constructor(page, ready = () => {}) {
    this.region = page.querySelector(".doc");
    const root = this.region?.querySelector("article .text");
    const quotes = [...page.querySelectorAll(".opinions blockquote[data-start]")];
    if (!root || !quotes.length) {
      ready(this);
      return;
    }
    const text = new DocumentText(root);
    inSlices(text.read(), () => {
      this.#place(text, quotes);
      this.#paint(text);
      ready(this);
    }, this.#leaving.signal, { delayed: true });
  }

  leave() {
    this.#leaving.abort();
  }

  // Goes to the next passage of the document and says whose it is; null where there is none.
  step() {
    if (!this.list.length) return null;
    this.#at = (this.#at + 1) % this.list.length;
    const { name } = this.list[this.#at];
    this.#show(this.list[this.#at]);
    return `Passage ${this.#at + 1} of ${this.list.length}: ${name}`;
  }

  #place(text, quotes) {
    let whole = null;
    for (const [index, quote] of quotes.entries()) {
      const opinion = quote.closest(".opinion");
      const words = quote.textContent;
      const [start, end] = [Number(quote.dataset.start), Number(quote.dataset.end)];
      const fits = end <= text.length && text.slice(start, end) === words;
      whole ??= fits ? null : text.slice(0, text.length);
      const place = fits ? { start, end } : nearestWords(whole, words, start);
      quote.id ||= `quote-${index + 1}`;
      quote.classList.add(`line-${opinion.dataset.line}`);
      const passage = { ...place, quote, marks: [], style: opinion.dataset.line, name: opinion.querySelector(".by bdi").textContent };
      if (place) this.list.push(passage);
      this.#describe(passage, place ? (fits ? "" : "the text has changed: found by its words") : "not in the text as it is now");
    }
    inLanes(this.list);
  }

  // Below the quotation: the way to it in the text, and whether it still stands where it was marked.
  #describe(passage, changed) {
    const line = make("p", { className: "small place" });
    if (passage.start !== undefined) {
      const show = make("button", { type: "button", className: "link" }, "Show in the text");
      show.setAttribute("aria-describedby", passage.quote.id);
      show.addEventListener("click", () => {
        this.#at = this.list.indexOf(passage);
        this.#show(passage);
        passage.tag?.focus({ preventScroll: true });
      });
      line.append(show, " ");
    }
    if (changed) line.append(make("span", { className: "changed" }, changed));
    if (line.hasChildNodes()) passage.quote.after(line);
  }

  #paint(text) {
    if (!this.list.length) return;
    const last = Math.max(...this.list.map(({ end }) => end));
    for (const [index, node] of text.nodes.entries()) {
      const from = text.starts[index];
      if (from >= last) break;
      const to = from + node.data.length;
      const here = this.list.filter(({ start, end }) => start < to && end > from);
      const between = BETWEEN.has(node.parentElement.tagName) && !/\S/.test(node.data);
      if (here.length && !between) node.replaceWith(this.#pieces(node.data, from, to, here));
    }
  }

  // A text node cut where passages begin and end, with marks around what they cover.
  #pieces(data, from, to, here) {
    const inside = here.flatMap(({ start, end }) => [start, end]).filter((at) => at > from && at < to);
    const cuts = [...new Set([from, ...inside, to])].sort((one, other) => one - other);
    const pieces = document.createDocumentFragment();
    for (let at = 0; at + 1 < cuts.length; at += 1) {
      const [begin, end] = [cuts[at], cuts[at + 1]];
      const covering = here.filter((passage) => passage.start <= begin && passage.end >= end);
      for (const passage of covering) if (!passage.tag) pieces.append(this.#tagOf(passage));
      let piece = document.createTextNode(data.slice(begin - from, end - from));
      for (const passage of [...covering].reverse()) {
        const mark = make("mark", { className: `passage line-${passage.style} lane-${passage.lane % LANES}` }, piece);
        passage.marks.push(mark);
        piece = mark;
      }
      pieces.append(piece);
      for (const passage of covering) if (passage.end === end) pieces.append(endOf(passage));
    }
    return pieces;
  }

  // The name where a passage begins leads to its quotation.
  #tagOf(passage) {
    const { name, quote, style } = passage;
    // The name is no part of the text: it stands in an attribute, so that places in the text stay what they are.
    const tag = make("a", { href: `#${quote.id}`, className: `passage-tag line-${style}`, title: name, dir: "auto" });
    tag.dataset.name = name;
    tag.setAttribute("aria-label", `Marked by ${name}`);
    tag.addEventListener("click", (event) => {
      event.preventDefault();
      quote.tabIndex = -1;
      quote.focus();
    });
    passage.tag = tag;
    return tag;
  }

  #show({ marks }) {
    this.region.closest("#desk")?.dispatchEvent(new CustomEvent("desk:whole"));
    const words = document.createTreeWalker(marks[0], NodeFilter.SHOW_TEXT).nextNode();
    const range = document.createRange();
    range.selectNodeContents(words);
    showRange(range, this.region);
  }
}

function endOf({ name }) {
  const end = make("span", { className: "unseen" });
  end.setAttribute("role", "img");
  end.setAttribute("aria-label", `end of what ${name} marked`);
  return end;
}
