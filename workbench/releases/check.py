"""Whether a release is whole: every byte of its zip, and the file that is damaged by name."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field, replace
from typing import IO, Any

from workbench import __version__
from workbench.consensus.rules import ASSESSOR, THEN, rule_of
from workbench.consensus.settle import consensus
from workbench.errors import Finding, InvalidInput, Severity, WorkbenchError
from workbench.figures import counted
from workbench.frozen import frozen_dataclass
from workbench.outside import parsed_json
from workbench.records import Document
from workbench.releases.archive import (
    MOST_BYTES,
    READ,
    FilesOfZip,
    Misplaced,
    StoredZip,
    UnreadFile,
    ZipMember,
    digests,
)
from workbench.releases.contents import ReleaseContents
from workbench.releases.files import CHECKSUMS, MANIFEST, QRELS, derived_hashes, hashes, run_path
from workbench.releases.forms import DEFINITION_FILE
from workbench.releases.reading import read_contents

AGAIN = "download the release again"
MOST_FINDINGS = 100
_LINE = re.compile(r"([0-9a-f]{64})  (\S.*)")
_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)*")


@frozen_dataclass
class ReleaseCheck:
    """The outcome of a check: the findings, the SHA-256 of the whole zip, and the contents if it is whole.

    `files` are those in the zip by path, each read when it is asked for, as long as a stream that can be
    sought in is open; none if its layout is another.
    """

    findings: tuple[Finding, ...]
    sha256: str
    members: int
    contents: ReleaseContents | None
    files: Mapping[str, bytes] = field(default_factory=dict, compare=False, repr=False)

    @property
    def whole(self) -> bool:
        """Whether nothing was found."""
        return not self.findings

    @property
    def damaged(self) -> bool:
        """Whether anything is wrong; a release of another version may be neither damaged nor whole."""
        return any(one.severity is Severity.ERROR for one in self.findings)


@frozen_dataclass
class DocumentCheck:
    """Of `stated` documents whose hash a release states, `same` ones have this title and text elsewhere."""

    findings: tuple[Finding, ...]
    stated: int
    same: int


@frozen_dataclass
class MemberDigest:
    """A file in a zip by its SHA-256; `whole` says whether it has the checksum that the zip states for it."""

    name: str
    sha256: str
    whole: bool


def check_release(
    stream: IO[bytes],
    *,
    source: str,
    sha256: str = "",
    most: int = MOST_BYTES,
    leaving: Collection[str] = (),
) -> ReleaseCheck:
    """Check every byte of a release's zip; `sha256` is what its page says of the whole, if given.

    Every file is compared with its checksums, the archive with one that is built from its files anew, and all
    files with those that follow from the contents. Of a release of another version of Workbench, which words
    its texts and its program otherwise, only the hashes in the manifest are compared, and that is said. A zip
    of more than `most` bytes is refused unread.
    `leaving` are fields of the contents that stay empty: `runs`, of which only the content is left.
    """
    zipped = StoredZip(stream, most)
    if zipped.size > most:
        message = f"the file has more than {most:,} bytes"
        finding = Finding(
            source, None, "size", message, "check that this is the right file: a release is smaller"
        )
        return ReleaseCheck((finding,), zipped.sha256, 0, None)
    findings: list[Finding] = []
    if sha256 and sha256.strip().lower() != zipped.sha256:
        message = f"stated SHA-256 {sha256.strip()}, found {zipped.sha256}"
        findings.append(_damage(source, "whole", message))
    files: dict[str, UnreadFile] = {}
    try:
        members = zipped.members()
    except Misplaced as error:
        message = f"byte {error.offset:,}: {error.what}"
        remedy = f"{AGAIN}; a zip that was packed again is a different file"
        findings.append(Finding(source, None, "layout", message, remedy))
        digests, checksums = _by_directory(zipped, most)
        findings += check_digests(digests, checksums)
    else:
        read = [(one, zipped.member(one)) for one in members]
        digests = tuple(MemberDigest(one.name, file.sha256, file.crc == one.crc) for one, file in read)
        files = {one.name: file for one, file in read}
        findings += check_digests(digests, FilesOfZip(files).get(CHECKSUMS))
        # Around the files and between them.
        differs = zipped.difference(files)
        if differs is not None:
            message = (
                f"byte {differs:,}, {_part(members, differs)}, is not what the layout of a release has there"
            )
            findings.append(_damage(source, "layout", message))
    contents = None
    if not findings:
        contents, more = _meaning(files, leaving)
        findings += more
    return ReleaseCheck(
        tuple(findings[:MOST_FINDINGS]), zipped.sha256, len(digests), contents, FilesOfZip(files)
    )


def check_documents(contents: ReleaseContents, documents: Iterable[Document], source: str) -> DocumentCheck:
    """Compare the texts of a collection with those that were judged, by their SHA-256."""
    stated = {one.docno: one.sha256 for one in contents.documents if one.sha256 is not None}
    total, findings = len(stated), []
    for one in documents:
        known = stated.pop(one.docno, None)
        if known is not None and known != one.sha256:
            message = f"document {one.docno} has SHA-256 {one.sha256}, and the release states {known}"
            findings.append(
                Finding(source, None, "document", message, "take the text that the assessors judged")
            )
    if stated:
        message = f"{counted(len(stated), 'document')} of the release not found, first {min(stated)}"
        findings.append(
            Finding(source, None, "document-missing", message, "give all files of the collection")
        )
    same = total - len(stated) - sum(one.code == "document" for one in findings)
    return DocumentCheck(tuple(findings[:MOST_FINDINGS]), total, same)


def open_release(stream: IO[bytes], *, source: str) -> ReleaseContents:
    """The contents of a release that is not damaged; raises InvalidInput with what a check finds."""
    return undamaged(check_release(stream, source=source))


def undamaged(checked: ReleaseCheck) -> ReleaseContents:
    """The contents of a release that was checked; raises InvalidInput with the findings if it is damaged."""
    if checked.contents is None or checked.damaged:
        raise InvalidInput(checked.findings)
    return checked.contents


def _by_directory(zipped: StoredZip, most: int) -> tuple[tuple[MemberDigest, ...], bytes | None]:
    """The members of a zip of another layout as its directory has them, and the file of checksums.

    None where it is damaged past reading: the finding says from where on.
    """
    try:
        with zipfile.ZipFile(zipped.file) as archive:
            digests = tuple(_unpacked(archive, most))
            if CHECKSUMS not in archive.namelist():
                return digests, None
            with open_unchecked(archive, CHECKSUMS) as member:
                return digests, member.read()
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, ValueError, EOFError, OSError):
        return (), None


def _unpacked(archive: zipfile.ZipFile, most: int) -> Iterator[MemberDigest]:
    """The members by the directory, together no more than `most` bytes: a small zip can hold petabytes."""
    left = most
    for info in archive.infolist():
        with open_unchecked(archive, info) as member:
            sha256, crc = digests(_limited(member, left))
            left -= member.tell()
        yield MemberDigest(info.filename, sha256, crc == info.CRC)


def _limited(member: IO[bytes], most: int) -> Iterator[bytes]:
    while part := member.read(READ):
        if member.tell() > most:
            raise ValueError("the files are too large")
        yield part


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
            yield _damage(name, "duplicate", f"the zip has it {count} times")
    by_name = {member.name: member for member in members}
    sums = by_name.get(CHECKSUMS)
    if sums is None or checksums is None:
        if members:
            yield _damage(CHECKSUMS, "missing", "the zip has no checksums")
        return
    stated, unreadable = _stated(checksums)
    if unreadable or not sums.whole:
        message = "the file of checksums is damaged" + (f" in line {unreadable[0]}" if unreadable else "")
        yield Finding(CHECKSUMS, unreadable[0] if unreadable else None, "checksum", message, AGAIN)
    for name in sorted(stated.keys() - by_name.keys()):
        yield _damage(name, "missing", "it is among the checksums, but not in the zip")
    for name in sorted(by_name.keys() - stated.keys() - {CHECKSUMS}):
        yield _damage(ascii(name)[1:-1], "extra", "the zip has it, but the checksums do not")
    for name in sorted(stated.keys() & by_name.keys()):
        found = by_name[name].sha256
        # Where the checksums are what is damaged, the file is innocent.
        if found != stated[name] and (sums.whole or not by_name[name].whole):
            yield _damage(name, "checksum", f"stated SHA-256 {stated[name]}, found {found}")


def _damage(path: str, code: str, message: str) -> Finding:
    return Finding(path, None, code, message, AGAIN)


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


def _part(members: Iterable[ZipMember], offset: int) -> str:
    """Which part of a zip a byte lies in, in words."""
    for member in members:
        if offset < member.start + member.size:
            return f"in the header of {member.name}" if offset < member.start else f"in {member.name}"
    return "in the directory at the end"


def _meaning(
    files: Mapping[str, UnreadFile], leaving: Collection[str]
) -> tuple[ReleaseContents | None, list[Finding]]:
    """The contents, and each file that does not follow from them although its checksum is right."""
    stored = FilesOfZip(files)
    try:
        # The runs are known by their hashes.
        contents = read_contents(stored, leaving={"runs", *leaving})
        _check_runs(contents, files)
        if contents.about.software == __version__:
            findings = _differing(files, derived_hashes(contents, files)) or [*_unruly(contents)]
        else:
            named: Mapping[str, Any] = parsed_json(stored[MANIFEST])["files"]
            stated = {path: (one["sha256"], one["bytes"]) for path, one in named.items()}
            made = hashes({path: one for path, one in files.items() if path not in {MANIFEST, CHECKSUMS}})
            another = "the manifest states another hash or size for {}, or only one of both has it"
            findings = [
                _damage(MANIFEST, "manifest", another.format(path))
                for path in sorted(made.keys() | stated.keys())
                if made.get(path) != stated.get(path)
            ]
            software = contents.about.software[:40]
            message = f"made with Workbench {software}; this is {__version__}, which writes other texts"
            remedy = f"check it with that version before you run {DEFINITION_FILE}"
            findings.append(Finding(MANIFEST, None, "version", message, remedy, Severity.WARNING))
    except InvalidInput as error:
        return None, list(error.findings)
    except (WorkbenchError, ValueError, RecursionError, TypeError, KeyError, AttributeError) as error:
        # A recipe is any JSON: what it holds can still be what no file can.
        return None, [_damage(MANIFEST, "form", f"no release can be made of it: {error}")]
    if "runs" not in leaving:
        runs = (replace(run, content=stored.get(run_path(run.sha256))) for run in contents.runs)
        contents = replace(contents, runs=tuple(runs))
    return contents, findings


def _differing(files: Mapping[str, UnreadFile], made: Mapping[str, str]) -> list[Finding]:
    """Files that are not those which follow from the contents, and files that no release has."""
    derived = "it does not follow from the other files of the release"
    extra = "no release of these contents has such a file"
    found = {
        path: _damage(path, "derived", derived) if path in made else _damage(path, "extra", extra)
        for path in sorted(made.keys() | files.keys())
        if path not in made or path not in files or files[path].sha256 != made[path]
    }
    # The lists of all files follow from the others: they are to blame only where nothing else is.
    lists = [found.pop(path) for path in (MANIFEST, CHECKSUMS) if path in found]
    return [*found.values()] or lists[:1]


def _unruly(contents: ReleaseContents) -> Iterator[Finding]:
    """Where the qrels are not what their rule makes of the released judgments and decisions.

    Models are left out: where two grades are equally probable, the last digit of a sum decides, and that can
    be another on another processor.
    """
    rule = contents.rule
    if any(rule_of(name).slow for name in (rule.name, rule.parameters.get(THEN.name)) if name):
        return
    machines = contents.machines
    all_count = rule.machines or rule.parameters.get(ASSESSOR.name) in machines
    made = consensus(
        (one for one in contents.judgments() if all_count or one.assessor not in machines),
        rule=rule.name,
        scale=contents.scale,
        relevant_from=contents.scale.relevant_from,
        decided=contents.decided(),
        **rule.parameters,
    )
    if {*made.qrels} != {*contents.qrels} or len(made.unsettled) != contents.unsettled:
        message = f"the rule “{rule.name}” makes other lines of the judgments in this release"
        yield _damage(QRELS, "derived", message)
    if made.relevant_from != rule.relevant_from:
        message = f"grades of this rule are relevant from {made.relevant_from}, not {rule.relevant_from}"
        yield _damage(MANIFEST, "derived", message)


def _check_runs(contents: ReleaseContents, files: Mapping[str, UnreadFile]) -> None:
    for run in contents.runs:
        path = run_path(run.sha256)
        if path not in files:
            continue
        if files[path].sha256 != run.sha256:
            raise InvalidInput([_damage(path, "form", "the file is not the run that the manifest names")])
        found = _size_of_run(files[path])
        if found != (run.topics, run.lines):
            stated = f"{run.topics:,} topics and {run.lines:,} lines"
            message = f"the manifest states {stated} for the run {run.tag!a}, but its file has other numbers"
            raise InvalidInput([_damage(MANIFEST, "form", message)])


def _size_of_run(file: UnreadFile) -> tuple[int, int]:
    """How many topics and lines a run has."""
    lines = [line.split(None, 1)[0] for line in b"".join(file.parts()).splitlines() if line.strip()]
    return len(set(lines)), len(lines)
