"""Other judges and other runs for a campaign: from its judgments, pools and runs."""

from __future__ import annotations

import pytest

from tests.builders import ALPHA, BETA, campaign_with_people, pooled_campaign, send_runs
from workbench.consensus.rules import rule_choice
from workbench.errors import WorkbenchError
from workbench.records import Judgment
from workbench.storage.engine import Database
from workbench.workflow.judging.importing import import_judgments
from workbench.workflow.trust.questions import trust_report

# X has d1 of T1 and d/4 of T2, Y has d2 of both; Y judged less of T1.
OF_X = [("T1", "d1", 1), ("T1", "d2", 0), ("T1", "d/4", 0), ("T2", "d/4", 1), ("T2", "d2", 0)]
OF_Y = [("T1", "d2", 1), ("T2", "d/4", 0), ("T2", "d2", 1)]
BOTH = [Judgment(name, *one) for name, given in (("X", OF_X), ("Y", OF_Y)) for one in given]


def test_a_campaign_is_compared_under_its_assessors_and_without_its_groups(database: Database) -> None:
    with database.writing() as db:
        made, _ = pooled_campaign(db)
        campaign = made.campaign.id
        import_judgments(db, campaign, BOTH, source="f")
        found = trust_report(db, campaign, choice=rule_choice("any"), measure="AP")
    assert (found.coverage.pairs, found.coverage.pooled) == (5, 6)
    # Both graded d2 of T1 and both documents of T2.
    assert (found.graded, found.shared) == (5, 3)
    assert found.judges is not None
    assert found.judges.assessors == ("X", "Y")
    others = {one.name: one for one in found.judges.others}
    # What Y did not judge of T1 is as in the qrels: d1 is relevant there, and d/4 is not.
    assert others["Y"].graded == 5
    assert {"X", "Y", "any", "all"} <= others.keys()
    # By any, alpha has d1 d2 of T1, and of T2 d/4 but not d2: AP 1 and 1/2. Beta has d2 . d1 of T1 and d/4 d2
    # of T2: (1 + 2/3) / 2 and 1.
    scores = {one.run: one.score for one in found.judges.standings}
    assert scores == {"alpha": pytest.approx(0.75), "beta": pytest.approx((5 / 6 + 1) / 2)}
    assert found.runs is not None
    # At depth 2 alpha alone brought d1 of both topics (one judged), beta d/4 of T1 and d2 of T2.
    unique = {one.group: (one.unique, one.unique_relevant) for one in found.runs.groups}
    assert unique == {"alpha": (1, 1), "beta": (2, 1)}
    assert found.runs.late == ()


def test_one_assessor_alone_has_nobody_to_be_compared_with(database: Database) -> None:
    with database.writing() as db:
        made = campaign_with_people(db)
        send_runs(db, made.campaign.id, alpha=ALPHA, beta=BETA)
        import_judgments(db, made.campaign.id, [Judgment("X", *one) for one in OF_X], source="f")
        found = trust_report(db, made.campaign.id, choice=rule_choice("any"), measure="AP")
    assert found.judges is None
    assert found.runs is None


def test_what_cannot_be_ranked_is_refused(database: Database) -> None:
    with database.writing() as db:
        made = campaign_with_people(db)
        campaign = made.campaign.id
        send_runs(db, campaign, alpha=ALPHA)
        with pytest.raises(WorkbenchError, match="two runs"):
            trust_report(db, campaign, choice=rule_choice("any"), measure="AP")
        send_runs(db, campaign, beta=BETA)
        with pytest.raises(WorkbenchError, match="no qrels"):
            trust_report(db, campaign, choice=rule_choice("any"), measure="AP")
        with pytest.raises(WorkbenchError, match="one measure"):
            trust_report(db, campaign, choice=rule_choice("any"), measure="AP P@5")
