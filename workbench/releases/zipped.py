"""The zip of a release read part by part: its files one by one, of records one at a time.

So two releases are compared without either being in memory. `check` looks at every byte of one; here every
file is compared with its checksum, and what lies between the files is left to the library.
"""

from __future__ import annotations

import zipfile
from collections.abc import Collection, Iterator, Mapping
from functools import partial
from typing import IO, Self, TypeVar

from workbench.errors import InvalidInput, rejected
from workbench.formats.source import LINE_LIMIT
from workbench.frozen import frozen_dataclass
from workbench.pooling.pool import Pair
from workbench.records import Qrel
from workbench.releases import files as at
from workbench.releases.archive import READ, digests
from workbench.releases.check import AGAIN, MemberDigest, check_digests, open_unchecked
from workbench.releases.contents import (
    ReleaseAbout,
    ReleaseContents,
    ReleasedAnswer,
    ReleasedDecision,
    ReleaseRule,
)
from workbench.releases.reading import read_contents
from workbench.releases.record_form import record_lines

Record = TypeVar("Record")
LARGE = ("answers", "decisions", "documents", "preferences", "pools", "runs")
"""The fields of a release that are not read when it is opened: the files of most of its bytes."""


class ZippedFiles(Mapping[str, bytes]):
    """The files in the zip of a release by path, each read when it is asked for.

    `stream` can be sought in. Raises InvalidInput where it is no zip, or where a file is compressed: nothing
    in a release is, and a small zip can hold petabytes.
    """

    def __init__(self, stream: IO[bytes], *, source: str) -> None:
        self.source = source
        try:
            self.archive = zipfile.ZipFile(stream)
        except (zipfile.BadZipFile, ValueError, OSError) as error:
            raise _broken(source, f"this is not the zip of a release: {error}") from None
        for one in self.archive.infolist():
            if one.compress_type != zipfile.ZIP_STORED or one.flag_bits & 1:
                raise _broken(source, f"{ascii(one.filename)[1:-1]} is compressed or encrypted")

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the archive."""
        self.archive.close()

    def __getitem__(self, path: str) -> bytes:
        """The bytes of a file; raises KeyError."""
        return self.archive.read(path)

    def __iter__(self) -> Iterator[str]:
        """The paths, as the zip has them."""
        return iter(self.archive.namelist())

    def __len__(self) -> int:
        """How many files there are."""
        return len(self.archive.namelist())

    def __contains__(self, path: object) -> bool:
        """Whether there is such a file; that of a mapping would read it."""
        return path in self.archive.NameToInfo

    def lines(self, path: str) -> Iterator[bytes]:
        """The lines of a file, one by one; raises InvalidInput for a missing file and a line without end."""
        if path not in self:
            raise rejected(path, None, "missing", "the release has no such file", AGAIN)
        with self.archive.open(path) as member:
            number = 0
            while line := member.readline(LINE_LIMIT):
                number += 1
                if len(line) == LINE_LIMIT:
                    message = f"the line is longer than {LINE_LIMIT // 2**20} MiB"
                    raise rejected(path, number, "too-large", message, AGAIN)
                yield line

    def check(self) -> None:
        """Compare every file with its checksum, reading a MiB at a time; raises InvalidInput."""
        found = list(check_digests(tuple(map(self._digest, self.archive.infolist())), self._checksums()))
        if found:
            raise InvalidInput(found)

    def _digest(self, info: zipfile.ZipInfo) -> MemberDigest:
        try:
            with open_unchecked(self.archive, info) as member:
                sha256, crc = digests(iter(partial(member.read, READ), b""))
        except (zipfile.BadZipFile, EOFError, OSError) as error:
            raise _broken(self.source, f"{ascii(info.filename)[1:-1]} cannot be read: {error}") from None
        return MemberDigest(info.filename, sha256, crc == info.CRC)

    def _checksums(self) -> bytes | None:
        if at.CHECKSUMS not in self:
            return None
        with open_unchecked(self.archive, at.CHECKSUMS) as member:
            return member.read(LINE_LIMIT)


@frozen_dataclass
class ZippedRelease:
    """What a comparison reads of a release, from its zip: answers, decisions and runs when it asks."""

    files: ZippedFiles
    contents: ReleaseContents

    @classmethod
    def of(cls, files: ZippedFiles, *, leaving: Collection[str] = ()) -> ZippedRelease:
        """The release of these files; raises InvalidInput as `read_contents`."""
        return cls(files, read_contents(files, leaving={*LARGE, *leaving}))

    @property
    def about(self) -> ReleaseAbout:
        """What it is called."""
        return self.contents.about

    @property
    def rule(self) -> ReleaseRule:
        """The rule of its qrels."""
        return self.contents.rule

    @property
    def qrels(self) -> tuple[Qrel, ...]:
        """Its qrels."""
        return self.contents.qrels

    def answers_about(self, pairs: Collection[Pair]) -> Iterator[ReleasedAnswer]:
        """The answers about some pairs, one by one; raises InvalidInput at the first line that is none."""
        return self._about(pairs, at.ANSWERS, ReleasedAnswer)

    def decisions_about(self, pairs: Collection[Pair]) -> Iterator[ReleasedDecision]:
        """The decisions about some pairs, one by one; raises InvalidInput at the first line that is none."""
        return self._about(pairs, at.DECISIONS, ReleasedDecision)

    @property
    def run_files(self) -> Mapping[str, bytes]:
        """The included runs by tag, each read when it is asked for."""
        paths = {one.tag: at.run_path(one.sha256) for one in self.contents.runs}
        return _RunFiles(self.files, {tag: path for tag, path in paths.items() if path in self.files})

    def _about(self, pairs: Collection[Pair], path: str, kind: type[Record]) -> Iterator[Record]:
        lines = self.files.lines(path)
        return record_lines(
            lines, kind, lambda one: (one.get("topic"), one.get("docno")) in pairs, source=path
        )


@frozen_dataclass
class _RunFiles(Mapping[str, bytes]):
    files: ZippedFiles
    paths: Mapping[str, str]

    def __getitem__(self, tag: str) -> bytes:
        return self.files[self.paths[tag]]

    def __iter__(self) -> Iterator[str]:
        return iter(self.paths)

    def __len__(self) -> int:
        return len(self.paths)


def _broken(source: str, message: str) -> InvalidInput:
    return rejected(source, None, "layout", message, AGAIN)
