// Hits in colour, without touching the document; a browser that cannot do that shows none.
//
// It takes marks {name, range}; names are those of the stylesheet, "topic", "own-1" to "own-5",
// "evidence" and "current".

const NAMES = ["topic", "own-1", "own-2", "own-3", "own-4", "own-5", "evidence", "current"];
const FIRST_TO_LAST = { topic: 0, evidence: 2, current: 3 };

export class Painter {
  constructor() {
    this.highlights = new Map(NAMES.map((name) => [name, new (globalThis.Highlight ?? Set)()]));
    for (const [name, highlight] of this.highlights) {
      highlight.priority = FIRST_TO_LAST[name] ?? 1;
      CSS.highlights?.set(`reading-${name}`, highlight);
    }
  }

  paint(marks) {
    for (const [name, highlight] of this.highlights) if (name !== "current") highlight.clear();
    for (const { name, range } of marks) this.highlights.get(name).add(range);
  }

  current(range) {
    const highlight = this.highlights.get("current");
    highlight.clear();
    if (range) highlight.add(range);
  }

  clear() {
    for (const highlight of this.highlights.values()) highlight.clear();
  }
}

