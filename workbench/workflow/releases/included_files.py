"""The files that are included in a release (runs, originals of documents), each read only as it is stored."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Iterator
from functools import partial

from sqlalchemy.orm import Session

from workbench.errors import Conflict, NotFound
from workbench.releases.archive import UnreadFile
from workbench.releases.files import original_path, run_path
from workbench.storage.chunks import chunks
from workbench.storage.engine import Database
from workbench.storage.run_files import plain_check, plain_file_apart
from workbench.workflow.campaigns.originals import original_bytes, originals_of
from workbench.workflow.runs.run_records import CampaignRun, runs_of


def included_runs(db: Session, database: Database, campaign_id: int) -> dict[str, UnreadFile]:
    """The file of every current run by its path in a release, each read in transactions of its own.

    What a run's row holds never changes, so that it need not be read from the snapshot of `db`.
    """
    found = {}
    for run in runs_of(db, campaign_id):
        crc, size = plain_check(db, run.id)
        found[run_path(run.sha256)] = UnreadFile(size, crc, run.sha256, partial(_parts, database, run))
    return found


def _parts(database: Database, run: CampaignRun) -> Iterator[bytes]:
    """The plain file of a run; raises Conflict where it is not what was added, or was removed meanwhile."""
    sha = hashlib.sha256()
    try:
        for part in plain_file_apart(database.reading, run.id):
            sha.update(part)
            yield part
    except (EOFError, zlib.error):
        sha = hashlib.sha256()
    if sha.hexdigest() != run.sha256:
        raise Conflict(
            f"the file of run {run.tag!r} cannot be read as it was added: the run was removed "
            "meanwhile, or the file is damaged",
            remedy="make the release again; if this happens again, the administrator must check the database",
        )


def included_originals(
    db: Session, database: Database, campaign_id: int, docnos: Iterable[str]
) -> dict[str, UnreadFile]:
    """The originals of some documents by their paths in a release; those whose bytes are kept.

    Each is read here for its checksum, and once more, in a transaction of its own, as it is written.
    """
    found: dict[str, UnreadFile] = {}
    for some in chunks(sorted(docnos)):
        for docno, original in originals_of(db, campaign_id, some).items():
            path = original_path(original.sha256)
            if path not in found:
                content = original_bytes(db, campaign_id, docno).content
                parts = partial(_original_parts, database, campaign_id, docno, original.sha256)
                found[path] = UnreadFile(len(content), zlib.crc32(content), original.sha256, parts)
    return found


def _original_parts(database: Database, campaign_id: int, docno: str, sha256: str) -> Iterator[bytes]:
    """The bytes of an original; raises Conflict where the document was replaced or removed meanwhile."""
    content = b""
    try:
        with database.reading() as db:
            content = original_bytes(db, campaign_id, docno).content
    except NotFound:
        sha256 = ""
    if hashlib.sha256(content).hexdigest() != sha256:
        raise Conflict(
            f"document {docno!r} was replaced or removed while the release was made",
            remedy="make the release again",
        )
    yield content
