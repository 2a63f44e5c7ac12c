"""Sign-ins halfway: the password was right, and the code is to be entered within five minutes.

Nobody is signed in meanwhile; a token of its own names the step, and opens nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from workbench.storage.tables import AccountRow, CodeStepRow
from workbench.workflow.clock import utc_now
from workbench.workflow.people.accounts import Account, account_from
from workbench.workflow.people.tokens import new_token, token_hash

CODE_STEP_LASTS = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class CodeNeeded:
    """A sign-in that waits for a code; the token is sent to the browser and stored nowhere else."""

    token: str


def ask_for_code(db: Session, account_id: int) -> CodeNeeded:
    """Have a code entered for an account; expires after five minutes."""
    moment, token = utc_now(), new_token()
    db.execute(delete(CodeStepRow).where(CodeStepRow.expires_at <= moment))
    db.add(
        CodeStepRow(token_hash=token_hash(token), account_id=account_id, expires_at=moment + CODE_STEP_LASTS)
    )
    db.flush()
    return CodeNeeded(token)


def waiting_account(db: Session, token: str | None) -> Account | None:
    """Whose code is waited for; None once the step has ended or expired."""
    if not token:
        return None
    row = db.scalar(
        select(AccountRow)
        .join(CodeStepRow, CodeStepRow.account_id == AccountRow.id)
        .where(
            CodeStepRow.token_hash == token_hash(token),
            CodeStepRow.expires_at > utc_now(),
            AccountRow.disabled_at.is_(None),
        )
    )
    return account_from(row) if row is not None else None


def end_code_step(db: Session, token: str) -> None:
    """End a step: its token is of no use any more."""
    db.execute(delete(CodeStepRow).where(CodeStepRow.token_hash == token_hash(token)))
