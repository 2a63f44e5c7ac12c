// What is coloured in the document that is shown: its hits, the passages that were marked, the hit where one is.

const AT_ONCE = 3000; // hits; of more only those around the place that is read

export class Marking {
  #article;
  #views;
  #painter;
  #painted = null; // {from, to, view}: which hits, in which view
  #passages = [];

  constructor(article, views, painter) {
    this.#article = article;
    this.#views = views;
    this.#painter = painter;
  }

  // Whether only the hits around the place that is read are coloured.
  static isPartial(hits) {
    return hits.count > AT_ONCE;
  }

  // Passages that were marked before: [start, end, words] each.
  keep(passages) {
    this.#passages = passages;
    this.#painted = null;
  }

  clear() {
    this.#painter.clear();
    this.#painted = null;
  }

  paint(hits, matcher) {
    const views = this.#views;
    const { excerpts } = views;
    let [from, to] = [0, hits.count];
    if (!excerpts && Marking.isPartial(hits)) {
      const middle = hits.from(views.offsetAtTop() ?? 0);
      [from, to] = [Math.max(0, middle - AT_ONCE / 2), Math.min(hits.count, middle + AT_ONCE / 2)];
    }
    const painted = this.#painted;
    if (painted && painted.from === from && painted.to === to && painted.view === excerpts) return;
    const marks = this.#titleMarks(matcher);
    for (let index = from; index < to; index += 1) {
      const range = views.range(hits.starts[index], hits.ends[index]);
      if (range) marks.push({ name: nameOf(matcher.terms[hits.terms[index]]), range });
    }
    marks.push(...this.#passageMarks());
    this.#painter.paint(marks);
    this.#painted = { from, to, view: excerpts };
  }

  current(range) {
    this.#painter.current(range);
  }

  // The title stands above the text: its hits are shown, and not counted.
  #titleMarks(matcher) {
    const node = this.#article.querySelector(":scope > h2")?.firstChild;
    const marks = [];
    if (node?.nodeType !== Node.TEXT_NODE) return marks;
    matcher.scan(node.data, 0, 200, (start, end, number) => {
      const range = new StaticRange({ startContainer: node, startOffset: start, endContainer: node, endOffset: end });
      marks.push({ name: nameOf(matcher.terms[number]), range });
    });
    return marks;
  }

  // Where they stood, or where their words stand now.
  #passageMarks() {
    if (!this.#passages.length) return [];
    const marks = [];
    const { text } = this.#views;
    const whole = text.slice(0, text.length);
    for (const [start, end, quote] of this.#passages) {
      const from = whole.slice(start, end) === quote ? start : whole.indexOf(quote);
      if (from < 0) continue;
      for (const range of this.#views.ranges(from, from + quote.length)) marks.push({ name: "evidence", range });
    }
    return marks;
  }
}

const nameOf = ({ own }) => (own ? `own-${own}` : "topic");
