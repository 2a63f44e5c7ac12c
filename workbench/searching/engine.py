"""What a search engine does, and what it answers with."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable

from workbench.errors import WorkbenchError
from workbench.frozen import frozen_dataclass
from workbench.records import Document
from workbench.searching.query import Clause, ClauseRole, SearchQuery

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
