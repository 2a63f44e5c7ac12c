// Words as they are compared: lower case without accents, and without the ends that a language adds to them.

// Marks that spell nothing: accents of Latin, Greek and Cyrillic, Hebrew points, Arabic vowels and the tatweel.
// The marks of Indic scripts are letters to their readers and stay.
const MARKS = /[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed\u00ad\u200c\u200d]/g;
const LETTERS = { ß: "ss", æ: "ae", œ: "oe", ø: "o", ł: "l", đ: "d", ð: "d", þ: "th", ı: "i", ς: "σ", ى: "ي", ة: "ه" };
const SPECIAL = /[ßæœøłđðþıςىة]/g;

// Scripts that put no spaces between words: a word is looked for anywhere in them.
export const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]/u;
const HANGUL = /^\p{Script=Hangul}/u;
const ARABIC = /^\p{Script=Arabic}/u;
const ASCII = /^[a-z0-9]+$/;

export function fold(word) {
  const lower = word.toLowerCase();
  if (ASCII.test(lower)) return lower;
  return lower.normalize("NFKD").replace(MARKS, "").replace(SPECIAL, (letter) => LETTERS[letter]).normalize("NFC");
}

// Harman's S-stemmer: D. Harman, "How effective is suffixing?", JASIS 42(1), 1991, table 1. The first rule whose
// ending fits is the only one tried.
export function withoutS(word) {
  if (word.length < 4) return word;
  if (word.endsWith("ies")) return /[ea]ies$/.test(word) ? word : `${word.slice(0, -3)}y`;
  if (word.endsWith("es")) return /[aeo]es$/.test(word) ? word : word.slice(0, -1);
  if (word.endsWith("s")) return /[us]s$/.test(word) ? word : word.slice(0, -1);
  return word;
}

// And without -ing and -ed, which no singular makes up for: step 1b of M. Porter, "An algorithm for suffix stripping",
// Program 14(3), 1980, with its restored and its doubled letters; a last e counts for nothing in longer words.
function english(word) {
  const singular = withoutS(word);
  const rest = /^(.*[aeiouy].*?)(?:ing|ed)$/.exec(singular)?.[1];
  if (!rest || rest.length < 3 || rest.endsWith("e")) return singular.length > 4 ? singular.replace(/e$/, "") : singular;
  if (/([^aeioulsz])\1$/.test(rest)) return rest.slice(0, -1);
  if (rest.length === 3 && /^[^aeiou][aeiou][^aeiouwxy]$/.test(rest)) return `${rest}e`;
  return rest;
}

// Plural, gender and case endings, after the light stemmers of J. Savoy, "Light stemming approaches for the
// French, Portuguese, German and Hungarian languages", SAC 2006; accents are folded before.
function german(word) {
  return word.length < 5 ? word : word.replace(/(?:ern|em|en|er|es|e|n|r|s)$/, "");
}
function french(word) {
  if (word.length < 5) return word;
  const singular = word.replace(/aux$/, "al").replace(/[xs]$/, "");
  return singular.length < 5 ? singular : singular.replace(/(?:er|ee|e|r)$/, "").replace(/(.)\1$/, "$1");
}
function romance(word) {
  return word.length < 5 ? word : word.replace(/(?:es|as|os|is|s)$/, "").replace(/[aeio]$/, "");
}
function dutch(word) {
  return word.length < 5 ? word : word.replace(/(?:en|s|e)$/, "").replace(/(.)\1$/, "$1");
}
const STEMMERS = { en: english, de: german, fr: french, es: romance, it: romance, pt: romance, nl: dutch };

// light10: L. Larkey, L. Ballesteros and M. Connell, "Improving stemming for Arabic information retrieval",
// SIGIR 2002: the conjunction and the article in front, ten endings behind.
function arabic(word) {
  let rest = word;
  if (rest.length > 3 && rest.startsWith("و")) rest = rest.slice(1);
  for (const front of ["ال", "وال", "بال", "كال", "فال", "لل"]) {
    if (rest.startsWith(front) && rest.length - front.length >= 2) {
      rest = rest.slice(front.length);
      break;
    }
  }
  for (const end of ["ها", "ان", "ات", "ون", "ين", "يه", "ه", "ي"]) {
    if (rest.endsWith(end) && rest.length - end.length >= 2) rest = rest.slice(0, -end.length);
  }
  return rest;
}

// What two forms of a word have in common, in a language of STEMMERS. Key words without a stop word that tells
// their language are taken for English.
export function stem(folded, language) {
  if (ARABIC.test(folded)) return arabic(folded);
  return /^[a-z]/.test(folded) ? (STEMMERS[language || "en"]?.(folded) ?? folded) : folded;
}

// Korean puts its particles behind the word, without a space.
export const takesParticles = (folded) => HANGUL.test(folded);
