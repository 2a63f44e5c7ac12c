"""Whether a release is whole: every byte of its zip, and the file that is damaged by name."""

from __future__ import annotations

import hashlib
import io
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO

from workbench import __version__
from workbench.errors import Finding, InvalidInput, WorkbenchError
from workbench.releases.archive import (
    MOST_BYTES,
    Misplaced,
    ZipMember,
    build_zip,
    first_difference,
    walk_members,
)
from workbench.releases.contents import ReleaseContents
from workbench.releases.files import CHECKSUMS, MANIFEST, data_files
from workbench.releases.reading import read_contents

AGAIN = "download the release again"
MOST_FINDINGS = 100
_LINE = re.compile(r"([0-9a-f]{64})  (\S.*)")
_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)*")


@dataclass(frozen=True, slots=True)
class ReleaseCheck:
    """The outcome of a check: the findings, the SHA-256 of the whole zip, and the contents if it is whole."""

    findings: tuple[Finding, ...]
    sha256: str
    members: int
    contents: ReleaseContents | None

    @property
    def whole(self) -> bool:
        """Whether nothing was found."""
        return not self.findings


@dataclass(frozen=True, slots=True)
class MemberDigest:
    """A file in a zip by its SHA-256; `whole` says whether it has the checksum that the zip states for it."""

    name: str
    sha256: str
    whole: bool


def check_release(
    stream: IO[bytes], *, source: str, sha256: str = "", most: int = MOST_BYTES
) -> ReleaseCheck:
    """Check every byte of a release's zip; `sha256` is what its page says of the whole, if given.

    Every file is compared with its checksums, the archive with one that is built from its files anew, and the
    derived files with those that follow from the contents. A zip of more than `most` bytes is refused unread.
    """
    content = stream.read(most + 1)
    found = hashlib.sha256(content).hexdigest()
    if len(content) > most:
        message = f"the file has more than {most:,} bytes"
        finding = Finding(source, None, "size", message, "a release is smaller than this")
        return ReleaseCheck((finding,), found, 0, None)
    findings: list[Finding] = []
    if sha256 and sha256.strip().lower() != found:
        message = f"stated SHA-256 {sha256.strip()}, found {found}"
        findings.append(Finding(source, None, "whole", message, AGAIN))
    members, layout = _members(content, source, most)
    findings += layout
    files = {member.name: member.content for member in members}
    digests = tuple(
        MemberDigest(one.name, hashlib.sha256(one.content).hexdigest(), one.whole) for one in members
    )
    findings += check_digests(digests, files.get(CHECKSUMS))
    if not layout:
        findings += _layout(content, files, source)
    contents = None
    if not findings:
        contents, more = _meaning(files)
        findings += more
    return ReleaseCheck(tuple(findings[:MOST_FINDINGS]), found, len(members), contents)


def open_release(stream: IO[bytes], *, source: str, most: int = MOST_BYTES) -> ReleaseContents:
    """The contents of a release that is whole; raises InvalidInput with what a check finds."""
    checked = check_release(stream, source=source, most=most)
    if checked.contents is None or checked.findings:
        raise InvalidInput(checked.findings)
    return checked.contents


def _members(content: bytes, source: str, most: int) -> tuple[tuple[ZipMember, ...], list[Finding]]:
    """The members as they stand in the file; where its layout is another, as the zip's directory has them."""
    try:
        return walk_members(content), []
    except Misplaced as error:
        message = f"byte {error.offset:,}: {error.what}"
        finding = Finding(
            source, None, "layout", message, f"{AGAIN}; a zip that was packed anew is another one"
        )
    try:
        return tuple(_unpacked(content, most)), [finding]
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, ValueError, EOFError, OSError):
        # It is damaged past reading: the finding says from where on.
        return (), [finding]


def _unpacked(content: bytes, most: int) -> Iterator[ZipMember]:
    """The members by the directory, together no more than `most` bytes: a small zip can hold petabytes."""
    left = most
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for info in archive.infolist():
            with open_unchecked(archive, info) as member:
                unpacked = member.read(left + 1)
            left -= len(unpacked)
            if left < 0:
                raise ValueError("the files are too large")
            yield ZipMember(info.filename, unpacked, info.CRC)


