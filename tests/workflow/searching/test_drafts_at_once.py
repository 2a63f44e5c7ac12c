"""Drafts of topics while two people, tabs or clicks come at once, each in a thread as those of a server."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from sqlalchemy import func, select

from tests.cast import Cast, assemble
from tests.searches import stored_search
from workbench.errors import Conflict
from workbench.storage import Session
from workbench.storage.engine import Database
from workbench.storage.tables import DraftJudgmentRow, JudgmentEventRow, TopicRow
from workbench.workflow.searching.draft_judgments import DraftAnswer, judge_for_draft, keep_judgments
from workbench.workflow.searching.searches import Searcher
from workbench.workflow.searching.topic_drafts import (
    TopicStatement,
    begin_draft,
    change_statement,
    draft_row,
    set_draft_aside,
    take_into_campaign,
    topic_draft,
    topic_drafts,
)

pytestmark = pytest.mark.engines
Act = Callable[[Session], object]
DONE, REFUSED = "done", "refused"


def at_once(database: Database, *acts: Act) -> list[str]:
    """What became of acts that begin at the same moment, each in a transaction of its own."""
    gate = Barrier(len(acts))

    def run(act: Act) -> str:
        gate.wait(timeout=60)
        try:
            with database.writing() as db:
                act(db)
        except Conflict:
            return REFUSED
        return DONE

    with ThreadPoolExecutor(len(acts)) as threads:
        return [one.result(timeout=60) for one in [threads.submit(run, act) for act in acts]]


def developed(database: Database, cast: Cast, name: str) -> tuple[int, Searcher, int]:
    """A draft of somebody: its number, who searches for it, and a search that has shown d1 and d2."""
    author = cast.accounts[name].id
    with database.writing() as db:
        number = begin_draft(db, cast.campaign_id, author, f"a-draft-of-{name}")
        change_statement(db, cast.campaign_id, number, author, TopicStatement("Tides"))
        searcher = Searcher(cast.campaign_id, "", author, draft_id=draft_row(db, cast.campaign_id, number).id)
        return number, searcher, stored_search(db, searcher, ["d1", "d2"])


@pytest.mark.slow
def test_a_draft_is_decided_once_whoever_decides_at_the_same_time(database: Database) -> None:
    cast = assemble(database)
    olga, campaign = cast.accounts["Olga"].id, cast.campaign_id
    first, *_ = developed(database, cast, "Ada")
    second, *_ = developed(database, cast, "Ben")

    def take(number: int, topic: str) -> Act:
        return lambda db: take_into_campaign(
            db, draft_row(db, campaign, number, writing=True), topic, by=olga
        )

    def aside(db: Session) -> None:
        set_draft_aside(db, draft_row(db, campaign, first, writing=True), "too few", by=olga)

    # A double click on two drafts that are to be one topic: one draft gets it, however often it is sent.
    took = at_once(database, *(take(number, "T9") for number in (first, first, second, second)))
    assert sorted(took) == [DONE, DONE, REFUSED, REFUSED]
    other = second if took[0] == DONE else first
    # The other one gets two ids at once, and is put aside or changed: again one of them counts.
    with database.reading() as db:
        author = topic_draft(db, campaign, other).author_id
    late = TopicStatement("Neap tides", revision=1)

    def write(db: Session) -> None:
        change_statement(db, campaign, other, author, late)

    decided = at_once(database, take(other, "T10"), take(other, "T11"), write)
    assert sorted(decided[:2]) == [DONE, REFUSED]
    with database.reading() as db:
        topics = dict(
            db.execute(
                select(TopicRow.topic, TopicRow.title).where(
                    TopicRow.campaign_id == campaign, TopicRow.topic.in_(["T9", "T10", "T11"])
                )
            ).all()
        )
        positions = db.scalars(select(TopicRow.position).where(TopicRow.campaign_id == campaign)).all()
        drafts = topic_drafts(db, campaign)
    assert topics.keys() == {one.topic for one in drafts}
    assert len(set(positions)) == len(positions)
    # The topic says what the draft says.
    assert all(topics[one.topic or ""] == one.statement.title for one in drafts)
    assert at_once(database, aside) == [REFUSED]


@pytest.mark.slow
def test_two_tabs_judge_at_once_and_a_pool_keeps_the_judgments_once(database: Database) -> None:
    cast = assemble(database)
    campaign, olga = cast.campaign_id, cast.accounts["Olga"].id
    drafts = [developed(database, cast, "Ada")]
    number, searcher, search = drafts[0]

    def judge(docno: str, grade: int, client_id: str) -> Act:
        answer = DraftAnswer(docno, grade, client_id)
        return lambda db: judge_for_draft(db, searcher, number, search, answer)

    sent = (("d1", 1, "tab-one-1"), ("d1", 1, "tab-one-1"), ("d1", 3, "tab-two-1"), ("d2", 0, "tab-two-2"))
    assert at_once(database, *(judge(*one) for one in sent)) == [DONE] * 4
    with database.writing() as db:
        assert db.scalar(select(func.count(DraftJudgmentRow.id))) == 3
        assert topic_draft(db, campaign, number).progress.judged == 2
        take_into_campaign(db, draft_row(db, campaign, number, writing=True), "T9", by=olga)

    def keep(db: Session) -> None:
        keep_judgments(db, draft_row(db, campaign, number, writing=True), "depth 2", by=olga)

    assert sorted(at_once(database, keep, keep)) == [DONE, REFUSED]
    with database.reading() as db:
        assert db.scalar(select(func.count(JudgmentEventRow.id))) == 2


def test_drafts_that_begin_at_once_have_numbers_of_their_own_and_a_double_click_begins_one(
    database: Database,
) -> None:
    cast = assemble(database)
    campaign = cast.campaign_id
    ada, ben = cast.accounts["Ada"].id, cast.accounts["Ben"].id

    def begin(author: int, client_id: str) -> Act:
        return lambda db: begin_draft(db, campaign, author, client_id)

    clicks = ((ada, "draft-one"), (ada, "draft-one"), (ada, "draft-two"), (ben, "draft-three"))
    assert at_once(database, *(begin(*one) for one in clicks)) == [DONE] * 4
    # A client id is one draft's: to anybody else it is taken.
    assert at_once(database, begin(ben, "draft-one")) == [REFUSED]
    with database.reading() as db:
        assert [one.number for one in topic_drafts(db, campaign)] == [3, 2, 1]
