"""Scores after saves, with rankings that are kept: always those of a process that knows nothing yet."""

from __future__ import annotations

import io
from collections.abc import Collection, Iterator, Sequence

import numpy as np
import pytest
from sqlalchemy.orm import Session

from tests.builders import campaign_with_people, run_text, send_runs
from workbench.consensus.rule_choice import rule_choice
from workbench.formats.packed_runs import PackedRun
from workbench.records import Answer, Judgment, Run, Topic
from workbench.storage.engine import Database
from workbench.workflow.caching import Cache
from workbench.workflow.campaigns.collection import load_topics
from workbench.workflow.judging.importing import import_judgments
from workbench.workflow.runs import kept_rankings, packed_store
from workbench.workflow.runs.kept_rankings import KeptRankings, RecentRankings
from workbench.workflow.runs.run_records import listed_runs
from workbench.workflow.runs.store import replace_run
from workbench.workflow.scores import kept_columns, score_table
from workbench.workflow.scores.leaderboard import leaderboard, leaderboard_export
from workbench.workflow.scores.score_table import ScoreTable, score_runs

TOPICS = tuple(f"t{number}" for number in range(5))
MEASURES = "AP nDCG@3 P@2 Judged@3 ESL(n=1)"
Read = list[tuple[str, ...]]


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Read:
    """The topics of which runs are read after a save, each time; nothing is kept from another test."""
    found: Read = []

    def noted(
        db: Session, campaign_id: int, tags: Sequence[str], topics: Collection[str]
    ) -> Iterator[PackedRun | Run]:
        found.append((*topics, *tags))
        return packed_store.rankings_of(db, campaign_id, tags, topics)

    monkeypatch.setattr(kept_rankings, "rankings_of", noted)
    forget(monkeypatch)
    return found


