"""Which documents of a campaign can be read."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.storage.batches import batches
from workbench.storage.tables import DocumentRow
from workbench.workflow.checks import storable


def with_text(db: Session, campaign_id: int, docnos: Iterable[str]) -> set[str]:
    """Those of the documents whose text is loaded."""
    known: set[str] = set()
    # What no database keeps cannot be asked for either.
    for batch in batches([docno for docno in docnos if storable(docno) == docno]):
        known.update(
            db.scalars(
                select(DocumentRow.docno).where(
                    DocumentRow.campaign_id == campaign_id, DocumentRow.docno.in_(batch)
                )
            )
        )
    return known
