"""The pairs of one topic of a pool, best rank first, a page at a time."""

from __future__ import annotations

from sqlalchemy.orm import Session

from tests.builders import pooled_campaign
from workbench.workflow.pools.additions import Additions, add_documents
from workbench.workflow.pools.topic_pairs import PairCount, topic_pairs, topic_size

POOL = "depth 2"


def test_the_pairs_of_a_topic_come_best_rank_first_and_then_those_that_no_run_brought(db: Session) -> None:
    made, _ = pooled_campaign(db)
    added = Additions({"d6": 1, "d#3": 2}, "seen")
    add_documents(db, made.campaign.id, POOL, "T1", added, added_by=made.organiser)
    campaign = made.campaign.id
    size = topic_size(db, campaign, POOL, "T1")
    pages = [topic_pairs(db, campaign, POOL, "T1", start=start, most=2) for start in (0, 2, 4, 6)]
    assert size == PairCount(pairs=5, added=2)
    # d2 is beta's first and alpha's second, d1 only alpha's first, d/4 beta's second.
    assert [[one.docno for one in page] for page in pages] == [["d2", "d1"], ["d/4", "d#3"], ["d6"], []]
    assert [(one.tag, one.rank) for one in pages[0][0].contributions] == [("beta", 1), ("alpha", 2)]
    assert [one.added is not None for page in pages for one in page] == [False, False, False, True, True]
