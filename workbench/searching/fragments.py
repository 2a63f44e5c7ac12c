"""Fragments: the sentences of a document that answer a query, with the words that were found marked."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from workbench.searching.analysis import TermInText, plain_text, terms, terms_in, whole_words
from workbench.searching.query import ClauseRole, SearchQuery, Term, TermKind

MOST_SENTENCES = 3
LONGEST_SENTENCE = 320
"""Characters; of a longer one the part around its first marked words is shown, cut between words."""
LONGEST_LOOKED_AT = 100_000
"""Characters of a document in which fragments are looked for: some 20 ms of one processor."""


@dataclass(frozen=True, slots=True)
class FragmentPiece:
    """A part of a fragment; `marked` where the query has these words."""

    text: str
    marked: bool


@dataclass(frozen=True, slots=True)
class Fragment:
    """One sentence, or several that follow one another; cut where a sentence is too long."""

    pieces: tuple[FragmentPiece, ...]
    cut_before: bool = False
    cut_after: bool = False

    def __str__(self) -> str:
        return "".join(piece.text for piece in self.pieces)


@dataclass(frozen=True, slots=True)
class _Span:
    start: int
    end: int
    what: str
    """Which term of the query it is: sentences with several different ones come first."""


@dataclass(frozen=True, slots=True)
class _TextTerms:
    """The terms of a text in their order, the places of each, and the words before they are stemmed.

    By the places a text is looked through once, however many words the query has.
    """

    terms: Sequence[TermInText]
    places: Mapping[str, Sequence[int]]
    whole: Sequence[TermInText]

    @classmethod
    def of(cls, text: str, *, whole_too: bool) -> _TextTerms:
        found = list(terms_in(text))
        places: dict[str, list[int]] = {}
        for at, one in enumerate(found):
            places.setdefault(one.text, []).append(at)
        return cls(found, places, list(terms_in(text, stemmed=False)) if whole_too else ())


def fragments(query: SearchQuery, text: str, *, most: int = MOST_SENTENCES) -> tuple[Fragment, ...]:
    """The sentences with most of the query's words, at most so many, in the order of the text.

    Where none has any, the first sentence; nothing of an empty text. The text may be HTML.
    """
    plain = plain_text(text[:LONGEST_LOOKED_AT])
    spans = _spans(query, plain)
    sentences = sentence_spans(plain)
    if not sentences:
        return ()
    chosen = _best(spans, sentences, most) or [sentences[0]]
    return tuple(_fragment(plain, start, end, spans) for start, end in _joined(plain, chosen))


def marked_title(query: SearchQuery, title: str) -> tuple[FragmentPiece, ...]:
    """A whole title with the query's words marked."""
    plain = " ".join(plain_text(title).split())
    return _pieces(plain, 0, len(plain), _spans(query, plain, title=True))


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Where the sentences of a plain text begin and end, without the blanks around them.

    A sentence ends with a stop before a capital, a digit or a stop that stands alone, and with a paragraph;
    abbreviations and initials end none.

    >>> text = "Lift falls, e.g. at Mach 1. See Fig. 3 by J. Smith. it ends here . next"
    >>> [text[start:end] for start, end in sentence_spans(text)]
    ['Lift falls, e.g. at Mach 1.', 'See Fig. 3 by J. Smith. it ends here .', 'next']
    """
    found, start = [], 0
    for match in _END.finditer(text):
        if match["stop"] is not None and not _ends_here(text, match):
            continue
        end = match.end("stop") if match["stop"] is not None else match.start()
        found.append((start, end))
        start = match.end()
    found.append((start, len(text)))
    return [span for span in (_trimmed(text, *each) for each in found) if span[0] < span[1]]


def _ends_here(text: str, match: re.Match[str]) -> bool:
    if match["wide"] is not None:
        return True
    following = text[match.end() : match.end() + 1]
    before = text[max(match.start() - 12, 0) : match.start()]
    if before[-1:].isspace():
        return True
    word = _LAST_WORD.search(before)
    is_short = word is not None and (word[0].lower() in _ABBREVIATIONS or len(word[0]) == 1)
    return not following.islower() and not (match["stop"].startswith(".") and is_short)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    inside = text[start:end]
    return start + len(inside) - len(inside.lstrip()), end - len(inside) + len(inside.rstrip())


def _spans(query: SearchQuery, text: str, *, title: bool = False) -> list[_Span]:
    """What a text has of a query, in order, no two overlapping."""
    asked = [
        term
        for clause in query.clauses
        if clause.role is not ClauseRole.EXCLUDED
        for term in clause.terms
        if title or not term.in_title
    ]
    has_prefix = any(term.kind is TermKind.PREFIX for term in asked)
    of = _TextTerms.of(text, whole_too=has_prefix)
    spans = [span for term in asked for span in _of_term(term, of)]
    kept: list[_Span] = []
    for span in sorted(spans, key=lambda one: (one.start, -one.end)):
        if not kept or span.start >= kept[-1].end:
            kept.append(span)
    return kept


def _of_term(term: Term, of: _TextTerms) -> Iterator[_Span]:
    name = str(term)
    if term.kind is TermKind.PREFIX:
        beginning = "".join(whole_words(term.words[0]))
        yield from (_Span(one.start, one.end, name) for one in of.whole if one.text.startswith(beginning))
    elif term.kind is TermKind.NEAR:
        yield from _near(term, of)
    else:
        words = _terms_of(term.words)
        if len(words) == 1:
            # Most terms: a word that every text has is found hundreds of times.
            yield from (
                _Span(one.start, one.end, name)
                for one in map(of.terms.__getitem__, of.places.get(words[0], ()))
            )
            return
        for at in of.places.get(words[0], ()) if words else ():
            these = of.terms[at : at + len(words)]
            if tuple(one.text for one in these) == words:
                yield _Span(these[0].start, these[-1].end, name)


def _near(term: Term, of: _TextTerms) -> Iterator[_Span]:
    first, second = (
        [at for text in _terms_of((word,))[:1] for at in of.places.get(text, ())] for word in term.words
    )
    for mine, others in ((first, second), (second, first)):
        for at in mine:
            if any(0 < abs(at - other) <= term.distance for other in others):
                one = of.terms[at]
                yield _Span(one.start, one.end, f"{term} {one.text}")


@lru_cache(maxsize=1000)
def _terms_of(words: tuple[str, ...]) -> tuple[str, ...]:
    # Asked for every text of a page of hits.
    return tuple(terms(" ".join(words)))


def _best(spans: Sequence[_Span], sentences: Sequence[tuple[int, int]], most: int) -> list[tuple[int, int]]:
    """The sentences that together have most different words, then those with most, in their order."""
    starts = [start for start, _ in sentences]
    words: dict[int, list[str]] = {}
    for span in spans:
        words.setdefault(max(bisect_right(starts, span.start) - 1, 0), []).append(span.what)
    seen: set[str] = set()
    chosen: list[int] = []
    while words and len(chosen) < most:
        best = max(words, key=lambda at: (len(set(words[at]) - seen), len(set(words[at])), -at))
        seen.update(words.pop(best))
        chosen.append(best)
    return [sentences[at] for at in sorted(chosen)]


def _joined(text: str, chosen: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Sentences that follow one another as one, as long as that is not too long."""
    last: tuple[int, int] | None = None
    for start, end in chosen:
        if last is not None and not text[last[1] : start].strip() and end - last[0] <= LONGEST_SENTENCE:
            last = last[0], end
            continue
        if last is not None:
            yield last
        last = start, end
    if last is not None:
        yield last


