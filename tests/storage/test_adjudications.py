"""What holds of a pair is the latest decision about it; on both databases."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from sqlalchemy.orm import Session

from workbench.storage.adjudications import adjudicated_grades, current_adjudications
from workbench.storage.engine import Database
from workbench.storage.tables import AdjudicationEventRow, CampaignRow

pytestmark = pytest.mark.engines

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def campaign(db: Session, slug: str) -> int:
    row = CampaignRow(slug=slug, name=slug, scale={}, created_at=NOW)
    db.add(row)
    db.flush()
    return row.id


def decide(db: Session, campaign_id: int, docno: str, decision: str, grade: int | None, client: str) -> None:
    db.add(
        AdjudicationEventRow(
            campaign_id=campaign_id,
            topic="1",
            docno=docno,
            decision=decision,
            grade=grade,
            seen=[],
            client_id=client,
            recorded_at=NOW,
        )
    )
    db.flush()


def test_the_latest_decision_of_a_pair_holds_unless_it_was_withdrawn(database: Database) -> None:
    with database.writing() as db:
        one, other = campaign(db, "one"), campaign(db, "other")
        decide(db, one, "changed", "grade", 0, "a")
        decide(db, one, "changed", "grade", 2, "b")
        decide(db, one, "withdrawn", "grade", 1, "c")
        decide(db, one, "withdrawn", "withdrawn", None, "d")
        decide(db, one, "back", "grade", 1, "e")
        decide(db, one, "back", "back", None, "f")
        decide(db, other, "changed", "grade", 3, "a")
    with database.reading() as db:
        held = [(row.docno, row.decision) for row in current_adjudications(db, one)]
        assert held == [("changed", "grade"), ("back", "back")]
        assert adjudicated_grades(db, one) == {("1", "changed"): 2}
        assert adjudicated_grades(db, other) == {("1", "changed"): 3}
