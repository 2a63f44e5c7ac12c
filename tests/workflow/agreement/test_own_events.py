"""What assessors said that bears on repeats, known answers and changes: read by assessor, and kept."""

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
from workbench.workflow.agreement import own_events as module
from workbench.workflow.agreement import self_consistency
from workbench.workflow.agreement.own_events import GradeChange, OwnEvents, own_events
from workbench.workflow.caching import Cache
from workbench.workflow.pools import current_answers

pytestmark = pytest.mark.engines

START = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)
# Docno, answer, grade, purpose.
SAID = (
    ("a", "grade", 3, "judging"), ("a", "grade", 3, "repeat"), ("a", "grade", 1, "judging"),  # 3 to 1
    ("b", "grade", 0, "judging"), ("b", "unsure", None, "judging"), ("b", "grade", 0, "judging"),  # no change
    ("c", "grade", 2, "judging"), ("c", "withdrawn", None, "judging"), ("c", "grade", 3, "judging"),  # 2 to 3
    ("d", "grade", 2, "judging"), ("d", "grade", 3, "discussion"),  # 2 to 3 once more
    ("k", "grade", 2, "judging"),  # others judge it as a planted pair
    ("t", "grade", 0, "training"), ("t", "grade", 1, "training"),
)  # fmt: skip


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


@pytest.fixture
def made(database: Database) -> Made:
    with database.writing() as db:
        made = campaign_with_people(db, scale=FOUR_GRADES)
        say(made, db, "Ada", SAID)
        plant(made, db, "k")
    return made


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Of which assessors the events were read, in a process that knows nothing yet."""
    found: list[int] = []
    in_full = module._read

    def noted(db: Session, campaign_id: int, assessor_id: int) -> OwnEvents:
        found.append(assessor_id)
        return in_full(db, campaign_id, assessor_id)

    monkeypatch.setattr(module, "_read", noted)
    monkeypatch.setattr(module, "_OWN", Cache(100))
    return found


def test_changes_are_counted_and_of_probed_pairs_every_event_is_read(database: Database, made: Made) -> None:
    with database.reading() as db:
        (ada,) = own_events(db, made.campaign.id)
    assert (ada.name, ada.machine) == ("Ada", False)
    assert ada.own.changes == (GradeChange(2, 3, 2), GradeChange(3, 1, 1))
    assert ada.own.withdrawn == 1
    assert [(one.pair[1], one.grade, one.purpose, one.when) for one in ada.own.probed] == [
        (docno, grade, purpose, START + timedelta(seconds=number))
        for number, (docno, _, grade, purpose) in enumerate(SAID)
        if docno in "akt"
    ]


def test_only_who_said_more_is_read_again(database: Database, made: Made, read: list[int]) -> None:
    ada, ben = made.assessors["Ada"], made.assessors["Ben"]
    with database.writing() as db:
        say(made, db, "Ben", [("a", "grade", 0, "judging")])
    with database.reading() as db:
        own_events(db, made.campaign.id)
        own_events(db, made.campaign.id)
    assert read == [ada, ben]
    with database.writing() as db:
        say(made, db, "Ben", [("a", "grade", 1, "judging"), ("x", "grade", 1, "repeat")])
        # What is not committed must be in nobody else's way.
        assert [len(one.own.probed) for one in own_events(db, made.campaign.id)] == [6, 1]
    read.clear()
    with database.reading() as db:
        _, found = own_events(db, made.campaign.id)
    assert (found.own.changes, len(found.own.probed), read) == ((GradeChange(0, 1, 1),), 1, [ben])


def test_another_planted_pair_has_its_judgments_read(database: Database, made: Made, read: list[int]) -> None:
    with database.reading() as db:
        own_events(db, made.campaign.id)
    with database.writing() as db:
        plant(made, db, "b")
    with database.reading() as db:
        (ada,) = own_events(db, made.campaign.id)
    assert [one.pair[1] for one in ada.own.probed] == ["a", "a", "a", "b", "b", "b", "k", "t", "t"]
    assert len(read) == 2


def test_another_process_finds_what_the_database_keeps(
    database: Database, made: Made, read: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FEWEST_KEPT", 1)
    found = []
    for _ in range(2):
        with database.reading() as db:
            found.append(own_events(db, made.campaign.id))
        monkeypatch.setattr(module, "_OWN", Cache(100))
        monkeypatch.setattr(current_answers, "_STORES", {})
    assert found[0][0].own == found[1][0].own
    assert read == [made.assessors["Ada"]]
    with database.writing() as db:
        say(made, db, "Ada", [("z", "grade", 1, "judging"), ("z", "grade", 0, "judging")])
    with database.reading() as db:
        (ada,) = own_events(db, made.campaign.id)
    assert GradeChange(1, 0, 1) in ada.own.changes
    assert read == [made.assessors["Ada"]] * 2


@pytest.mark.parametrize("seed", range(3))
def test_a_report_after_many_saves_is_that_of_all_events(
    database: Database, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
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
            kept = self_consistency.consistency(db, made.campaign.id, AgreementOptions())
        with monkeypatch.context() as anew:
            anew.setattr(module, "_OWN", Cache(100))
            anew.setattr(self_consistency, "_FOUND", Cache(100))
            with database.reading() as db:
                again = self_consistency.consistency(db, made.campaign.id, AgreementOptions())
                changed, withdrawn = _counted(db)
        assert kept == again
        found = {one.name: one.changes for one in kept.assessors}
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
