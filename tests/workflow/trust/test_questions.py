"""A deeper pool, holes and fewer topics for a campaign: what each is computed from, and when anew."""

from __future__ import annotations

import pytest

from tests.builders import campaign_with_people, pooled_campaign, send_runs
from tests.workflow.trust.test_report import BOTH
from workbench.consensus.rules import rule_choice
from workbench.errors import WorkbenchError
from workbench.records import Judgment
from workbench.storage.engine import Database
from workbench.trust.depth import Advice
from workbench.workflow.judging.importing import import_judgments
from workbench.workflow.trust.questions import campaign_depth, campaign_holes

ANY = rule_choice("any")


def test_a_deeper_pool_is_that_of_the_opened_depth_pool(sqlite_database: Database) -> None:
    with sqlite_database.writing() as db:
        made, _ = pooled_campaign(db)
        campaign = made.campaign.id
        import_judgments(db, campaign, BOTH, source="f")
        # A run that was not pooled has no part in it.
        send_runs(db, campaign, late={"T1": ("d9",)})
        found = campaign_depth(db, campaign, choice=ANY)
    assert (found.question.depth, found.question.deeper, found.runs) == (2, 4, 2)
    # Six pairs at depth 2, of which d1 of T2 is not judged; all relevant ones are T1's d1, d2, T2's d/4, d2.
    assert (found.pooled, found.judged, found.found) == (6, 5, 4)
    # Of T1 depths 3 and 4 have d#3 and d6, of T2 é5 alone; T2's unjudged pair comes before any deeper one.
    advice = {one.topic: (one.judgments, one.unjudged, one.advice) for one in found.topics}
    assert advice == {"T1": (2, 0, Advice.OPEN), "T2": (1, 1, Advice.FINISH)}


def test_without_a_depth_pool_nothing_is_extrapolated(sqlite_database: Database) -> None:
    with sqlite_database.writing() as db:
        made = campaign_with_people(db)
        campaign = made.campaign.id
        send_runs(db, campaign, a={"T1": ("d1", "d2")}, b={"T1": ("d2",)})
        import_judgments(db, campaign, BOTH, source="f")
        with pytest.raises(WorkbenchError, match="depth"):
            campaign_depth(db, campaign, choice=ANY)


def test_holes_are_those_of_all_runs_under_the_rule(sqlite_database: Database) -> None:
    with sqlite_database.writing() as db:
        made, _ = pooled_campaign(db)
        campaign = made.campaign.id
        import_judgments(db, campaign, BOTH, source="f")
        found = campaign_holes(db, campaign, choice=ANY, measure="P@2")
        assert campaign_holes(db, campaign, choice=ANY, measure="P@2") == found
        import_judgments(db, campaign, [Judgment("X", "T2", "d1", 0)], source="g")
        after = campaign_holes(db, campaign, choice=ANY, measure="P@2")
    assert found.topics == 2
    # Alpha has d1 d2 d#3 d6 and d/4 d1 é5; judged are d1, d2 and d/4, and then d1 of T2 as well.
    (alpha, _), (alpha_after, _) = found.runs, after.runs
    assert [(one.judged[0].judged, one.judged[0].retrieved) for one in (alpha, alpha_after)] == [
        (3, 7),
        (4, 7),
    ]
    # Beta has d2 d/4 d1 d6 and d/4 d2, all but d6 judged: together 8 of 13, of alpha least.
    (at_ten, _) = found.overall()
    assert (at_ten.judged, at_ten.retrieved, at_ten.least, at_ten.least_of) == (8, 13, 3 / 7, "alpha")
