"""A score table: what is scored again as a campaign goes on, and of which judgments a page shows it."""

from __future__ import annotations

import pytest
from sqlalchemy.orm import Session

from tests.builders import ALPHA, BETA, campaign_with_people, pooled_campaign, send_runs
from workbench.consensus.rules import rule_choice
from workbench.errors import WorkbenchError
from workbench.records import Judgment
from workbench.workflow.judging.importing import import_judgments
from workbench.workflow.scores.leaderboard import leaderboard, leaderboard_export
from workbench.workflow.scores.score_table import ScoreTable, score_runs

FIRST = [Judgment("X", "T1", "d1", 1), Judgment("X", "T1", "d2", 0), Judgment("X", "T2", "d/4", 1)]


def table_of(db: Session, campaign_id: int, measures: str = "AP P@2") -> ScoreTable:
    return score_runs(db, campaign_id, choice=rule_choice(), measures=measures)


def test_coverage_counts_topics_and_pooled_pairs_with_a_grade(db: Session) -> None:
    made, _ = pooled_campaign(db)
    # Two of the six pooled pairs, of one of the two topics; d6 is in no pool.
    import_judgments(db, made.campaign.id, [*FIRST[:2], Judgment("X", "T1", "d6", 0)], source="f")
    found = table_of(db, made.campaign.id).coverage
    assert (found.topics, found.all_topics, found.pairs, found.pooled) == (1, 2, 2, 6)
    assert not found.whole


def test_the_leaderboard_is_exported_with_intervals_and_what_is_not_judged(db: Session) -> None:
    made = campaign_with_people(db)
    send_runs(db, made.campaign.id, alpha=ALPHA, beta=BETA)
    import_judgments(db, made.campaign.id, FIRST, source="f")
    board = leaderboard(table_of(db, made.campaign.id, "P@2 NumRet"))
    export = leaderboard_export(board)
    rows = [dict(zip(export.columns, row, strict=True)) for row in export.rows()]
    # P@2: alpha d1 d2 and d/4 d1, beta d2 d/4 and d/4 d2: 1/2 twice, and 0 and 1/2. Of alpha d1 of T2 is not
    # judged, of beta d/4 of T1 and d2 of T2.
    assert [(row["run"], row["P@2"]) for row in rows] == [("alpha", 0.5), ("beta", 0.25)]
    parts = ("unjudged", "read")
    assert [[row[f"P@2 {part}"] for part in parts] for row in rows] == [[1, 4], [2, 4]]
    assert (rows[0]["P@2 low"], rows[0]["P@2 high"]) == (None, None)  # of two topics
    assert {rows[0][f"NumRet {part}"] for part in (*parts, "low", "high")} == {None}
    assert export.latex is not None
    assert "alpha & 0.5000 &  & 1 of 4" in export.latex()
    assert [line.scores.tag for line in leaderboard(board.table, by="run", reverse=True).lines] == [
        "beta",
        "alpha",
    ]
    with pytest.raises(WorkbenchError, match="sorted"):
        leaderboard(board.table, by="hue")
