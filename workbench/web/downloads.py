"""Downloads: files for other programs, sent as attachments."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import quote

from flask import stream_with_context
from werkzeug.wrappers import Response

from workbench.export import Export, csv_bytes

_UNSAFE = re.compile(r'[\x00-\x1f\x7f/\\"]')


def attachment(content: bytes | Iterable[bytes], name: str, *, kind: str = "text/plain") -> Response:
    """Bytes as a file called `name`."""
    whole = content if isinstance(content, bytes) else b"".join(content)
    response = Response(whole, content_type=f"{kind}; charset=utf-8")
    response.headers["Content-Disposition"] = _disposition(_UNSAFE.sub("-", name))
    return response


def streamed(parts: Iterator[bytes], name: str, *, kind: str, size: int | None = None) -> Response:
    """A file called `name` whose parts are made while it is sent; `size` is in bytes, where it is known."""
    response = Response(stream_with_context(parts), content_type=kind)
    if size is not None:
        response.content_length = size
    response.headers["Content-Disposition"] = _disposition(_UNSAFE.sub("-", name))
    return response


def csv_file(columns: Sequence[str], rows: Iterable[Sequence[object]], name: str) -> Response:
    """A table as a CSV file."""
    return attachment(csv_bytes(columns, rows), name, kind="text/csv")


def tsv_file(columns: Sequence[str], rows: Iterable[Sequence[object]], name: str) -> Response:
    """A table as a file of cells between tabs."""
    content = csv_bytes(columns, rows, separator="\t")
    return attachment(content, name, kind="text/tab-separated-values")


def export_file(export: Export, kind: str, name: str) -> Response:
    """A result as a file; `kind` is its extension: `csv`, `json`, or `tex` for a result with LaTeX."""
    if kind == "csv":
        return attachment(export.csv(), f"{name}.csv", kind="text/csv")
    if kind == "tex" and export.latex is not None:
        return attachment(export.latex().encode("utf-8", "replace"), f"{name}.tex", kind="application/x-tex")
    return attachment(export.json(), f"{name}.json", kind="application/json")


def _disposition(name: str) -> str:
    if name.isascii():
        return f'attachment; filename="{name}"'
    plain = name.encode("ascii", "replace").decode().replace("?", "_")
    encoded = quote(name.encode("utf-8", "surrogateescape"), safe="")
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{encoded}"