def forget(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remember no more than a process that has just started."""
    monkeypatch.setattr(kept_columns, "_COLUMNS", Cache(kept_columns.MOST_KEPT))
    monkeypatch.setattr(kept_rankings, "_RECENT", RecentRankings())
    monkeypatch.setattr(score_table, "_ASSEMBLED", Cache(2))


def campaign_of_five_topics(database: Database, random: np.random.Generator) -> int:
    with database.writing() as db:
        made = campaign_with_people(db)
        load_topics(db, made.campaign.id, [Topic(name, name) for name in TOPICS], source="more")
        send_runs(db, made.campaign.id, **{f"run{number}": drawn_run(random) for number in range(4)})
        judged = [Judgment("X", topic, "d1", 1) for topic in TOPICS]
        import_judgments(db, made.campaign.id, judged, source="first")
    return made.campaign.id


def drawn_run(random: np.random.Generator) -> dict[str, list[str]]:
    return {
        topic: [f"d{number}" for number in random.permutation(6)[: random.integers(1, 6)]]
        for topic in TOPICS
        if random.random() < 0.9
    }


def table_of(database: Database, campaign_id: int) -> ScoreTable:
    with database.reading() as db:
        return score_runs(db, campaign_id, choice=rule_choice(), measures=MEASURES)


def exported(table: ScoreTable) -> list[bytes]:
    export = leaderboard_export(leaderboard(table))
    return [b"".join(export.csv_parts()), *(repr(dict(run.per_topic)).encode() for run in table.runs)]


def computed_anew(database: Database, campaign_id: int) -> list[bytes]:
    """What a process says that keeps nothing, and asks the database for nothing that is kept."""
    with pytest.MonkeyPatch.context() as patch:
        forget(patch)
        patch.setattr(kept_columns._KEPT, "find", lambda *_: {})
        patch.setattr(kept_columns, "kept_rankings", lambda *_, **__: None)
        return exported(table_of(database, campaign_id))


def test_scores_after_saves_runs_and_withdrawn_answers_are_those_computed_anew(
    sqlite_database: Database, read: Read
) -> None:
    database, random = sqlite_database, np.random.default_rng(11)
    campaign_id = campaign_of_five_topics(database, random)
    table_of(database, campaign_id)
    for number in range(11):
        with database.writing() as db:
            topics = random.choice(TOPICS, 1 + number % 2, replace=False).tolist()
            answers = [(Answer.UNSURE, None) if number % 5 == 3 else (Answer.GRADE, int(random.integers(2)))]
            judged = [
                Judgment("X", topic, f"d{random.integers(7)}", grade, answer)
                for topic in topics
                for answer, grade in answers
            ]
            import_judgments(db, campaign_id, judged, source=f"save {number}")
            if number == 6:
                send_runs(db, campaign_id, late=drawn_run(random))
            if number == 9:
                text = run_text("run1", drawn_run(random))
                replace_run(db, campaign_id, "run1", ("run1.txt", io.BytesIO(text)))
        assert exported(table_of(database, campaign_id)) == computed_anew(database, campaign_id), number
    assert read


def test_a_topic_is_read_once_for_all_saves_and_all_processes(
    database: Database, read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign_id = campaign_of_five_topics(database, np.random.default_rng(12))
    table_of(database, campaign_id)
    assert read == []
    every = [f"run{number}" for number in range(4)]

    def save(topic: str, docno: str) -> None:
        with database.writing() as db:
            import_judgments(db, campaign_id, [Judgment("X", topic, docno, 1)], source=topic + docno)
        assert exported(table_of(database, campaign_id)) == computed_anew(database, campaign_id)

    save("t1", "d2")
    assert read == [("t1", *every)]
    save("t1", "d3")
    forget(monkeypatch)
    save("t1", "d4")
    assert len(read) == 1
    save("t3", "d4")
    assert read[1:] == [("t3", *every)]
    # Of a further run the others need not be read again.
    with database.writing() as db:
        send_runs(db, campaign_id, late={"t1": ["d9", "d4"]})
    table_of(database, campaign_id)
    save("t1", "d5")
    assert read[2:] == [("t1", "late")]
    forget(monkeypatch)
    save("t1", "d9")
    assert len(read) == 3


def test_where_runs_are_too_large_they_are_read_as_the_first_time(
    sqlite_database: Database, read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_rankings, "MOST_DOCUMENTS", 3)
    campaign_id = campaign_of_five_topics(sqlite_database, np.random.default_rng(13))
    before = exported(table_of(sqlite_database, campaign_id))
    for docno in ("d2", "d3"):
        with sqlite_database.writing() as db:
            import_judgments(db, campaign_id, [Judgment("X", "t1", docno, 1)], source=docno)
        after = exported(table_of(sqlite_database, campaign_id))
        assert before != after == computed_anew(sqlite_database, campaign_id)
        before = after
    assert len(read) == 2


def test_a_run_that_has_no_arrays_is_scored_with_the_others(sqlite_database: Database, read: Read) -> None:
    campaign_id = campaign_of_five_topics(sqlite_database, np.random.default_rng(14))
    with sqlite_database.writing() as db:
        # No packed form holds a docno of more than 128 bytes.
        send_runs(db, campaign_id, long={"t1": ["x" * 140, "d2"], "t2": ["d1"]})
    table_of(sqlite_database, campaign_id)
    with sqlite_database.writing() as db:
        import_judgments(db, campaign_id, [Judgment("X", "t1", "d2", 1)], source="save")
    assert exported(table_of(sqlite_database, campaign_id)) == computed_anew(sqlite_database, campaign_id)
    assert read


def test_what_a_process_keeps_is_bounded(sqlite_database: Database, read: Read) -> None:
    campaign_id = campaign_of_five_topics(sqlite_database, np.random.default_rng(15))
    with sqlite_database.reading() as db:
        runs = [(one.tag, one.sha256) for one in listed_runs(db, campaign_id)]
        for topic in TOPICS:
            kept_rankings.kept_rankings(db, campaign_id, runs, [topic], kept=False)
    entries = [kept_rankings._RECENT.find((campaign_id, topic)) for topic in TOPICS]
    sizes = [one.nbytes for one in entries if one is not None]
    assert len(sizes) == 5
    recent = RecentRankings(most=sum(sizes) - 1)
    for topic, one in zip(TOPICS, entries, strict=True):
        assert isinstance(one, KeptRankings)
        recent.keep((campaign_id, topic), one)
        recent.keep((campaign_id, topic), one)
    # The first had to go for the last.
    assert [recent.find((campaign_id, topic)) is None for topic in TOPICS] == [
        True,
        False,
        False,
        False,
        False,
    ]
