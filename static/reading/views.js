// The two views of a document: the whole text, or in its place the best passages. Offsets are those of the text.
import { Excerpts } from "./excerpts.js";
import { placeAtTop } from "./places.js";
import { DocumentText } from "./text.js";

export class Views {
  text = null; // DocumentText, once it is looked for
  excerpts = null; // the view of the best passages, while it is shown
  #article;
  #region;
  #root;

  constructor(article, region) {
    this.#article = article;
    this.#region = region;
    this.#root = article.querySelector(".text");
  }

  // The element that shows the text in either view, and what knows the offsets in there.
  get element() {
    return this.excerpts ? this.excerpts.element : this.#root;
  }

  get places() {
    return this.excerpts ?? this.text;
  }

  showPassages(found) {
    this.excerpts?.element.remove();
    this.excerpts = new Excerpts(this.text, found);
    this.#root.after(this.excerpts.element);
    this.#article.classList.add("excerpted");
  }

  showWhole() {
    this.excerpts?.element.remove();
    this.excerpts = null;
    this.#article.classList.remove("excerpted");
  }

  has(start, end) {
    return !this.excerpts || this.excerpts.has(start, end);
  }

  // Null where it does not stand in the view that is shown.
  range(start, end) {
    return this.places.staticRange(start, end);
  }

  // What of a piece stands in the view that is shown, part by part.
  ranges(start, end) {
    return this.excerpts ? this.excerpts.staticRanges(start, end) : [this.text.staticRange(start, end)];
  }

  // The offset of the first text that is seen, or null.
  offsetAtTop() {
    const place = placeAtTop(this.#region, this.element);
    return place && this.places.offsetOf(place.node, place.offset);
  }
}

// {start, end, quote} of what is selected, in offsets of the text; null where nothing of it is. `element` shows the
// text, and `places` knows the offsets in there.
export function selectedIn({ element, places, text }) {
  const chosen = getSelection();
  if (!chosen.rangeCount || chosen.isCollapsed) return null;
  const range = chosen.getRangeAt(0).cloneRange();
  if (!element.contains(range.startContainer)) return null;
  // The last paragraph, chosen whole by three clicks, ends where the next thing on the page begins.
  if (!element.contains(range.endContainer)) range.setEnd(element, element.childNodes.length);
  const from = places.offsetOf(range.startContainer, range.startOffset);
  const to = places.offsetOf(range.endContainer, range.endOffset, true);
  if (from === null || to === null || from >= to) return null;
  // White space around what was meant is nobody's evidence.
  const words = text.slice(from, to);
  const quote = words.trim();
  const start = from + words.length - words.trimStart().length;
  return quote ? { start, end: start + quote.length, quote } : null;
}
