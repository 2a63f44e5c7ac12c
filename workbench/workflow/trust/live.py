"""Whether what trust is computed from has changed: asked every half minute while people judge."""

from __future__ import annotations

import hashlib

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from workbench.storage.tables import AdjudicationEventRow
from workbench.workflow.agreement.independent_answers import discussions_version
from workbench.workflow.judging.current_judgments import recorded_version
from workbench.workflow.pools.listing import pools_of
from workbench.workflow.runs.run_records import runs_of


def trust_version(db: Session, campaign_id: int) -> str:
    """A hash of what stands for judgments, adjudicated grades, pools and runs; no judgment is read."""
    newest = select(func.max(AdjudicationEventRow.id)).where(AdjudicationEventRow.campaign_id == campaign_id)
    pools = [(line.id, line.draft, line.pairs) for line in pools_of(db, campaign_id)]
    runs = [(run.tag, run.sha256, run.group, run.verdict) for run in runs_of(db, campaign_id)]
    judgments = recorded_version(db, campaign_id)._replace(changes=0)  # another process has seen others
    found = (judgments, discussions_version(db, campaign_id), db.scalar(newest), pools, runs)
    return hashlib.sha256(repr(found).encode("utf-8", "backslashreplace")).hexdigest()
