"""The JSON of what searching found."""

from __future__ import annotations

from typing_extensions import TypedDict


class SearchedDocumentJson(TypedDict):
    """A document that a search alone brought into a pool; `relevant` is null while nobody has graded it."""

    topic: str
    docno: str
    search: int
    rank: int
    query: str
    by: str
    relevant: bool | None


class TopicFoundJson(TypedDict):
    """A topic's searches: documents opened, those that joined a pool, and of these what `no_run` had.

    Of the latter some are judged and some relevant, of `relevant_of_topic` relevant ones in all.
    """

    topic: str
    title: str
    searches: int
    opened: int
    joined: int
    no_run: int
    judged: int
    relevant: int
    relevant_of_topic: int


class SearcherFoundJson(TypedDict):
    """A person's searches in all topics, and what only these brought."""

    by: str
    searches: int
    no_run: int
    judged: int
    relevant: int


class SearchingReportJson(TypedDict):
    """What searching found: by topic that was searched, by person, and document by document."""

    topics: list[TopicFoundJson]
    people: list[SearcherFoundJson]
    documents: list[SearchedDocumentJson]
