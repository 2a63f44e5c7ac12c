"""The engine elsewhere: an index of an OpenSearch cluster, which any number of hosts search and write.

The cluster gets terms, made here as for the embedded engine, and splits at blanks only: both find the same
documents. Scores are the same on any number of shards, since term statistics are collected from all of them
first (`dfs_query_then_fetch`). Texts are not kept in the cluster.
"""

from __future__ import annotations

import hashlib
import logging
import ssl
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any

from workbench.errors import WorkbenchError
from workbench.frozen import frozen_dataclass
from workbench.records import Document, SearchCluster, id_bytes, id_text
from workbench.searching.analysis import ANALYSIS, plain_text, terms, whole_words
from workbench.searching.engine import (
    ALL_DOCUMENTS,
    LIKE_TERMS,
    TITLE_WEIGHT,
    Clause,
    ClauseRole,
    DamagedIndex,
    DocnoFilter,
    EngineUnavailable,
    FoundDocument,
    IndexVersion,
    RefusedQuery,
    SearchEngine,
    SearchQuery,
    SearchResults,
    Term,
    TermKind,
    UnwritableIndex,
)

INSTALL = "pip install 'ir-workbench[opensearch]'"
SEARCH_SECONDS = 5.0
"""After which a search is given up; somebody waits for it."""
WORK_SECONDS = 60.0
"""After which a portion of documents, or another step of indexing, is given up."""
_TRIED_AGAIN = 2


@cache
def client_of(cluster: SearchCluster) -> Any:
    """The client of a cluster, which keeps its connections; nothing is asked yet.

    Raises WorkbenchError where the client is not installed, or the file of certificates cannot be read.
    """
    try:
        from opensearchpy import OpenSearch
    except ImportError as error:
        raise WorkbenchError("the OpenSearch client is not installed", remedy=INSTALL) from error
    # It would log every request; what fails is logged by whoever asked.
    logging.getLogger("opensearch").setLevel(logging.ERROR)
    encrypted = any(node.startswith("https://") for node in cluster.nodes)
    # The client encodes both in Latin-1.
    login, password = (text.encode().decode("latin-1") for text in (cluster.login, cluster.password))
    return OpenSearch(
        hosts=list(cluster.nodes),
        http_auth=(login, password) if login else None,
        ssl_context=_trusting(cluster.authorities) if encrypted else None,
        timeout=SEARCH_SECONDS,
        max_retries=_TRIED_AGAIN,
    )


def _trusting(authorities: str) -> ssl.SSLContext:
    """Trusts the certificates in this file, of the system's authorities if none is named."""
    try:
        return ssl.create_default_context(cafile=authorities or None)
    except OSError as error:
        raise WorkbenchError(
            f"the certificates in {authorities} cannot be read: {error.strerror or error}",
            remedy="set WORKBENCH_OPENSEARCH_CA to a PEM file",
        ) from error


@contextmanager
def asking(cluster: SearchCluster) -> Iterator[None]:
    """Raises what a cluster answers as errors of ours: EngineUnavailable, or DamagedIndex for no index."""
    from opensearchpy import exceptions as raised

    where = ", ".join(cluster.nodes)
    try:
        yield
    except raised.SSLError as error:
        raise EngineUnavailable(
            f"the certificate of {where} cannot be verified",
            remedy="set WORKBENCH_OPENSEARCH_CA to the certificate of its authority",
        ) from error
    except raised.ConnectionTimeout as error:
        raise EngineUnavailable(
            f"the search cluster at {where} does not answer in time", remedy="try again when it is less busy"
        ) from error
    except raised.ConnectionError as error:
        raise EngineUnavailable(
            f"the search cluster at {where} cannot be reached",
            remedy="check its address, and whether it runs",
        ) from error
    except raised.AuthenticationException as error:
        raise EngineUnavailable(
            f"{where} does not accept the login and password",
            remedy="check WORKBENCH_OPENSEARCH_LOGIN and WORKBENCH_OPENSEARCH_PASSWORD",
        ) from error
    except raised.AuthorizationException as error:
        raise EngineUnavailable(
            f"{where} does not let this login do that: {_reason(error)}",
            remedy="give it rights on the indexes of the prefix",
        ) from error
    except raised.NotFoundError as error:
        raise DamagedIndex("the cluster has no such index", remedy="index again") from error
    except raised.RequestError as error:
        raise RefusedQuery(
            f"the search cluster at {where} cannot answer: {_reason(error)}", remedy="use fewer words"
        ) from error
    except raised.TransportError as error:
        raise EngineUnavailable(
            f"the search cluster at {where} refuses: {_reason(error)}", remedy="see the log of the cluster"
        ) from error
    except raised.SerializationError as error:
        raise EngineUnavailable(
            f"{where} does not answer as OpenSearch does", remedy="check its address"
        ) from error


