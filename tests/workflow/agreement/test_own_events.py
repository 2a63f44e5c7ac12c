"""What assessors said that bears on repeats, known answers and changes."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from tests.builders import Made, campaign_with_people
from workbench.agreement.options import AgreementOptions
from workbench.records import FOUR_GRADES
from workbench.storage.engine import Database
from workbench.storage.events import append_events
from workbench.storage.tables import JudgmentEventRow, KnownAnswerRow
from workbench.workflow.agreement.self_consistency import consistency

pytestmark = pytest.mark.engines

START = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)


def say(made: Made, db: Session, name: str, said: Sequence[tuple[str, str, int | None, str]]) -> None:
    """Append what an assessor says, after all that was said so far."""
    begin = len(db.scalars(select(JudgmentEventRow.id)).all())
    append_events(db, [_event(made, name, begin + at, *one) for at, one in enumerate(said)])


def _event(
    made: Made, name: str, number: int, docno: str, answer: str, grade: int | None, purpose: str
) -> dict[str, Any]:
    return {
        "campaign_id": made.campaign.id, "assessor_id": made.assessors[name], "topic": "T1", "docno": docno,
        "answer": answer, "grade": grade, "reason": "", "source": "screen", "client_id": f"event-{number:06}",
        "assignment_id": None, "document_sha256": None, "position": None, "order_rule": None, "seed": None,
        "active_ms": None, "recorded_at": START + timedelta(seconds=number), "purpose": purpose,
    }  # fmt: skip


def plant(made: Made, db: Session, docno: str) -> None:
    """Have the grade of a pair of T1 known to be 3."""
    known = KnownAnswerRow(campaign_id=made.campaign.id, topic="T1", docno=docno, grade=3)
    known.purpose, known.added_at = "planted", START
    db.add(known)


@pytest.mark.parametrize("seed", range(3))
def test_a_report_after_many_saves_is_that_of_all_events(database: Database, seed: int) -> None:
    generator = random.Random(seed)
    with database.writing() as db:
        made = campaign_with_people(db, scale=FOUR_GRADES)
        plant(made, db, "d1")
        plant(made, db, "d2")
    for _ in range(4):
        with database.writing() as db:
            for name in generator.sample(sorted(made.assessors), 2):
                say(made, db, name, [_said(generator) for _ in range(40)])
        with database.reading() as db:
            report = consistency(db, made.campaign.id, AgreementOptions())
            changed, withdrawn = _counted(db)
        found = {one.name: one.changes for one in report.assessors}
        assert {name: (one.changed, one.withdrawn) for name, one in found.items()} == {
            name: (changed[number], withdrawn[number])
            for name, number in made.assessors.items()
            if name in found
        }


def _said(generator: random.Random) -> tuple[str, str, int | None, str]:
    answer = generator.choice(["grade", "grade", "grade", "unsure", "later", "withdrawn"])
    grade = generator.randrange(4) if answer == "grade" else None
    purpose = generator.choice(
        ["judging", "judging", "judging", "discussion", "repeat", "planted", "training"]
    )
    return f"d{generator.randrange(12)}", answer, grade, purpose


def _counted(db: Session) -> tuple[Counter[int], Counter[int]]:
    """Changes and withdrawals by assessor, from one event after the other."""
    changed, withdrawn = Counter[int](), Counter[int]()
    grades: dict[tuple[int, str], int] = {}
    for one in db.scalars(select(JudgmentEventRow).order_by(JudgmentEventRow.id)):
        if one.purpose in ("judging", "discussion"):
            withdrawn[one.assessor_id] += one.answer == "withdrawn"
            if one.grade is not None:
                pair = (one.assessor_id, one.docno)
                changed[one.assessor_id] += grades.setdefault(pair, one.grade) != one.grade
                grades[pair] = one.grade
    return changed, withdrawn
