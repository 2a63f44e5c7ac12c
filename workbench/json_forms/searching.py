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
