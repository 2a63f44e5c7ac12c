"""A campaign whose two assessors differ, so that rules rank its two runs differently."""

from __future__ import annotations

from sqlalchemy.orm import Session

from tests.builders import ALPHA, BETA, campaign_with_people, send_runs
from workbench.consensus.rules import RuleChoice, choices_of, rule_choice
from workbench.records import FOUR_GRADES, Judgment
from workbench.workflow.judging.importing import import_judgments

# Relevant from 2: under `any` d1 and d2 of T1 and d/4 of T2, under `all` d2 alone, and T2 has nothing.
GIVEN = (
    Judgment("X", "T1", "d1", 3),
    Judgment("Y", "T1", "d1", 0),
    Judgment("X", "T1", "d2", 2),
    Judgment("Y", "T1", "d2", 2),
    Judgment("X", "T2", "d/4", 0),
    Judgment("Y", "T2", "d/4", 3),
)


def judged_campaign(db: Session) -> int:
    made = campaign_with_people(db, scale=FOUR_GRADES)
    send_runs(db, made.campaign.id, alpha=ALPHA, beta=BETA)
    import_judgments(db, made.campaign.id, GIVEN, source="f")
    robot = [Judgment("R", "T1", "d6", 3)]
    import_judgments(db, made.campaign.id, robot, source="r", machines=["R"])
    return made.campaign.id


def choices(*rules: str) -> tuple[RuleChoice, ...]:
    return choices_of(rules, rule_choice(), assessors=["X", "Y"])
