"""Agreement, qrels and scores of a campaign, from its judgments."""

from __future__ import annotations

import pytest

from tests.builders import ALPHA, campaign_with_people, send_runs
from workbench.consensus.rules import rule_choice
from workbench.errors import WorkbenchError
from workbench.storage.engine import Database
from workbench.workflow.scores.score_table import score_runs


def test_scoring_without_runs_or_qrels_says_what_to_do(database: Database) -> None:
    with database.writing() as db:
        made = campaign_with_people(db)
        with pytest.raises(WorkbenchError, match="load runs first"):
            score_runs(db, made.campaign.id, choice=rule_choice())
        send_runs(db, made.campaign.id, alpha=ALPHA)
        with pytest.raises(WorkbenchError, match="no qrels yet"):
            score_runs(db, made.campaign.id, choice=rule_choice())
        with pytest.raises(WorkbenchError, match="no run nothing"):
            score_runs(db, made.campaign.id, choice=rule_choice(), tags=["nothing"])
