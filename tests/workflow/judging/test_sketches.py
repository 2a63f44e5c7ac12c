"""Sketches of one's own part: which are made first, kept once, and made again for another text."""

from __future__ import annotations

import pytest
from sqlalchemy.orm import Session

from tests.workflow.judging.alike import make_part, near
from workbench.records import Document
from workbench.workflow.campaigns.collection import load_documents
from workbench.workflow.judging.near_duplicates import keep_sketches, missing_sketches

pytestmark = pytest.mark.engines


def test_what_is_asked_for_is_sketched_first(db: Session) -> None:
    part = make_part(db)
    ada = part.account("Ada")
    made = missing_sketches(db, part.ada, ada, first=["d1"])
    # The others come in the order in which they are judged.
    assert [one.docno for one in made] == ["d1", "d/4", "d2"]


def test_sketches_are_kept_once_and_follow_the_text(db: Session) -> None:
    part = make_part(db)
    ada = part.account("Ada")
    made = missing_sketches(db, part.ada, ada)
    assert [one.docno for one in made] == ["d/4", "d1", "d2"]
    for _ in range(2):
        keep_sketches(db, part.ada, ada, made)
    assert missing_sketches(db, part.ada, ada) == ()
    assert set(near(db, part, "d1")) == {"d1"}
    another = [Document("d1", "", "Another.")]
    load_documents(db, part.made.campaign.id, another, source="d1.jsonl")
    assert [one.docno for one in missing_sketches(db, part.ada, ada)] == ["d1"]
    # Of a text that is gone no sketch is kept, whenever it was made.
    keep_sketches(db, part.ada, ada, made)
    assert near(db, part, "d1") == {}
