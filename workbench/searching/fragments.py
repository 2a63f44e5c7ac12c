"""Fragments: the sentences of a document that answer a query, with the words that were found marked."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from workbench.frozen import frozen_dataclass
from workbench.records import Document
from workbench.searching.analysis import Places, WordForms, plain_text, terms, whole_words
from workbench.searching.engine import ClauseRole, SearchQuery, Term, TermKind

MOST_SENTENCES = 3
MOST_OF_A_PHRASE = 32
"""Words; of a longer phrase so many are looked for and marked."""
LONGEST_SENTENCE = 320
"""Characters; of a longer one the part around its first marked words is shown, cut between words."""
LONGEST_LOOKED_AT = 100_000
"""Characters of a title, and of a document in which fragments are looked for: some 20 ms of one processor."""


class FragmentPiece(NamedTuple):
    """A part of a fragment; `marked` where the query has these words.

    A tuple for speed, as spans are: a page of hits has hundreds.
    """

    text: str
    marked: bool


@frozen_dataclass
class Fragment:
    """One sentence, or several that follow one another; cut where a sentence is too long."""

    pieces: tuple[FragmentPiece, ...]
    cut_before: bool = False
    cut_after: bool = False

    def __str__(self) -> str:
        return "".join(piece.text for piece in self.pieces)


MarkedText = tuple[tuple[FragmentPiece, ...], tuple[Fragment, ...]]
"""The title of a document, and its fragments."""
_Span = tuple[int, int, int]
"""Where the words of a query are, [start, end), and which term of the query it is, negative for the second
word of two that are near: sentences with several different ones come first."""


def fragments(query: SearchQuery, text: str, *, most: int = MOST_SENTENCES) -> tuple[Fragment, ...]:
    """The sentences with most of the query's words, at most so many, in the order of the text.

    Where none has any, the first sentence; nothing of an empty text. The text may be HTML.
    """
    plain = plain_text(text[:LONGEST_LOOKED_AT])
    return _fragments(plain, _QueryTerms(query, [plain]), most)


def marked_title(query: SearchQuery, title: str) -> tuple[FragmentPiece, ...]:
    """A title, of a very long one the beginning, with the query's words marked."""
    plain = _plain_title(title)
    return _title(plain, _QueryTerms(query, [plain]))


def marked_documents(query: SearchQuery, documents: Iterable[Document]) -> dict[str, MarkedText]:
    """The titles and fragments of documents by docno, as `marked_title` and `fragments` have them."""
    plain = {
        one.docno: (_plain_title(one.title), plain_text(one.text[:LONGEST_LOOKED_AT])) for one in documents
    }
    of_query = _QueryTerms(query, [text for both in plain.values() for text in both])
    return {
        docno: (_title(title, of_query), _fragments(text, of_query, MOST_SENTENCES))
        for docno, (title, text) in plain.items()
    }


def _plain_title(title: str) -> str:
    return " ".join(plain_text(title[:LONGEST_LOOKED_AT]).split())


def _title(plain: str, of_query: _QueryTerms) -> tuple[FragmentPiece, ...]:
    return _pieces(plain, 0, len(plain), of_query.spans(plain, title=True))


def _fragments(plain: str, of_query: _QueryTerms, most: int) -> tuple[Fragment, ...]:
    sentences = sentence_spans(plain)
    if not sentences:
        return ()
    spans = of_query.spans(plain)
    chosen = _best(spans, sentences, most) or [sentences[0]]
    return tuple(_fragment(plain, start, end, spans) for start, end in _joined(plain, chosen))


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Where the sentences of a plain text begin and end, without the blanks around them.

    A sentence ends with a stop before a capital, a digit or a stop that stands alone, and with a paragraph;
    abbreviations and initials end none.

    >>> text = "Lift falls, e.g. at Mach 1. See Fig. 3 by J. Smith. it ends here . next"
    >>> [text[start:end] for start, end in sentence_spans(text)]
    ['Lift falls, e.g. at Mach 1.', 'See Fig. 3 by J. Smith. it ends here .', 'next']
    """
    found: list[tuple[int, int]] = []
    start = 0
    for end, following in [*(each.span() for each in _PARAGRAPH.finditer(text)), (len(text), len(text))]:
        found += _within(text, start, end)
        start = following
    return [span for span in (_trimmed(text, *each) for each in found) if span[0] < span[1]]


def _within(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The sentences of a paragraph."""
    for stop in _STOP.finditer(text, start, end):
        if _ends_here(text, stop, end):
            yield start, stop.end()
            start = stop.end()
    yield start, end


def _ends_here(text: str, stop: re.Match[str], end: int) -> bool:
    if stop["wide"] is not None:
        return True
    if not text[stop.end() : min(stop.end() + 1, end)].isspace():
        return False
    following = _NOT_BLANK.search(text, stop.end(), end)
    before = text[max(stop.start() - 12, 0) : stop.start()]
    if before[-1:].isspace():
        return True
    word = _LAST_WORD.search(before)
    is_short = word is not None and (word[0].lower() in _ABBREVIATIONS or len(word[0]) == 1)
    goes_on = following is not None and following[0].islower()
    return not goes_on and not (stop[0].startswith(".") and is_short)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    inside = text[start:end]
    return start + len(inside) - len(inside.lstrip()), end - len(inside) + len(inside.rstrip())


