"""What enters the agreement of a campaign's assessors."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from workbench.agreement.several.answers import CANNOT_JUDGE, NO_ANSWER, UNSURE, Answers, Voice, answers_of
from workbench.agreement.several.entering import Basis, Entering, Machines
from workbench.agreement.several.entering import entering as enter
from workbench.records import Answer
from workbench.storage.events import LATER, WITHDRAWN, answers_in_order
from workbench.storage.tables import AssessorRow, CollectionListRow, DocumentRow, JudgmentEventRow
from workbench.workflow.agreement.compared_grades import compared_grades
from workbench.workflow.caching import Cache

__all__ = ["Basis", "Entering", "Machines", "answers_in", "entering", "known_documents", "state_of"]

State = tuple[str, int, tuple[tuple[int, Voice], ...], int, int | None, str]
_NO_GRADE = {
    Answer.UNSURE: UNSURE,
    Answer.CANNOT_JUDGE: CANNOT_JUDGE,
    WITHDRAWN: NO_ANSWER,
    LATER: NO_ANSWER,
}


def entering(
    db: Session,
    campaign_id: int,
    *,
    assessors: Collection[str] | None = None,
    machines: Machines = Machines.APART,
    basis: Basis = Basis.BOTH,
    relevant_from: int | None = None,
    graded: bool = False,
    documents: int | None = None,
) -> Entering:
    """What enters of a campaign's answers: people's unless assessors are named or `machines` says otherwise.

    Relevant or not from `relevant_from` (the campaign's own line if None) unless `graded`. Under the basis
    `all-documents` the number of `documents` is that of the collection's list, else of those loaded, unless
    given. Raises InvalidInput for a grade that cannot be the line, else as the pure `entering` does.
    """
    grades = compared_grades(db, campaign_id, relevant_from=relevant_from, graded=graded)
    if basis is Basis.ALL and documents is None:
        documents = known_documents(db, campaign_id)
    return enter(
        answers_in(db, campaign_id),
        grades.scale,
        relevant_from=grades.relevant_from,
        graded=graded,
        basis=basis,
        assessors=assessors,
        machines=machines,
        documents=documents,
    )


def answers_in(db: Session, campaign_id: int) -> Answers:
    """What every assessor of a campaign says now; kept until anybody says something more."""
    key = state_of(db, campaign_id)
    return _REMEMBERED.get(key, lambda: _read(db, campaign_id, key[2]))


def state_of(db: Session, campaign_id: int) -> State:
    """What stands for all that the assessors of a campaign say now: as long as it is equal, so are they."""
    voices = db.execute(
        select(AssessorRow.id, AssessorRow.name, AssessorRow.machine)
        .where(AssessorRow.campaign_id == campaign_id)
        .order_by(AssessorRow.name)
    )
    held = tuple((number, Voice(name, machine)) for number, name, machine in voices)
    event = JudgmentEventRow
    count, newest = db.execute(
        select(func.count(), func.max(event.id)).where(event.campaign_id == campaign_id)
    ).one()
    last = db.execute(select(event.client_id, event.recorded_at).where(event.id == newest)).one_or_none()
    # Events are only ever added, so that their number and the last of them stand for all of them.
    return (str(db.get_bind().engine.url), campaign_id, held, count, newest, str(last))


def known_documents(db: Session, campaign_id: int) -> int | None:
    """How many documents the collection has: by its list, else as many as were loaded; None without any."""
    listed = db.scalar(select(CollectionListRow.docnos).where(CollectionListRow.campaign_id == campaign_id))
    if listed is not None:
        return listed
    return (
        db.scalar(select(func.count()).select_from(DocumentRow).where(DocumentRow.campaign_id == campaign_id))
        or None
    )


def _read(db: Session, campaign_id: int, held: tuple[tuple[int, Voice], ...]) -> Answers:
    place = {number: at for at, (number, _) in enumerate(held)}
    rows = [
        (place[assessor], topic, docno, _NO_GRADE[answer] if grade is None else grade)
        for assessor, topic, docno, answer, grade in answers_in_order(db, campaign_id)
    ]
    return answers_of([voice for _, voice in held], rows)


_REMEMBERED: Cache[State, Answers] = Cache(4)
