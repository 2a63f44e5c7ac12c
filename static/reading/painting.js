// Hits in colour: without touching the document where the browser can, with marks around the words elsewhere.
//
// Painters take marks {name, range}; names are those of the stylesheet, "topic", "own-1" to "own-5",
// "evidence" and "current".

const NAMES = ["topic", "own-1", "own-2", "own-3", "own-4", "own-5", "evidence", "current"];
const FIRST_TO_LAST = { topic: 0, evidence: 2, current: 3 };

class Highlights {
  constructor() {
    this.highlights = new Map(NAMES.map((name) => [name, new Highlight()]));
    for (const [name, highlight] of this.highlights) {
      highlight.priority = FIRST_TO_LAST[name] ?? 1;
      CSS.highlights.set(`reading-${name}`, highlight);
    }
  }

  // Whether painting leaves the text nodes as they are.
  leavesText = true;

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

class Marks {
  leavesText = false;

  #marks = [];
  #current = [];

  paint(marks) {
    this.clear();
    // From the end, so that what is cut off a node never moves the places before it.
    for (const { name, range } of [...marks].reverse()) this.#marks.push(...wrap(range, `reading-${name}`));
  }

  current(range) {
    for (const mark of this.#current) mark.classList.remove("reading-current");
    this.#current = range ? this.#marks.filter((mark) => range.intersectsNode(mark)) : [];
    for (const mark of this.#current) mark.classList.add("reading-current");
  }

  clear() {
    for (const mark of this.#marks) {
      const parent = mark.parentNode;
      mark.replaceWith(...mark.childNodes);
      parent?.normalize();
    }
    this.#marks = [];
    this.#current = [];
  }
}

function wrap(range, name) {
  const { startContainer, startOffset, endContainer, endOffset } = range;
  const nodes = [];
  const root = startContainer === endContainer ? startContainer : commonAncestor(startContainer, endContainer);
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = root.nodeType === Node.TEXT_NODE ? root : walker.nextNode(); node; node = walker.nextNode()) {
    const before = node !== startContainer && !(startContainer.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_FOLLOWING);
    if (before) continue;
    nodes.push(node);
    if (node === endContainer) break;
  }
  return nodes.reverse().map((node) => {
    const from = node === startContainer ? startOffset : 0;
    const to = node === endContainer ? endOffset : node.data.length;
    if (to < node.data.length) node.splitText(to);
    const part = from ? node.splitText(from) : node;
    const mark = document.createElement("mark");
    mark.className = name;
    part.replaceWith(mark);
    mark.append(part);
    return mark;
  });
}

function commonAncestor(one, other) {
  const range = document.createRange();
  range.setStart(one, 0);
  range.setEnd(other, other.data.length);
  return range.commonAncestorContainer;
}

export function makePainter() {
  return globalThis.CSS?.highlights && globalThis.Highlight ? new Highlights() : new Marks();
}
