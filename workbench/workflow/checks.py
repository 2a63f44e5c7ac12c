"""Checks of ids, texts and hashes before they are stored."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

from workbench.errors import Finding, WorkbenchError
from workbench.formats.identifiers import LONGEST_ID

_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_CLIENT_ID = re.compile(r"[A-Za-z0-9-]{8,64}")


def id_finding(identifier: str, *, what: str, source: str) -> Finding | None:
    """The error of an id that cannot be stored, or None.

    Commands that need no database accept any bytes. PostgreSQL stores neither NUL nor invalid UTF-8, and an
    id that was changed silently would no longer match the runs.
    """
    shown = identifier.encode("utf-8", "backslashreplace").decode("utf-8")[:80]
    if _UNSTORABLE.search(identifier):
        return Finding(
            source, None, "id-encoding", f"{what} {shown!r} is not UTF-8", "convert the file to UTF-8"
        )
    if len(identifier) > LONGEST_ID:
        return Finding(
            source, None, "id-length", f"{what} {shown!r}… has {len(identifier)} characters",
            f"at most {LONGEST_ID}",
        )  # fmt: skip
    return None


def storable(text: str) -> str:
    """The text with NUL and lone surrogates, which PostgreSQL cannot store, replaced by U+FFFD."""
    if text.isascii() and "\0" not in text:
        return text
    return _UNSTORABLE.sub("\ufffd", text)


def checked_client_id(client_id: str) -> str:
    """The client id that makes recording idempotent; raises WorkbenchError if it is missing or malformed."""
    if not _CLIENT_ID.fullmatch(client_id):
        raise WorkbenchError("missing or malformed client id", remedy="load the page again")
    return client_id


def checked_sha256(digest: str | None) -> str | None:
    """The hash of the shown text, as the client sent it; raises WorkbenchError if it is not a SHA-256."""
    if digest is not None and not _SHA256.fullmatch(digest):
        raise WorkbenchError("the hash of the shown text is not a SHA-256")
    return digest


Record = TypeVar("Record")


def record_of(kind: Callable[..., Record], row: object, /, **otherwise: Any) -> Record:
    """A record (a dataclass) of a row; `otherwise` has the fields that are called or said otherwise there.

    Raises AttributeError for a field that neither has.
    """
    names = kind.__annotations__
    return kind(**{name: otherwise[name] if name in otherwise else getattr(row, name) for name in names})