@contextmanager
def open_unchecked(archive: zipfile.ZipFile, member: zipfile.ZipInfo | str) -> Iterator[IO[bytes]]:
    """A file in a zip, whose wrong CRC raises nothing: it is ours to report, by the name of the file."""
    with archive.open(member) as found:
        found._expected_crc = None  # type: ignore[attr-defined]  # zipfile has no other way
        yield found


def check_digests(members: tuple[MemberDigest, ...], checksums: bytes | None) -> Iterator[Finding]:
    """Where the files of a zip are not those that its file of checksums, None if there is none, states."""
    names = Counter(member.name for member in members)
    for name, count in names.items():
        if not _SAFE.fullmatch(name) or ".." in name:
            yield Finding(
                ascii(name), None, "path", "no file of a release has such a path", "do not unpack it"
            )
        if count > 1:
            yield Finding(name, None, "duplicate", f"the zip has it {count} times", AGAIN)
    by_name = {member.name: member for member in members}
    sums = by_name.get(CHECKSUMS)
    if sums is None or checksums is None:
        if members:
            yield Finding(CHECKSUMS, None, "missing", "the zip has no checksums", AGAIN)
        return
    stated, unreadable = _stated(checksums)
    if unreadable or not sums.whole:
        message = "the file of checksums is damaged" + (f" in line {unreadable[0]}" if unreadable else "")
        yield Finding(CHECKSUMS, unreadable[0] if unreadable else None, "checksum", message, AGAIN)
    for name in sorted(stated.keys() - by_name.keys()):
        yield Finding(name, None, "missing", "it is among the checksums, but not in the zip", AGAIN)
    for name in sorted(by_name.keys() - stated.keys() - {CHECKSUMS}):
        yield Finding(ascii(name)[1:-1], None, "extra", "the zip has it, but the checksums do not", AGAIN)
    for name in sorted(stated.keys() & by_name.keys()):
        found = by_name[name].sha256
        # Where the checksums are what is damaged, the file is innocent.
        if found != stated[name] and (sums.whole or not by_name[name].whole):
            yield Finding(name, None, "checksum", f"stated SHA-256 {stated[name]}, found {found}", AGAIN)


def _stated(content: bytes) -> tuple[dict[str, str], list[int]]:
    """The checksums by path, and the lines (from 1) that are none."""
    stated: dict[str, str] = {}
    unreadable = []
    for number, line in enumerate(content.decode("utf-8", "backslashreplace").splitlines(), 1):
        read = _LINE.fullmatch(line)
        if read and read[2] not in stated:
            stated[read[2]] = read[1]
        else:
            unreadable.append(number)
    return stated, unreadable


def _layout(content: bytes, files: Mapping[str, bytes], source: str) -> Iterator[Finding]:
    """Where the archive differs from one that is built of its files anew: around them and between them."""
    differs = first_difference(content, build_zip(files))
    if differs is None:
        return
    message = f"byte {differs:,}, {_part(content, differs)}, is not what the layout of a release has there"
    yield Finding(source, None, "layout", message, AGAIN)


def _part(content: bytes, offset: int) -> str:
    """Which part of a zip a byte lies in, in words."""
    start = 0
    for member in walk_members(content):
        header = start + 30 + len(member.name.encode())
        if offset < header + len(member.content):
            return f"in the header of {member.name}" if offset < header else f"in {member.name}"
        start = header + len(member.content)
    return "in the directory at the end"


def _meaning(files: Mapping[str, bytes]) -> tuple[ReleaseContents | None, list[Finding]]:
    """The contents, and each file that does not follow from them although its checksum is right."""
    try:
        contents = read_contents(files)
        if contents.about.software != __version__:
            # Another version of Workbench may word its texts otherwise.
            return contents, []
        made = data_files(contents)
    except InvalidInput as error:
        return None, list(error.findings)
    except (WorkbenchError, ValueError, RecursionError) as error:
        # A recipe is any JSON: what it holds can still be what no file can.
        return None, [Finding(MANIFEST, None, "form", f"no release can be made of it: {error}", AGAIN)]
    causes = sorted(path for path in made if files.get(path) != made[path])
    message = "it does not follow from the other files of the release"
    return contents, [Finding(path, None, "derived", message, AGAIN) for path in causes]