def _reason(error: Any) -> str:
    """What a cluster said, or its status."""
    given = error.info.get("error") if isinstance(error.info, dict) else None
    if isinstance(given, dict):
        causes = given.get("root_cause") or [given]
        return str(causes[0].get("reason") or given.get("reason") or error.status_code)
    return f"status {error.status_code}"


TITLE, TEXT, WHOLE = "title", "text", "whole"
Body = dict[str, Any]
_NOTHING: Body = {"match_none": {}}


def query_body(query: SearchQuery) -> Body:
    """What documents are to match, and by what they are ranked."""
    if not query.clauses:
        return _NOTHING
    ranking = [clause_body(clause) for clause in query.of(ClauseRole.RANKS)]
    required = [clause_body(clause) for clause in query.of(ClauseRole.REQUIRED)]
    excluded = [clause_body(clause) for clause in query.of(ClauseRole.EXCLUDED)]
    if not ranking and not required:
        # Only what is not to be there was named.
        required = [{"constant_score": {"filter": {"match_all": {}}, "boost": 0.0}}]
    return {"bool": {"should": ranking, "must": required, "must_not": excluded}}


def clause_body(clause: Clause) -> Body:
    """One of a clause's alternatives, each with its score."""
    return _any_of([_any_field(term) for term in clause.terms])


def _any_of(parts: list[Body]) -> Body:
    return {"bool": {"should": parts, "minimum_should_match": 1}}


def _any_field(term: Term) -> Body:
    if term.in_title:
        return _in_field(TITLE, term)
    if term.kind is not TermKind.WORD:
        return _in_field(TEXT, term)
    return _any_of([_in_field(TEXT, term), _in_field(TITLE, term, TITLE_WEIGHT)])


def _in_field(name: str, term: Term, weight: float = 1.0) -> Body:
    if term.kind is TermKind.PREFIX:
        return _beginning(name, term.words[0])
    if term.kind is TermKind.NEAR:
        first, second = (terms(word) for word in term.words)
        ways = [_phrase(name, pair, term.distance - 1) for pair in (first + second, second + first)]
        # The better of the two orders: both find words that are close enough.
        return {"dis_max": {"queries": ways}}
    return _phrase(name, terms(" ".join(term.words)), weight=weight)


def _beginning(name: str, word: str) -> Body:
    """Words that begin so, each document with the same score; in titles their stems do."""
    *before, last = whole_words(word) or [""]
    if not last or before:
        return _phrase(name, terms(word))
    return {"prefix": {WHOLE if name == TEXT else name: {"value": last}}}


def _phrase(name: str, words: Sequence[str], slop: int = 0, weight: float = 1.0) -> Body:
    if not words:
        return _NOTHING
    if len(words) == 1:
        return {"term": {name: {"value": words[0], "boost": weight}}}
    return {"match_phrase": {name: {"query": " ".join(words), "slop": slop, "boost": weight}}}


DOCNO, SHA256 = "docno", "sha256"
PORTION = 500
PORTION_BYTES = 8 * 1024**2
"""Documents are sent in portions of so many documents and bytes: the bound of the memory here and there."""
TRIED_AGAIN = 6
FIRST_PAUSE, LONGEST_PAUSE = 1, 30
"""Seconds before a portion is sent again that the cluster was too busy for; doubled each time."""
LISTED_AT_ONCE = 5_000
MOST_NAMED = 1_000_000
"""Docnos that a filter may have; the cluster's own limit is 65,536."""
_CONFLICT, _MISSING = 409, 404


