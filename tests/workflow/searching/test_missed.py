"""A random sample of what was not pooled: drawn, judged, and what it says of what the pool misses."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner
from sqlalchemy import select

from tests.cast import Cast, assemble
from workbench.cli.main import workbench
from workbench.errors import Conflict, NotFound, WorkbenchError
from workbench.learning.missed import ElusionSample
from workbench.records import Document, Judgment
from workbench.storage.engine import Database
from workbench.storage.tables import MissedSampleRow, PoolEntryRow
from workbench.workflow.campaigns.collection import load_documents
from workbench.workflow.judging.importing import import_judgments
from workbench.workflow.pools.additions import Additions, add_documents
from workbench.workflow.pools.making import pooled_or_judged
from workbench.workflow.searching.missed import (
    MissedDraw,
    SampleDraw,
    drawn_order,
    keep_draw,
    missed_report,
    plan_draw,
)

POOL = "depth 2"


@pytest.fixture
def cast(sqlite_database: Database) -> Cast:
    """The cast, with 40 further documents that are no run's."""
    made = assemble(sqlite_database)
    more = [Document(f"n{number:02}", "", "text") for number in range(40)]
    with sqlite_database.writing() as db:
        load_documents(db, made.campaign_id, more, source="more")
    return made


def drawn(database: Database, cast: Cast, size: int, *topics: str, seed: int | None = 7) -> MissedDraw:
    with database.writing() as db:
        planned = plan_draw(db, cast.campaign_id, SampleDraw(POOL, size, topics, seed))
        keep_draw(db, cast.campaign_id, planned)
    return planned


def judge(database: Database, cast: Cast, grades: dict[str, int]) -> None:
    with database.writing() as db:
        judged = [Judgment("X", "T1", docno, grade) for docno, grade in grades.items()]
        import_judgments(db, cast.campaign_id, judged, source="f")


def test_a_sample_is_of_what_is_neither_pooled_nor_judged(sqlite_database: Database, cast: Cast) -> None:
    judge(sqlite_database, cast, {"n00": 1})
    with sqlite_database.reading() as db:
        before = {docno for topic, docno in pooled_or_judged(db, cast.campaign_id) if topic == "T1"}
    (one,) = drawn(sqlite_database, cast, 30, "T1").topics
    assert "n00" in before
    assert len(set(one.docnos)) == 30
    assert before.isdisjoint(one.docnos)
    with sqlite_database.reading() as db:
        (row,) = db.scalars(select(MissedSampleRow))
        assert (row.seed, row.docnos, set(row.known)) == (7, list(one.docnos), before)
        entries = [db.get_one(PoolEntryRow, (cast.pool_id, "T1", docno)) for docno in one.docnos]
    (reason,) = {entry.reason for entry in entries}
    assert reason is not None
    assert f"30 of {row.unpooled} documents, seed 7" in reason


def test_each_document_is_drawn_as_often_as_any_other() -> None:
    docnos = [f"d{number}" for number in range(10)]
    counts = dict.fromkeys(docnos, 0)
    for seed in range(2000):
        for docno in drawn_order(docnos, "T1", seed, frozenset({"d3"}), 3):
            counts[docno] += 1
    # 2000 * 3 / 9 = 667 each, standard deviation 21; four of them either way.
    assert counts.pop("d3") == 0
    assert all(abs(count - 667) < 84 for count in counts.values())


def test_a_sample_is_continued_until_something_else_is_pooled(sqlite_database: Database, cast: Cast) -> None:
    (first,) = drawn(sqlite_database, cast, 5, "T1").topics
    judge(sqlite_database, cast, dict.fromkeys(first.docnos, 0))
    (second,) = drawn(sqlite_database, cast, 5, "T1", seed=8).topics
    assert (second.seed, second.unpooled) == (7, first.unpooled)
    assert second.docnos == first.docnos + second.new
    with sqlite_database.writing() as db:
        rest = next(f"n{number:02}" for number in range(40) if f"n{number:02}" not in second.docnos)
        add_documents(db, cast.campaign_id, POOL, "T1", Additions({rest: 1}, "known"), added_by=None)
    (third,) = drawn(sqlite_database, cast, 5, "T1", seed=8).topics
    assert (third.seed, third.docnos, third.unpooled) == (8, third.new, first.unpooled - 11)


def test_what_changed_since_the_draw_was_planned_is_noticed(sqlite_database: Database, cast: Cast) -> None:
    with sqlite_database.reading() as db:
        planned = plan_draw(db, cast.campaign_id, SampleDraw(POOL, 5, ("T1",), 7))
    drawn(sqlite_database, cast, 5, "T1")
    with pytest.raises(Conflict), sqlite_database.writing() as db:
        keep_draw(db, cast.campaign_id, planned)


@pytest.mark.parametrize(
    ("draw", "error"),
    [
        (SampleDraw(POOL, 0), WorkbenchError),
        (SampleDraw(POOL, 5, seed=-1), WorkbenchError),
        (SampleDraw("none", 5), NotFound),
        (SampleDraw(POOL, 5, ("T9",)), NotFound),
    ],
)
def test_what_cannot_be_drawn_is_refused(
    sqlite_database: Database, cast: Cast, draw: SampleDraw, error: type[WorkbenchError]
) -> None:
    with sqlite_database.reading() as db, pytest.raises(error):
        plan_draw(db, cast.campaign_id, draw)


def test_the_report_bounds_what_is_missed_and_the_recall(sqlite_database: Database, cast: Cast) -> None:
    first, _ = drawn(sqlite_database, cast, 10).topics[:2]
    # Relevant from 2. Two of T1's pool are relevant; of the sample nine are judged and one is relevant.
    grades = {"d1": 2, "d2": 3, **dict.fromkeys(first.docnos[:8], 1), first.docnos[8]: 2}
    judge(sqlite_database, cast, grades)
    with sqlite_database.reading() as db:
        report = missed_report(db, cast.campaign_id)
    one, together = report.topics[0], report.together
    low, high = ElusionSample(one.unpooled, 10, 9, 1).bounds
    assert (one.topic, one.known_judged, one.known_relevant, one.judged, one.relevant) == ("T1", 2, 2, 9, 1)
    assert (one.missed, one.missed_low, one.missed_high) == (one.unpooled / 9, low, high)
    assert (one.recall_low, one.recall_high) == (2 / (2 + high), 2 / (2 + low))
    assert together is not None
    assert (together.drawn, together.judged, together.missed) == (10 * len(report.topics), 9, None)
    assert together.missed_low >= 1
    # What more would buy is told from what is judged, and not everywhere something is.
    assert (together.more_low, together.more_high) == (None, None)
    assert one.more_high is not None
    assert one.more_high < one.missed_high


def test_the_commands_draw_and_report(sqlite_database: Database, cast: Cast) -> None:
    def done(*words: str) -> str:
        result = CliRunner().invoke(workbench, ["campaign", *words, "--database", sqlite_database.url])
        assert result.exit_code == 0, result.output
        return result.stdout

    lines = done("missed", "draw", "harbour", "--pool", POOL, "-n", "4", "--topic", "T1", "--seed", "3")
    assert lines.splitlines()[1].split("\t")[:3] == ["T1", "4", "4"]
    report = json.loads(done("missed", "estimate", "harbour", "--json"))
    assert (report["topics"][0]["drawn"], report["topics"][0]["judged"]) == (4, 0)
    assert done("missed", "estimate", "harbour").splitlines()[1].split("\t")[5] == "-"
