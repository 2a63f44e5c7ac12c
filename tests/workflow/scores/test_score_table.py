"""A score table is computed once: what is scored again, and what is not, as a campaign goes on."""

from __future__ import annotations

import pytest
from sqlalchemy.orm import Session

from tests.builders import ALPHA, BETA, campaign_with_people, pooled_campaign, send_runs
from workbench.consensus.rule_choice import rule_choice
from workbench.errors import WorkbenchError
from workbench.records import Judgment
from workbench.storage.engine import Database
from workbench.workflow.judging.importing import import_judgments
from workbench.workflow.scores import score_table
from workbench.workflow.scores.leaderboard import leaderboard, leaderboard_export
from workbench.workflow.scores.score_table import ScoreTable, score_runs

FIRST = [Judgment("X", "T1", "d1", 1), Judgment("X", "T1", "d2", 0), Judgment("X", "T2", "d/4", 1)]


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The runs that are scored, in order; nothing is kept from another test."""
    tags: list[str] = []
    score = score_table._score

    def counted(*given: object) -> object:
        tags.append(str(given[3]))
        return score(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(score_table, "_score", counted)
    monkeypatch.setattr(score_table, "_SCORED", type(score_table._SCORED)(score_table.MOST_KEPT))
    return tags


def table_of(
    db: Session, campaign_id: int, measures: str = "AP P@2", seconds: float | None = None
) -> ScoreTable:
    return score_runs(db, campaign_id, choice=rule_choice(), measures=measures, seconds=seconds)


def test_only_what_changed_is_scored_again(database: Database, computed: list[str]) -> None:
    with database.writing() as db:
        made = campaign_with_people(db)
        send_runs(db, made.campaign.id, alpha=ALPHA, beta=BETA)
        import_judgments(db, made.campaign.id, FIRST, source="f")
        first = table_of(db, made.campaign.id)
        assert table_of(db, made.campaign.id) == first
        assert computed == ["alpha", "beta"]
        send_runs(db, made.campaign.id, half={"T1": ("d2", "d1")})
        assert len(table_of(db, made.campaign.id).runs) == 3
        assert computed[2:] == ["half"]
        # Other qrels: every run; then the first ones again: none.
        import_judgments(db, made.campaign.id, [Judgment("X", "T2", "d2", 1)], source="g")
        table_of(db, made.campaign.id)
        assert computed[3:] == ["alpha", "beta", "half"]
        # A judgment that the rule makes nothing of changes nothing.
        import_judgments(db, made.campaign.id, [Judgment("Y", "T2", "d2", 1)], source="h")
        table_of(db, made.campaign.id)
        assert len(computed) == 6


def test_a_call_stops_in_time_and_the_next_goes_on(database: Database, computed: list[str]) -> None:
    with database.writing() as db:
        made = campaign_with_people(db)
        send_runs(db, made.campaign.id, alpha=ALPHA, beta=BETA, half={"T1": ("d2", "d1")})
        import_judgments(db, made.campaign.id, FIRST, source="f")
        found = [table_of(db, made.campaign.id, seconds=0) for _ in range(3)]
    assert [(len(one.runs), one.waiting, one.total) for one in found] == [(1, 2, 3), (2, 1, 3), (3, 0, 3)]
    assert computed == ["alpha", "beta", "half"]


def test_more_runs_than_are_kept_are_scored_in_one_call(
    database: Database, computed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(score_table, "MOST_KEPT", 1)
    with database.writing() as db:
        made = campaign_with_people(db)
        send_runs(db, made.campaign.id, alpha=ALPHA, beta=BETA)
        import_judgments(db, made.campaign.id, FIRST, source="f")
        assert table_of(db, made.campaign.id, seconds=0).waiting == 0


def test_coverage_counts_topics_and_pooled_pairs_with_a_grade(database: Database) -> None:
    with database.writing() as db:
        made, _ = pooled_campaign(db)
        # Two of the six pooled pairs, of one of the two topics; d6 is in no pool.
        import_judgments(db, made.campaign.id, [*FIRST[:2], Judgment("X", "T1", "d6", 0)], source="f")
        found = table_of(db, made.campaign.id).coverage
    assert (found.topics, found.all_topics, found.pairs, found.pooled) == (1, 2, 2, 6)
    assert not found.whole


def test_the_leaderboard_is_exported_with_intervals_and_bounds(database: Database) -> None:
    with database.writing() as db:
        made = campaign_with_people(db)
        send_runs(db, made.campaign.id, alpha=ALPHA, beta=BETA)
        import_judgments(db, made.campaign.id, FIRST, source="f")
        board = leaderboard(table_of(db, made.campaign.id, "P@2 NumRet"))
    export = leaderboard_export(board)
    rows = [dict(zip(export.columns, row, strict=True)) for row in export.rows()]
    # P@2: alpha d1 d2 and d/4 d1, beta d2 d/4 and d/4 d2: 1/2 twice, and 0 and 1/2. Of alpha d1 of T2 is not
    # judged, of beta d/4 of T1 and d2 of T2: as relevant alpha has 3/4, beta 1/2 and 1.
    assert [(row["run"], row["P@2"]) for row in rows] == [("alpha", 0.5), ("beta", 0.25)]
    parts = ("unjudged", "read", "as_not_relevant", "as_relevant")
    assert [[row[f"P@2 {part}"] for part in parts] for row in rows] == [[1, 4, 0.5, 0.75], [2, 4, 0.25, 0.75]]
    assert (rows[0]["P@2 low"], rows[0]["P@2 high"]) == (0.5, 0.5)
    assert {rows[0][f"NumRet {part}"] for part in (*parts, "low", "high")} == {None}
    assert export.latex is not None
    assert "alpha & 0.5000 & [0.500, 0.500] & 1 of 4 & [0.500, 0.750]" in export.latex()
    assert [line.scores.tag for line in leaderboard(board.table, by="run", reverse=True).lines] == [
        "beta",
        "alpha",
    ]
    with pytest.raises(WorkbenchError, match="sorted"):
        leaderboard(board.table, by="hue")
