"""Submissions in the tests of the use-cases, each in one call."""

from __future__ import annotations

from typing import Any

from sqlalchemy.orm import Session

from workbench.records import Answer
from workbench.workflow.judging import record as recording
from workbench.workflow.judging.record import Recorded
from workbench.workflow.judging.submission import Submission, SubmissionKind


def record(
    db: Session, assignment_id: int, account_id: int, *, docno: str, answer: Answer, **said: Any
) -> Recorded:
    """Record an answer: a grade, unsure or cannot judge."""
    submission = Submission(docno, said.pop("client_id"), answer=answer, **said)
    return recording.record(db, assignment_id, account_id, submission)


def put_off(db: Session, assignment_id: int, account_id: int, *, docno: str, client_id: str) -> Recorded:
    """Put a document to the end of its topic."""
    submission = Submission(docno, client_id, SubmissionKind.LATER)
    return recording.record(db, assignment_id, account_id, submission)


def withdraw(db: Session, assignment_id: int, account_id: int, *, docno: str, client_id: str) -> Recorded:
    """Withdraw the answer to a document."""
    submission = Submission(docno, client_id, SubmissionKind.UNDO)
    return recording.record(db, assignment_id, account_id, submission)
