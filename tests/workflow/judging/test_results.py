"""Agreement, qrels and scores of a campaign, from its judgments."""

from __future__ import annotations

import pytest

from tests.builders import ALPHA, BETA, campaign_with_people, send_runs
from workbench.consensus.rule_choice import RuleChoice, rule_choice
from workbench.errors import WorkbenchError
from workbench.records import FOUR_GRADES, Answer, Judgment
from workbench.scoring import score_columns
from workbench.storage.engine import Database
from workbench.workflow.judging.importing import import_judgments
from workbench.workflow.qrels.qrels import make_qrels
from workbench.workflow.scores.score_table import default_measures, score_runs

GIVEN = (
    Judgment("X", "T1", "d1", 3),
    Judgment("Y", "T1", "d1", 2),
    Judgment("X", "T1", "d2", 0),
    Judgment("Y", "T1", "d2", None, Answer.UNSURE),
    Judgment("X", "T2", "d/4", None, Answer.CANNOT_JUDGE),
    Judgment("Y", "T2", "d/4", None, Answer.UNSURE),
)


@pytest.mark.parametrize(
    ("choice", "lines"),
    [
        (rule_choice("majority", ties="higher"), b"T1 0 d1 3\nT1 0 d2 0\n"),
        (rule_choice("majority", ties="lower"), b"T1 0 d1 2\nT1 0 d2 0\n"),
        (rule_choice("majority", ties="none"), b"T1 0 d2 0\n"),
        (rule_choice("any"), b"T1 0 d1 3\nT1 0 d2 0\n"),
        (rule_choice("all"), b"T1 0 d1 2\nT1 0 d2 0\n"),
        (rule_choice("upper-median"), b"T1 0 d1 3\nT1 0 d2 0\n"),
        (rule_choice("one", assessor="Y"), b"T1 0 d1 2\n"),
    ],
)
def test_each_rule_by_hand_and_never_a_line_for_unsure(
    database: Database, choice: RuleChoice, lines: bytes
) -> None:
    with database.writing() as db:
        made = campaign_with_people(db, scale=FOUR_GRADES)
        import_judgments(db, made.campaign.id, GIVEN, source="f")
        report = make_qrels(db, made.campaign.id, choice)
    assert b"".join(report.lines()) == lines
    # (T2, d/4) has no grade at all, under every rule.
    assert report.without_grade == 1


def test_scores_are_means_over_all_topics_of_the_qrels(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As though runs were long: short ones are scored together, and told of once.
    monkeypatch.setattr(score_columns, "AT_ONCE", 1)
    judgments = [
        Judgment("X", "T1", "d1", 1),
        Judgment("X", "T1", "d2", 0),
        Judgment("X", "T2", "d/4", 1),
        Judgment("X", "T2", "d2", 0),
    ]
    with database.writing() as db:
        made = campaign_with_people(db)
        send_runs(db, made.campaign.id, alpha=ALPHA, beta=BETA, half={"T1": ("d2", "d1")})
        import_judgments(db, made.campaign.id, judgments, source="f")
        seen: list[tuple[int, int]] = []
        table = score_runs(
            db,
            made.campaign.id,
            choice=rule_choice(),
            measures="AP",
            progress=lambda done, total: seen.append((done, total)),
        )
    # AP by hand: alpha has d1 and d/4 at rank 1: (1 + 1) / 2. Beta has d1 at rank 3 of T1 and d/4 at rank 1
    # of T2: (1/3 + 1) / 2. Half has d1 at rank 2 and lacks T2: (1/2 + 0) / 2.
    assert [(run.tag, run.topics_scored, run.topics_in_qrels) for run in table.runs] == [
        ("alpha", 2, 2),
        ("beta", 2, 2),
        ("half", 1, 2),
    ]
    assert [run.values["AP"] for run in table.runs] == pytest.approx([1.0, 2 / 3, 1 / 4])
    assert seen[-1] == (3, 3)


def test_default_measures_count_as_relevant_what_the_scale_does() -> None:
    assert default_measures(FOUR_GRADES) == "AP(rel=2) nDCG@10 P(rel=2)@10 RR(rel=2)"


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
