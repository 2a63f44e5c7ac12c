"""A search that somebody made, as it is stored: for tests that need one to look at."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from sqlalchemy.orm import Session

from workbench.storage.tables import SearchEventRow, SearchRow
from workbench.workflow.judging.desk_rules import save_allows_search
from workbench.workflow.searching.index import CampaignIndex, document_changes
from workbench.workflow.searching.searches import Searcher


def stored_search(db: Session, searcher: Searcher, docnos: Sequence[str], *, typed: str = "harbour") -> int:
    """The number of a search that has shown all of these documents, in a campaign that allows searching."""
    save_allows_search(db, searcher.campaign_id, True)
    search = SearchRow(
        campaign_id=searcher.campaign_id,
        topic=searcher.topic,
        account_id=searcher.account_id,
        assignment_id=searcher.assignment_id,
        typed=typed,
        understood=f"ranked by {typed}",
        among="all",
        engine="an engine",
        documents=len(docnos),
        found=len(docnos),
        docnos=list(docnos),
        searched_at=datetime.now(UTC),
    )
    db.add(search)
    db.flush()
    shown = {"search_id": search.id, "happening": "shown", "rank": len(docnos), "at": search.searched_at}
    db.add(SearchEventRow(**shown))
    return search.id


def is_current(db: Session, index: CampaignIndex, campaign_id: int) -> bool:
    """Whether an index has seen every change of the documents."""
    state = index.state()
    return state is not None and state.changes == document_changes(db, campaign_id)
