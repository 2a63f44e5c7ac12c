"""The pages of the manual, their order, and which page explains which part of the product."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from importlib import resources

from workbench.errors import NotFound
from workbench.frozen import frozen_dataclass

FENCE = "---\n"


class Reader(StrEnum):
    """Whom a page is for, in the order of the list of pages."""

    ASSESSORS = "Assessors"
    ORGANISERS = "Organisers"
    ADJUDICATORS = "Adjudicators"
    PARTICIPANTS = "Participants"
    RESEARCHERS = "Researchers"
    ADMINISTRATORS = "Administrators"
    DEVELOPERS = "Developers"
    EVERYONE = "Everyone"


@frozen_dataclass
class Page:
    """One page: `text` is its Markdown below the title, tables of the program not yet filled in.

    `opened_from` names endpoints or blueprints of the web that the page explains.
    """

    name: str
    title: str
    reader: Reader
    order: int
    summary: str
    opened_from: tuple[str, ...]
    text: str


@cache
def pages() -> tuple[Page, ...]:
    """All pages, reader by reader in the order in which they are read."""
    found = [
        read_page(file.name.removesuffix(".md"), file.read_text(encoding="utf-8"))
        for file in (resources.files("workbench.help") / "pages").iterdir()
        if file.name.endswith(".md")
    ]
    readers = list(Reader)
    return tuple(sorted(found, key=lambda page: (readers.index(page.reader), page.order, page.name)))


def page_named(name: str) -> Page:
    """The page of this name, in any letter case; raises NotFound, the remedy names similar pages."""
    key = name.casefold()
    for page in pages():
        if page.name == key:
            return page
    names = [page.name for page in pages()]
    near = difflib.get_close_matches(key, names, cutoff=0.5) or [one for one in names if key[:4] in one]
    remedy = f"similar: {', '.join(near)}" if near else "see the list of pages"
    raise NotFound(f'there is no help page "{name}"', remedy=remedy)


def page_for(endpoint: str | None) -> Page | None:
    """The page that explains an endpoint of the web, by its own name or else by its blueprint."""
    if endpoint is None:
        return None
    explained = _explained()
    return explained.get(endpoint) or explained.get(endpoint.partition(".")[0])


def neighbours(page: Page) -> tuple[Page | None, Page | None]:
    """The page before and the page after."""
    every = pages()
    place = every.index(page)
    return (every[place - 1] if place else None, every[place + 1] if place + 1 < len(every) else None)


def by_reader() -> tuple[tuple[Reader, tuple[Page, ...]], ...]:
    """The pages of each reader who has any."""
    groups = ((reader, tuple(page for page in pages() if page.reader is reader)) for reader in Reader)
    return tuple((reader, found) for reader, found in groups if found)


@cache
def _explained() -> Mapping[str, Page]:
    return {name: page for page in pages() for name in page.opened_from}


def read_page(name: str, content: str) -> Page:
    """A page from its file; raises ValueError where the head is not what the package says."""
    start, head, text = content.split(FENCE, maxsplit=2)
    fields = dict(line.split(": ", maxsplit=1) for line in head.splitlines())
    opened_from = tuple(fields.pop("opened-from", "").split())
    known = {"title", "reader", "order", "summary"}
    if start or fields.keys() != known:
        raise ValueError(f"{name}: a page begins with {', '.join(sorted(known))} between lines of ---")
    return Page(
        name=name,
        title=fields["title"],
        reader=Reader(fields["reader"]),
        order=int(fields["order"]),
        summary=fields["summary"],
        opened_from=opened_from,
        text=text.strip() + "\n",
    )
