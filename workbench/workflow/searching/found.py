"""A search as its page shows it, what the searcher did with each hit, and how that joins a pool."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.errors import Conflict, NotFound, rejected
from workbench.frozen import frozen_dataclass
from workbench.records import Answer
from workbench.searching.engine import DocnoFilter, read_query
from workbench.searching.fragments import Fragment, FragmentPiece, MarkedText, marked_documents
from workbench.storage.events import CURRENT_PURPOSES, REPEAT, recorded_event
from workbench.storage.tables import JudgmentEventRow, PoolEntryRow, PoolRow, SearchRow
from workbench.workflow.campaigns.collection import read_texts
from workbench.workflow.judging.quality_checks import desk_task
from workbench.workflow.judging.submission import Submission
from workbench.workflow.judging.sync import Outcome, Receipt, receive_form
from workbench.workflow.judging.task import Task
from workbench.workflow.judging.worklists import add_to_own
from workbench.workflow.pools.additions import AddedDocuments, Additions, add_documents
from workbench.workflow.searching.searches import (
    Among,
    Searcher,
    SearchHappening,
    own_search,
    rank_of,
    reason_of,
    record_event,
    require_search,
    shown_rank,
)


@frozen_dataclass
class HitAnswer:
    """The searcher's own answer to a document."""

    answer: Answer
    grade: int | None


@frozen_dataclass
class SearchHit:
    """A document that was found: its title and sentences with marked words.

    `answer` is the searcher's own; `pooled` says that it is among the searcher's documents, for an organiser
    that it is in a pool of the topic.
    """

    docno: str
    rank: int
    title: tuple[FragmentPiece, ...]
    fragments: tuple[Fragment, ...]
    answer: HitAnswer | None
    pooled: bool


@frozen_dataclass
class ShownSearch:
    """A search with hits that were shown, the last at `rank`, of `found` in all; `kept` can be shown."""

    id: int
    topic: str
    typed: str
    like: str | None
    understood: str
    among: Among
    found: int
    kept: int
    documents: int
    rank: int
    hits: tuple[SearchHit, ...]

    @property
    def more(self) -> bool:
        """Whether further hits can be shown."""
        return self.rank < self.kept


@frozen_dataclass
class SearcherKnowledge:
    """What the searcher knows of the topic: own answers by docno, and the documents of the pool."""

    answers: Mapping[str, HitAnswer]
    pooled: frozenset[str]

    def filter(self, among: Among) -> DocnoFilter:
        """Which documents are searched."""
        judged = frozenset(self.answers)
        if among is Among.MINE:
            return DocnoFilter(only=judged)
        if among is Among.NEW:
            return DocnoFilter(without=judged)
        return DocnoFilter(only=self.pooled) if among is Among.POOLED else DocnoFilter()


def known_of_task(task: Task) -> SearcherKnowledge:
    """What the assessor of a task knows: the documents of that task, as the desk has them, and the answers.

    Nothing of colleagues, and not what is a repeat or planted.
    """
    slots = {key: task.slot(key) for key in task.order}
    return SearcherKnowledge(
        {
            slots[key].docno: HitAnswer(Answer(event.answer), event.grade)
            for key, event in task.answers.items()
            if key in slots and slots[key].purpose != REPEAT
        },
        frozenset(slot.docno for slot in slots.values() if slot.purpose != REPEAT),
    )


def known_to_organiser(db: Session, searcher: Searcher) -> SearcherKnowledge:
    """What an organiser knows: the documents of the topic's pools, and which of them anybody has judged."""
    pooled = db.scalars(
        select(PoolEntryRow.docno)
        .join(PoolRow)
        .where(PoolRow.campaign_id == searcher.campaign_id, PoolEntryRow.topic == searcher.topic)
    )
    event = JudgmentEventRow
    judged = db.scalars(
        select(event.docno)
        .where(
            event.campaign_id == searcher.campaign_id,
            event.topic == searcher.topic,
            event.purpose.in_(CURRENT_PURPOSES),
            event.answer.in_([str(one) for one in Answer]),
        )
        .distinct()
    )
    return SearcherKnowledge(dict.fromkeys(judged, HitAnswer(Answer.GRADE, None)), frozenset(pooled))


def next_without_answer(db: Session, search: SearchRow, known: SearcherKnowledge, docno: str) -> str | None:
    """The next hit of a search without an answer, after this one or else before; None where all have one.

    Asks for no text: a judgment takes no longer where many hits are shown.
    """
    docnos = search.docnos[: shown_rank(db, search.id)]
    at = docnos.index(docno) if docno in docnos else -1
    return next((one for one in (*docnos[at + 1 :], *docnos[: max(at, 0)]) if one not in known.answers), None)


def shown_search(
    db: Session, search: SearchRow, known: SearcherKnowledge, *, after: int = 0, rank: int | None = None
) -> ShownSearch:
    """A search with its hits so far, or those `after` a rank, their texts as they are now.

    `rank` is how far it was shown, where that is known already.
    """
    rank = shown_rank(db, search.id) if rank is None else rank
    docnos = search.docnos[after:rank]
    marked = _marked(db, search, docnos)
    return ShownSearch(
        id=search.id,
        topic=search.topic,
        typed=search.typed,
        like=search.like,
        understood=search.understood,
        among=Among(search.among),
        found=search.found,
        kept=len(search.docnos),
        documents=search.documents,
        rank=rank,
        hits=tuple(
            _hit(docno, at, marked.get(docno), known) for at, docno in enumerate(docnos, start=after + 1)
        ),
    )


def shown_hit(db: Session, search: SearchRow, known: SearcherKnowledge, docno: str) -> SearchHit:
    """One hit of a search as `shown_search` has it; raises NotFound for one that was not shown."""
    rank = rank_of(db, search, docno)
    return _hit(docno, rank, _marked(db, search, [docno]).get(docno), known)


def _hit(docno: str, rank: int, marked: MarkedText | None, known: SearcherKnowledge) -> SearchHit:
    title, found = marked if marked is not None else ((), ())
    return SearchHit(docno, rank, title, found, known.answers.get(docno), docno in known.pooled)


def _marked(db: Session, search: SearchRow, docnos: Sequence[str]) -> dict[str, MarkedText]:
    """Titles and sentences by docno; documents without text are missing."""
    words = search.typed
    if search.like is not None:
        like = read_texts(db, search.campaign_id, [search.like]).get(search.like)
        words = like.title if like is not None else ""
    return marked_documents(read_query(words), read_texts(db, search.campaign_id, docnos).values())


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
            raise Conflict(
                "this document belongs to another pool of this topic",
                remedy="judge it there, or ask the organiser",
            )
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
