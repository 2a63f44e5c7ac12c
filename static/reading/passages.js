// Which places of a document say most about the topic.
//
// A window of text is worth the sum over its distinct terms of  w(t) · tf/(tf + k1),  with k1 = 1.2 and
// w(t) = (2 for a word of the title or an own word, else 1) · ln(1 + N/n(t)), where N counts the hits of the
// document and n(t) those of t. Distinct terms thus count before repeated ones, and rare before frequent ones:
// the saturation is BM25's (S. Robertson et al., "Okapi at TREC-3", 1994), the window of fixed length J. Callan's
// ("Passage-level evidence in document retrieval", SIGIR 1994), and of equal windows the tighter and then the
// earlier one is taken, as in cover density ranking (C. Clarke, G. Cormack and E. Tudhope, IP&M 36, 2000).
const K1 = 1.2;
export const WINDOW = 900;
const UNSPACED_WINDOW = 350;
export const MOST_PASSAGES = 6;
const LEAST_SHARE = 0.35; // of the best passage's worth

// How long a text must be for its passages to be shown first: about a thousand words.
export const LONG = 6000;
const UNSPACED_LONG = 2200;

export const windowFor = (unspaced) => (unspaced ? UNSPACED_WINDOW : WINDOW);
export const isLong = (length, unspaced) => length > (unspaced ? UNSPACED_LONG : LONG);

export function weightsOf(terms, counts) {
  const all = counts.reduce((sum, count) => sum + count, 0);
  return terms.map((term, number) => (counts[number] ? term.weight * Math.log(1 + all / counts[number]) : 0));
}

// The worth of the window that begins at each hit: {first, last, worth}; yields often.
export function* windows(hits, weights, length, out) {
  const inside = new Array(weights.length).fill(0);
  const worth = () => inside.reduce((sum, tf, term) => sum + (tf ? (weights[term] * tf) / (tf + K1) : 0), 0);
  let last = -1;
  for (let first = 0; first < hits.count; first += 1) {
    while (last + 1 < hits.count && hits.ends[last + 1] <= hits.starts[first] + length) {
      last += 1;
      inside[hits.terms[last]] += 1;
    }
    if (last < first) {
      // A hit longer than a window: it is one by itself.
      last = first;
      inside[hits.terms[last]] += 1;
    }
    out.push({ first, last, worth: worth() });
    inside[hits.terms[first]] -= 1;
    if (first % 200 === 199) yield;
  }
}

// The best windows that do not overlap, best first: {start, end, worth} in offsets.
export function bestWindows(hits, found, most = MOST_PASSAGES) {
  const spans = found.map(({ first, last, worth }) => ({ start: hits.starts[first], end: hits.ends[last], worth }));
  spans.sort(
    (one, other) =>
      other.worth - one.worth || one.end - one.start - (other.end - other.start) || one.start - other.start,
  );
  const kept = [];
  for (const span of spans) {
    if (kept.length === most || (kept.length && span.worth < LEAST_SHARE * kept[0].worth)) break;
    if (kept.every((other) => span.end <= other.start || span.start >= other.end)) kept.push(span);
  }
  return kept;
}

const NEAR = 1200; // how far a sentence is followed

// Where sentences begin in a text, the first at 0.
export function sentenceStarts(text) {
  return [...new Intl.Segmenter(undefined, { granularity: "sentence" }).segment(text)].map((part) => part.index);
}

// The sentences around [start, end) of one paragraph: [from, to), trimmed. A sentence without end is cut between
// words at a fair distance; the caller shows that by `cutBefore` and `cutAfter`.
export function atSentences(text, start, end) {
  const low = Math.max(0, start - NEAR);
  const high = Math.min(text.length, end + NEAR);
  const near = text.slice(low, high);
  const starts = sentenceStarts(near).map((at) => low + at);
  let from = starts.filter((at) => at <= start && (at > low || low === 0)).at(-1);
  let to = starts.find((at) => at >= end) ?? (high === text.length ? text.length : undefined);
  const cutBefore = from === undefined;
  const cutAfter = to === undefined;
  if (cutBefore) from = wordAfter(text, Math.max(low, start - 200), start);
  if (cutAfter) to = wordBefore(text, Math.min(high, end + 200), end);
  while (from < start && /\s/.test(text[from])) from += 1;
  while (to > end && /\s/.test(text[to - 1])) to -= 1;
  return { from, to, cutBefore, cutAfter };
}

function wordAfter(text, at, limit) {
  const space = text.slice(at, limit).search(/\s/);
  return space < 0 ? limit : at + space + 1;
}

function wordBefore(text, at, limit) {
  const space = text.slice(limit, at).search(/\s\S*$/);
  return space < 0 ? limit : limit + space;
}
