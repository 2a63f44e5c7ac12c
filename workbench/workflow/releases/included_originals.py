"""The originals of documents that are included in a release, which are read one by one as it is stored."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Iterator
from functools import partial

from sqlalchemy.orm import Session

from workbench.errors import Conflict, NotFound
from workbench.releases.archive import UnreadFile
from workbench.releases.files import original_path
from workbench.storage.chunks import chunks
from workbench.storage.engine import Database
from workbench.workflow.campaigns.originals import original_bytes, originals_of


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
                parts = partial(_parts, database, campaign_id, docno, original.sha256)
                found[path] = UnreadFile(len(content), zlib.crc32(content), original.sha256, parts)
    return found


def _parts(database: Database, campaign_id: int, docno: str, sha256: str) -> Iterator[bytes]:
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
