"""Two releases of a campaign compared, with the effect on the runs that the campaign has."""

from __future__ import annotations

import io

from sqlalchemy.orm import Session

from workbench.records import Verdict
from workbench.releases.check import open_release
from workbench.releases.comparison import MEASURE, ReleaseComparison, compare_releases
from workbench.releases.contents import ReleaseContents
from workbench.workflow.releases.releases import Release, release_by_version, release_bytes
from workbench.workflow.runs.packed_store import run_for_use
from workbench.workflow.runs.run_records import runs_of


def compare_campaign_releases(
    db: Session, campaign_id: int, first: str, second: str, *, measure: str = MEASURE
) -> ReleaseComparison:
    """Compare two releases by version; the runs are those of the campaign that were not set aside.

    Raises NotFound for a version that does not exist, WorkbenchError for a measure that ranks no runs.
    """
    one, other = (
        released_contents(db, release_by_version(db, campaign_id, each)) for each in (first, second)
    )
    tags = [run.tag for run in runs_of(db, campaign_id) if run.verdict is not Verdict.SET_ASIDE]
    runs = [run_for_use(db, campaign_id, tag) for tag in tags]
    return compare_releases(one, other, runs=runs or None, measure=measure)


def released_contents(db: Session, release: Release) -> ReleaseContents:
    """The contents of a stored release; raises InvalidInput where its bytes are no longer what they were."""
    return open_release(io.BytesIO(release_bytes(db, release)), source=f"release {release.version}")
