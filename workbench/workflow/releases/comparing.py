"""Two releases of a campaign compared, with the effect on the runs that the campaign has."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from sqlalchemy.orm import Session

from workbench.errors import rejected
from workbench.records import Verdict
from workbench.releases.comparison import MEASURE, ReleaseComparison, compare_releases
from workbench.releases.zipped import ZippedRelease
from workbench.storage.releases import read_parts
from workbench.workflow.releases.reading import StoredFiles
from workbench.workflow.releases.releases import Release, release_by_version
from workbench.workflow.runs.packed_store import run_for_use
from workbench.workflow.runs.run_records import runs_of


def compare_campaign_releases(
    db: Session, campaign_id: int, first: str, second: str, *, measure: str = MEASURE
) -> ReleaseComparison:
    """Compare two releases by version; the runs are those of the campaign that were not set aside.

    Raises NotFound for a version that does not exist, WorkbenchError for a measure that ranks no runs.
    """
    found = [release_by_version(db, campaign_id, version) for version in (first, second)]
    tags = [run.tag for run in runs_of(db, campaign_id) if run.verdict is not Verdict.SET_ASIDE]
    runs = (run_for_use(db, campaign_id, tag) for tag in tags) if tags else None
    with ExitStack() as stack:
        one, other = (stack.enter_context(stored_release(db, release)) for release in found)
        return compare_releases(one, other, runs=runs, measure=measure)


@contextmanager
def stored_release(db: Session, release: Release) -> Iterator[ZippedRelease]:
    """A stored release to be compared, whose bytes are read part by part and its files one by one.

    Raises InvalidInput where the bytes are no longer what they were.
    """
    found = hashlib.sha256()
    for part in read_parts(db, release.id):
        found.update(part)
    if found.hexdigest() != release.sha256:
        message = f"stated SHA-256 {release.sha256}, found {found.hexdigest()}"
        remedy = "restore the latest backup in which `workbench verify` finds nothing"
        raise rejected(f"release {release.version}", None, "whole", message, remedy)
    with StoredFiles(db, release) as files:
        yield ZippedRelease.of(files)
