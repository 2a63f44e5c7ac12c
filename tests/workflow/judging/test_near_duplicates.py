"""Near-duplicates in one's own part: which they are, how two differ, and grades that contradict."""

from __future__ import annotations

import pytest
from sqlalchemy import delete
from sqlalchemy.orm import Session

from tests.workflow.judging.alike import make_part, near
from tests.workflow.judging.test_judging import say
from workbench.storage.tables import DocumentRow
from workbench.workflow.judging.near_duplicates import (
    missing_sketches,
)


def test_the_nearly_identical_documents_of_the_part_come_most_alike_first(db: Session) -> None:
    part = make_part(db)
    found = near(db, part, "d1", "d2", "d6", "nowhere")
    # d6 is in no part of hers. 196 shingles in d1, all in the others: d/4 has one word more, d2 has two.
    assert [docno for docno, _ in found["d1"]] == ["d/4", "d2"]
    assert [share for _, share in found["d1"]] == pytest.approx([196 / 197, 196 / 198])
    assert set(found) == {"d1", "d2"}
    # What anybody said of them plays no part.
    say(db, part.ben, part.account("Ben"), "d2", 0)
    say(db, part.ada, part.account("Ada"), "d2", 0)
    assert near(db, part, "d1", "d2") == found


def test_a_document_that_is_not_loaded_resembles_nothing(db: Session) -> None:
    part = make_part(db)
    ada = part.account("Ada")
    say(db, part.ada, ada, "d1", 1)
    db.execute(delete(DocumentRow).where(DocumentRow.docno == "d2"))
    assert "d2" not in {one.docno for one in missing_sketches(db, part.ada, ada)}
    assert near(db, part, "d2") == {}
