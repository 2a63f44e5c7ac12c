// The best passages of a document as a view of their own, in the order of the document, cut at sentences.
import { atSentences } from "./passages.js";

// The sentences around spans: [{start, end, worth, cutBefore, cutAfter}] in the order of the document; those that
// meet are one.
export function excerptsOf(text, spans) {
  const wide = spans.map((span) => {
    const first = text.runs[text.runAt(span.start)];
    const last = text.runs[text.runAt(Math.max(span.start, span.end - 1))];
    const head = atSentences(text.textOf(first), span.start - first.start, Math.min(span.end, first.end) - first.start);
    const tail =
      first === last
        ? head
        : atSentences(text.textOf(last), Math.max(0, span.start - last.start), span.end - last.start);
    return {
      start: first.start + head.from,
      end: last.start + tail.to,
      worth: span.worth,
      cutBefore: head.cutBefore,
      cutAfter: tail.cutAfter,
    };
  });
  wide.sort((one, other) => one.start - other.start);
  const joined = [];
  for (const one of wide) {
    const before = joined.at(-1);
    if (before && one.start <= before.end) {
      if (one.end > before.end) [before.end, before.cutAfter] = [one.end, one.cutAfter];
      before.worth = Math.max(before.worth, one.worth);
    } else joined.push({ ...one });
  }
  return joined;
}

export class Excerpts {
  constructor(text, excerpts) {
    this.text = text;
    this.excerpts = excerpts;
    this.parts = []; // {start, end, node}
    this.element = document.createElement("div");
    this.element.className = "excerpts";
    this.#build();
  }

  #build() {
    let before = 0; // the first run that was not shown yet
    this.excerpts.forEach((excerpt, index) => {
      const [first, last] = [this.text.runAt(excerpt.start), this.text.runAt(Math.max(excerpt.start, excerpt.end - 1))];
      this.#gap(this.text.paragraphs(before, first), index === 0 ? "before" : "between", excerpt.start > 0);
      const box = document.createElement("div");
      box.className = "excerpt";
      box.dataset.start = String(excerpt.start);
      for (let at = first; at <= last; at += 1) this.#part(box, this.text.runs[at], excerpt);
      if (excerpt.cutBefore) box.firstElementChild.classList.add("cut-before");
      if (excerpt.cutAfter) box.lastElementChild.classList.add("cut-after");
      const place = document.createElement("button");
      place.type = "button";
      place.className = "link place";
      place.textContent = "See it in the whole text";
      box.append(place);
      this.element.append(box);
      before = last + 1;
    });
    this.#gap(this.text.paragraphs(before, this.text.runs.length), "after", (this.excerpts.at(-1)?.end ?? 0) < this.text.length);
  }

  #part(box, run, { start, end }) {
    const [from, to] = [Math.max(start, run.start), Math.min(end, run.end)];
    const content = this.text.slice(from, to);
    if (!content.trim()) return;
    const paragraph = document.createElement("p");
    paragraph.dir = "auto";
    const lines = run.element.closest("pre");
    if (lines) paragraph.classList.add("as-set", ...lines.classList);
    const node = document.createTextNode(content);
    paragraph.append(node);
    box.append(paragraph);
    this.parts.push({ start: from, end: to, node });
  }

  #gap(paragraphs, where, any) {
    if (!any) return;
    const gap = document.createElement("p");
    gap.className = "gap";
    gap.textContent =
      paragraphs > 0 ? `⋯ ${paragraphs.toLocaleString("en")} paragraph${paragraphs === 1 ? "" : "s"} ${where === "between" ? "left out" : where}` : "⋯";
    this.element.append(gap);
  }

  // The range of a piece of the document in this view; null where it is not shown here.
  staticRange(start, end) {
    const part = this.parts.find((one) => one.start <= start && end <= one.end);
    if (!part) return null;
    return new StaticRange({
      startContainer: part.node, startOffset: start - part.start, endContainer: part.node, endOffset: end - part.start,
    });
  }

  // What of a piece of the document stands here, part by part.
  staticRanges(start, end) {
    return this.parts
      .filter((part) => part.start < end && start < part.end)
      .map((part) => this.staticRange(Math.max(start, part.start), Math.min(end, part.end)));
  }

  // The offset in the document of a place in this view: between texts the next one's start, or as an end the end of
  // the last; null where there is none.
  offsetOf(node, offset, asEnd = false) {
    const part = this.parts.find((one) => one.node === node);
    if (part) return part.start + Math.min(offset, node.data.length);
    const place = document.createRange();
    place.setStart(node, offset);
    if (asEnd) return this.parts.findLast((one) => place.comparePoint(one.node, one.node.data.length) <= 0)?.end ?? null;
    return this.parts.find((one) => place.comparePoint(one.node, 0) >= 0)?.start ?? null;
  }

  has(start, end) {
    return this.parts.some((one) => one.start <= start && end <= one.end);
  }

  // The first of the best comes into sight; the top of the region is where the first passage stands already.
  showBest() {
    const best = this.excerpts.reduce((one, other) => (other.worth > one.worth ? other : one));
    if (best !== this.excerpts[0]) this.boxOf(best).scrollIntoView({ block: "start" });
  }

  // The first that is seen in the region, else the first.
  firstInSight(region) {
    const top = region.getBoundingClientRect().top + 60;
    return this.excerpts.find((one) => this.boxOf(one).getBoundingClientRect().bottom > top) ?? this.excerpts[0];
  }

  boxOf(excerpt) {
    return this.element.querySelector(`[data-start="${excerpt.start}"]`);
  }
}
