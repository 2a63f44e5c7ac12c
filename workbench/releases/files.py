"""The files of a release, by their paths in the zip, from its contents.

Half of them carry the contents (`manifest.json`, `guidelines.md` and the JSON lines; `reading` makes the
contents of them again); the others say the same in the forms that tools of the field read. To add a form: a
function from `ReleaseContents` to files, and its place in `WRITERS`.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import weakref
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from functools import partial
from types import MappingProxyType
from typing import Any, TypeVar

from workbench.errors import Finding, InvalidInput, WorkbenchError
from workbench.formats.identifiers import fits, is_utf8
from workbench.formats.judgments import write_judgment_groups, write_judgments, write_preferences
from workbench.formats.qrels import write_qrels, write_subtopic_qrels
from workbench.pooling.pool import Pool
from workbench.pooling.sampling import infap_rows, xinfap_rows
from workbench.records import Answer, Qrel, grades_of, id_bytes, pair_of, sorted_ids
from workbench.releases.archive import UnreadFile, digests, zip_parts
from workbench.releases.contents import ReleaseContents, ReleasedPool, ReleasedRun, ReleasedTopic
from workbench.releases.datasheet import datasheet, readme, release_counts
from workbench.releases.forms import form_files
from workbench.releases.record_form import as_object, json_bytes, written_records

MANIFEST = "manifest.json"
CHECKSUMS = "SHA256SUMS"
GUIDELINES, INSTRUCTIONS = "guidelines.md", "instructions.jsonl"
QRELS = "qrels.txt"
TOPICS, DOCUMENTS, ANSWERS = "topics.jsonl", "documents.jsonl", "judgments.jsonl"
DECISIONS, PREFERENCES, POOLS = "adjudications.jsonl", "preferences.jsonl", "pools.json"
Files = dict[str, bytes]
Written = Iterable[tuple[str, bytes | Iterator[bytes]]]
"""Files by path, one after the other, those that may be large in parts."""
Writer = Callable[[ReleaseContents], Files | Written]
T = TypeVar("T")
NONE: Mapping[str, UnreadFile] = MappingProxyType({})


def release_parts(contents: ReleaseContents, stored: Mapping[str, UnreadFile] = NONE) -> Iterator[bytes]:
    """The zip of a release in parts, which depends on nothing but its contents.

    Its files are in a temporary one meanwhile; those that are `stored`, by path, stand for bytes that the
    contents lack, and are read as it is written. Raises InvalidInput for ids that no qrels file can hold,
    WorkbenchError for a release that is too large.
    """
    check_contents(contents)
    files: dict[str, bytes | UnreadFile] = {**_written(contents, WRITERS, Spool().add), **stored}
    return zip_parts({**files, **_listing(contents, files)})


def _listing(contents: ReleaseContents, files: Mapping[str, bytes | UnreadFile]) -> Files:
    """The two files that list all others with their hashes; `SHA256SUMS` has that of the manifest, too."""
    manifest = json_bytes(manifest_of(contents, hashes(files)), indent=2)
    return {MANIFEST: manifest, CHECKSUMS: checksums({**files, MANIFEST: manifest})}


def derived_hashes(contents: ReleaseContents, stored: Mapping[str, UnreadFile]) -> dict[str, str]:
    """The SHA-256 that each file of a release of these contents has, by path.

    The runs, which are known by their hashes, are taken from the `stored` files; the two lists of all files
    are those of the stored ones.
    """
    made = {path: one.sha256 for one in contents.runs if (path := run_path(one.sha256)) in stored}
    made |= _written(contents, WRITERS, _hashed)
    listed = {path: stored[path] for path in stored if path not in {MANIFEST, CHECKSUMS}}
    return made | {path: _sha256(content) for path, content in _listing(contents, listed).items()}


def _written(
    contents: ReleaseContents, writers: Iterable[Writer], keep: Callable[[Iterable[bytes]], T]
) -> dict[str, T]:
    files: dict[str, T] = {}
    for write in writers:
        written = write(contents)
        for path, content in written.items() if isinstance(written, dict) else written:
            if path in files:
                raise WorkbenchError(f"two forms write {path}", remedy="report this as a defect")
            files[path] = keep((content,) if isinstance(content, bytes) else content)
    return files


def _hashed(parts: Iterable[bytes]) -> str:
    found = hashlib.sha256()
    for part in parts:
        found.update(part)
    return found.hexdigest()


def check_contents(contents: ReleaseContents) -> None:
    """Raise InvalidInput with every id that a file of the release could not hold: spaces, bytes not UTF-8."""
    found: list[Finding] = []
    kinds: Mapping[str, set[str]] = {
        "topic": {one.id for one in contents.topics} | {one.topic for one in contents.qrels},
        "docno": {one.docno for one in contents.documents} | {one.docno for one in contents.qrels},
    }
    for kind, ids in kinds.items():
        for one in sorted_ids(ids):
            if not fits(one) or not is_utf8(one):
                shown = ascii(one)[:80]
                message = f"the {kind} {shown} cannot be written to a qrels file"
                remedy = "use ids in UTF-8 without white space: columns of qrels are separated by spaces"
                found.append(Finding("Release", None, "id", message, remedy))
    if found:
        raise InvalidInput(found)


def hashes(files: Mapping[str, bytes | UnreadFile]) -> dict[str, tuple[str, int]]:
    """The SHA-256 and the size in bytes of every file, by path."""
    return {path: (_sha256(files[path]), len(files[path])) for path in sorted(files, key=str.encode)}


def checksums(files: Mapping[str, bytes | UnreadFile]) -> bytes:
    """The lines that `sha256sum -c` checks."""
    return "".join(f"{sha256}  {path}\n" for path, (sha256, _) in hashes(files).items()).encode()


def pool_path(number: int) -> str:
    """The path of the pairs of a pool, by its number from 1."""
    return f"pools/{number}.jsonl"


def undrawn_path(number: int) -> str:
    """The path of what a sampled pool could have drawn and did not, by its number from 1."""
    return f"pools/{number}-undrawn.jsonl"


def events_path(number: int) -> str:
    """The path of the events of an adaptive pool, by its number from 1."""
    return f"pools/{number}-events.jsonl"


def run_path(sha256: str) -> str:
    """The path of a run's file, by its hash: tags may hold what no path can."""
    return f"runs/{sha256}.txt"


