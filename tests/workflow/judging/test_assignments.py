"""Who has which topic, and how much of it is left."""

from __future__ import annotations

import pytest

from tests.assigned import assign
from tests.builders import pooled_campaign
from workbench.errors import Conflict
from workbench.storage.engine import Database
from workbench.workflow.judging.assigned_work import left_to_judge
from workbench.workflow.pools.drafts import close_pool


def test_left_to_judge_counts_open_pools_only(database: Database) -> None:
    with database.writing() as db:
        made, report = pooled_campaign(db)
        ada = made.accounts["Ada"]
        assign(db, report.pool.id, topics=["T1", "T2"], assessor_ids=[made.assessors["Ada"]])
        assert left_to_judge(db, made.campaign.id, ada) == 6
        close_pool(db, made.campaign.id, report.pool.name)
        assert left_to_judge(db, made.campaign.id, ada) == 0
        with pytest.raises(Conflict, match="is closed"):
            assign(db, report.pool.id, topics=["T1"], assessor_ids=[made.assessors["Ben"]])
