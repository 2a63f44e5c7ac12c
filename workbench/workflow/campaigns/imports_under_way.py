"""Large imports of judgments that are not complete: how far they are, and what has to wait for them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.errors import Conflict
from workbench.storage.tables import JudgmentImportRow


@dataclass(frozen=True, slots=True)
class ImportUnderWay:
    """How many of the `judgments` of a file are recorded, the last of them at `moved_at`."""

    source: str
    imported: int
    judgments: int
    moved_at: datetime

    @property
    def in_words(self) -> str:
        """How far it is, as pages and errors say it."""
        return f"{self.imported:,} of {self.judgments:,} judgments of {self.source} are imported"


def imports_under_way(db: Session, campaign_id: int) -> tuple[ImportUnderWay, ...]:
    """The imports that a campaign has accepted and that are not complete, in their order."""
    row = JudgmentImportRow
    chosen = select(row.source, row.imported, row.judgments, row.moved_at)
    found = db.execute(chosen.where(row.campaign_id == campaign_id).order_by(row.id))
    return tuple(ImportUnderWay(*each) for each in found)


def refuse_while_importing(db: Session, campaign_id: int) -> None:
    """Raise Conflict while an import is under way, for what must not have one half of it."""
    found = imports_under_way(db, campaign_id)
    if found:
        raise Conflict(
            f"an import is under way: {found[0].in_words}",
            remedy="try again when it is complete; Judgments shows how far it is",
        )
