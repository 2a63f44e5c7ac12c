"""A part of a pool with documents that are nearly identical."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import update
from sqlalchemy.orm import Session

from tests.builders import Made, pooled_campaign
from tests.workflow.judging.test_judging import given
from workbench.storage.tables import DocumentRow
from workbench.workflow.judging.near_duplicates import keep_sketches, missing_sketches, near_duplicates_in
from workbench.workflow.judging.quality_checks import desk_task

STORY = " ".join(f"word{number}" for number in range(200))


@dataclass(frozen=True, slots=True)
class Part:
    """Ada's and Ben's parts of T1, whose d1, d2 and d/4 are nearly identical."""

    made: Made
    ada: int
    ben: int

    def account(self, name: str) -> int:
        return self.made.accounts[name]


def make_part(db: Session) -> Part:
    made, report = pooled_campaign(db)
    texts = {"d1": STORY, "d2": f"{STORY} And more.", "d/4": f"First. {STORY}"}
    for docno, text in texts.items():
        db.execute(update(DocumentRow).where(DocumentRow.docno == docno).values(text=text))
    return Part(
        made,
        given(db, made, report.pool.id, "Ada"),
        given(db, made, report.pool.id, "Ben"),
    )


def near(db: Session, part: Part, *docnos: str) -> dict[str, tuple[tuple[str, float], ...]]:
    """What comes with these documents of Ada's, whose sketches are kept."""
    ada = part.account("Ada")
    keep_sketches(db, part.ada, ada, missing_sketches(db, part.ada, ada))
    return near_duplicates_in(db, desk_task(db, part.ada, ada), docnos)
