"""The embedded engine: an index of tantivy in a folder.

One process writes at a time (tantivy locks the folder, and the lock ends with the process), any number read.
A reader sees the last commit, whole; texts are not in the index.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from importlib.metadata import version as version_of
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from workbench.errors import Conflict
from workbench.records import Document, id_bytes
from workbench.searching.analysis import ANALYSIS, plain_text, stemming, terms, unstemmed, whole_words
from workbench.searching.engine import (
    ALL_DOCUMENTS,
    LIKE_TERMS,
    TITLE_WEIGHT,
    Clause,
    ClauseRole,
    DamagedIndex,
    DocnoFilter,
    FoundDocument,
    IndexVersion,
    SearchEngine,
    SearchQuery,
    SearchResults,
    Term,
    TermKind,
    UnwritableIndex,
)

DOCNO, TITLE, TEXT, WHOLE = "docno", "title", "text", "whole"
WRITER_BYTES = 64_000_000
"""What a writer collects before it writes a segment; the bound of its memory."""


class TantivyEngine(SearchEngine):
    """An index in `folder`, which is made where it is missing; raises DamagedIndex where it is no index."""

    def __init__(self, folder: Path) -> None:
        import tantivy

        self._t: Any = tantivy
        folder.mkdir(parents=True, exist_ok=True)
        self._schema = _schema(tantivy)
        self._meta = folder / "meta.json"
        with _readable(folder):
            self._index: Any = tantivy.Index(self._schema, path=str(folder))
            self._index.register_tokenizer(TEXT, stemming())
            self._index.register_tokenizer(WHOLE, unstemmed())
            # Reloaded by hand: watching the folder takes a thread.
            self._index.config_reader(reload_policy="manual")
            self._index.reload()
        self._seen = self._commit()
        self._searcher: Any = self._index.searcher()
        self._folder = folder

    def index(self, documents: Iterable[Document], *, removed: Iterable[str] = ()) -> None:
        """Add documents, in place of those with the same docnos, and remove others, in one commit.

        Raises Conflict while another process writes, UnwritableIndex.
        """
        self._reload()
        is_new = self._searcher.num_docs == 0
        with self._writable():
            # One thread: documents keep their order, and memory its bound.
            writer = self._index.writer(heap_size=WRITER_BYTES, num_threads=1)
        try:
            for docno in removed:
                writer.delete_documents_by_term(DOCNO, stored(docno))
            for one in documents:
                if not is_new:
                    writer.delete_documents_by_term(DOCNO, stored(one.docno))
                document = self._document(one)
                with self._writable():
                    writer.add_document(document)
            with self._writable():
                writer.commit()
        except BaseException:
            # Neither may hide the error. What was written in vain takes the space that is missing.
            with suppress(ValueError):
                writer.rollback()
            with suppress(ValueError):
                writer.garbage_collect_files()
            raise
        finally:
            # Its lock goes with it. What could not be merged is merged another time.
            with suppress(ValueError):
                writer.wait_merging_threads()
        self._reload()

    def search(self, query: SearchQuery, *, limit: int, among: DocnoFilter = ALL_DOCUMENTS) -> SearchResults:
        """The best documents for a query; those with the same score by docno."""
        self._reload()
        return self._results(self._query(query), limit, among)

    def more_like(
        self, document: Document, *, limit: int, among: DocnoFilter = ALL_DOCUMENTS
    ) -> SearchResults:
        """Documents that share the 25 terms of a document with the highest tf-idf, weighted by it."""
        self._reload()
        t, documents = self._t, max(self._searcher.num_docs, 1)
        weights: dict[str, float] = {}
        for term, times in Counter(terms(f"{document.title}\n{document.text}")).items():
            having = self._searcher.doc_freq(TEXT, term)
            # What no other document has finds none, and single characters tell little.
            if having > 1 and (len(term) > 1 or not term.isascii()):
                weights[term] = (1 + math.log(times)) * math.log(documents / having)
        best = sorted(weights, key=lambda term: (-weights[term], term))[:LIKE_TERMS]
        if not best:
            return SearchResults((), 0)
        top = max(weights[best[0]], 1e-9)
        parts = [
            (t.Occur.Should, t.Query.boost_query(self._term(TEXT, term), max(weights[term] / top, 1e-3)))
            for term in best
        ]
        among = DocnoFilter(among.only, among.without | {document.docno})
        return self._results(t.Query.boolean_query(parts), limit, among)

    def alone(self, clause: Clause, among: DocnoFilter) -> SearchResults:
        """The best document for one clause of a query."""
        return self._results(self._clause(clause), 1, among)

    def version(self) -> IndexVersion:
        """The engine with its version, and how many documents can be found."""
        self._reload()
        return IndexVersion(_named(), ANALYSIS, int(self._searcher.num_docs))

    def _commit(self) -> tuple[int, int]:
        try:
            status = self._meta.stat()
        except OSError:
            return 0, 0
        return status.st_ino, status.st_mtime_ns

    def _reload(self) -> None:
        """See what another process has committed."""
        now = self._commit()
        if now == self._seen:
            return
        with _readable(self._folder):
            self._index.reload()
        self._seen, self._searcher = now, self._index.searcher()

    @contextmanager
    def _writable(self) -> Iterator[None]:
        try:
            yield
        except ValueError as error:
            if "Lockfile" in str(error) or "LockBusy" in str(error):
                raise Conflict(
                    "another process is writing this index", remedy="wait until it is done"
                ) from error
            raise UnwritableIndex(
                f"the index in {self._folder} cannot be written: {error}",
                remedy="free space on its disk, or delete the folder and index again",
            ) from error

    def _document(self, one: Document) -> Any:
        title, text = plain_text(one.title), plain_text(one.text)
        whole = f"{title}\n\n{text}"
        return self._t.Document(docno=stored(one.docno), title=title, text=whole, whole=whole)

    def _results(self, query: Any, limit: int, among: DocnoFilter) -> SearchResults:
        t = self._t
        parts = []
        if among.only is not None:
            parts.append((t.Occur.Must, self._docnos(among.only)))
        if among.without:
            parts.append((t.Occur.MustNot, self._docnos(among.without)))
        if parts:
            query = t.Query.boolean_query([(t.Occur.Must, query), *parts])
        with _readable(self._folder):
            found = self._searcher.search(query, max(limit, 1))
            documents = [
                FoundDocument(read_back(self._searcher.doc(at).get_first(DOCNO)), float(score))
                for score, at in found.hits[: max(limit, 0)]
            ]
        documents.sort(key=lambda one: (-one.score, id_bytes(one.docno)))
        return SearchResults(tuple(documents), int(found.count))

    def _docnos(self, docnos: Iterable[str]) -> Any:
        stored_ids = sorted(map(stored, docnos))
        return self._t.Query.const_score_query(
            self._t.Query.term_set_query(self._schema, DOCNO, stored_ids), 0.0
        )

    def _query(self, query: SearchQuery) -> Any:
        t = self._t
        # Not a query in a query for each clause: for a query of ten words that takes twice the time.
        ranking = [
            part
            for clause in query.of(ClauseRole.RANKS)
            for term in clause.terms
            for part in self._fields(term)
        ]
        required = [(t.Occur.Must, self._clause(clause)) for clause in query.of(ClauseRole.REQUIRED)]
        excluded = [(t.Occur.MustNot, self._clause(clause)) for clause in query.of(ClauseRole.EXCLUDED)]
        if not query.clauses:
            return t.Query.empty_query()
        if not ranking and not required:
            # Only what is not to be there was named.
            required = [(t.Occur.Must, t.Query.const_score_query(t.Query.all_query(), 0.0))]
        parts = [(t.Occur.Should, one) for one in ranking]
        return t.Query.boolean_query([*parts, *required, *excluded])

    def _clause(self, clause: Clause) -> Any:
        t = self._t
        return t.Query.boolean_query(
            [(t.Occur.Should, part) for term in clause.terms for part in self._fields(term)]
        )

    def _fields(self, term: Term) -> list[Any]:
        """A term in each field that it is looked for in; the scores of all are added."""
        if term.in_title:
            return [self._in_field(TITLE, term)]
        if term.kind is not TermKind.WORD:
            return [self._in_field(TEXT, term)]
        title = self._t.Query.boost_query(self._in_field(TITLE, term), TITLE_WEIGHT)
        return [self._in_field(TEXT, term), title]

    def _in_field(self, field: str, term: Term) -> Any:
        t = self._t
        if term.kind is TermKind.PREFIX:
            return self._beginning(field, term.words[0])
        if term.kind is TermKind.NEAR:
            first, second = (terms(word) for word in term.words)
            ways = [self._phrase(field, pair, term.distance - 1) for pair in (first + second, second + first)]
            # The better of the two orders: both find words that are close enough.
            return t.Query.disjunction_max_query(ways)
        return self._phrase(field, terms(" ".join(term.words)))

    def _beginning(self, field: str, word: str) -> Any:
        """Words that begin so, each document with the same score; in titles their stems do."""
        *before, last = whole_words(word) or [""]
        if not last or before:
            return self._phrase(field, terms(word))
        # Terms are letters and digits, which mean themselves in a regular expression.
        return self._t.Query.regex_query(self._schema, WHOLE if field == TEXT else field, f"{last}.*")

    def _phrase(self, field: str, words: Sequence[str], slop: int = 0) -> Any:
        if not words:
            return self._t.Query.empty_query()
        if len(words) == 1:
            return self._term(field, words[0])
        return self._t.Query.phrase_query(self._schema, field, list(words), slop)

    def _term(self, field: str, term: str) -> Any:
        return self._t.Query.term_query(self._schema, field, term, "freq")


@cache
def _named() -> str:
    # Every search asks, and the answer is in a file.
    return f"tantivy {version_of('tantivy')}"


def stored(docno: str) -> str:
    """A docno as the index has it: percent-encoded, since ids may hold bytes that are no UTF-8.

    >>> stored("a b"), read_back("a%20b")
    ('a%20b', 'a b')
    """
    return quote(docno, safe="", errors="surrogateescape")


def read_back(text: str) -> str:
    """The docno that `stored` made this of."""
    return unquote(text, errors="surrogateescape")


def _schema(tantivy: Any) -> Any:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field(DOCNO, stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_text_field(TITLE, tokenizer_name=TEXT)
    builder.add_text_field(TEXT, tokenizer_name=TEXT)
    builder.add_text_field(WHOLE, tokenizer_name=WHOLE, index_option="basic")
    return builder.build()


@contextmanager
def _readable(folder: Path) -> Iterator[None]:
    """Raises DamagedIndex where reading the index fails."""
    try:
        yield
    except BaseException as error:
        # Bytes that make no sense can make Rust panic, which Python does not count among its exceptions.
        if isinstance(error, ValueError | OSError) or type(error).__name__ == "PanicException":
            raise DamagedIndex(
                f"the index in {folder} cannot be read", remedy="delete the folder and index again"
            ) from error
        raise
