// The hits of the topic's words on both sides, in colour and one by one.
import { findHits, Hits } from "../reading/hits.js";
import { Painter } from "../reading/painting.js";
import { showRange } from "../reading/places.js";
import { inSlices } from "../reading/slices.js";
import { Matcher, topicTerms } from "../reading/terms.js";
import { DocumentText } from "../reading/text.js";

const MOST = 3000; // hits of a side in colour

export class SideHits {
  #terms;
  #painter = new Painter();
  #leaving = new AbortController();
  #found = new Map(); // by side: {text, hits, current}

  constructor({ title, description }) {
    this.#terms = topicTerms(title, description);
  }

  // Looks for the hits of what stands on the sides now.
  find() {
    this.#leaving.abort();
    this.#leaving = new AbortController();
    this.#painter.clear();
    this.#found.clear();
    inSlices(this.#run(), () => this.#paint(), this.#leaving.signal, { delayed: true });
  }

  *#run() {
    for (const side of document.querySelectorAll(".side")) {
      const root = side.querySelector("article .text");
      if (!root) continue;
      const text = new DocumentText(root);
      yield* text.read();
      const hits = new Hits();
      yield* findHits(text, new Matcher(this.#terms, []), hits);
      this.#found.set(side.id, { text, hits, current: -1 });
      side.querySelector(".hits").textContent = hits.count === 1 ? "1 hit" : `${hits.count.toLocaleString("en")} hits`;
    }
  }

  #paint() {
    const marks = [];
    for (const { text, hits } of this.#found.values()) {
      for (let at = 0; at < Math.min(hits.count, MOST); at += 1) {
        marks.push({ name: "topic", range: text.staticRange(hits.starts[at], hits.ends[at]) });
      }
    }
    this.#painter.paint(marks);
  }

  // Goes to the next hit of a side, or the one before, and says which it is; null where there is none.
  step(id, direction) {
    const found = this.#found.get(id);
    const count = found?.hits.count;
    if (!count) return null;
    found.current = found.current < 0 && direction < 0 ? count - 1 : (found.current + direction + count) % count;
    const range = found.text.staticRange(found.hits.starts[found.current], found.hits.ends[found.current]);
    this.#painter.current(range);
    showRange(range, document.getElementById(id));
    return `Hit ${found.current + 1} of ${count}`;
  }
}
