"""A score table: what is scored again as a campaign goes on, and of which judgments a page shows it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import UTC, datetime

import pytest
from sqlalchemy.orm import Session

from tests.builders import ALPHA, BETA, campaign_with_people, pooled_campaign, send_runs
from workbench.consensus.rules import rule_choice
from workbench.errors import WorkbenchError
from workbench.formats.packed_runs import PackedRun
from workbench.records import Answer, Judgment, Run
from workbench.scoring import score_columns
from workbench.storage.engine import Database
from workbench.storage.tables import AdjudicationEventRow
from workbench.workflow.caching import Cache
from workbench.workflow.judging.importing import import_judgments
from workbench.workflow.runs import packed_store
from workbench.workflow.scores import score_table
from workbench.workflow.scores.leaderboard import leaderboard, leaderboard_export
from workbench.workflow.scores.score_table import ScoreTable, score_runs

FIRST = [Judgment("X", "T1", "d1", 1), Judgment("X", "T1", "d2", 0), Judgment("X", "T2", "d/4", 1)]


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The runs that are scored, in order, each by itself; nothing is known from another test."""
    found: list[str] = []
    read = packed_store.rankings_of

    def counted(
        db: Session, campaign_id: int, tags: Sequence[str], topics: Collection[str]
    ) -> Iterator[PackedRun | Run]:
        for run in read(db, campaign_id, tags, topics):
            found.append(run.tag)
            yield run

    monkeypatch.setattr(score_table, "rankings_of", counted)
    monkeypatch.setattr(score_columns, "AT_ONCE", 1)
    monkeypatch.setattr(score_table, "_LATEST", Cache(4))
    return found


def table_of(
    db: Session,
    campaign_id: int,
    measures: str = "AP P@2",
    seconds: float | None = None,
    *,
    anew: bool = False,
) -> ScoreTable:
    return score_runs(db, campaign_id, choice=rule_choice(), measures=measures, seconds=seconds, anew=anew)


def test_runs_are_scored_again_where_the_qrels_are_others(database: Database, computed: list[str]) -> None:
    with database.writing() as db:
        made = campaign_with_people(db)
        send_runs(db, made.campaign.id, alpha=ALPHA, beta=BETA)
        import_judgments(db, made.campaign.id, FIRST, source="f")
        first = table_of(db, made.campaign.id)
        again = table_of(db, made.campaign.id)
        assert (again.runs, again.unjudged, again.coverage) == (first.runs, first.unjudged, first.coverage)
        assert computed == ["alpha", "beta"]
        send_runs(db, made.campaign.id, half={"T1": ("d2", "d1")})
        assert len(table_of(db, made.campaign.id).runs) == 3
        assert computed[2:] == ["half"]
        # Another judgment that the rule makes nothing of changes nothing.
        unsure = Judgment("X", "T1", "d3", None, Answer.UNSURE)
        import_judgments(db, made.campaign.id, [unsure], source="g")
        assert table_of(db, made.campaign.id).age is None
        assert len(computed) == 3
        import_judgments(db, made.campaign.id, [Judgment("X", "T2", "d2", 1)], source="h")
        assert table_of(db, made.campaign.id).runs != first.runs
        assert computed[3:] == ["alpha", "beta", "half"]


def test_a_call_stops_in_time_and_the_next_goes_on(database: Database, computed: list[str]) -> None:
    with database.writing() as db:
        made = campaign_with_people(db)
        send_runs(db, made.campaign.id, alpha=ALPHA, beta=BETA, half={"T1": ("d2", "d1")})
        import_judgments(db, made.campaign.id, FIRST, source="f")
        found = [table_of(db, made.campaign.id, seconds=0)]
        # A judgment comes between the steps: what was begun is brought to its end all the same, and says so.
        import_judgments(db, made.campaign.id, [Judgment("X", "T2", "d2", 1)], source="g")
        found += [table_of(db, made.campaign.id, seconds=0) for _ in range(2)]
        assert [(len(one.runs), one.waiting, one.total) for one in found] == [(1, 2, 3), (2, 1, 3), (3, 0, 3)]
        assert computed == ["alpha", "beta", "half"]
        assert [one.age.answers if one.age else None for one in found] == [None, 1, 1]
        # It was quick: whoever asks again gets the judgments of now, and files have them in any case.
        assert table_of(db, made.campaign.id).age is None


def test_what_took_long_may_be_of_earlier_judgments_where_that_is_said(
    database: Database, computed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # As if it took seconds, and for ever.
    monkeypatch.setattr(score_table, "QUICK_SECONDS", -1.0)
    monkeypatch.setattr(score_table, "MOST_OLDER", 1e9)
    with database.writing() as db:
        made = campaign_with_people(db)
        send_runs(db, made.campaign.id, alpha=ALPHA, beta=BETA)
        import_judgments(db, made.campaign.id, FIRST, source="f")

    def page(*, anew: bool = False) -> list[object]:
        with database.reading() as db:
            found = table_of(db, made.campaign.id, "RR", seconds=60.0, anew=anew)
        return [found.run("beta").values["RR"], found.age.answers if found.age else None]

    # Relevant are d1 of T1 and d/4 of T2: beta has them at ranks 3 and 1.
    assert page() == [pytest.approx(2 / 3), None]
    with database.writing() as db:
        more = [Judgment("X", "T1", "d/4", 1), Judgment("X", "T1", "d3", 0)]
        import_judgments(db, made.campaign.id, more, source="g")
    assert page() == [pytest.approx(2 / 3), 2]
    with database.reading() as db:
        assert table_of(db, made.campaign.id, "RR").run("beta").values["RR"] == pytest.approx(3 / 4)
    assert page() == [pytest.approx(3 / 4), None]
    with database.writing() as db:
        import_judgments(db, made.campaign.id, [Judgment("X", "T1", "d2", 1)], source="h")
    assert page() == [pytest.approx(3 / 4), 1]
    assert page(anew=True) == [1.0, None]
    with database.writing() as db:
        import_judgments(db, made.campaign.id, [Judgment("X", "T1", "d9", 1)], source="i")
        db.add(
            AdjudicationEventRow(
                campaign_id=made.campaign.id, topic="T1", docno="d2", decision="grade", grade=0, seen=[],
                client_id="c", recorded_at=datetime(2026, 1, 2, tzinfo=UTC),
            )
        )  # fmt: skip
    # A decision is no answer, which would be counted, and so is never left out.
    assert page() == [1.0, None]


def test_coverage_counts_topics_and_pooled_pairs_with_a_grade(database: Database) -> None:
    with database.writing() as db:
        made, _ = pooled_campaign(db)
        # Two of the six pooled pairs, of one of the two topics; d6 is in no pool.
        import_judgments(db, made.campaign.id, [*FIRST[:2], Judgment("X", "T1", "d6", 0)], source="f")
        found = table_of(db, made.campaign.id).coverage
    assert (found.topics, found.all_topics, found.pairs, found.pooled) == (1, 2, 2, 6)
    assert not found.whole


def test_the_leaderboard_is_exported_with_intervals_and_what_is_not_judged(database: Database) -> None:
    with database.writing() as db:
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
