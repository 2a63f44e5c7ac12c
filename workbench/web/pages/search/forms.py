"""What the search pages of assessors and organisers share: the form, and the state of the index."""

from __future__ import annotations

from flask import request

from workbench.errors import Finding, rejected
from workbench.records import Document
from workbench.searching.engine import DocnoFilter, EngineUnavailable, RefusedQuery
from workbench.web.forms import NotNow, form_text, named, sent_text
from workbench.web.ids import read_id
from workbench.web.search_index import (
    IndexProblem,
    IndexProgress,
    note_unavailable,
)
from workbench.workflow.searching.searches import (
    LONGEST_TYPED,
    Among,
    AnsweredSearch,
    NewSearch,
    answer_search,
)

FROM = "from"
"""The document at which an assessor left the desk, to go back to."""


OF_ASSESSORS = (
    (Among.ALL, "All documents"),
    (Among.NEW, "Not judged by me"),
    (Among.MINE, "Judged by me"),
    (Among.POOLED, "In my documents"),
)
OF_ORGANISERS = (
    (Among.ALL, "All documents"),
    (Among.NEW, "Not judged"),
    (Among.MINE, "Judged"),
    (Among.POOLED, "In a pool of the topic"),
)


def read_search() -> NewSearch:
    """What the form asks; raises InvalidInput where nothing was typed, or too much."""
    among = named(Among, form_text("among")) or Among.ALL
    return checked_search(sent_text("query"), read_id(form_text("like")) or None, among)


def checked_search(words: str, like: str | None, among: Among) -> NewSearch:
    """A search for words or for what is like a document; raises as `read_search`."""
    typed = " ".join(words.split())
    if like is None and not typed:
        raise rejected("Search", None, "query", "the query is empty", "type one or more words")
    if len(typed) > LONGEST_TYPED:
        raise rejected(
            "Search", None, "query", f"the query has {len(typed):,} characters", f"at most {LONGEST_TYPED:,}"
        )
    return NewSearch(typed, like, among)


def ask_index(
    asked: NewSearch, among: DocnoFilter, like: Document | None, ready: IndexProgress
) -> AnsweredSearch:
    """What the index of the campaign of this page answers, while no transaction is open.

    Raises InvalidInput for a query that a cluster refuses, NotNow where it does not answer.
    """
    try:
        if ready.problem is not IndexProblem.UNAVAILABLE:
            return answer_search(ready.index, asked, among, like)
    except RefusedQuery as error:
        message = "the search engine cannot answer this query"
        raise rejected("Search", None, "query", message, error.remedy) from error
    except EngineUnavailable as error:
        note_unavailable(ready.index, error)
    message, remedy = "the search engine does not answer", "try again in half a minute"
    raise NotNow([Finding("Search", None, "unavailable", message, remedy)])


def left_at() -> str | None:
    """The document at which the desk was left, as the address or the form names it."""
    return request.values.get(FROM) or None
