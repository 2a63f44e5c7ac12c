"""A score table is computed once: what is scored again, and what is not, as a campaign goes on."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Collection, Iterator, Sequence

import pytest
from sqlalchemy import update
from sqlalchemy.orm import Session

from tests.builders import ALPHA, BETA, campaign_with_people, pooled_campaign, send_runs
from workbench.consensus.rule_choice import rule_choice
from workbench.errors import WorkbenchError
from workbench.formats.packed_runs import PackedRun
from workbench.records import Answer, Judgment, Run
from workbench.scoring import score_columns
from workbench.scoring.topic_rankings import TopicRankings
from workbench.storage.engine import Database
from workbench.storage.tables import ComputedResultRow
from workbench.workflow import kept_results
from workbench.workflow.caching import Cache
from workbench.workflow.judging.importing import import_judgments
from workbench.workflow.runs import kept_rankings, packed_store
from workbench.workflow.scores import kept_columns, score_table
from workbench.workflow.scores.leaderboard import leaderboard, leaderboard_export
from workbench.workflow.scores.score_table import ScoreTable, score_runs

Computed = list[tuple[str, str]]
ALPHA_WHOLE = ("alpha", "T1 T2")
BOTH = [ALPHA_WHOLE, ("beta", "T1 T2")]
FIRST = [Judgment("X", "T1", "d1", 1), Judgment("X", "T1", "d2", 0), Judgment("X", "T2", "d/4", 1)]


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> Computed:
    """The runs that are scored, in order, each with the topics; nothing is kept from another test."""
    found: Computed = []
    read = packed_store.rankings_of

    def counted(
        db: Session, campaign_id: int, tags: Sequence[str], topics: Collection[str]
    ) -> Iterator[PackedRun | Run]:
        for run in read(db, campaign_id, tags, topics):
            found.append((run.tag, " ".join(sorted(topics))))
            yield run

    read_again = kept_rankings.kept_rankings

    def counted_again(
        db: Session, campaign_id: int, runs: Sequence[tuple[str, str]], topics: Sequence[str], *, kept: bool
    ) -> dict[str, TopicRankings] | None:
        found.extend((tag, " ".join(sorted(topics))) for tag, _ in runs)
        return read_again(db, campaign_id, runs, topics, kept=kept)

    monkeypatch.setattr(kept_columns, "rankings_of", counted)
    monkeypatch.setattr(kept_columns, "kept_rankings", counted_again)
    # Each run by itself.
    monkeypatch.setattr(score_columns, "AT_ONCE", 1)
    forget(monkeypatch)
    return found


def judged_campaign(database: Database) -> int:
    with database.writing() as db:
        made = campaign_with_people(db)
        send_runs(db, made.campaign.id, alpha=ALPHA, beta=BETA)
        import_judgments(db, made.campaign.id, FIRST, source="f")
    return made.campaign.id


def forget(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remember no more than a process that has just started."""
    monkeypatch.setattr(kept_columns, "_COLUMNS", Cache(kept_columns.MOST_KEPT))
    monkeypatch.setattr(kept_rankings, "_RECENT", kept_rankings.RecentRankings())
    monkeypatch.setattr(score_table, "_ASSEMBLED", Cache(2))


def table_of(
    db: Session, campaign_id: int, measures: str = "AP P@2", seconds: float | None = None
) -> ScoreTable:
    return score_runs(db, campaign_id, choice=rule_choice(), measures=measures, seconds=seconds)


def test_only_what_changed_is_scored_again(database: Database, computed: Computed) -> None:
    with database.writing() as db:
        made = campaign_with_people(db)
        send_runs(db, made.campaign.id, alpha=ALPHA, beta=BETA)
        import_judgments(db, made.campaign.id, FIRST, source="f")
        first = table_of(db, made.campaign.id)
        again = table_of(db, made.campaign.id)
        assert (again.runs, again.unjudged, again.coverage) == (first.runs, first.unjudged, first.coverage)
        assert b"".join(again.qrels.lines()) == b"".join(first.qrels.lines())
        assert computed == [("alpha", "T1 T2"), ("beta", "T1 T2")]
        send_runs(db, made.campaign.id, half={"T1": ("d2", "d1")})
        assert len(table_of(db, made.campaign.id).runs) == 3
        assert computed[2:] == [("half", "T1 T2")]
        # Other qrels of one topic: every run on this one.
        import_judgments(db, made.campaign.id, [Judgment("X", "T2", "d2", 1)], source="g")
        table_of(db, made.campaign.id)
        assert computed[3:] == [("alpha", "T2"), ("beta", "T2"), ("half", "T2")]
        # A judgment that the rule makes nothing of changes nothing.
        import_judgments(db, made.campaign.id, [Judgment("Y", "T2", "d2", 1)], source="h")
        table_of(db, made.campaign.id)
        assert len(computed) == 6
        # A further run and another judgment at once.
        send_runs(db, made.campaign.id, last={"T2": ("d2", "d1")})
        import_judgments(db, made.campaign.id, [Judgment("X", "T1", "d2", 1)], source="i")
        table_of(db, made.campaign.id)
        assert computed[6:] == [("alpha", "T1"), ("beta", "T1"), ("half", "T1"), ("last", "T1 T2")]


