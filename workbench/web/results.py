"""Results of a campaign by name: what a page offers as a file, a program asks for as JSON, CSV or LaTeX.

To offer a result: below the access of the view of its file state the `result`. The API lists it then
(`api/named_results`), with the same rights, from the same function and cache.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from typing import Any

from flask import Flask
from werkzeug.wrappers import Response

from workbench.export import Export
from workbench.web.access import access_of, here
from workbench.web.downloads import attachment, export_file, tsv_file
from workbench.workflow.people.roles import Role

ATTRIBUTE = "workbench_result"
JSON, CSV, TSV, TEX, TEXT = "json", "csv", "tsv", "tex", "text"
EVERY_FORMAT = (JSON, CSV, TEX)
TABLE_ONLY = (JSON, CSV)


@dataclass(frozen=True, slots=True)
class ResultOption:
    """An option of a result: its name in an address, what it chooses, and its values, any if there are none.

    With `several` it may be given more than once. `part` is the argument of the page's path that it fills,
    with what `read` makes of it; without it the page reads the query, as the API does.
    """

    name: str
    meaning: str
    values: tuple[str, ...] = ()
    several: bool = False
    part: str = ""
    read: Callable[[str], Any] = str


@dataclass(frozen=True, slots=True)
class CampaignResult:
    """A result that a campaign has: its name, its title, what a row is, its options, and its formats.

    The first of the `formats` is what is answered where none is asked for.
    """

    name: str
    title: str
    row: str
    options: tuple[ResultOption, ...] = ()
    formats: tuple[str, ...] = EVERY_FORMAT


@dataclass(frozen=True, slots=True)
class TextFile:
    """A result as other programs read it: how its file's name ends, its media type, and its lines."""

    extension: str
    kind: str
    lines: Iterable[bytes]


@dataclass(frozen=True, slots=True)
class MadeResult:
    """A result that was made: how its file is called, its table, its text, and what it is `about`.

    That is what no figure stands without and the export does not say itself, such as the coverage.
    """

    name: str
    export: Export | None = None
    text: TextFile | None = None
    about: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OfferedResult:
    """A result with what makes it, from the arguments of its path and the query of the request."""

    stated: CampaignResult
    make: Callable[..., MadeResult]
    roles: frozenset[Role] = frozenset()


class StillComputing(Exception):
    """A result is being computed: `done` of `total` of a step are; ask again."""

    def __init__(self, step: str, done: int, total: int) -> None:
        super().__init__(f"{step}: {done} of {total}")
        self.step, self.done, self.total = step, done, total


def result(stated: CampaignResult) -> Callable[[Callable[..., MadeResult]], Callable[..., Response]]:
    """Let a view of a file, which says how the result is made, offer it to programs too."""

    def decorate(make: Callable[..., MadeResult]) -> Callable[..., Response]:
        @wraps(make)
        def file(*, kind: str = "", **values: Any) -> Response:
            return result_file(make(**values), kind)

        setattr(file, ATTRIBUTE, OfferedResult(stated, make))
        return file

    return decorate


def result_file(made: MadeResult, kind: str = "") -> Response:
    """A result as a file of a format; without one as its text, or as CSV where it has none."""
    name = f"{here().slug}.{made.name}"
    if made.text is not None and kind in {"", TEXT}:
        return attachment(made.text.lines, f"{name}.{made.text.extension}", kind=made.text.kind)
    if made.export is None:
        raise ValueError(f"{made.name} has no table")
    if kind == TSV:
        return tsv_file(made.export.columns, made.export.rows(), f"{name}.tsv")
    return export_file(made.export, kind or CSV, name)


def offered_results(app: Flask) -> dict[str, OfferedResult]:
    """Every result by its name, in the order of the pages, with the roles that its page opens to."""
    found = {}
    for endpoint, view in app.view_functions.items():
        offered = getattr(view, ATTRIBUTE, None)
        access = access_of(app, endpoint)
        if isinstance(offered, OfferedResult) and access is not None:
            found[offered.stated.name] = OfferedResult(offered.stated, offered.make, access.roles)
    return found
