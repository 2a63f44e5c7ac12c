"""Searches as they are recorded: what was typed and understood, what was found, and what became of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from enum import StrEnum

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from workbench.errors import Conflict, NotFound
from workbench.formats.identifiers import storable
from workbench.frozen import frozen_dataclass
from workbench.records import Document
from workbench.searching.analysis import ANALYSIS
from workbench.searching.engine import (
    DamagedIndex,
    DocnoFilter,
    IndexVersion,
    SearchEngine,
    SearchQuery,
    SearchResults,
    read_query,
)
from workbench.storage.tables import SearchEventRow, SearchRow
from workbench.workflow.campaigns.collection import document
from workbench.workflow.clock import utc_now
from workbench.workflow.judging.desk_rules import allows_search_of
from workbench.workflow.searching.index import CampaignIndex

MOST_FOUND = 200
"""Documents that a search keeps; who needs more asks something narrower."""
A_PAGE = 20
LONGEST_TYPED = 2000
LONGEST_ASKED = 1900
"""Characters of a query that the reason of an addition has: a reason may have 2,000 in all."""
MOST_EARLIER = 30
NOTHING = SearchResults((), 0), IndexVersion("no index", ANALYSIS, 0)


class Among(StrEnum):
    """Which documents are searched: all, those judged by the searcher, those not, those of the pool."""

    ALL = "all"
    MINE = "mine"
    NEW = "new"
    POOLED = "pooled"


class SearchHappening(StrEnum):
    """What became of a search."""

    SHOWN = "shown"
    OPENED = "opened"
    JUDGED = "judged"
    ADDED = "added"


@frozen_dataclass
class Searcher:
    """Who searches for which topic; an assessor by an assignment, an organiser without."""

    campaign_id: int
    topic: str
    account_id: int
    assignment_id: int | None = None


@frozen_dataclass
class SearchLine:
    """An earlier search: how many documents it found, and how many were judged or added by it."""

    id: int
    typed: str
    like: str | None
    found: int
    joined: int
    searched_at: datetime


def require_search(db: Session, campaign_id: int) -> None:
    """Raise Conflict in a campaign whose documents may not be searched."""
    if not allows_search_of(db, campaign_id):
        raise Conflict(
            "searching is turned off in this campaign",
            remedy="ask an organiser to turn it on in the settings",
        )


@frozen_dataclass
class NewSearch:
    """What is asked: words, or the document that others are to be like, among which documents."""

    typed: str
    like: str | None = None
    among: Among = Among.ALL


@frozen_dataclass
class AnsweredSearch:
    """What an engine answered: the query as it was read, what was found, and by which index."""

    asked: NewSearch
    query: SearchQuery
    results: SearchResults
    version: IndexVersion


def like_document(db: Session, campaign_id: int, asked: NewSearch) -> Document | None:
    """The document that others are to be like; None for a search for words. Raises NotFound."""
    return document(db, campaign_id, asked.like) if asked.like is not None else None


def answer_search(
    index: CampaignIndex, asked: NewSearch, among: DocnoFilter, like: Document | None
) -> AnsweredSearch:
    """Ask an index, which may be elsewhere: not while a transaction is open, least of all one that writes.

    Nothing is found where nothing is indexed yet, or where the index is damaged; then it is made anew. Raises
    EngineUnavailable.
    """
    typed = storable(asked.typed)[:LONGEST_TYPED] if like is None else like.title or like.text[:200]
    query = read_query(typed)

    def ask(engine: SearchEngine) -> tuple[SearchResults, IndexVersion]:
        if like is None:
            return engine.search(query, limit=MOST_FOUND, among=among), engine.version()
        return engine.more_like(like, limit=MOST_FOUND, among=among), engine.version()

    return AnsweredSearch(asked, query, *answered(index, ask))


def answered(
    index: CampaignIndex, ask: Callable[[SearchEngine], tuple[SearchResults, IndexVersion]]
) -> tuple[SearchResults, IndexVersion]:
    """What the engine of an index answers; nothing where there is none yet, or a damaged one."""
    for _ in range(2):
        try:
            engine = index.engine()
            return ask(engine) if engine is not None else NOTHING
        except DamagedIndex:
            # It may have been deleted or made anew since it was opened.
            index.close()
    index.reject()
    return NOTHING


def record_search(db: Session, searcher: Searcher, answer: AnsweredSearch) -> SearchRow:
    """Record what was typed, understood, found and shown first: `first_shown` documents."""
    like = answer.asked.like
    row = SearchRow(
        campaign_id=searcher.campaign_id,
        topic=searcher.topic,
        account_id=searcher.account_id,
        assignment_id=searcher.assignment_id,
        typed=answer.query.typed if like is None else "",
        understood=answer.query.understood if like is None else f"documents like {like}",
        among=str(answer.asked.among),
        like=like,
        engine=str(answer.version),
        documents=answer.version.documents,
        found=answer.results.total,
        docnos=[one.docno for one in answer.results.documents],
        searched_at=utc_now(None),
    )
    db.add(row)
    db.flush()
    record_event(db, row.id, SearchHappening.SHOWN, first_shown(row))
    return row


def first_shown(search: SearchRow) -> int:
    """How far a search is shown at first."""
    return min(A_PAGE, len(search.docnos))


def own_search(db: Session, searcher: Searcher, search_id: int) -> SearchRow:
    """A search that this person made for this topic; raises NotFound for any other."""
    row = db.get(SearchRow, search_id)
    if row is None or (row.campaign_id, row.account_id, row.assignment_id) != (
        searcher.campaign_id,
        searcher.account_id,
        searcher.assignment_id,
    ):
        raise NotFound("this is not one of your searches", remedy="search again")
    return row


def shown_rank(db: Session, search_id: int) -> int:
    """How far a search was shown: the rank of its last document on the page."""
    event = SearchEventRow
    shown = select(func.max(event.rank)).where(
        event.search_id == search_id, event.happening == str(SearchHappening.SHOWN)
    )
    return db.scalar(shown) or 0


def show_more(db: Session, search: SearchRow) -> int:
    """Record that the next page of a search is shown; returns its last rank."""
    before = shown_rank(db, search.id)
    rank = min(before + A_PAGE, len(search.docnos))
    if rank > before:
        record_event(db, search.id, SearchHappening.SHOWN, rank)
    return rank


def record_opened(db: Session, search: SearchRow, docno: str) -> None:
    """Record that a document of a search was opened; raises NotFound for one that it did not show."""
    record_event(db, search.id, SearchHappening.OPENED, rank_of(db, search, docno), docno)


def rank_of(db: Session, search: SearchRow, docno: str) -> int:
    """The rank of a document that a search has shown; raises NotFound for any other."""
    shown: Sequence[str] = search.docnos[: shown_rank(db, search.id)]
    if docno not in shown:
        raise NotFound("this search has not shown such a document", remedy="search again")
    return shown.index(docno) + 1


def record_event(
    db: Session,
    search_id: int,
    happening: SearchHappening,
    rank: int,
    docno: str | None = None,
    *,
    judgment_event_id: int | None = None,
) -> None:
    """Append an event to a search."""
    db.add(
        SearchEventRow(
            search_id=search_id,
            happening=str(happening),
            rank=rank,
            docno=docno,
            judgment_event_id=judgment_event_id,
            at=utc_now(None),
        )
    )
    db.flush()


def reason_of(search: SearchRow, rank: int) -> str:
    """Why a document that a search found joins a pool; of a long query its beginning."""
    asked = asked_in_words(search)
    if len(asked) > LONGEST_ASKED:
        asked = f"{asked[:LONGEST_ASKED]} …"
    return f"{reason_begins(search, rank)} {asked}"


def reason_begins(search: SearchRow, rank: int) -> str:
    """How the reason begins of a document that joined a pool by this search, which no other search shares."""
    return f"search {search.id}, hit {rank}:"


def asked_in_words(search: SearchRow) -> str:
    """What was searched for: the words in quotes, or the document that others were to be like."""
    return f"“{search.typed}”" if search.like is None else search.understood


def earlier_searches(db: Session, searcher: Searcher) -> tuple[SearchLine, ...]:
    """The latest searches of a person for a topic, latest first."""
    event = SearchEventRow
    joined = (
        select(func.count(event.docno.distinct()))
        .where(
            event.search_id == SearchRow.id,
            event.happening.in_([str(SearchHappening.JUDGED), str(SearchHappening.ADDED)]),
        )
        .scalar_subquery()
    )
    rows = db.execute(
        select(SearchRow.id, SearchRow.typed, SearchRow.like, SearchRow.found, joined, SearchRow.searched_at)
        .where(
            SearchRow.campaign_id == searcher.campaign_id,
            SearchRow.topic == searcher.topic,
            SearchRow.account_id == searcher.account_id,
            SearchRow.assignment_id == searcher.assignment_id
            if searcher.assignment_id is not None
            else SearchRow.assignment_id.is_(None),
        )
        .order_by(SearchRow.id.desc())
        .limit(MOST_EARLIER)
    )
    return tuple(SearchLine(*row) for row in rows)
