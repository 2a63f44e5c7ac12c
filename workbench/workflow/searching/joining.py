"""How what was found joins a pool: judged by an assessor, or added by an organiser."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy.orm import Session

from workbench.errors import Conflict, NotFound, rejected
from workbench.storage.events import recorded_event
from workbench.workflow.judging.quality_checks import desk_task
from workbench.workflow.judging.submission import Submission
from workbench.workflow.judging.sync import Outcome, Receipt, receive_form
from workbench.workflow.judging.task import Task
from workbench.workflow.judging.worklists import add_to_own
from workbench.workflow.pools.additions import AddedDocuments, Additions, add_documents
from workbench.workflow.searching.searches import (
    Searcher,
    SearchHappening,
    own_search,
    rank_of,
    reason_of,
    record_event,
    require_search,
)


def searching_task(db: Session, searcher: Searcher, *, closed_too: bool = False) -> Task:
    """The task for which an assessor searches; raises NotFound, Conflict where its topic takes no searches.

    Also where it is of another campaign than the searcher's. With `closed_too` it is only to be looked at.

    An adaptive pool chooses its documents, and a queue hands each to some: neither takes what was found.
    """
    task = desk_task(db, searcher.assignment_id or 0, searcher.account_id)
    if task.campaign.id != searcher.campaign_id:
        raise NotFound("this is not assigned to you (any more)", remedy="see My topics")
    require_search(db, searcher.campaign_id)
    if task.closed and not closed_too:
        raise Conflict("this topic is closed", remedy="see My topics")
    if task.kind.one_by_one or task.kind.in_batches:
        raise Conflict("the documents of this topic cannot be searched", remedy="ask the organiser")
    if task.gate is not None:
        raise Conflict("the training of this topic comes first", remedy="finish it, or ask the organiser")
    return task


def judge_found(
    db: Session, searcher: Searcher, task: Task, search_id: int, submission: Submission
) -> Receipt:
    """Record an assessor's judgment of a document that a search has shown; it joins the pool if it is new.

    The task is that of `searching_task`, read in this transaction. The same client id again changes nothing.
    Raises as `add_to_own` and `receive_form`, and NotFound for a document that the search has not shown.
    """
    search = own_search(db, searcher, search_id)
    rank = rank_of(db, search, submission.docno)
    if task.key_of(submission.docno) is None:
        additions = Additions({submission.docno: rank}, reason_of(search, rank), "Search")
        added = add_to_own(db, task.assignment.id, searcher.account_id, additions)
        if submission.docno not in added.added:
            message = "this document belongs to another pool of this topic"
            raise Conflict(message, remedy="judge it there, or ask the organiser")
    receipt = receive_form(db, searcher.account_id, task.assignment.id, submission)
    if receipt.outcome is Outcome.RECORDED:
        event = recorded_event(db, task.assignment.assessor_id, submission.client_id)
        number = event.id if event is not None else None
        record_event(db, search.id, SearchHappening.JUDGED, rank, submission.docno, judgment_event_id=number)
    return receipt


def add_found(
    db: Session, searcher: Searcher, search_id: int, pool: str, docnos: Sequence[str]
) -> AddedDocuments:
    """Add documents that an organiser's search has shown to a pool, each with the search as its reason.

    All or nothing: raises InvalidInput where none was chosen, and as `add_documents`.
    """
    require_search(db, searcher.campaign_id)
    search = own_search(db, searcher, search_id)
    if not docnos:
        message, remedy = "no document is selected", "select one or more"
        raise rejected("Search", None, "docno", message, remedy)
    done: list[AddedDocuments] = []
    for docno in dict.fromkeys(docnos):
        rank = rank_of(db, search, docno)
        additions = Additions({docno: rank}, reason_of(search, rank), "Search")
        added = add_documents(
            db, searcher.campaign_id, pool, search.topic, additions, added_by=searcher.account_id
        )
        if added.added:
            record_event(db, search.id, SearchHappening.ADDED, rank, docno)
        done.append(added)
    return AddedDocuments(
        pool=done[0].pool,
        added=tuple(docno for one in done for docno in one.added),
        passed=tuple(passed for one in done for passed in one.passed),
        without_text=tuple(docno for one in done for docno in one.without_text),
    )
