from __future__ import annotations

from tests.benchmarks.large_campaign import SIZES, build
from workbench.storage.engine import Database
from workbench.workflow.upkeep.checks import verify


def test_a_generated_campaign_is_one_that_people_could_have_made(database: Database) -> None:
    build(database, SIZES["XS"])
    assert verify(database).findings == ()
