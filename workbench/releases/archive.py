"""The zip of a release: its bytes follow from its files alone, and what differs in them has a name.

The layout is written out here rather than left to `zipfile`, whose choice of fields depends on the version of
Python: members by name, stored, with one time and one mode. Nothing is compressed, since the same text
deflated by zlib, zlib-ng and isal gives different bytes; whoever serves a release may compress it on the way.
Source: PKWARE's APPNOTE 6.3.
"""

from __future__ import annotations

import hashlib
import struct
import tempfile
import weakref
import zlib
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import IO

from workbench.errors import WorkbenchError
from workbench.frozen import frozen_dataclass

MOST_BYTES = 2**32 - 1
"""A zip without the extensions for larger ones."""
MOST_MEMBERS = 2**16 - 1

LOCAL = struct.Struct("<4s5H3I2H")
CENTRAL = struct.Struct("<4s6H3I5H2I")
END = struct.Struct("<4s4H2IH")
LOCAL_MARK, CENTRAL_MARK, END_MARK = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"
_NEEDED = 20
_UNIX = 3 << 8 | _NEEDED
_TIME, _DATE = 0, 1 << 5 | 1  # 1980-01-01 00:00, the first time that a zip can say
_MODE = 0o100644 << 16


@frozen_dataclass
class ZipMember:
    """A file in a zip: its first byte there, its size, and the CRC-32 that the zip states for it."""

    name: str
    start: int
    size: int
    crc: int


@dataclass(frozen=True, slots=True, eq=False)
class UnreadFile:
    """A file that is kept elsewhere, and read only as it is written; `crc` is its CRC-32.

    `parts` gives its bytes, from the beginning each time, and raises where they are not these any more.
    """

    size: int
    crc: int
    sha256: str
    parts: Callable[[], Iterator[bytes]]

    def __len__(self) -> int:
        return self.size


def zip_parts(files: Mapping[str, bytes | UnreadFile]) -> Iterator[bytes]:
    """The zip of these files, by name, in parts; those of them that are files are the bytes that were given.

    Raises WorkbenchError where they are too many or too large.
    """
    size = sum(len(content) + 2 * len(name) for name, content in files.items())
    size += len(files) * (LOCAL.size + CENTRAL.size) + END.size
    if size > MOST_BYTES or len(files) > MOST_MEMBERS:
        raise WorkbenchError(
            f"a release of {size:,} bytes in {len(files):,} files is too large",
            remedy="leave out documents or runs, and publish them separately",
        )
    start, central = 0, bytearray()
    for name in sorted(files, key=str.encode):
        content, path = files[name], name.encode()
        crc = content.crc if isinstance(content, UnreadFile) else zlib.crc32(content)
        # Time, date, checksum and sizes stand in both headers alike.
        fields = (0, 0, _TIME, _DATE, crc, len(content), len(content), len(path), 0)
        central += CENTRAL.pack(CENTRAL_MARK, _UNIX, _NEEDED, *fields, 0, 0, 0, _MODE, start) + path
        yield LOCAL.pack(LOCAL_MARK, _NEEDED, *fields) + path
        if isinstance(content, UnreadFile):
            yield from content.parts()
        else:
            yield content
        start += LOCAL.size + len(path) + len(content)
    yield bytes(central)
    yield END.pack(END_MARK, 0, 0, len(files), len(files), len(central), start, 0)


class Misplaced(Exception):
    """What does not follow the layout of a release's zip: at which byte, and what was found there."""

    def __init__(self, offset: int, what: str) -> None:
        super().__init__(what)
        self.offset, self.what = offset, what


