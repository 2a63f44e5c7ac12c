// The hits of a document: where each begins and ends, and which term it is. In order, none overlaps another.

export class Hits {
  constructor() {
    this.starts = [];
    this.ends = [];
    this.terms = [];
  }

  get count() {
    return this.starts.length;
  }

  add(start, end, term) {
    // A phrase is known at its last word only: it takes the place of what was found in it.
    while (this.count && this.ends[this.count - 1] > start) {
      this.starts.pop();
      this.ends.pop();
      this.terms.pop();
    }
    this.starts.push(start);
    this.ends.push(end);
    this.terms.push(term);
  }

  // The first hit that begins at or after an offset; `count` where there is none.
  from(offset) {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.starts[middle] < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  // How often each term was found, by number.
  byTerm(terms) {
    const counts = new Array(terms.length).fill(0);
    for (const term of this.terms) counts[term] += 1;
    return counts;
  }
}

const WORDS_A_STEP = 300;

// Fills `hits` with what `matcher` finds in a text that was read; yields often.
export function* findHits(text, matcher, hits) {
  for (const run of text.runs) {
    const content = text.textOf(run);
    for (let at = 0; at >= 0; ) {
      at = matcher.scan(content, at, WORDS_A_STEP, (start, end, term) => hits.add(run.start + start, run.start + end, term));
      yield;
    }
  }
}
