"""The JSON of searches and of what searching found."""

from __future__ import annotations

from typing_extensions import TypedDict


class HitJson(TypedDict):
    """A document that a search has shown, with the sentences that match; your own answer where there is one.

    `pooled` if it is in a pool of the topic already.
    """

    rank: int
    docno: str
    title: str
    fragments: list[str]
    answer: str | None
    grade: int | None
    pooled: bool


class SearchJson(TypedDict):
    """A search: what was typed and how it was understood, and the hits shown so far, of `found` in all.

    `documents` were searched. With `more` there are further hits to show.
    """

    search: int
    topic: str
    typed: str
    like: str | None
    understood: str
    among: str
    found: int
    documents: int
    more: bool
    hits: list[HitJson]


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
