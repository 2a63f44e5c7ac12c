"""Long lists a page at a time: `?search=` says which rows, `?from=` the first of them that is shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Generic, TypeVar

from flask import request

from workbench.frozen import frozen_dataclass
from workbench.web.forms import sent_text, whole_number
from workbench.web.requests import Values

Row = TypeVar("Row")

A_PAGE = 30
"""Rows of a page; a list of no more has neither buttons nor a search."""


@frozen_dataclass
class ListPage(Generic[Row]):
    """The rows of a page, the first of them numbered `start` (from 0) of the `found` of `total` rows.

    `size` rows fit on a page; `search` is what the rows were searched for, empty for all rows.
    """

    rows: Sequence[Row]
    start: int
    found: int
    total: int
    size: int = A_PAGE
    search: str = ""

    @property
    def long(self) -> bool:
        """Whether the list needs a search: it has more rows than a page."""
        return self.total > self.size

    @property
    def previous(self) -> int | None:
        """The start of the page before, None on the first."""
        return max(0, self.start - self.size) if self.start else None

    @property
    def following(self) -> int | None:
        """The start of the page after, None on the last."""
        after = self.start + self.size
        return after if after < self.found else None


def place_sent() -> Values:
    """The arguments of an address that leads back to the page from which a form was sent."""
    return {"search": sent_text("search").strip() or None, "from": start_asked() or None}


def page_of(rows: Sequence[Row], size: int = A_PAGE, *, place: int | None = None) -> ListPage[Row]:
    """The page of `?from=`; from behind the end on, the last one. Else that of the row at a place, from 0."""
    return _page(rows, len(rows), "", size, place)


def page_of_topics(rows: Iterable[tuple[str, str, Row]], size: int | None = None) -> ListPage[Row]:
    """The page of `?from=` of the topics whose id or title contains `?search=`, whatever the case.

    Rows are (topic's id, its title, what is shown of it).
    """
    listed, search = list(rows), sent_text("search").strip()
    sought = search.casefold()
    found = [row for topic, title, row in listed if sought in topic.casefold() or sought in title.casefold()]
    return _page(found, len(listed), search, A_PAGE if size is None else size)


def _page(
    found: Sequence[Row], total: int, search: str, size: int, place: int | None = None
) -> ListPage[Row]:
    start = start_within(len(found), size) if place is None else place // size * size
    return ListPage(found[start : start + size], start, len(found), total, size, search)


def start_within(found: int, size: int = A_PAGE) -> int:
    """The first row of the page of `?from=`; from behind the end on, that of the last page."""
    return min(start_asked(), max(0, found - 1) // size * size)


def start_asked() -> int:
    """The number, from 0, of the first row that `?from=` asks for."""
    return max(0, whole_number(request.values.get("from", "")) or 0)
