"""A run that came after the pool: its holes, and who fills them."""

from __future__ import annotations

from uuid import uuid4

from tests.assigned import assign
from tests.builders import Made, pooled_campaign, send_runs
from tests.submitted import record
from workbench.records import Answer
from workbench.storage import Session
from workbench.storage.engine import Database
from workbench.workflow.judging.assignments import assignments_of
from workbench.workflow.judging.late_runs import fill_holes, holes_of
from workbench.workflow.pools.listing import pool_entries

# Pooled at depth 2 are d/4, d1, d2 of both topics; the late run brings d6 and é5 as well.
LATE = {"T1": ("d6", "d1", "é5"), "T2": ("d/4", "d6")}


def with_a_late_run(db: Session) -> Made:
    """Ada has judged (T1, d1) and nobody else anything; then the late run comes."""
    made, report = pooled_campaign(db)
    assign(db, report.pool.id, topics=["T1"], assessor_ids=[made.assessors["Ada"]])
    (task,) = assignments_of(db, made.campaign.id)
    record(
        db, task.id, made.accounts["Ada"], docno="d1", answer=Answer.GRADE, grade=1, client_id=str(uuid4())
    )
    send_runs(db, made.campaign.id, late=LATE)
    return made


def test_holes_are_counted_by_cut_off_and_topic(db: Session) -> None:
    holes = holes_of(db, with_a_late_run(db).campaign.id, "late")
    # T1 has d6 and é5 unjudged of three, T2 both of two; every cut-off reaches past the end of the run.
    assert [(line.topic, line.retrieved, line.unjudged) for line in holes.by_topic] == [
        ("T1", 3, (2, 2, 2, 2, 2)),
        ("T2", 2, (2, 2, 2, 2, 2)),
    ]
    assert (holes.cutoffs[0], holes.unjudged[0], holes.shares[0]) == (5, 4, 0.8)


def test_the_holes_go_to_the_assessors_who_judged_the_topic(database: Database) -> None:
    with database.writing() as db:
        made = with_a_late_run(db)
    filled = fill_holes(database, made.campaign.id, "late", depth=3)
    with database.reading() as db:
        entries = pool_entries(db, made.campaign.id, filled.pool.pool.name)
        given = [
            (line.topic, line.assessor)
            for line in assignments_of(db, made.campaign.id)
            if line.pool == filled.pool.pool.name
        ]
    # (T2, d/4) is pooled already, though not judged: it is somebody's work elsewhere.
    assert [(entry.topic, entry.docno) for entry in entries] == [("T1", "d6"), ("T1", "é5"), ("T2", "d6")]
    assert given == [("T1", "Ada")]
    assert (filled.assigned, filled.unassigned) == (1, 1)