def original_path(sha256: str) -> str:
    """The path of the bytes that documents were read from, by their hash."""
    return f"originals/{sha256}"


def _carriers(contents: ReleaseContents) -> Written:
    """What `reading` makes the contents of again, with the manifest."""
    yield GUIDELINES, contents.guidelines.encode()
    if contents.instructions:
        yield INSTRUCTIONS, written_records(contents.instructions)
    yield TOPICS, written_records(map(ReleasedTopic.of, contents.topics))
    yield DOCUMENTS, written_records(replace(one, content=None) for one in contents.documents)
    yield ANSWERS, written_records(contents.answers)
    yield DECISIONS, written_records(contents.decisions)
    yield PREFERENCES, written_records(contents.preferences)
    pools = [replace(pool, entries=(), undrawn=(), events=()) for pool in contents.pools]
    yield POOLS, json_bytes([as_object(pool) for pool in pools], indent=2)
    for number, pool in enumerate(contents.pools, 1):
        yield pool_path(number), written_records(pool.entries)
        if pool.undrawn:
            yield undrawn_path(number), written_records(pool.undrawn)
        if pool.events:
            yield events_path(number), written_records(pool.events)
    # Documents and runs may have the same bytes.
    yield from {
        original_path(one.original): one.content for one in contents.documents if one.content is not None
    }.items()
    yield from {run_path(one.sha256): one.content for one in contents.runs if one.content is not None}.items()


def _qrels(contents: ReleaseContents) -> Files:
    """One grade a pair, and the same with -1 for pairs that were pooled and have none."""
    unjudged = (Qrel(*pair, -1) for pair in contents.unjudged())
    return {
        QRELS: b"".join(write_qrels(contents.qrels)),
        "qrels_unjudged.txt": b"".join(write_qrels((*contents.qrels, *unjudged))),
    }


def _each_assessor(contents: ReleaseContents) -> Files:
    """The grades of each assessor with any: a qrels file, one file of groups, and tab-separated answers."""
    judgments = contents.judgments()
    files = {
        "qrels_jg": b"".join(write_judgment_groups(judgments)),
        "judgments.tsv": b"".join(write_judgments(judgments)),
    }
    for assessor in contents.assessors:
        own = (one for one in judgments if one.assessor == assessor.pseudonym and one.grade is not None)
        lines = b"".join(write_qrels(Qrel(one.topic, one.docno, one.grade or 0) for one in own))
        if lines:
            files[f"qrels/{assessor.pseudonym}.txt"] = lines
    return files


def _preferences(contents: ReleaseContents) -> Files:
    """Preferences between documents as trec_eval reads them, where there are any."""
    between = [one.preference for one in contents.preferences if one.kind == "documents"]
    lines = b"".join(write_preferences(between))
    return {"prefs.txt": lines} if lines else {}


