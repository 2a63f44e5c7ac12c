"""A campaign with a record of every kind that a release carries, filled in one order or the other."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from tests.builders import ALPHA, BETA, DOCNOS, send_runs
from workbench.consensus.rules import rule_choice
from workbench.pooling.strategies import PoolRecipe
from workbench.records import THREE_GRADES, Document, Judgment, Original, Topic
from workbench.releases.contents import Included
from workbench.storage.engine import Database
from workbench.storage.tables import (
    AdjudicationEventRow,
    AssessorRow,
    InstructionsRow,
    JudgmentEventRow,
    PoolRow,
    PreferenceEventRow,
    PreferenceTaskRow,
)
from workbench.workflow.campaigns.campaigns import change_campaign, create_campaign
from workbench.workflow.campaigns.collection import load_documents, load_topics
from workbench.workflow.judging.desk_rules import Question, save_desk_questions
from workbench.workflow.judging.importing import import_judgments
from workbench.workflow.people.membership import assessors_of
from workbench.workflow.pools.making import make_pool
from workbench.workflow.releases.collecting import ReleaseRequest
from workbench.workflow.releases.making import MadeRelease, make_release

START = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)
RELEASED = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
TOPICS = (
    Topic("T1", "tides", "When?", "Tables.\n\nNo news.", (("1", "high"), ("2", "low"))),
    Topic("T2", "nets"),
)
Item = TypeVar("Item")
# Cara and Dov differ on d2 of T1, which is decided, and on d#3, which they discuss; the machine judges three.
GRADES: dict[str, dict[tuple[str, str], int]] = {
    "Cara": {("T1", "d1"): 2, ("T1", "d2"): 1, ("T1", "d#3"): 2, ("T2", "d/4"): 0, ("T2", "é5"): 1},
    "Dov": {("T1", "d1"): 2, ("T1", "d2"): 0, ("T1", "d#3"): 0, ("T2", "d/4"): 0},
    "judge-7b": {("T1", "d1"): 1, ("T1", "d2"): 0, ("T2", "é5"): 2},
}


def filled_campaign(db: Session, *, backwards: bool = False) -> int:
    """The campaign; `backwards` everything is entered in the opposite order, with the same times."""

    def ordered(items: Sequence[Item]) -> list[Item]:
        return list(items)[::-1] if backwards else list(items)

    campaign = create_campaign(db, name="Harbour", slug="harbour", scale=THREE_GRADES, guidelines="Read.\n")
    number = campaign.id
    change_campaign(db, number, name="Harbour", scale=THREE_GRADES, guidelines="Read *it*.\n")
    db.execute(update(InstructionsRow).values(saved_at=START))
    load_topics(db, number, ordered(TOPICS), source="topics")
    documents = [Document(docno, f"Title of {docno}", f"Text of {docno}") for docno in DOCNOS]
    pdf = Original("application/pdf", b"%PDF-", hashlib.sha256(b"%PDF-").hexdigest(), "d1.pdf")
    documents[0] = replace(documents[0], original=pdf)
    # Two that were read from one page.
    page = Original("text/html", b"<p>\xe9", hashlib.sha256(b"<p>\xe9").hexdigest(), "http://x/", "latin-1")
    documents[1:3] = [replace(one, original=page) for one in documents[1:3]]
    load_documents(db, number, ordered(documents), source="documents")
    save_desk_questions(db, number, [Question("Readability", ("hard", "easy"))], ())
    for tag, ranked in ordered([("alpha", ALPHA), ("beta", BETA)]):
        send_runs(db, number, **{tag: ranked})
    sampled = PoolRecipe("random", {"depth": 4, "budget": 3, "seed": 5})
    for name, recipe in ordered([("depth", PoolRecipe(parameters={"depth": 2})), ("sample", sampled)]):
        make_pool(db, number, recipe, name=name)
    db.execute(update(PoolRow).values(created_at=START, opened_at=START + timedelta(minutes=1)))
    for who, graded in ordered(list(GRADES.items())):
        given = [Judgment(who, *pair, grade) for pair, grade in ordered(list(graded.items()))]
        import_judgments(db, number, given, source="judgments", machines=["judge-7b"])
    people = {line.name: line.id for line in assessors_of(db, number)}
    _discuss(db, number, people)
    _compare(db, number, people)
    _set_times(db)
    return number


def _discuss(db: Session, campaign_id: int, people: dict[str, int]) -> None:
    """Decide d2 of T1, return d#3 to its assessors, and let Cara answer again, with annotations."""
    event = JudgmentEventRow
    rows = db.execute(select(event.docno, event.id, event.assessor_id, event.answer, event.grade)).all()
    seen = {docno: [list(row[1:]) for row in rows if row.docno == docno] for docno in ("d2", "d#3")}
    for at, (docno, decision, grade) in enumerate((("d2", "grade", 1), ("d#3", "back", None))):
        db.add(
            AdjudicationEventRow(
                campaign_id=campaign_id, topic="T1", docno=docno, decision=decision, grade=grade,
                reason="the table says so", seen=seen[docno], client_id=f"decision-{at}", active_ms=4000,
                recorded_at=START + timedelta(hours=1),
            )
        )  # fmt: skip
    db.add(
        JudgmentEventRow(
            campaign_id=campaign_id, assessor_id=people["Cara"], topic="T1", docno="d#3", answer="grade",
            grade=0, client_id="discussion-1", source="discussion", purpose="discussion", recorded_at=START,
            comment="Dov is\nright", evidence=[[0, 4, "Text"]], ratings={"Readability": 1}, subtopics=["2"],
            active_ms=2500, said_at=START, position=3, order_rule="shuffled", seed=2**40,
            instructions=2,
        )
    )  # fmt: skip
    db.flush()


def _compare(db: Session, campaign_id: int, people: dict[str, int]) -> None:
    task = PreferenceTaskRow(
        campaign_id=campaign_id, topic="T1", kind="documents", assessor_id=people["Dov"],
        pairs=[["d1", "d2"]], seed=1, assigned_at=START,
    )  # fmt: skip
    db.add(task)
    db.flush()
    db.add(
        PreferenceEventRow(
            task_id=task.id, first="d1", second="d2", first_was_left=False, choice="first", reason="clearer",
            client_id="preference-1", active_ms=900, recorded_at=START,
        )
    )  # fmt: skip
    db.flush()


def _set_times(db: Session) -> None:
    """Give every answer a time that depends on who answered about what, and not on when the test ran."""
    names = {row.id: row.name for row in db.scalars(select(AssessorRow))}
    for row in db.scalars(select(JudgmentEventRow)).all():
        minutes = 10 * sorted(GRADES).index(names[row.assessor_id]) + DOCNOS.index(row.docno)
        later = timedelta(hours=2) if row.purpose == "discussion" else timedelta()
        db.execute(
            update(JudgmentEventRow)
            .where(JudgmentEventRow.id == row.id)
            .values(recorded_at=START + timedelta(minutes=minutes) + later)
        )
    db.flush()


def filled_release(
    database: Database, campaign_id: int, *included: Included, version: str = "1.0"
) -> MadeRelease:
    """A release of it by adjudication first, with names in an order that a fixed seed decides."""
    request = ReleaseRequest(
        version, rule_choice("adjudicated"), frozenset(included), description="Tides.", authors=("Ö. Ames",),
        licence="CC-BY-4.0", homepage="https://example.org/harbour", seed=11,
    )  # fmt: skip
    return make_release(database, campaign_id, request, now=RELEASED)
