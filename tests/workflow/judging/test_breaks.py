"""Breaks are proposed only where the organiser asked, and the other rules of the desk stay as they are."""

from __future__ import annotations

import pytest
from sqlalchemy.orm import Session

from tests.builders import campaign_with_people
from workbench.errors import InvalidInput
from workbench.workflow.judging.desk_rules import save_break_minutes


@pytest.mark.parametrize("minutes", [-1, 0, 4, 481])
def test_what_is_no_sitting_is_refused(minutes: int, db: Session) -> None:
    campaign = campaign_with_people(db).campaign.id
    with pytest.raises(InvalidInput, match=rf"\b{abs(minutes)} minutes"):
        save_break_minutes(db, campaign, minutes)
