"""Downloads: files for other programs, sent as attachments."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Sequence
from urllib.parse import quote

from werkzeug.wrappers import Response

from workbench.agreement.report.taken import Taken

_UNSAFE = re.compile(r'[\x00-\x1f\x7f/\\"]')


def attachment(content: bytes | Iterable[bytes], name: str, *, kind: str = "text/plain") -> Response:
    """Bytes as a file called `name`."""
    whole = content if isinstance(content, bytes) else b"".join(content)
    response = Response(whole, content_type=f"{kind}; charset=utf-8")
    response.headers["Content-Disposition"] = _disposition(_UNSAFE.sub("-", name))
    return response


def csv_file(header: Sequence[str], rows: Iterable[Sequence[object]], name: str) -> Response:
    """A table as CSV; None is an empty cell, numbers have all their digits."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(header)
    writer.writerows(rows)
    return attachment(text.getvalue().encode("utf-8", "surrogateescape"), name, kind="text/csv")


def taken_file(taken: Taken, kind: str, name: str) -> Response:
    """What a page shows as a file to take along: `csv`, `tex` or `json`, by which the name goes on."""
    if kind == "csv":
        return csv_file(taken.columns, taken.rows(), f"{name}.csv")
    if kind == "tex":
        return attachment(taken.latex().encode("utf-8", "replace"), f"{name}.tex", kind="application/x-tex")
    content = json.dumps(taken.data(), allow_nan=False).encode()
    return attachment(content, f"{name}.json", kind="application/json")


def _disposition(name: str) -> str:
    if name.isascii():
        return f'attachment; filename="{name}"'
    plain = name.encode("ascii", "replace").decode().replace("?", "_")
    encoded = quote(name.encode("utf-8", "surrogateescape"), safe="")
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{encoded}"
