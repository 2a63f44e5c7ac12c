"""The files of the runs that are included in a release, which are read only as it is stored."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterator
from functools import partial

from sqlalchemy.orm import Session

from workbench.errors import Conflict
from workbench.releases.archive import UnreadFile
from workbench.releases.files import run_path
from workbench.storage.engine import Database
from workbench.storage.run_files import plain_check, plain_file_apart
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
