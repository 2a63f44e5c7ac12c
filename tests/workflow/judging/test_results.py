"""Agreement, qrels and scores of a campaign, from its judgments."""

from __future__ import annotations

import pytest

from tests.builders import ALPHA, BETA, campaign_with_people, pooled_campaign, send_runs
from workbench.consensus.rules import RuleChoice, rule_choice
from workbench.errors import WorkbenchError
from workbench.records import FOUR_GRADES, Answer, Judgment
from workbench.scoring import score_columns
from workbench.storage.engine import Database
from workbench.workflow.judging.importing import import_judgments
from workbench.workflow.overview.progress import overview
from workbench.workflow.qrels.qrels import make_qrels, unjudged_pairs
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


def test_a_topic_without_a_judgment_has_lines_of_its_pool_alone_where_they_are_asked_for(
    database: Database,
) -> None:
    with database.writing() as db:
        made, _ = pooled_campaign(db)
        before = make_qrels(db, made.campaign.id, rule_choice(), unjudged=True)
        import_judgments(db, made.campaign.id, [Judgment("X", "T1", "d2", 1)], source="f")
        after = make_qrels(db, made.campaign.id, rule_choice(), unjudged=True)
        counted = unjudged_pairs(db, made.campaign.id, before), unjudged_pairs(db, made.campaign.id, after)
        # d9 is in no pool: it has a line, and nothing of the pool is judged by it.
        import_judgments(db, made.campaign.id, [Judgment("X", "T1", "d9", 1)], source="g")
        beside = unjudged_pairs(db, made.campaign.id, make_qrels(db, made.campaign.id, rule_choice()))
    # The pool has d/4, d1 and d2 for both topics.
    second = b"T2 0 d/4 -1\nT2 0 d1 -1\nT2 0 d2 -1\n"
    assert b"".join(before.lines()) == b"T1 0 d/4 -1\nT1 0 d1 -1\nT1 0 d2 -1\n" + second
    assert b"".join(after.lines()) == b"T1 0 d/4 -1\nT1 0 d1 -1\nT1 0 d2 1\n" + second
    assert (len(before.unjudged), len(after.unjudged)) == counted == (6, 5)
    assert beside == 5


def test_machines_have_no_voice_unless_they_are_given_one(database: Database) -> None:
    machine = [Judgment("M", "T1", "d1", 0), Judgment("M", "T1", "d6", 1)]
    with database.writing() as db:
        made = campaign_with_people(db, scale=FOUR_GRADES)
        import_judgments(db, made.campaign.id, GIVEN, source="f")
        import_judgments(db, made.campaign.id, machine, source="m", machines=["M"])
        lines = {
            choice: b"".join(make_qrels(db, made.campaign.id, choice).lines())
            for choice in (
                rule_choice("all"),
                rule_choice("all", machines=True),
                rule_choice("one", assessor="M"),
            )
        }
        state = overview(db, made.campaign.id)
    assert list(lines.values()) == [
        b"T1 0 d1 2\nT1 0 d2 0\n",
        b"T1 0 d1 0\nT1 0 d2 0\nT1 0 d6 1\n",
        b"T1 0 d1 0\nT1 0 d6 1\n",
    ]
    # Only people's grades make a pair judged or disputed.
    assert (state.judged, state.disputed) == (2, 1)


def test_an_unknown_rule_and_a_missing_assessor_are_told(database: Database) -> None:
    with database.writing() as db:
        made = campaign_with_people(db, scale=FOUR_GRADES)
        with pytest.raises(WorkbenchError, match="best"):
            make_qrels(db, made.campaign.id, rule_choice("best"))
        with pytest.raises(WorkbenchError, match="assessor"):
            make_qrels(db, made.campaign.id, rule_choice("one"))
        with pytest.raises(WorkbenchError, match="Nobody"):
            make_qrels(db, made.campaign.id, rule_choice("one", assessor="Nobody"))


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


def test_the_overview_counts_pairs_once_and_disputes(database: Database) -> None:
    with database.writing() as db:
        made = campaign_with_people(db, scale=FOUR_GRADES)
        import_judgments(db, made.campaign.id, GIVEN, source="f")
        state = overview(db, made.campaign.id)
    # Judged pairs with a grade: (T1, d1) and (T1, d2); disputed: d1 alone, since unsure is no grade.
    assert (state.pairs, state.judged, state.disputed) == (2, 2, 1)
    assert state.by_topic[0].by_grade == ((0, 1), (3, 1))
    assert [(line.name, line.judgments, line.unsure, line.cannot_judge) for line in state.by_assessor] == [
        ("Ada", 0, 0, 0),
        ("Ben", 0, 0, 0),
        ("X", 2, 0, 1),
        ("Y", 1, 2, 0),
    ]
