"""What the author of a draft judges while searching, and how it becomes judgments of the campaign."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.errors import Conflict
from workbench.records import Answer
from workbench.storage.events import current_events
from workbench.storage.tables import AccountRow, CampaignRow, DraftJudgmentRow, TopicDraftRow
from workbench.workflow.campaigns.scales import scale_from_json
from workbench.workflow.checks import checked_client_id, checked_sha256
from workbench.workflow.clock import utc_now
from workbench.workflow.judging.record import Place, append
from workbench.workflow.judging.submission import Submission
from workbench.workflow.people.membership import become_assessor
from workbench.workflow.pools.additions import Additions, add_documents
from workbench.workflow.pools.pool_rows import pool_row, require_open
from workbench.workflow.searching.found import HitAnswer, SearcherKnowledge
from workbench.workflow.searching.searches import (
    Searcher,
    SearchHappening,
    own_search,
    rank_of,
    record_event,
)
from workbench.workflow.searching.topic_drafts import DraftState, draft_grades, own_open_draft

DEVELOPED = "topic development"
"""The source of judgments that were made before their topic was one of the campaign."""


@dataclass(frozen=True, slots=True)
class DraftAnswer:
    """The grade that an author gives a document of a draft; `client_id` records it once."""

    docno: str
    grade: int
    client_id: str
    sha256: str | None = None


@dataclass(frozen=True, slots=True)
class KeptJudgments:
    """Judgments of a draft that a pool took: all, those that its author had given already, new pairs."""

    judgments: int
    known: int
    added: int


def known_of_draft(db: Session, draft_id: int) -> SearcherKnowledge:
    """What the author of a draft knows: the documents judged for it, and nothing of pools."""
    answers = {one.docno: HitAnswer(Answer.GRADE, one.grade) for one in draft_grades(db, draft_id)}
    return SearcherKnowledge(answers, frozenset())


def judge_for_draft(
    db: Session, searcher: Searcher, number: int, search_id: int, answer: DraftAnswer
) -> None:
    """Record a grade of a document that a search has shown; a further grade of it counts instead.

    The same client id again changes nothing. Raises NotFound, Conflict as `own_open_draft` does, and
    WorkbenchError for a grade outside the scale.
    """
    row = own_open_draft(db, searcher.campaign_id, number, searcher.account_id)
    search = own_search(db, searcher, search_id)
    rank = rank_of(db, search, answer.docno)
    scale_from_json(db.get_one(CampaignRow, row.campaign_id).scale).grade(answer.grade)
    client_id = checked_client_id(answer.client_id)
    known = select(DraftJudgmentRow).where(
        DraftJudgmentRow.draft_id == row.id, DraftJudgmentRow.client_id == client_id
    )
    before = db.scalar(known)
    if before is not None:
        if (before.docno, before.grade) != (answer.docno, answer.grade):
            raise Conflict("this page already recorded another answer", remedy="reload the page")
        return
    db.add(
        DraftJudgmentRow(
            draft_id=row.id,
            search_id=search.id,
            rank=rank,
            docno=answer.docno,
            grade=answer.grade,
            document_sha256=checked_sha256(answer.sha256),
            client_id=client_id,
            judged_at=utc_now(None),
        )
    )
    record_event(db, search.id, SearchHappening.JUDGED, rank, answer.docno)


def keep_judgments(db: Session, row: TopicDraftRow, pool: str, *, by: int) -> KeptJudgments:
    """Let an open pool take the documents of a draft, with their grades as judgments of its author.

    What the author has judged for the topic since counts, and the grade of the draft is left out. Raises
    Conflict for a draft that is no topic, whose judgments were kept before, for one without judgments, and
    for a pool that is not open or chooses its documents itself.
    """
    if row.state != DraftState.ACCEPTED or row.topic is None:
        raise Conflict("this draft is no topic yet", remedy="take it into the campaign first")
    if row.kept_in is not None:
        raise Conflict("the judgments of this draft were kept before", remedy="see the pool")
    grades = draft_grades(db, row.id)
    if not grades:
        raise Conflict("nothing was judged for this draft")
    chosen = pool_row(db, row.campaign_id, pool)
    require_open(chosen)
    added = 0
    for one in grades:
        reason = f"{DEVELOPED}, draft {row.number}: search {one.search_id}, hit {one.rank}"
        additions = Additions({one.docno: one.rank}, reason, "Topic development")
        done = add_documents(db, row.campaign_id, pool, row.topic, additions, added_by=by)
        added += len(done.added)
    assessor = become_assessor(db, row.campaign_id, db.get_one(AccountRow, row.author_id))
    db.flush()
    current = current_events(db, row.campaign_id, assessor_ids=[assessor.id], topic=row.topic)
    known = {event.docno for event in current}
    for one in grades:
        if one.docno not in known:
            place = Place(row.campaign_id, assessor.id, row.topic, one.docno, DEVELOPED)
            client_id = f"draft-{row.id}-{one.judgment_id}"
            answer = Submission(
                one.docno, client_id, answer=Answer.GRADE, grade=one.grade, shown_sha256=one.sha256
            )
            append(db, place, answer)
    row.kept_in = chosen.id
    db.flush()
    return KeptJudgments(len(grades), len(known & {one.docno for one in grades}), added)
