"""Files of judgments, pairs and the trail: read portion by portion, in one snapshot, with the same bytes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import product
from typing import Any

import pytest
from sqlalchemy import delete, event, select

from tests.builders import Made, pooled_campaign
from workbench.formats.judgments import write_judgment_groups, write_judgments
from workbench.records import Answer, Judgment
from workbench.storage.engine import Database
from workbench.storage.tables import PoolEntryRow
from workbench.workflow.judging.current_judgments import (
    AnnotatedJudgment,
    annotated_judgments,
    annotated_lines,
    current_judgments,
    judgment_groups,
    judgment_json,
    judgment_line,
    judgment_table,
)
from workbench.workflow.judging.importing import import_judgments
from workbench.workflow.judging.submission import NO_ANNOTATIONS, Annotations
from workbench.workflow.pools import listing
from workbench.workflow.pools.listing import origin_lines, pool_origins

GRADES = {
    ("T1", "d1"): 1, ("T1", "d2"): 0, ("T2", "d1"): 0, ("T2", "d/4"): 1,
}  # fmt: skip


def judged(database: Database) -> Made:
    """A campaign of two topics, judged by Ira and, in part, by Jo."""
    with database.writing() as db:
        made, _ = pooled_campaign(db)
        judge(db, made, "Ira", GRADES)
        judge(db, made, "Jo", {("T1", "d1"): 0, ("T2", "d1"): 1})
    return made


def judge(db: Any, made: Made, who: str, grades: dict[tuple[str, str], int]) -> None:
    given = [Judgment(who, *pair, grade) for pair, grade in grades.items()]
    import_judgments(db, made.campaign.id, given, source="judgments")


@contextmanager
def statements(database: Database) -> Iterator[list[tuple[str, Any, Any]]]:
    """What is asked of the database meanwhile: statement, parameters and rows that are fetched at a time."""
    asked: list[tuple[str, Any, Any]] = []

    def note(_c: Any, _cursor: Any, text: str, values: Any, context: Any, _many: bool) -> None:
        asked.append((text, values, context.execution_options.get("yield_per")))

    event.listen(database.engine, "before_cursor_execute", note)
    try:
        yield asked
    finally:
        event.remove(database.engine, "before_cursor_execute", note)


def mentions(asked: list[tuple[str, Any, Any]], topic: str) -> bool:
    return any(topic in (values.values() if isinstance(values, dict) else values) for _, values, _ in asked)


@pytest.mark.engines
def test_answers_are_read_topic_by_topic_in_one_snapshot(database: Database) -> None:
    made = judged(database)
    with statements(database) as asked, database.reading() as db:
        lines = annotated_lines(db, made.campaign.id)
        first = [json.loads(next(lines)) for _ in range(3)]
        assert (mentions(asked, "T1"), mentions(asked, "T2")) == (True, False)
        # T2 is still to come; what is recorded now is none of this file's.
        with database.writing() as other:
            judge(other, made, "Jo", {("T2", "d2"): 1, ("T2", "d1"): 0})
        rest = [json.loads(line) for line in lines]
    found = [(one["topic"], one["docno"], one["assessor"], one["grade"]) for one in first + rest]
    assert found == [
        ("T1", "d1", "Ira", 1), ("T1", "d1", "Jo", 0), ("T1", "d2", "Ira", 0),
        ("T2", "d/4", "Ira", 1), ("T2", "d1", "Ira", 0), ("T2", "d1", "Jo", 1),
    ]  # fmt: skip
    with statements(database) as asked, database.reading() as db:
        later = list(annotated_judgments(db, made.campaign.id, since="T2"))
    assert [(one.docno, one.assessor, one.grade) for one in later] == [
        ("d/4", "Ira", 1), ("d1", "Ira", 0), ("d1", "Jo", 0), ("d2", "Jo", 1),
    ]  # fmt: skip
    assert not mentions(asked, "T1")


def test_files_made_topic_by_topic_are_those_of_all_judgments(sqlite_database: Database) -> None:
    made = judged(sqlite_database)
    with sqlite_database.reading() as db:
        every = current_judgments(db, made.campaign.id)
        assert list(judgment_table(db, made.campaign.id)) == list(write_judgments(every))
        names, lines = judgment_groups(db, made.campaign.id)
        assert list(lines) == list(write_judgment_groups(every))
    assert names == {"Ira": "Ira", "Jo": "Jo"}


@pytest.mark.engines
def test_pairs_are_read_in_portions_of_one_snapshot(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "PORTION", 2)
    with database.writing() as db:
        made, pool = pooled_campaign(db)
    with statements(database) as asked, database.reading() as db:
        lines = origin_lines(db, made.campaign.id, pool.pool.name)
        first = next(lines)
        with database.writing() as other:
            other.execute(delete(PoolEntryRow).where(PoolEntryRow.topic == "T2"))
        found = [first, *lines]
    assert [portion for text, _, portion in asked if "pool_entry.docno" in text and "SELECT" in text] == [2]
    # By hand: see `pooled_campaign`; bytes put "d/4" before "d1".
    assert found == [
        f"{topic}\t{docno}\truns\n".encode() for topic in ("T1", "T2") for docno in ("d/4", "d1", "d2")
    ]
    with database.reading() as db:
        assert len(list(db.scalars(select(PoolEntryRow.docno)))) == 3
        after = pool_origins(db, made.campaign.id, pool.pool.name, topic="T1", after=("T1", "d/4"))
        assert [docno for _, docno, _ in after] == ["d1", "d2"]


def test_a_line_is_what_json_makes_of_the_answer(sqlite_database: Database) -> None:
    # With quotes, backslashes, line feeds, bytes outside UTF-8, and with and without annotations.
    texts = ("", 'say "no"\\', "two\nlines\tand \x1f", "caf\u00e9 \U0001f30a", "\udce9t\u00e9")
    extras = (NO_ANNOTATIONS, Annotations(), Annotations((), {"Readability": 1}, ("1",)))
    at = datetime(2026, 3, 1, 9, 30, 1, 250_000, tzinfo=UTC)
    for text, beside, answer in product(texts, extras, Answer):
        grade = 2 if answer is Answer.GRADE else None
        shown = "ab" * 32 if text else None
        labels = {"Readability": "fair"} if beside.ratings else {}
        version = 3 if text else None
        one = AnnotatedJudgment(
            text, text, text, answer, grade, text, text, beside, labels, shown, version, at
        )
        assert judgment_line(one) == json.dumps(judgment_json(one), ensure_ascii=False)
