"""Downloads: files for other programs, sent as attachments.

A large one is written into a file while it is read from the database: it takes no memory, and a slow reader
holds no transaction. It is sent once it is whole: an error in its middle is the answer.

What a page offers for download, a program gets from the same address with its token. To offer a result: below
the access of the view of a file state `result`, and return what the file has.
"""

from __future__ import annotations

import logging
import re
import tempfile
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import wraps
from typing import Any
from urllib.parse import quote

from flask import Flask, has_request_context, request
from werkzeug.wrappers import Response
from werkzeug.wsgi import wrap_file

from workbench.errors import NoRoom, WorkbenchError
from workbench.frozen import frozen_dataclass
from workbench.tables import Export, csv_parts
from workbench.web.access import FILE, here
from workbench.web.forms import query_text

LOG = logging.getLogger(__name__)
IN_MEMORY = 1024**2
_UNSAFE = re.compile(r'[\x00-\x1f\x7f/\\"]')


def attachment(content: bytes | Iterable[bytes], name: str, *, kind: str = "text/plain") -> Response:
    """A file called `name`, of bytes or of parts; `kind` is its media type, its text UTF-8."""
    parts = (content,) if isinstance(content, bytes) else content
    return streamed(parts, name, kind=f"{kind}; charset=utf-8")


def streamed(parts: Iterable[bytes], name: str, *, kind: str, size: int | None = None) -> Response:
    """A file called `name` whose parts are made one after the other; `size` is in bytes, where it is known.

    All parts are made before this returns, within the caller's transaction, except for HEAD with a `size`.
    Raises whatever a part raises, and NoRoom.
    """
    response = Response(content_type=kind)
    response.headers["Content-Disposition"] = _disposition(_UNSAFE.sub("-", name))
    if has_request_context() and request.method == "HEAD":
        response.content_length = sum(map(len, parts)) if size is None else size
        return response
    file = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115  # whoever sends it closes it
    length = 0
    try:
        for part in parts:
            length += file.write(part)
        file.seek(0)
    except OSError as error:
        file.close()
        LOG.error("a large answer cannot be written: %s", error)
        raise NoRoom(
            "the server has no room to prepare this file", remedy="contact the administrator of this server"
        ) from error
    except BaseException:
        file.close()
        raise
    response.content_length = length
    if length <= IN_MEMORY or not has_request_context():
        with file:
            response.set_data(file.read())
        return response
    # The server finds the file in it, and sends it without a thread.
    response.response = wrap_file(request.environ, file)
    response.direct_passthrough = True
    return response


def csv_file(columns: Sequence[str], rows: Iterable[Sequence[object]], name: str) -> Response:
    """A table as a CSV file."""
    return attachment(csv_parts(columns, rows), name, kind="text/csv")


def export_file(export: Export, kind: str, name: str) -> Response:
    """A result as a file; `kind` is its extension: `csv`, `json`, or `tex` for a result with LaTeX."""
    if kind == "csv":
        return attachment(export.csv_parts(), f"{name}.csv", kind="text/csv")
    if kind == "tex" and export.latex is not None:
        return attachment(export.latex().encode("utf-8", "replace"), f"{name}.tex", kind="application/x-tex")
    return attachment(export.json_parts(), f"{name}.json", kind="application/json")


def _disposition(name: str) -> str:
    if name.isascii():
        return f'attachment; filename="{name}"'
    plain = name.encode("ascii", "replace").decode().replace("?", "_")
    encoded = quote(name.encode("utf-8", "surrogateescape"), safe="")
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{encoded}"


CSV, TSV, TEXT = "csv", "tsv", "text"


@frozen_dataclass
class TextFile:
    """A result as other programs read it: how its file's name ends, its media type, and its lines."""

    extension: str
    kind: str
    lines: Iterable[bytes]


@frozen_dataclass
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


def result_file(made: MadeResult, kind: str) -> Response:
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
