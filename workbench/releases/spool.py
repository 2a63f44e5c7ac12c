"""The files of a release while it is made: on disk, since together they may not fit into memory."""

from __future__ import annotations

import hashlib
import os
import tempfile
import weakref
import zlib
from collections.abc import Iterable, Iterator
from functools import partial

from workbench.releases.archive import UnreadFile

PART = 2**18
"""Bytes that are written and read at once."""


class Spool:
    """A temporary file that holds files one after the other; it is removed with the last of them."""

    def __init__(self) -> None:
        # No `with`: it is read later, by whoever has the parts that refer to it.
        self._file = tempfile.TemporaryFile(prefix="workbench-release-", buffering=0)  # noqa: SIM115
        self._size = 0
        weakref.finalize(self, self._file.close)

    def add(self, content: Iterable[bytes]) -> UnreadFile:
        """Store a file from its bytes in parts; raises OSError where the disk has no room for it."""
        start, sha, crc = self._size, hashlib.sha256(), 0
        for part in _large(content):
            sha.update(part)
            crc = zlib.crc32(part, crc)
            self._write(part)
        size = self._size - start
        return UnreadFile(size, crc, sha.hexdigest(), partial(self._parts, start, size))

    def _write(self, part: bytes) -> None:
        rest = memoryview(part)
        while rest:
            written = os.pwrite(self._file.fileno(), rest, self._size)
            self._size += written
            rest = rest[written:]

    def _parts(self, start: int, size: int) -> Iterator[bytes]:
        end = start + size
        while start < end:
            part = os.pread(self._file.fileno(), min(PART, end - start), start)
            if not part:
                raise EOFError("a temporary file is shorter than what was written into it")
            start += len(part)
            yield part


def _large(content: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes in fewer parts: lines are short."""
    gathered = bytearray()
    for part in content:
        gathered += part
        if len(gathered) >= PART:
            yield bytes(gathered)
            gathered.clear()
    if gathered:
        yield bytes(gathered)
