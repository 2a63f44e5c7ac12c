// The text of a document as one string of offsets over its text nodes, and what of it stands together.
// Offsets count UTF-16 units of the document's text, `root.textContent`, and are the same in every browser.

const BLOCK = new Set(
  "P DIV H1 H2 H3 H4 H5 H6 LI DT DD BLOCKQUOTE PRE TD TH CAPTION UL OL DL TABLE TR ARTICLE SECTION".split(" "),
);

function blockOf(node, root) {
  let element = node.parentElement;
  while (element !== root && !BLOCK.has(element.tagName)) element = element.parentElement;
  return element;
}

export class DocumentText {
  constructor(root) {
    this.root = root;
    this.nodes = [];
    this.starts = [];
    this.runs = []; // {start, end, first node, element, blank}: text without a break of paragraph in it
    this.length = 0;
  }

  // Reads the nodes; yields often.
  *read() {
    const walker = document.createTreeWalker(this.root, NodeFilter.SHOW_TEXT);
    let run = null;
    for (let node = walker.nextNode(), count = 0; node; node = walker.nextNode(), count += 1) {
      const element = blockOf(node, this.root);
      if (!run || run.element !== element) {
        run = { start: this.length, end: this.length, first: this.nodes.length, element, blank: true };
        this.runs.push(run);
      }
      this.nodes.push(node);
      this.starts.push(this.length);
      this.length += node.data.length;
      run.end = this.length;
      if (run.blank && /\S/.test(node.data)) run.blank = false;
      if (count % 200 === 199) yield;
    }
  }

  // How many paragraphs there are from one run to before another; white space between them is none.
  paragraphs(from, to) {
    let count = 0;
    for (let at = from; at < to; at += 1) if (!this.runs[at].blank) count += 1;
    return count;
  }

  textOf(run) {
    const index = run.first;
    const next = this.starts[index + 1];
    if (next === undefined || next >= run.end) return this.nodes[index].data;
    let text = "";
    for (let at = index; at < this.nodes.length && this.starts[at] < run.end; at += 1) text += this.nodes[at].data;
    return text;
  }

  slice(start, end) {
    let text = "";
    for (let at = this.#nodeAt(start); at < this.nodes.length && this.starts[at] < end; at += 1) {
      text += this.nodes[at].data.slice(Math.max(0, start - this.starts[at]), end - this.starts[at]);
    }
    return text;
  }

  // The place of an offset: as an end, one that lies between two nodes is the end of the former.
  place(offset, asEnd = false) {
    const index = this.#nodeAt(asEnd && offset > 0 ? offset - 1 : offset);
    const node = this.nodes[index];
    return { node, offset: Math.min(offset - this.starts[index], node.data.length) };
  }

  staticRange(start, end) {
    const from = this.place(start);
    const to = this.place(end, true);
    return new StaticRange({
      startContainer: from.node, startOffset: from.offset, endContainer: to.node, endOffset: to.offset,
    });
  }

  // The offset of a place in the page, or of the first text after it.
  offsetOf(node, offset) {
    if (node.nodeType === Node.TEXT_NODE) {
      const index = this.#indexOf(node);
      if (index >= 0) return this.starts[index] + Math.min(offset, node.data.length);
    }
    const after = node.nodeType === Node.TEXT_NODE ? node : (node.childNodes[offset] ?? null);
    let low = 0;
    let high = this.nodes.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const beyond = after
        ? after.contains(this.nodes[middle]) || after.compareDocumentPosition(this.nodes[middle]) & Node.DOCUMENT_POSITION_FOLLOWING
        : !node.contains(this.nodes[middle]) && node.compareDocumentPosition(this.nodes[middle]) & Node.DOCUMENT_POSITION_FOLLOWING;
      if (beyond) high = middle;
      else low = middle + 1;
    }
    return low < this.nodes.length ? this.starts[low] : this.length;
  }

  runAt(offset) {
    let low = 0;
    let high = this.runs.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.runs[middle].start <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #nodeAt(offset) {
    let low = 0;
    let high = this.nodes.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.starts[middle] <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  // Text nodes are in the order of the document: where one stands is found by halving.
  #indexOf(node) {
    let low = 0;
    let high = this.nodes.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      if (this.nodes[middle] === node) return middle;
      if (this.nodes[middle].compareDocumentPosition(node) & Node.DOCUMENT_POSITION_FOLLOWING) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }
}