def walk_members(read: Callable[[int, int], bytes], end: int) -> tuple[ZipMember, ...]:
    """The members of a zip of `end` bytes in the order of the file, without its directory.

    `read` gives so many bytes from a place on. Raises Misplaced where a header cannot be one of `zip_parts`.
    """
    found: list[ZipMember] = []
    at = 0
    while (header := read(at, LOCAL.size))[:4] not in (CENTRAL_MARK, END_MARK):
        after = f"after {found[-1].name}" if found else "at the beginning"
        if len(header) < LOCAL.size or header[:4] != LOCAL_MARK:
            raise Misplaced(at, f"the header {after} is damaged or missing")
        _, _, flags, method, _, _, crc, packed, size, name_size, extra = LOCAL.unpack(header)
        start = at + LOCAL.size + name_size
        if flags or method or extra or packed != size or start + size > end:
            raise Misplaced(at, f"the header {after} is not that of a stored file")
        name = read(at + LOCAL.size, name_size).decode("utf-8", "backslashreplace")
        found.append(ZipMember(name, start, size, crc))
        at = start + size
    return tuple(found)


def first_difference(one: bytes, other: bytes) -> int | None:
    """The first byte (from 0) at which two contents differ, None where they are the same."""
    if one == other:
        return None
    # By halves: comparing bytes one by one takes seconds for a large zip.
    lengths = range(1, min(len(one), len(other)) + 1)
    return bisect_left(lengths, True, key=lambda length: one[:length] != other[:length])


READ = 2**20
"""Bytes read at once."""


def digests(parts: Iterable[bytes]) -> tuple[str, int]:
    """The SHA-256, in hexadecimal, and the CRC-32 of bytes."""
    sha, crc = hashlib.sha256(), 0
    for part in parts:
        sha.update(part)
        crc = zlib.crc32(part, crc)
    return sha.hexdigest(), crc


class StoredZip:
    """A zip that can be read from any place: the `stream` itself if it can be sought in, else a copy on disk.

    No more than `most` bytes and one are looked at: `size` says how many there are, `sha256` is theirs.
    """

    def __init__(self, stream: IO[bytes], most: int) -> None:
        sought = stream.seekable() and stream.tell() == 0
        # No `with`: it is read later, by whoever has its files, and goes with the last of them.
        self.file = stream if sought else tempfile.TemporaryFile(prefix="workbench-release-")  # noqa: SIM115
        if not sought:
            weakref.finalize(self, self.file.close)
        self.size, sha = 0, hashlib.sha256()
        while part := stream.read(min(READ, most + 1 - self.size)):
            self.size += len(part)
            sha.update(part)
            if not sought:
                self.file.write(part)
        self.sha256 = sha.hexdigest()

    def members(self) -> tuple[ZipMember, ...]:
        """Its files by the headers before each; raises Misplaced where one is not that of a release."""
        return walk_members(self.read, self.size)

    def member(self, member: ZipMember) -> UnreadFile:
        """A file of it with the checksums of the bytes that it has, which are read for this."""
        parts = partial(self._parts, member.start, member.size)
        sha256, crc = digests(parts())
        return UnreadFile(member.size, crc, sha256, parts)

    def difference(self, files: Mapping[str, UnreadFile]) -> int | None:
        """The first byte at which it is not the zip of these files; None where it is."""
        at = 0
        for part in zip_parts(files):
            found = first_difference(self.read(at, len(part)), part)
            if found is not None:
                return at + found
            at += len(part)
        return None if at == self.size else at

    def read(self, start: int, size: int) -> bytes:
        """So many bytes from one on, or those that there are."""
        self.file.seek(start)
        return self.file.read(size)

    def _parts(self, start: int, size: int) -> Iterator[bytes]:
        for at in range(start, start + size, READ):
            yield self.read(at, min(READ, start + size - at))


class FilesOfZip(Mapping[str, bytes]):
    """Files by path, each read when it is asked for."""

    def __init__(self, files: Mapping[str, UnreadFile]) -> None:
        self._files = files

    def __getitem__(self, path: str) -> bytes:
        """The bytes of a file; raises KeyError."""
        return b"".join(self._files[path].parts())

    def __iter__(self) -> Iterator[str]:
        """The paths."""
        return iter(self._files)

    def __len__(self) -> int:
        """How many files there are."""
        return len(self._files)

    def __contains__(self, path: object) -> bool:
        """Whether there is such a file; that of a mapping would read it."""
        return path in self._files
