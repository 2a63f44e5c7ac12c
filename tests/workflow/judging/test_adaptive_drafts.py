"""Adaptive pools as drafts: nothing is told or handed out before they are opened."""

from __future__ import annotations

import pytest
from sqlalchemy.orm import Session

from tests.builders import ALPHA, BETA, campaign_with_people, send_runs
from workbench.errors import Conflict
from workbench.pooling.strategies import PoolRecipe
from workbench.workflow.pools.additions import Additions, add_documents
from workbench.workflow.pools.making import make_pool


def test_nothing_is_added_by_hand_to_an_adaptive_pool(db: Session) -> None:
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
