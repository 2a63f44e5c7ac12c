"""How many disputed pairs wait for whom."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy.orm import Session

from workbench.workflow.adjudication.queue import State
from workbench.workflow.adjudication.queue_table import queue_source, queue_table


def dispute_counts(db: Session, campaign_id: int) -> Mapping[State, int]:
    """How many pairs of the queue of disputes are in each state."""
    return queue_table(db, queue_source(db, campaign_id)).counts()
