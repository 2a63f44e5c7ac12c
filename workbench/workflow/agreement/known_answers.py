"""The pairs with a known answer, and how often assessors gave it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.storage.tables import DocumentRow, KnownAnswerRow
from workbench.workflow.agreement.own_events import own_events
from workbench.workflow.agreement.probe_answers import Against, answers_to_probes, known_answers


@dataclass(frozen=True, slots=True)
class KnownAnswerLine:
    """A pair with a known grade: of `answered` first answers `right` gave it, `others` most often another.

    `others` is that grade with how often it was given, None where everybody was right.
    """

    purpose: Against
    topic: str
    docno: str
    title: str
    grade: int
    feedback: str
    answered: int
    right: int
    others: tuple[int, int] | None

    @property
    def missed(self) -> int:
        """How many answers were not the known one."""
        return self.answered - self.right


def known_answer_lines(db: Session, campaign_id: int) -> tuple[KnownAnswerLine, ...]:
    """Every pair with a known answer, those that most assessors miss first.

    Of training the first round counts. Unsure and cannot judge count as missed.
    """
    known = known_answers(db, campaign_id)
    given: dict[tuple[str, tuple[str, str]], Counter[int | None]] = {}
    for assessor in own_events(db, campaign_id):
        for one in answers_to_probes(assessor.probed, known):
            if one.against is not Against.REPEAT and one.round == 1:
                grades = given.setdefault((one.against, one.event.pair), Counter())
                grades[one.event.grade] += 1
    row = KnownAnswerRow
    rows = db.execute(
        select(row.purpose, row.topic, row.docno, row.grade, row.feedback, DocumentRow.title)
        .outerjoin(
            DocumentRow, (DocumentRow.campaign_id == row.campaign_id) & (DocumentRow.docno == row.docno)
        )
        .where(row.campaign_id == campaign_id)
        .order_by(row.topic, row.docno)
    )
    lines = []
    for purpose, topic, docno, grade, feedback, title in rows:
        grades = given.get((purpose, (topic, docno)), Counter())
        wrong = ((other, n) for other, n in grades.most_common() if other is not None and other != grade)
        lines.append(
            KnownAnswerLine(
                Against(purpose),
                topic,
                docno,
                title or "",
                grade,
                feedback,
                grades.total(),
                grades[grade],
                next(wrong, None),
            )
        )
    return tuple(sorted(lines, key=lambda one: (-one.missed, one.answered)))
