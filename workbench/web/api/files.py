"""Files that come as the body of a request: their names, and what else their address says of them."""

from __future__ import annotations

import io
from collections.abc import Collection
from typing import Annotated, BinaryIO, cast

from pydantic import Field

from workbench.errors import rejected

FileName = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f/\\]+$")]
BUFFER = 256 * 1024


def choice_of(text: str, known: Collection[str], field: str) -> str | None:
    """One of several names, None for an empty text; raises InvalidInput for any other."""
    if text and text not in known:
        raise rejected(field, None, field, f"{text[:40]!r} is not known", f"choose one of {', '.join(known)}")
    return text or None


def buffered(file: BinaryIO) -> BinaryIO:
    """The body in larger parts than whoever sent it."""
    return cast(BinaryIO, io.BufferedReader(cast(io.RawIOBase, file), BUFFER))
