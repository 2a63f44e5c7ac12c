"""What the desk of pairs side by side sends: preferences, each recorded once, or stored for the organiser."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.errors import NotFound
from workbench.storage.tables import PreferenceEventRow
from workbench.workflow.judging.preference_desk import record_choice, task_of_account
from workbench.workflow.judging.preferences import TASK_FIELD, read_side_answer
from workbench.workflow.judging.submission import sent_number, sent_text
from workbench.workflow.judging.sync import Event, Outcome, Receipt, receive_other, require_assessor


def receive_preference(db: Session, account_id: int, event: Event) -> Receipt:
    """Record what an assessor said of a pair, or that it was undone; refuse what was never this account's."""
    client_id = sent_text(event, "client_id")
    task = task_of_account(db, sent_number(event, TASK_FIELD) or 0, account_id, writing=True)
    if task is None:
        return Receipt(client_id, Outcome.REFUSED, "this comparison was never assigned to you")

    def act() -> bool:
        known = select(PreferenceEventRow.id).where(
            PreferenceEventRow.task_id == task.id, PreferenceEventRow.client_id == client_id
        )
        # What was recorded before is recognised whatever has become of the task since.
        if db.scalar(known) is None:
            require_assessor(db, task.campaign_id, account_id)
            if task.revoked_at is not None:
                raise NotFound("this comparison is no longer assigned to you")
        return record_choice(db, task, read_side_answer(event))

    return receive_other(db, task.campaign_id, account_id, event, act)