@frozen_dataclass
class IndexedDocument:
    """A document with the hash that the index is to list it with."""

    document: Document
    sha256: str


class OpenSearchEngine(SearchEngine):
    """The index `name` of a cluster, or of an alias; it is made when something is written.

    Every method raises EngineUnavailable where the cluster does not answer, and all but `index`, `write` and
    `make` DamagedIndex where it has no such index.
    """

    def __init__(self, cluster: SearchCluster, name: str) -> None:
        self.cluster, self.name = cluster, name
        self._client = client_of(cluster)

    def make(self) -> None:
        """Make the index where there is none."""
        from opensearchpy import RequestError

        with asking(self.cluster):
            if self._client.indices.exists(index=self.name):
                return
            try:
                self._client.indices.create(index=self.name, body=_INDEX, request_timeout=WORK_SECONDS)
            except RequestError as error:
                # Another host was a moment earlier.
                if error.error != "resource_already_exists_exception":
                    raise

    def index(self, documents: Iterable[Document], *, removed: Iterable[str] = ()) -> None:
        """Add documents, in place of those with the same docnos, and remove others; all can be found then.

        Raises UnwritableIndex; what was sent before stays.
        """
        self.make()
        self.write((IndexedDocument(one, "") for one in documents), removed=removed)

    def write(
        self, documents: Iterable[IndexedDocument], *, removed: Iterable[str] = (), changes: int | None = None
    ) -> None:
        """As `index`; with `changes` of the collection, what is there from a later one stays."""
        from opensearchpy.helpers import streaming_bulk

        version = {} if changes is None else {"version": changes, "version_type": "external_gte"}
        with asking(self.cluster):
            answers = streaming_bulk(
                self._client,
                _actions(documents, removed, version),
                index=self.name,
                chunk_size=PORTION,
                max_chunk_bytes=PORTION_BYTES,
                max_retries=TRIED_AGAIN,
                initial_backoff=FIRST_PAUSE,
                max_backoff=LONGEST_PAUSE,
                raise_on_error=False,
                yield_ok=False,
                request_timeout=WORK_SECONDS,
            )
            for _, answer in answers:
                self._require_written(answer)
            self._client.indices.refresh(index=self.name, request_timeout=WORK_SECONDS)

    def search(self, query: SearchQuery, *, limit: int, among: DocnoFilter = ALL_DOCUMENTS) -> SearchResults:
        """The best documents for a query; those with the same score by docno."""
        return self._results(query_body(query), limit, among)

    def more_like(
        self, document: Document, *, limit: int, among: DocnoFilter = ALL_DOCUMENTS
    ) -> SearchResults:
        """Documents that share the 25 terms of a document with the highest tf-idf, ranked by BM25."""
        made = terms(f"{document.title}\n{document.text}")
        # Single characters tell little.
        telling = [term for term in made if len(term) > 1 or not term.isascii()]
        if not telling:
            return SearchResults((), 0)
        like = {
            "fields": [TEXT],
            "like": " ".join(telling),
            "min_term_freq": 1,
            "min_doc_freq": 2,
            "max_query_terms": LIKE_TERMS,
            "minimum_should_match": 1,
        }
        among = DocnoFilter(among.only, among.without | {document.docno})
        return self._results({"more_like_this": like}, limit, among)

    def alone(self, clause: Clause, among: DocnoFilter) -> SearchResults:
        """The best document for one clause of a query."""
        return self._results(clause_body(clause), 1, among)

    def version(self) -> IndexVersion:
        """The cluster's version, and how many documents can be found."""
        with asking(self.cluster):
            about = self._client.info()["version"]
            documents = self._client.count(index=self.name)["count"]
        return IndexVersion(
            f"{about.get('distribution', 'opensearch')} {about['number']}", ANALYSIS, documents
        )

    def listed(self) -> Iterator[tuple[str, str]]:
        """Every document's docno and hash, by the bytes of the docno."""
        body: Body = {"query": {"match_all": {}}, "size": LISTED_AT_ONCE, "sort": [{DOCNO: "asc"}]}
        while True:
            with asking(self.cluster):
                answer = self._client.search(
                    index=self.name, body=body, _source=[SHA256], request_timeout=WORK_SECONDS
                )
            hits = answer["hits"]["hits"]
            for hit in hits:
                yield read_hex(hit["sort"][0]), hit["_source"][SHA256]
            if len(hits) < LISTED_AT_ONCE:
                return
            body["search_after"] = hits[-1]["sort"]

    def delete(self) -> None:
        """Delete the index, if there is one."""
        with suppress(DamagedIndex), asking(self.cluster):
            self._client.indices.delete(index=self.name, request_timeout=WORK_SECONDS)

    def _results(self, query: Body, limit: int, among: DocnoFilter) -> SearchResults:
        only = [] if among.only is None else [_named(among.only)]
        without = [_named(among.without)] if among.without else []
        body = {
            "query": {"bool": {"must": [query], "filter": only, "must_not": without}},
            "size": max(limit, 0),
            "track_total_hits": True,
            "sort": [{"_score": "desc"}, {DOCNO: "asc"}],
            "_source": False,
        }
        with asking(self.cluster):
            hits = self._client.search(index=self.name, body=body, search_type="dfs_query_then_fetch")["hits"]
        found = (FoundDocument(read_hex(hit["sort"][1]), float(hit["sort"][0])) for hit in hits["hits"])
        return SearchResults(tuple(found), int(hits["total"]["value"]))

    def _require_written(self, answer: dict[str, Any]) -> None:
        ((act, item),) = answer.items()
        if item.get("status") == _CONFLICT or (act, item.get("status")) == ("delete", _MISSING):
            # A later text is there already, or what was to be removed is not.
            return
        given = item.get("error")
        reason = given.get("reason") if isinstance(given, dict) else given
        raise UnwritableIndex(
            f"the index {self.name} cannot be written: {reason}",
            remedy="see the log of the cluster, and the space on its disks",
        )