def test_a_call_stops_in_time_and_the_next_goes_on(database: Database, computed: Computed) -> None:
    with database.writing() as db:
        made = campaign_with_people(db)
        send_runs(db, made.campaign.id, alpha=ALPHA, beta=BETA, half={"T1": ("d2", "d1")})
        import_judgments(db, made.campaign.id, FIRST, source="f")
        found = [table_of(db, made.campaign.id, seconds=0) for _ in range(3)]
    assert [(len(one.runs), one.waiting, one.total) for one in found] == [(1, 2, 3), (2, 1, 3), (3, 0, 3)]
    assert [tag for tag, _ in computed] == ["alpha", "beta", "half"]


def test_of_more_topics_than_are_kept_all_runs_are_scored_in_one_call(
    database: Database, computed: Computed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_columns, "MOST_KEPT", 1)
    with database.writing() as db:
        made = campaign_with_people(db)
        send_runs(db, made.campaign.id, alpha=ALPHA, beta=BETA)
        import_judgments(db, made.campaign.id, FIRST, source="f")
        assert table_of(db, made.campaign.id, seconds=0).waiting == 0


@pytest.mark.engines
def test_another_process_scores_nothing_again(
    database: Database, computed: Computed, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign_id = judged_campaign(database)
    with database.reading() as db:
        first = table_of(db, campaign_id, seconds=0)
    assert (len(first.runs), computed) == (1, [ALPHA_WHOLE])
    forget(monkeypatch)
    with database.reading() as db:
        second = table_of(db, campaign_id)
    assert computed == BOTH
    forget(monkeypatch)
    with database.reading() as db:
        assert table_of(db, campaign_id).runs == second.runs
    assert computed == BOTH
    # Another judgment makes other qrels; whoever takes it back finds the scores of the first ones.
    with database.writing() as db:
        import_judgments(db, campaign_id, [Judgment("X", "T2", "d2", 1)], source="g")
    with database.reading() as db:
        assert table_of(db, campaign_id).runs != second.runs
    assert computed[2:] == [("alpha", "T2"), ("beta", "T2")]
    with database.writing() as db:
        import_judgments(db, campaign_id, [Judgment("X", "T2", "d2", None, Answer.UNSURE)], source="h")
    forget(monkeypatch)
    with database.reading() as db:
        assert table_of(db, campaign_id).runs == second.runs
    assert len(computed) == 4


def test_scores_of_another_version_of_the_program_are_not_taken(
    database: Database, computed: Computed, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign_id = judged_campaign(database)
    for version in ("one", "one", "two"):
        monkeypatch.setattr(kept_results, "program_hash", lambda _, version=version: version)
        forget(monkeypatch)
        with database.reading() as db:
            table_of(db, campaign_id)
    assert computed == BOTH * 2


def test_a_kept_score_that_cannot_be_read_is_computed_again(
    database: Database, computed: Computed, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign_id = judged_campaign(database)
    with database.reading() as db:
        found = table_of(db, campaign_id)
    for times in (2, 2):  # the second time it has been replaced
        forget(monkeypatch)
        if len(computed) == times:
            with database.writing() as db:
                db.execute(update(ComputedResultRow).values(content=b"damaged"))
        with database.reading() as db:
            assert table_of(db, campaign_id).runs == found.runs
        assert computed == BOTH * 2


@pytest.mark.slow
@pytest.mark.engines
def test_a_second_process_and_a_restart_find_what_the_first_computed(
    database: Database, computed: Computed
) -> None:
    campaign_id = judged_campaign(database)
    with database.reading() as db:
        table_of(db, campaign_id)
    assert computed == BOTH
    script = f"""
from workbench.consensus.rule_choice import rule_choice
from workbench.storage.engine import Database
from workbench.workflow.runs import packed_store
from workbench.workflow.runs import kept_rankings
from workbench.workflow.scores import kept_columns, score_table

kept_columns.rankings_of = None  # whoever would score a run fails
database = Database({database.url!r})
with database.reading() as db:
    found = score_table.score_runs(db, {campaign_id}, choice=rule_choice(), measures="AP P@2")
print([run.tag for run in found.runs], found.waiting)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["['alpha',", "'beta']", "0"]


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
