"""The bodies of requests: how large each may be, and reading one in the event loop within a time.

A body is complete before its request gets a place, so that a slow or unfinished one holds nothing but its
connection.
"""

from __future__ import annotations

import asyncio
import io
import tempfile
from collections.abc import AsyncIterator, Awaitable
from typing import IO, Protocol

from workbench.web.deadlines import within

FILES = "multipart/form-data"
# A sign-in is far smaller; the desk of a disabled account may still deliver a batch of answers.
BYTES_FROM_STRANGERS = 64 * 1024
# Forms and JSON without guidelines, which may be longer (see `access.takes_guidelines`).
BYTES_OF_A_FORM = 1024**2

# What arrives slower than this, after the seconds that everybody has, is given up.
GRACE_SECONDS = 20
BYTES_PER_SECOND = 8 * 1024
# Larger bodies are written to a temporary file, in parts of this size.
IN_MEMORY = 1024**2


class Incomplete(Exception):
    """The connection was closed before the whole body had arrived."""


class BodySource(Protocol):
    """What sends a body: call it for the whole, or iterate over its parts, as in RSGI."""

    def __call__(self) -> Awaitable[bytes]:
        """The whole body."""

    def __aiter__(self) -> AsyncIterator[bytes]:
        """The parts of the body as they arrive."""


def has_files(kind: str) -> bool:
    """Whether a content type is that of a form with files.

    Only the parser of such forms writes to disk; everything else is in memory, where JSON takes thirty times
    its size.
    """
    return kind.partition(";")[0].strip().casefold() == FILES


async def read_body(sender: BodySource, length: int) -> IO[bytes]:
    """The body of `length` bytes as a file, at its beginning.

    Raises TimeoutError if it arrives too slowly, Incomplete if the connection was closed.
    """
    if length <= IN_MEMORY:
        with within(GRACE_SECONDS + length / BYTES_PER_SECOND):
            content = await sender()
        if len(content) != length:
            raise Incomplete
        return io.BytesIO(content)
    loop = asyncio.get_running_loop()
    begin = loop.time()
    file = tempfile.TemporaryFile()  # noqa: SIM115 - whoever answers the request closes it
    try:
        received = 0
        parts: list[bytes] = []
        unwritten = 0
        async with asyncio.timeout_at(begin + GRACE_SECONDS) as limit:
            async for part in sender:
                parts.append(part)
                unwritten += len(part)
                received += len(part)
                limit.reschedule(begin + GRACE_SECONDS + received / BYTES_PER_SECOND)
                if unwritten >= IN_MEMORY:
                    # In a thread: a full or slow disk must not stop the loop.
                    await loop.run_in_executor(None, file.write, b"".join(parts))
                    parts, unwritten = [], 0
        if received != length:
            raise Incomplete
        file.write(b"".join(parts))
        file.seek(0)
    except BaseException:
        file.close()
        raise
    return file
