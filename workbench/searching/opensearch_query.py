"""Queries as a cluster gets them, in the terms that `analysis` makes: the cluster only splits at blanks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from workbench.searching.analysis import terms, whole_words
from workbench.searching.engine import TITLE_WEIGHT
from workbench.searching.query import Clause, ClauseRole, SearchQuery, Term, TermKind

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