def as_hex(docno: str) -> str:
    """A docno as the cluster has it: ids may hold bytes that are no text, and are ordered by their bytes.

    >>> as_hex("a b"), read_hex("612062")
    ('612062', 'a b')
    """
    return id_bytes(docno).hex()


def read_hex(text: str) -> str:
    """The docno that `as_hex` made this of."""
    return id_text(bytes.fromhex(text))


def _actions(documents: Iterable[IndexedDocument], removed: Iterable[str], version: Body) -> Iterator[Body]:
    for docno in removed:
        yield {"_op_type": "delete", "_id": _key(docno), **version}
    for one in documents:
        title, text = plain_text(one.document.title), plain_text(one.document.text)
        together = f"{title}\n\n{text}"
        source = {
            DOCNO: as_hex(one.document.docno),
            SHA256: one.sha256,
            TITLE: " ".join(terms(title)),
            TEXT: " ".join(terms(together)),
            WHOLE: " ".join(whole_words(together)),
        }
        yield {"_op_type": "index", "_id": _key(one.document.docno), "_source": source, **version}


def _key(docno: str) -> str:
    # A cluster's own ids have at most 512 bytes.
    return hashlib.sha256(id_bytes(docno)).hexdigest()


def _named(docnos: Iterable[str]) -> Body:
    return {"terms": {DOCNO: sorted(map(as_hex, docnos))}}


_TERMS = {"type": "text", "analyzer": "whitespace"}
_MAPPING: Body = {
    "dynamic": "strict",
    "_source": {"excludes": [TITLE, TEXT, WHOLE]},
    "properties": {
        DOCNO: {"type": "keyword"},
        SHA256: {"type": "keyword", "index": False, "doc_values": False},
        TITLE: _TERMS,
        TEXT: _TERMS,
        WHOLE: _TERMS | {"index_options": "docs", "norms": False},
    },
}
_INDEX: Body = {"settings": {"index": {"max_terms_count": MOST_NAMED}}, "mappings": _MAPPING}
