"""What the tests of agreement share."""

from __future__ import annotations

import pytest

from tests.builders import Made, pooled_campaign
from tests.workflow.agreement.overlaps import FIRST, judge
from workbench.storage.engine import Database


@pytest.fixture
def made(sqlite_database: Database) -> Made:
    with sqlite_database.writing() as db:
        campaign, _ = pooled_campaign(db, assessors=("Ada", "Ben", "Cleo"))
        judge(db, campaign, "Ada", FIRST)
    return campaign
