"""The query that a person typed, what a search engine does with it, and what it answers with.

Every text is a query, and what was understood is said.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from itertools import islice

from workbench.errors import WorkbenchError
from workbench.figures import counted
from workbench.frozen import frozen_dataclass
from workbench.records import Document

ENTIRE: frozenset[str] = frozenset()
TITLE_WEIGHT = 0.2
"""A word in the title adds a fifth of its score there: nDCG@10 on Cranfield is .53 so, .51 without."""
LIKE_TERMS = 25
"""Terms that stand for a document which others are to be like, as in Lucene's MoreLikeThis."""


class DamagedIndex(WorkbenchError):
    """An index that cannot be read: it is to be built again, which loses nothing."""


class UnwritableIndex(WorkbenchError):
    """An index that cannot be written, as where a disk is full; what it has can still be searched."""


class EngineUnavailable(WorkbenchError):
    """An engine elsewhere does not answer, or refuses: the same may succeed later, and nothing is lost."""


class RefusedQuery(EngineUnavailable):
    """An engine elsewhere cannot answer this query, such as one of too many words; others it can."""


@frozen_dataclass
class DocnoFilter:
    """Which documents may be found: all, or `only` some, and `without` others."""

    only: frozenset[str] | None = None
    without: frozenset[str] = ENTIRE


ALL_DOCUMENTS = DocnoFilter()


@frozen_dataclass
class FoundDocument:
    """A document that a query found, with its score (BM25 where words rank)."""

    docno: str
    score: float


@frozen_dataclass
class SearchResults:
    """The best documents, by score and then by docno, and how many match in all."""

    documents: tuple[FoundDocument, ...]
    total: int


@frozen_dataclass
class ScorePart:
    """What one clause of a query, in words, adds to the score of a document."""

    clause: str
    score: float


@frozen_dataclass
class IndexVersion:
    """What answered: the engine with its version, the way in which terms are made, documents indexed."""

    engine: str
    analysis: int
    documents: int

    def __str__(self) -> str:
        return f"{self.engine}, analysis {self.analysis}"


class SearchEngine(ABC):
    """An index that can be searched."""

    @abstractmethod
    def index(self, documents: Iterable[Document], *, removed: Iterable[str] = ()) -> None:
        """Add documents, in place of those with the same docnos, and remove others.

        Raises UnwritableIndex; the index can be searched meanwhile, and after an error as well.
        """

    @abstractmethod
    def search(self, query: SearchQuery, *, limit: int, among: DocnoFilter = ALL_DOCUMENTS) -> SearchResults:
        """The best documents for a query; those with the same score by docno."""

    def count(self, query: SearchQuery) -> int:
        """How many documents match a query."""
        return self.search(query, limit=0).total

    @abstractmethod
    def more_like(
        self, document: Document, *, limit: int, among: DocnoFilter = ALL_DOCUMENTS
    ) -> SearchResults:
        """Documents that share the words which tell this document from others; not the document itself."""

    def explain(self, query: SearchQuery, docno: str) -> tuple[ScorePart, ...]:
        """What each clause that ranks or is required gives a document by itself; empty where none matches."""
        only = DocnoFilter(frozenset({docno}))
        parts = []
        if self.search(query, limit=1, among=only).documents:
            for clause in query.clauses:
                if clause.role is not ClauseRole.EXCLUDED:
                    found = self.alone(clause, only).documents
                    parts.append(ScorePart(str(clause), found[0].score if found else 0.0))
        return tuple(parts)

    @abstractmethod
    def alone(self, clause: Clause, among: DocnoFilter) -> SearchResults:
        """The best document for one clause of a query."""

    @abstractmethod
    def version(self) -> IndexVersion:
        """What answers now: the engine with its version, and how many documents can be found."""


NEAR_WORDS = 8
"""How far apart the words of `a NEAR b` may be, where nothing else is asked; as in Indri's `#uw8`."""
MOST_NEAR = 100
MOST_CLAUSES = 256
"""What is typed after so many words and phrases is left out, and said to be."""
LONGEST_QUERY = 10_000
"""Characters; the rest of a longer text is left out."""


class TermKind(StrEnum):
    """What a document must have to match a term."""

    WORD = "word"
    PHRASE = "phrase"
    PREFIX = "prefix"
    NEAR = "near"


class ClauseRole(StrEnum):
    """What a clause does: it ranks, or documents must match it, or must not."""

    RANKS = "ranks"
    REQUIRED = "required"
    EXCLUDED = "excluded"


@frozen_dataclass
class Term:
    """A word, phrase, prefix or two words near each other; `distance` is for the latter.

    `words` are as they were typed: one of a word or prefix, those of a phrase, two of words that are near.
    """

    kind: TermKind
    words: tuple[str, ...]
    in_title: bool = False
    distance: int = 0

    def __str__(self) -> str:
        if self.kind is TermKind.PHRASE:
            text = f"“{' '.join(self.words)}”"
        elif self.kind is TermKind.PREFIX:
            text = f"{self.words[0]}*"
        elif self.kind is TermKind.NEAR:
            text = f"{self.words[0]} within {counted(self.distance, 'word')} of {self.words[1]}"
        else:
            text = self.words[0]
        return f"{text} in the title" if self.in_title else text


@frozen_dataclass
class Clause:
    """Alternatives of which one is enough, and what the clause does."""

    role: ClauseRole
    terms: tuple[Term, ...]

    def __str__(self) -> str:
        return " or ".join(map(str, self.terms))