class _QueryTerms:
    """What a query marks in some plain texts, put together once for all of them."""

    def __init__(self, query: SearchQuery, texts: Sequence[str]) -> None:
        # Each once: a word that is repeated is looked for once.
        self._asked = list(
            dict.fromkeys(
                _asked(term)
                for clause in query.clauses
                if clause.role is not ClauseRole.EXCLUDED
                for term in clause.terms
            )
        )
        prefixes = [one for one in self._asked if one.kind is TermKind.PREFIX]
        words = frozenset(
            word for one in self._asked if one.kind is not TermKind.PREFIX for word in one.words
        )
        self._forms = WordForms(texts, words)
        beginnings = _Beginnings(word for one in prefixes for word in one.words)
        self._whole = WordForms(texts, beginnings, stemmed=False) if prefixes else None

    def spans(self, text: str, *, title: bool = False) -> list[_Span]:
        """What one of the texts has of the query, in order, no two overlapping."""
        places = self._forms.places(text)
        whole = self._whole.places(text) if self._whole is not None else {}
        spans: list[_Span] = []
        for what, term in enumerate(self._asked, start=1):
            if term.in_title and not title:
                continue
            if term.kind is TermKind.PREFIX:
                spans += _with_beginning(term.words[0], whole, what)
            elif term.kind is TermKind.NEAR:
                spans += _near(term, places, what)
            elif len(term.words) == 1:
                # Most terms: a word that every text has is found hundreds of times.
                spans += [(start, end, what) for start, end in places.get(term.words[0], {}).values()]
            else:
                spans += _phrase(term.words, places, what)
        # Of two that begin at the same place the longer one counts, of two such ones that of the first term.
        spans.sort(key=lambda one: (one[0], -one[1]))
        kept: list[_Span] = []
        after = 0
        for span in spans:
            if span[0] >= after:
                kept.append(span)
                after = span[1]
        return kept


class _Beginnings(frozenset[str]):
    """All words that begin so."""

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and word.startswith(tuple(self))


def _asked(term: Term) -> Term:
    """A term as texts are looked through for it: with the terms of its words, or how words begin."""
    if term.kind is TermKind.PREFIX:
        words: Iterable[str] = ["".join(whole_words(term.words[0]))]
    elif term.kind is TermKind.NEAR:
        # Of what is several terms, such as "a-b", the first.
        words = ["".join(terms(word)[:1]) for word in term.words]
    else:
        words = terms(" ".join(term.words))[:MOST_OF_A_PHRASE]
    return replace(term, words=tuple(words))


def _with_beginning(beginning: str, whole: Places, what: int) -> Iterator[_Span]:
    for word, places in whole.items():
        if word.startswith(beginning):
            yield from ((start, end, what) for start, end in places.values())


def _phrase(words: Sequence[str], places: Places, what: int) -> Iterator[_Span]:
    first, *others = (places.get(word, {}) for word in words or [""])
    for at, (start, end) in first.items():
        these = [each.get(at + number) for number, each in enumerate(others, start=1)]
        if None not in these:
            yield start, these[-1][1] if these and these[-1] else end, what


def _near(term: Term, places: Places, what: int) -> Iterator[_Span]:
    first, second = (places.get(word, {}) for word in term.words)
    for mine, others, name in ((first, second, what), (second, first, -what)):
        ordered = list(others)  # as they stand in the text
        for at, (start, end) in mine.items():
            low, high = bisect_left(ordered, at - term.distance), bisect_right(ordered, at + term.distance)
            if high - low > (at in others):
                yield start, end, name


def _best(spans: Sequence[_Span], sentences: Sequence[tuple[int, int]], most: int) -> list[tuple[int, int]]:
    """The sentences that together have most different words, then those with most, in their order."""
    starts = [start for start, _ in sentences]
    words: dict[int, set[int]] = {}
    for start, _, what in spans:
        words.setdefault(max(bisect_right(starts, start) - 1, 0), set()).add(what)
    seen: set[int] = set()
    chosen: list[int] = []
    while words and len(chosen) < most:
        best = max(words, key=lambda at: (len(words[at] - seen), len(words[at]), -at))
        seen.update(words.pop(best))
        chosen.append(best)
    return [sentences[at] for at in sorted(chosen)]


def _joined(text: str, chosen: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Sentences that follow one another as one, as long as that is not too long."""
    joined: list[tuple[int, int]] = []
    for start, end in chosen:
        first, last = joined[-1] if joined else (start, start)
        if joined and not text[last:start].strip() and end - first <= LONGEST_SENTENCE:
            joined[-1] = first, end
        else:
            joined.append((start, end))
    return joined


def _fragment(text: str, start: int, end: int, spans: Sequence[_Span]) -> Fragment:
    low, high = start, end
    if end - start > LONGEST_SENTENCE:
        first = next((at for at, _, _ in spans if start <= at < end), start)
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
    at = start
    for low, high, _ in spans:
        low, high = max(low, start), min(high, end)
        if low < high:
            if at < low:
                pieces.append(FragmentPiece(text[at:low], False))
            pieces.append(FragmentPiece(text[low:high], True))
            at = high
    if at < end:
        pieces.append(FragmentPiece(text[at:end], False))
    if _BLANKS.search(text, start, end):
        # Lines of a text that is broken to a width flow here.
        return tuple(FragmentPiece(_BLANKS.sub(" ", one.text), one.marked) for one in pieces)
    return tuple(pieces)


# Possessive, and each run of signs once: of a long one the search would otherwise begin anew at every sign.
_STOP = re.compile(r"[.!?…]++[\"'’”)\]]*+|(?P<wide>[。！？]++[」』”]*+)")
_NOT_BLANK = re.compile(r"\S")
_PARAGRAPH = re.compile(r"\n\s*\n")
# Other than one space.
_BLANKS = re.compile(r"\s{2,}|[^\S ]")
_LAST_WORD = re.compile(r"[^\W\d_]+$")
_SHORT = (
    "al approx ca cf col dept dr ed eds eg eq eqs etc fig figs gen ie inc jr mr mrs ms no nos pp prof ref "
    "refs resp sec st vol vs"
)
_ABBREVIATIONS = frozenset(_SHORT.split())
