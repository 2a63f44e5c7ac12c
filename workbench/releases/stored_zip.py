"""The zip of a release while it is checked: read a MiB at a time, since it may not fit into memory."""

from __future__ import annotations

import hashlib
import tempfile
import weakref
import zlib
from collections.abc import Iterator, Mapping
from functools import partial
from typing import IO

from workbench.releases.archive import UnreadFile, ZipMember, first_difference, walk_members, zip_parts

READ = 2**20
"""Bytes read at once."""


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
        sha, crc = hashlib.sha256(), 0
        for part in self._parts(member.start, member.size):
            sha.update(part)
            crc = zlib.crc32(part, crc)
        return UnreadFile(member.size, crc, sha.hexdigest(), partial(self._parts, member.start, member.size))

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