def _subtopics(contents: ReleaseContents) -> Files:
    """Which subtopics a document covers: where more than half of those who graded it ticked the subtopic."""
    asked = {one.id: [number for number, _ in one.subtopics] for one in contents.topics if one.subtopics}
    graded: dict[tuple[str, str], list[tuple[str, ...]]] = {}
    for one in contents.current():
        if one.answer == Answer.GRADE and one.topic in asked:
            graded.setdefault(pair_of(one), []).append(one.subtopics)
    lines = [
        (topic, subtopic, docno, int(2 * sum(subtopic in each for each in ticked) > len(ticked)))
        for (topic, docno), ticked in graded.items()
        for subtopic in asked[topic]
    ]
    return {"qrels_subtopics.txt": b"".join(write_subtopic_qrels(lines))} if lines else {}


def _sampled(contents: ReleaseContents) -> Files:
    """The sampling design of every pool that was drawn, with -1 for what was not drawn or has no grade.

    Prels with strata for xinfAP; qrels for infAP where each topic has one stratum, which is all that it
    knows.
    """
    grades = grades_of(contents.qrels)
    files: Files = {}
    for number, pool in enumerate(contents.pools, 1):
        drawn = _drawn(pool)
        if drawn.inclusion and pool.undrawn:
            files[f"sampled/{number}.prels"] = _lines(xinfap_rows(drawn, grades))
            if set(drawn.strata.values()) == {1}:
                files[f"sampled/{number}.infap.qrels"] = _lines(infap_rows(drawn, grades))
    return files


def _drawn(pool: ReleasedPool) -> Pool:
    drawn = [one for one in pool.entries if one.inclusion is not None and one.stratum is not None]
    return Pool(
        (),
        (),
        {},
        inclusion={pair_of(one): one.inclusion for one in drawn if one.inclusion is not None},
        strata={pair_of(one): one.stratum for one in pool.undrawn}
        | {pair_of(one): one.stratum for one in drawn if one.stratum is not None},
    )


def _lines(rows: Iterable[tuple[str, ...]]) -> bytes:
    return b"".join(b" ".join(map(id_bytes, row)) + b"\n" for row in rows)


def _texts(contents: ReleaseContents) -> Files:
    """What people read."""
    return {"README.md": readme(contents).encode(), "DATASHEET.md": datasheet(contents).encode()}


WRITERS: tuple[Writer, ...] = (
    _carriers,
    _qrels,
    _each_assessor,
    _preferences,
    _subtopics,
    _sampled,
    _texts,
    form_files,
)
"""Every form that is in a release, each a function from the contents to files by path.

`check` makes them again: each follows from the contents to the byte.
"""


def _sha256(content: bytes | UnreadFile) -> str:
    return content.sha256 if isinstance(content, UnreadFile) else hashlib.sha256(content).hexdigest()


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
        start = self._size
        sha256, crc = digests(map(self._write, _large(content)))
        size = self._size - start
        return UnreadFile(size, crc, sha256, partial(self._parts, start, size))

    def _write(self, part: bytes) -> bytes:
        rest = memoryview(part)
        while rest:
            written = os.pwrite(self._file.fileno(), rest, self._size)
            self._size += written
            rest = rest[written:]
        return part

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


FORM = "workbench-release/1"
"""The form of the files; a release of another one is refused, not guessed at."""


def manifest_of(contents: ReleaseContents, hashes: Mapping[str, tuple[str, int]]) -> dict[str, Any]:
    """The manifest of a release as JSON; `hashes` has the SHA-256 and size of every other file by path."""
    answers = Counter(one.assessor for one in contents.current())
    return {
        "form": FORM,
        "about": as_object(contents.about),
        "citation": contents.about.citation,
        "included": sorted(contents.included),
        "scale": as_object(contents.scale),
        "guidelines_sha256": contents.guidelines_sha256,
        "rule": as_object(contents.rule),
        "questions": [as_object(one) for one in contents.questions],
        "counts": asdict(release_counts(contents)),
        "agreement": {
            "between": "people, independent judgments, relevant or not",
            "undefined": contents.agreement_undefined,
            "estimates": [as_object(one) for one in contents.agreement],
        },
        "assessors": [as_object(one) | {"answers": answers[one.pseudonym]} for one in contents.assessors],
        "pools": [
            {
                "name": pool.name,
                "strategy": pool.recipe.get("strategy", ""),
                "parameters": dict(sorted(pool.recipe.get("parameters", {}).items())),
                "seed": pool.seed,
                "pairs": len(pool.entries),
                "runs": [run["tag"] for run in pool.recipe.get("runs", ())],
            }
            for pool in contents.pools
        ],
        "runs": [_run(one) for one in contents.runs],
        "files": {path: {"sha256": sha256, "bytes": size} for path, (sha256, size) in hashes.items()},
    }


def _run(one: ReleasedRun) -> dict[str, Any]:
    return {name: value for name, value in as_object(one).items() if name != "content"}
