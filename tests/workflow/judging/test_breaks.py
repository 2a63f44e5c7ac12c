"""Breaks are proposed only where the organiser asked, and the other rules of the desk stay as they are."""

from __future__ import annotations

import pytest

from tests.builders import campaign_with_people
from workbench.errors import InvalidInput
from workbench.storage.engine import Database
from workbench.storage.tables import CampaignRow
from workbench.workflow.judging.desk_rules import break_minutes_of, save_break_minutes


def test_a_break_is_asked_for_and_taken_back(sqlite_database: Database) -> None:
    with sqlite_database.writing() as db:
        campaign = campaign_with_people(db).campaign.id
        assert break_minutes_of(db, campaign) is None
        db.get_one(CampaignRow, campaign).desk_rules = {"other": 1}
        save_break_minutes(db, campaign, 45)
        assert break_minutes_of(db, campaign) == 45
        save_break_minutes(db, campaign, None)
        assert break_minutes_of(db, campaign) is None
        assert db.get_one(CampaignRow, campaign).desk_rules == {"other": 1}


@pytest.mark.parametrize("minutes", [-1, 0, 4, 481])
def test_what_is_no_sitting_is_refused(sqlite_database: Database, minutes: int) -> None:
    with sqlite_database.writing() as db:
        campaign = campaign_with_people(db).campaign.id
        with pytest.raises(InvalidInput, match=rf"\b{abs(minutes)} minutes"):
            save_break_minutes(db, campaign, minutes)
