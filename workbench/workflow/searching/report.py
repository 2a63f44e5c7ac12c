"""What searching found, topic by topic: documents that joined a pool by a search, and that no run had."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from workbench.records import Answer
from workbench.storage.events import CURRENT_PURPOSES
from workbench.storage.tables import (
    CampaignRow,
    JudgmentEventRow,
    PoolEntryRow,
    PoolRow,
    SearchEventRow,
    SearchRow,
)
from workbench.workflow.campaigns.collection import topic_titles
from workbench.workflow.campaigns.scales import scale_from_json
from workbench.workflow.searching.searches import SearchHappening


@dataclass(frozen=True, slots=True)
class TopicFound:
    """A topic's searches: documents opened, judged by searching, joined to a pool, and brought by no run.

    Of the latter `relevant` have a current judgment with a relevant grade by anybody, of `judged` with any.
    """

    topic: str
    title: str
    searches: int
    opened: int
    joined: int
    no_run: int
    judged: int
    relevant: int


def found_by_search(db: Session, campaign_id: int) -> tuple[TopicFound, ...]:
    """What searching found, for each topic that was searched, in the order of the topics."""
    searched = dict(
        db.execute(
            select(SearchRow.topic, func.count())
            .where(SearchRow.campaign_id == campaign_id)
            .group_by(SearchRow.topic)
        ).all()
    )
    opened: dict[str, set[str]] = {}
    joined: dict[str, set[str]] = {}
    rows = db.execute(
        select(SearchRow.topic, SearchEventRow.happening, SearchEventRow.docno)
        .join(SearchRow, SearchRow.id == SearchEventRow.search_id)
        .where(SearchRow.campaign_id == campaign_id, SearchEventRow.docno.is_not(None))
        .distinct()
    )
    for topic, happening, docno in rows:
        if docno is not None:
            kind = opened if happening == str(SearchHappening.OPENED) else joined
            kind.setdefault(topic, set()).add(docno)
    runs = _brought_by_runs(db, campaign_id, list(searched))
    answers = _relevance(db, campaign_id, list(searched))
    lines = []
    for topic, title in topic_titles(db, campaign_id).items():
        if topic not in searched:
            continue
        new = {docno for docno in joined.get(topic, ()) if (topic, docno) not in runs}
        given = [answers[topic, docno] for docno in new if (topic, docno) in answers]
        lines.append(
            TopicFound(
                topic,
                title,
                searched[topic],
                len(opened.get(topic, ())),
                len(joined.get(topic, ())),
                len(new),
                len(given),
                sum(given),
            )
        )
    return tuple(lines)


def _brought_by_runs(db: Session, campaign_id: int, topics: list[str]) -> set[tuple[str, str]]:
    """The pairs of these topics that a run brought into any pool."""
    rows = db.execute(
        select(PoolEntryRow.topic, PoolEntryRow.docno)
        .join(PoolRow)
        .where(PoolRow.campaign_id == campaign_id, PoolEntryRow.topic.in_(topics), PoolEntryRow.run_count > 0)
    )
    return {(topic, docno) for topic, docno in rows}


def _relevance(db: Session, campaign_id: int, topics: list[str]) -> dict[tuple[str, str], bool]:
    """Whether anybody's current grade of a pair is relevant; only pairs with a grade."""
    event = JudgmentEventRow
    latest = (
        select(func.max(event.id))
        .where(
            event.campaign_id == campaign_id,
            event.topic.in_(topics),
            event.purpose.in_(CURRENT_PURPOSES),
        )
        .group_by(event.assessor_id, event.topic, event.docno)
    )
    least = scale_from_json(db.get_one(CampaignRow, campaign_id).scale).relevant_from
    found: dict[tuple[str, str], bool] = {}
    rows = db.execute(
        select(event.topic, event.docno, event.grade).where(
            event.id.in_(latest), event.answer == str(Answer.GRADE)
        )
    )
    for topic, docno, grade in rows:
        relevant = grade is not None and grade >= least
        found[topic, docno] = found.get((topic, docno), False) or relevant
    return found
