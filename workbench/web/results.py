"""Files of results: what a page offers for download, a program gets from the same address with its token.

To offer one: below the access of the view of a file state `result`, and return what the file has.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from functools import wraps
from typing import Any

from flask import Flask
from werkzeug.wrappers import Response

from workbench.errors import WorkbenchError
from workbench.tables import Export, csv_parts
from workbench.web.access import FILE, here
from workbench.web.downloads import attachment, export_file
from workbench.web.forms import query_text

CSV, TSV, TEXT = "csv", "tsv", "text"


@dataclass(frozen=True, slots=True)
class TextFile:
    """A result as other programs read it: how its file's name ends, its media type, and its lines."""

    extension: str
    kind: str
    lines: Iterable[bytes]


@dataclass(frozen=True, slots=True)
class MadeResult:
    """A result that was made: how its file is called, its table, its text."""

    name: str
    export: Export | None = None
    text: TextFile | None = None


def result(make: Callable[..., MadeResult]) -> Callable[..., Response]:
    """Let a view of a file, which says what is in it, answer programs too."""

    @wraps(make)
    def file(*, kind: str = "", **values: Any) -> Response:
        return result_file(make(**values), kind)

    setattr(file, FILE, True)
    return file


def result_file(made: MadeResult, kind: str = "") -> Response:
    """A result as a file of a format; without one as its text, or as CSV where it has none."""
    name = f"{here().slug}.{made.name}"
    if made.text is not None and kind in {"", TEXT}:
        return attachment(made.text.lines, f"{name}.{made.text.extension}", kind=made.text.kind)
    if made.export is None:
        raise ValueError(f"{made.name} has no table")
    if kind == TSV:
        parts = csv_parts(made.export.columns, made.export.rows(), separator="\t")
        return attachment(parts, f"{name}.tsv", kind="text/tab-separated-values")
    return export_file(made.export, kind or CSV, name)


def part_asked(parts: Collection[str]) -> str:
    """The table that `?part=` names, the first without it; raises WorkbenchError for an unknown one."""
    part = query_text("part") or next(iter(parts))
    if part not in parts:
        raise WorkbenchError(f"there is no table {part}", remedy=f"choose one of {', '.join(parts)}")
    return part


def file_endpoints(app: Flask) -> frozenset[str]:
    """The endpoints of all files of results."""
    return frozenset(name for name, view in app.view_functions.items() if hasattr(view, FILE))
