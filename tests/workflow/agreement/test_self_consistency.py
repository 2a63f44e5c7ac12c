"""Self-consistency, from events as they are recorded."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tests.builders import Made, campaign_with_people
from workbench.agreement.options import AgreementOptions
from workbench.records import FOUR_GRADES
from workbench.storage.engine import Database
from workbench.storage.events import append_events
from workbench.storage.tables import KnownAnswerRow
from workbench.workflow.agreement.probe_answers import Against
from workbench.workflow.agreement.self_consistency import consistency

START = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)
# Docno, answer, grade, purpose; relevant from 2. In the order in which Ada gave them.
SAID = (
    ("a", "grade", 3, "judging"), ("b", "grade", 0, "judging"), ("c", "grade", 2, "judging"),
    ("a", "grade", 3, "repeat"),
    ("b", "grade", 1, "repeat"),  # another grade, on the same side
    ("c", "grade", 1, "judging"),  # a change of her own, across the line: lower
    ("c", "grade", 1, "repeat"),  # compared with what holds by then
    ("a", "withdrawn", None, "judging"), ("a", "grade", 1, "judging"),  # withdrawn, then lower, across
    ("b", "unsure", None, "repeat"),  # no grade
    ("k", "grade", 1, "planted"), ("l", "grade", 2, "planted"), ("m", "grade", 2, "planted"),
    ("t", "grade", 0, "training"), ("t", "later", None, "training"),
)  # fmt: skip
KNOWN = (("k", "planted", 3), ("l", "planted", 2), ("t", "training", 0))  # nobody knows m


@pytest.fixture
def made(sqlite_database: Database) -> Made:
    with sqlite_database.writing() as db:
        made = campaign_with_people(db, scale=FOUR_GRADES)
        events = [
            {
                "campaign_id": made.campaign.id, "assessor_id": made.assessors["Ada"], "topic": "T1",
                "docno": docno, "answer": answer, "grade": grade, "reason": "", "source": "screen",
                "client_id": f"ada-event-{number}", "assignment_id": None, "document_sha256": None,
                "position": None, "order_rule": None, "seed": None, "active_ms": None,
                "recorded_at": START + timedelta(seconds=number), "purpose": purpose,
            }
            for number, (docno, answer, grade, purpose) in enumerate(SAID)
        ]  # fmt: skip
        append_events(db, events)
        for docno, purpose, grade in KNOWN:
            known = KnownAnswerRow(campaign_id=made.campaign.id, topic="T1", docno=docno, grade=grade)
            known.purpose, known.added_at = purpose, START
            db.add(known)
    return made


def test_a_repeat_is_compared_with_what_held_before_it(sqlite_database: Database, made: Made) -> None:
    with sqlite_database.reading() as db:
        report = consistency(db, made.campaign.id, AgreementOptions(graded=True))
    (ada,) = report.assessors
    found = dict(ada.found)
    # a 3 and 3, b 0 and 1, c 1 and 1.
    repeats = found[Against.REPEAT]
    assert (repeats.n, repeats.same, repeats.higher, repeats.lower, repeats.across) == (3, 2, 1, 0, 0)
    planted = found[Against.PLANTED]
    assert (planted.n, planted.same, planted.lower, planted.across) == (2, 1, 1, 1)
    assert (found[Against.TRAINING].n, found[Against.TRAINING].same) == (1, 1)
    # The unsure repeat, and the planted pair of which nobody knows the grade.
    assert report.no_grade == 2


def test_own_changes_are_told_from_contradictions_and_relevant_or_not_forgives_what_stays_on_its_side(
    sqlite_database: Database, made: Made
) -> None:
    with sqlite_database.reading() as db:
        report = consistency(db, made.campaign.id, AgreementOptions())
    (ada,) = report.assessors
    repeats = dict(ada.found)[Against.REPEAT]
    assert (repeats.n, repeats.same, repeats.categories) == (3, 3, (1, 0))
    # c from 2 to 1, a from 3 (withdrawn) to 1.
    changes = ada.changes
    assert (changes.changed, changes.lower, changes.across, changes.withdrawn) == (2, 2, 2, 1)
    assert [(one.docno, one.against, one.stood, one.given, one.across) for one in report.contradictions] == [
        ("k", Against.PLANTED, 3, 1, True), ("b", Against.REPEAT, 0, 1, False),
    ]  # fmt: skip
