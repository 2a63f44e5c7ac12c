// What is looked for: the words of the topic, and up to five of the assessor's own.
import { fold, stem, takesParticles, UNSPACED } from "./folding.js";
import { languageOf, REQUEST_WORDS, STOP_WORDS } from "./stop_words.js";

export const MOST_OWN = 5;
const MOST_TERMS = 60;
// Either a run of letters of scripts without spaces, or a word.
const UNSPACED_CLASS =
  "[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}ー]";
const tokens = () =>
  new RegExp(
    `(?:${UNSPACED_CLASS}\\p{M}*)+|[[\\p{L}\\p{N}]--${UNSPACED_CLASS}](?:[[\\p{L}\\p{N}\\p{M}]--${UNSPACED_CLASS}]|[\\u00ad\\u200c\\u200d](?=\\p{L}))*`,
    "gv",
  );

// Japanese writes its grammar in hiragana: short words of nothing else say how, not what.
const GRAMMAR = /^\p{Script=Hiragana}{1,3}$/u;

const words = (text) => text.match(tokens()) ?? [];
// Letter by letter, so that every place in the folded text is the same place in the text.
const foldInPlace = (text) =>
  text.replace(/[^\u0000-\u007f]/gu, (letter) => {
    const folded = letter.normalize("NFKC").toLowerCase();
    return folded.length === letter.length ? folded : letter;
  });

// Words of a text that is written without spaces, by the browser's dictionary.
function segmented(run) {
  const parts = [...new Intl.Segmenter(undefined, { granularity: "word" }).segment(run)];
  return parts.map((part) => part.segment).filter((part) => [...part].length > 1 && !GRAMMAR.test(part));
}

// The terms of a topic: {language, terms: [{shown, key, unspaced, weight}]}; a word of the title weighs double.
export function topicTerms(title, description) {
  const folded = [...words(title), ...words(description)].map(fold);
  const language = languageOf(folded);
  const stop = STOP_WORDS[language] ?? new Set();
  const found = new Map();
  const take = (text, weight, passedOver) => {
    for (const word of words(text)) {
      if (UNSPACED.test(word)) {
        for (const part of segmented(word)) add(found, { shown: part, key: foldInPlace(part), unspaced: true, weight });
        continue;
      }
      const plain = fold(word);
      if (plain.length < 2 || passedOver(plain)) continue;
      add(found, { shown: word, key: stem(plain, language), unspaced: false, weight });
    }
  };
  take(title, 2, (word) => stop.has(word));
  if (!found.size) take(title, 2, () => false); // "To be or not to be"
  take(description, 1, (word) => stop.has(word) || REQUEST_WORDS.has(word));
  return { language, terms: [...found.values()].slice(0, MOST_TERMS) };
}

function add(found, term) {
  if (!found.has(term.key)) found.set(term.key, term);
}

// An own word as it is looked for: one word, several in a row, or the beginning of one ("thyr*").
function ownTerm(shown, language) {
  const parts = words(shown);
  const unspaced = parts.length === 1 && UNSPACED.test(parts[0]);
  const open = shown.trim().endsWith("*");
  const keys = parts.map((part, index) =>
    unspaced ? foldInPlace(part) : open && index === parts.length - 1 ? fold(part) : stem(fold(part), language),
  );
  return { shown, keys, unspaced, open };
}

// Finds terms in text, a piece at a time. `terms` are {shown, weight, own}: own words come first, and an own word
// that a topic has as well is an own word.
export class Matcher {
  constructor(topic, own) {
    this.language = topic.language;
    this.terms = [];
    this.whole = new Map(); // key -> term
    this.openings = []; // [beginning, term]
    this.inside = []; // [key, term], in scripts without spaces
    this.phrases = []; // [keys, term]
    own.slice(0, MOST_OWN).forEach((shown, index) => this.#addOwn(shown, index + 1));
    for (const { shown, key, unspaced, weight } of topic.terms) {
      if (this.whole.has(key) || this.inside.some(([known]) => known === key)) continue;
      const number = this.terms.push({ shown, weight, own: 0 }) - 1;
      if (unspaced) this.inside.push([key, number]);
      else this.#addWhole(key, number);
    }
    this.inside.sort(([one], [other]) => other.length - one.length);
    this.known = new Map(); // word -> term, or -1: the same words come again and again
    this.keys = new Map();
    this.pattern = tokens();
    this.recent = [];
  }

  #addOwn(shown, own) {
    const { keys, unspaced, open } = ownTerm(shown, this.language);
    const number = this.terms.push({ shown, weight: 2, own }) - 1;
    if (!keys.length) return;
    if (keys.length > 1) this.phrases.push([keys, number, open]);
    else if (unspaced) this.inside.push([keys[0], number]);
    else if (open) this.openings.push([keys[0], number]);
    else this.#addWhole(keys[0], number);
  }

  #addWhole(key, number) {
    if (!this.whole.has(key)) this.whole.set(key, number);
    if (takesParticles(key)) this.openings.push([key, number]);
  }

  // Looks at no more than `most` words of a text from an index on and tells `found(start, end, term)` of each hit,
  // in order; gives the index to go on from, or -1 at the end.
  scan(text, from, most, found) {
    if (from === 0) this.recent = [];
    this.pattern.lastIndex = from;
    for (let count = 0; count < most; count += 1) {
      const match = this.pattern.exec(text);
      if (!match) return -1;
      const word = match[0];
      if (word.charCodeAt(0) >= 0xe00 && UNSPACED.test(word)) this.#scanInside(word, match.index, found);
      else this.#scanWord(word, match.index, found);
    }
    return this.pattern.lastIndex;
  }

  #scanWord(word, start, found) {
    const phrase = this.phrases.length ? this.#phraseAt(word, start) : null;
    if (phrase) {
      found(phrase.start, start + word.length, phrase.number);
      return;
    }
    let number = this.known.get(word);
    if (number === undefined) {
      const folded = fold(word);
      number = this.whole.get(stem(folded, this.language)) ?? -1;
      if (number < 0 || !this.terms[number].own) {
        const opening = this.openings.find(([beginning]) => folded.startsWith(beginning));
        if (opening) [, number] = opening;
      }
      if (this.known.size > 50_000) this.known.clear();
      this.known.set(word, number);
    }
    if (number >= 0) found(start, start + word.length, number);
  }

  #phraseAt(word, start) {
    let keys = this.keys.get(word);
    if (!keys) {
      const folded = fold(word);
      keys = { folded, key: stem(folded, this.language) };
      if (this.keys.size > 50_000) this.keys.clear();
      this.keys.set(word, keys);
    }
    this.recent.push({ ...keys, start });
    if (this.recent.length > 8) this.recent.shift();
    for (const [wanted, number, open] of this.phrases) {
      const last = this.recent.slice(-wanted.length);
      const fits =
        last.length === wanted.length &&
        last.every(({ key, folded }, index) =>
          open && index === wanted.length - 1 ? folded.startsWith(wanted[index]) : key === wanted[index],
        );
      if (fits) return { start: last[0].start, number };
    }
    return null;
  }

  #scanInside(run, start, found) {
    if (!this.inside.length) return;
    const folded = foldInPlace(run);
    const hits = [];
    for (const [key, number] of this.inside) {
      for (let at = folded.indexOf(key); at >= 0; at = folded.indexOf(key, at + key.length)) {
        hits.push([at, at + key.length, number]);
      }
    }
    hits.sort((one, other) => one[0] - other[0] || other[1] - one[1]);
    let end = 0;
    for (const [from, to, number] of hits) {
      if (from < end) continue;
      found(start + from, start + to, number);
      end = to;
    }
  }
}
