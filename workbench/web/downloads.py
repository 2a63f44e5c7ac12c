"""Downloads: files for other programs, sent as attachments.

A large one is written into a file while it is read from the database: it takes no memory, and a slow reader
holds no transaction. It is sent once it is whole: an error in its middle is the answer.
"""

from __future__ import annotations

import logging
import re
import tempfile
from collections.abc import Iterable, Sequence
from urllib.parse import quote

from flask import has_request_context, request
from werkzeug.wrappers import Response
from werkzeug.wsgi import wrap_file

from workbench.errors import NoRoom
from workbench.tables import Export, csv_parts

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