@frozen_dataclass
class SearchQuery:
    """A query as it was typed and as it was read; `left_out` says whether its end was too much."""

    typed: str
    clauses: tuple[Clause, ...]
    left_out: bool = False

    def of(self, role: ClauseRole) -> tuple[Clause, ...]:
        """The clauses of a role, in the order in which they were typed."""
        return tuple(clause for clause in self.clauses if clause.role is role)

    @property
    def understood(self) -> str:
        """How the query was read, in words.

        >>> read_query('wing "boundary layer" -laminar').understood
        'ranked by wing; must have “boundary layer”; without laminar'
        """
        lists = (
            ("ranked by", self.of(ClauseRole.RANKS), ", "),
            ("must have", self.of(ClauseRole.REQUIRED), " and "),
            ("without", self.of(ClauseRole.EXCLUDED), " and without "),
        )
        parts = [f"{words} {between.join(map(str, some))}" for words, some, between in lists if some]
        if self.left_out:
            parts.append("the query was too long: its end was left out")
        return "; ".join(parts) or "no words to search for"


def read_query(typed: str) -> SearchQuery:
    """The query that a text is.

    Words rank; `"a phrase"`, `title:word`, `a OR b` and `a NEAR/5 b` must be in a document, `-word` must not
    be; `word*` stands for words that begin so. Whatever is none of these is a word.

    >>> [str(clause) for clause in read_query("lift OR drag title:wing aero* a:b").clauses]
    ['lift or drag', 'wing in the title', 'aero*', 'a:b']
    """
    text = typed[:LONGEST_QUERY].translate(_PLAIN_QUOTES)
    read = _clauses([_Item.of(match) for match in _ITEM.finditer(text)])
    clauses = tuple(islice(read, MOST_CLAUSES))
    return SearchQuery(typed, clauses, left_out=len(typed) > LONGEST_QUERY or any(read))


@frozen_dataclass
class _Item:
    """A piece between blanks: its signs, and its phrase or its word."""

    excluded: bool
    in_title: bool
    phrase: str | None
    word: str

    @classmethod
    def of(cls, match: re.Match[str]) -> _Item:
        return cls(bool(match["minus"]), bool(match["title"]), match["phrase"], match["word"] or "")

    def is_sign(self, sign: re.Pattern[str]) -> re.Match[str] | None:
        return sign.fullmatch(self.word) if self.is_plain else None

    @property
    def is_plain(self) -> bool:
        return self.phrase is None and not self.excluded and not self.in_title

    @property
    def is_word(self) -> bool:
        return self.is_plain and _has_letter(self.word)

    def term(self) -> Term | None:
        """What it stands for; None where it has no letter and no digit."""
        if self.phrase is not None:
            words = tuple(word for word in self.phrase.split() if _has_letter(word))
            return Term(TermKind.PHRASE, words, self.in_title) if words else None
        if not _has_letter(self.word):
            return None
        if _PREFIX.fullmatch(self.word):
            return Term(TermKind.PREFIX, (self.word.rstrip("*"),), self.in_title)
        return Term(TermKind.WORD, (self.word,), self.in_title)


def _clauses(items: Sequence[_Item]) -> Iterator[Clause]:
    at = 0
    while at < len(items):
        clause, used = _near(items[at : at + 3])
        if clause is None:
            clause, used = _alternatives(items[at:])
        if clause is not None:
            yield clause
        at += used


def _near(items: Sequence[_Item]) -> tuple[Clause | None, int]:
    if len(items) < 3 or not (items[0].is_word and items[2].is_word):
        return None, 1
    sign = items[1].is_sign(_NEAR)
    if sign is None or items[2].is_sign(_OR):
        return None, 1
    distance = min(max(int(sign["distance"] or NEAR_WORDS), 1), MOST_NEAR)
    words = (items[0].word, items[2].word)
    return Clause(ClauseRole.REQUIRED, (Term(TermKind.NEAR, words, distance=distance),)), 3


def _alternatives(items: Sequence[_Item]) -> tuple[Clause | None, int]:
    """The clause at the beginning of the items, with its alternatives, and how many items it takes."""
    first = items[0].term()
    if first is None:
        return None, 1
    if items[0].excluded:
        return Clause(ClauseRole.EXCLUDED, (first,)), 1
    terms, used = [first], 1
    while used + 1 < len(items) and items[used].is_sign(_OR):
        after = items[used + 1]
        term = None if after.excluded else after.term()
        if term is None:
            break
        terms.append(term)
        used += 2
    meant = len(terms) > 1 or first.in_title or first.kind is TermKind.PHRASE
    return Clause(ClauseRole.REQUIRED if meant else ClauseRole.RANKS, tuple(terms)), used


def _has_letter(text: str) -> bool:
    return any(one.isalnum() for one in text)


_PLAIN_QUOTES = str.maketrans(dict.fromkeys("“”„‟«»＂", '"'))
# A phrase whose end is missing goes on to the end of the text.
_ITEM = re.compile(
    r'(?P<minus>-(?=[^\s-]))?(?P<title>title:(?=\S))?(?:"(?P<phrase>[^"]*)"?|(?P<word>[^\s"]+))',
    re.IGNORECASE,
)
_PREFIX = re.compile(r"[^\W_]{2,}\*+")
_OR = re.compile(r"OR")
_NEAR = re.compile(r"NEAR(?:/(?P<distance>[0-9]{1,3}))?")
