"""How an account wants the judging desk: its keys, the size of the text; kept for every machine it uses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.storage.tables import AccountRow


def desk_preferences(db: Session, account_id: int, part: str) -> dict[str, Any]:
    """What an account has chosen of one part of the desk ("keys", "text", …); empty where it chose nothing.

    What was stored by another version may hold anything: whoever owns the part checks it on reading.
    """
    found = db.get_one(AccountRow, account_id).desk.get(part)
    return dict(found) if isinstance(found, dict) else {}


def prefer(db: Session, account_id: int, part: str, chosen: Mapping[str, Any]) -> None:
    """Keep what an account chooses of one part of the desk; the other parts stay as they are."""
    account = db.scalars(select(AccountRow).where(AccountRow.id == account_id).with_for_update()).one()
    account.desk = {**account.desk, part: dict(chosen)}
    db.flush()
