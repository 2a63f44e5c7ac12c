"""Adaptive pools as drafts: nothing is told or handed out before they are opened."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from tests.assigned import assign
from tests.builders import ALPHA, BETA, campaign_with_people, send_runs
from workbench.errors import Conflict
from workbench.pooling.strategies import PoolRecipe
from workbench.records import Judgment
from workbench.storage.engine import Database
from workbench.storage.tables import PoolEventRow
from workbench.workflow.judging.importing import import_judgments
from workbench.workflow.pools.additions import Additions, add_documents
from workbench.workflow.pools.drafts import before_opening, open_pool
from workbench.workflow.pools.listing import pool_report
from workbench.workflow.pools.making import make_pool


def test_a_draft_is_told_what_is_known_when_it_is_opened(database: Database) -> None:
    with database.writing() as db:
        made = campaign_with_people(db)
        send_runs(db, made.campaign.id, alpha=ALPHA, beta=BETA)
        draft = make_pool(
            db, made.campaign.id, PoolRecipe(strategy="hedge", supplementary=True), name="live", draft=True
        )
        # T1 has five documents, T2 four.
        assert draft.pool.pairs == 9
        with pytest.raises(Conflict, match="is a draft"):
            assign(db, draft.pool.id, topics=["T1"], assessor_ids=list(made.assessors.values()))
        import_judgments(db, made.campaign.id, [Judgment("Zoe", "T1", "d1", 1)], source="elsewhere")
        assert db.scalars(select(PoolEventRow)).all() == []
        before = before_opening(db, made.campaign.id, "live")
        assert before.topics == 2
        assert open_pool(db, made.campaign.id, "live", seen=before.sha256)
        [event] = db.scalars(select(PoolEventRow)).all()
        assert (event.topic, event.docno, event.relevant) == ("T1", "d1", True)
        assert pool_report(db, made.campaign.id, "live").recipe["totals"] == {"T1": 4, "T2": 4}
        # A second click opens nothing twice.
        assert not open_pool(db, made.campaign.id, "live", seen=before.sha256)
        assert len(db.scalars(select(PoolEventRow)).all()) == 1


def test_nothing_is_added_by_hand_to_an_adaptive_pool(database: Database) -> None:
    with database.writing() as db:
        made = campaign_with_people(db)
        send_runs(db, made.campaign.id, alpha=ALPHA, beta=BETA)
        make_pool(db, made.campaign.id, PoolRecipe(strategy="hedge"), name="live")
        with pytest.raises(Conflict, match="takes no documents by hand"):
            add_documents(
                db,
                made.campaign.id,
                "live",
                "T1",
                Additions({"d6": 1}, "found by searching"),
                added_by=made.organiser,
            )