def _fragment(text: str, start: int, end: int, spans: Sequence[_Span]) -> Fragment:
    low, high = start, end
    if end - start > LONGEST_SENTENCE:
        first = next((span.start for span in spans if start <= span.start < end), start)
        low = max(start, min(first - LONGEST_SENTENCE // 4, end - LONGEST_SENTENCE))
        high = min(end, low + LONGEST_SENTENCE)
        low, high = _between_words(text, low, start), _between_words(text, high, end)
    return Fragment(_pieces(text, low, high, spans), cut_before=low > start, cut_after=high < end)


def _between_words(text: str, at: int, bound: int) -> int:
    """The nearest place from here to the next blank, not further than a long word, where a cut harms none."""
    if at == bound:
        return at
    blank = re.compile(r"\s").search(text, at, at + LONGEST_SENTENCE // 8)
    return blank.start() if blank else at


def _pieces(text: str, start: int, end: int, spans: Sequence[_Span]) -> tuple[FragmentPiece, ...]:
    pieces: list[FragmentPiece] = []

    def add(low: int, high: int, *, marked: bool) -> None:
        # Lines of a text that is broken to a width flow here.
        piece = _BLANKS.sub(" ", text[low:high])
        if piece:
            pieces.append(FragmentPiece(piece, marked))

    at = start
    for span in spans:
        low, high = max(span.start, start), min(span.end, end)
        if low < high and low >= at:
            add(at, low, marked=False)
            add(low, high, marked=True)
            at = high
    add(at, end, marked=False)
    return tuple(pieces)


_END = re.compile(
    r"(?P<stop>[.!?…]+[\"'’”)\]]*|(?P<wide>[。！？]+[」』”]*))(?=\s|(?<=[。！？」』”]))\s*|\s*\n\s*\n\s*"
)
# Other than one space: nothing is changed where nothing need be, which takes a third of the time.
_BLANKS = re.compile(r"\s{2,}|[^\S ]")
_LAST_WORD = re.compile(r"[^\W\d_]+$")
_SHORT = (
    "al approx ca cf col dept dr ed eds eg eq eqs etc fig figs gen ie inc jr mr mrs ms no nos pp prof ref "
    "refs resp sec st vol vs"
)
_ABBREVIATIONS = frozenset(_SHORT.split())
