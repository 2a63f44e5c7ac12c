"""A learner's pool at work: rankings made apart, shared by assessors, replayed from its events."""

from __future__ import annotations

import pytest
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from tests.assigned import assign
from tests.builders import Made, campaign_with_people
from tests.workflow.judging.handed_out import Live, happened
from workbench.errors import Conflict, InvalidInput, NotFound, WorkbenchError
from workbench.learning.stopping import STOPPING_RULES, StoppingGoal
from workbench.pooling.strategies import PoolRecipe
from workbench.records import Document, Judgment
from workbench.storage.engine import Database
from workbench.storage.tables import LearnerRoundRow, PoolEventRow
from workbench.workflow.campaigns.collection import load_documents
from workbench.workflow.judging.adaptive_states import AdaptiveStates
from workbench.workflow.judging.assignments import assignments_of
from workbench.workflow.judging.importing import import_judgments
from workbench.workflow.judging.task import prepare_next
from workbench.workflow.pools.learner_pools import advice_export, further_sample, pool_advice, raise_budget
from workbench.workflow.pools.learner_rounds import CollectionVectors, make_rounds
from workbench.workflow.pools.making import make_pool
from workbench.workflow.pools.pool_rows import pool_events

TIDES = {"t1": "tides high water table", "t2": "table of high water in the harbour", "t3": "high tides"}
NETS = {f"n{number}": f"nets and fish, number {number}" for number in range(1, 12)}


def learner_pool(db: Session, made: Made | None = None, **parameters: object) -> Live:
    """A learner's pool over the six documents of `tests.builders` and fourteen more; T1 is about tides."""
    if made is None:
        made = campaign_with_people(db)
        texts = [Document(docno, text=text) for docno, text in {**TIDES, **NETS}.items()]
        load_documents(db, made.campaign.id, texts, source="documents")
    recipe = PoolRecipe("learner", {"budget": 20, "share": 0, **parameters})
    pool = make_pool(db, made.campaign.id, recipe).pool
    assign(db, pool.id, topics=["T1"], assessor_ids=list(made.assessors.values()))
    lines = assignments_of(db, made.campaign.id)
    tasks = {one.assessor: one.id for one in lines if (one.pool, one.topic) == (pool.name, "T1")}
    return Live(made, pool.id, pool.name, tasks, AdaptiveStates())


def rounds_of(database: Database, live: Live) -> int:
    return make_rounds(database, live.made.campaign.id, CollectionVectors())


def judge_all(database: Database, live: Live, *names: str, rank: bool = True) -> list[str]:
    """Judge in turn until nothing comes, what is about tides relevant; gives the docnos."""
    seen: list[str] = []
    while True:
        name = names[len(seen) % len(names)]
        with database.writing() as db:
            docno = live.next(db, name)
            if docno is None:
                return seen
            live.say(db, name, docno, int(docno in TIDES))
        seen.append(docno)
        if rank:
            rounds_of(database, live)


def test_a_learner_finds_what_the_topic_is_about_first_and_is_replayed_from_its_events(
    database: Database,
) -> None:
    with database.writing() as db:
        live = learner_pool(db, share=0.4, seed=1)
    assert rounds_of(database, live) == 2  # of T1 and T2
    assert rounds_of(database, live) == 0
    seen = judge_all(database, live, "Ada", "Ben")
    assert len(seen) == len(set(seen)) == 20
    with database.reading() as db:
        events = pool_events(db, live.made.campaign.id, live.name)
        reasons = [one.reason for one in events if one.happening == "handed_out"]
        learned = [one.docno for one in events if one.reason and one.reason.origin == "learner"]
        rounds = db.scalars(select(LearnerRoundRow.number).where(LearnerRoundRow.topic == "T1")).all()
        replay = live.replay(db)
    assert set(learned[:3]) <= set(TIDES)
    assert {one.origin for one in reasons if one} == {"learner", "random"}
    # Batches of 1, 2, 3 ... are learned from as soon as they are judged: 20 documents in six rounds at most.
    assert len(rounds) >= 5
    assert replay.differences == ()
    assert (replay.rankings, replay.rankings_left) == (len(rounds) + 1, 0)  # and the first of T2
    assert [one.event for one in replay.events] == list(events)


def test_what_was_changed_afterwards_does_not_replay(database: Database) -> None:
    with database.writing() as db:
        live = learner_pool(db)
    rounds_of(database, live)
    judge_all(database, live, "Ada")
    row = PoolEventRow
    with database.writing() as db:
        db.execute(update(row).where(row.topic == "T1", row.number == 1).values(rank=7))
        db.execute(
            update(LearnerRoundRow)
            .where(LearnerRoundRow.topic == "T1", LearnerRoundRow.number == 1)
            .values(batch=9)
        )
        differences = live.replay(db).differences
    assert [one.split(":")[0] for one in differences] == [
        "topic T1, event 1",
        "topic T1",  # round 1 itself, and round 2, whose batch follows from it
        "topic T1",
    ]


def test_the_last_ranking_serves_until_there_is_another(database: Database) -> None:
    with database.writing() as db:
        live = learner_pool(db)
        # Nothing comes before the first ranking, which is made when the pool is opened.
        with pytest.raises(Conflict):
            live.next(db, "Ada")
    rounds_of(database, live)
    assert len(judge_all(database, live, "Ada", rank=False)) == 20
    with database.writing() as db:
        assert prepare_next(db, live.states, live.tasks["Ada"], live.made.accounts["Ada"]) is False
        assert live.replay(db).differences == ()


def test_two_assessors_share_the_budget_and_get_different_documents(database: Database) -> None:
    with database.writing() as db:
        live = learner_pool(db, budget=3)
    rounds_of(database, live)
    with database.writing() as db:
        ada, ben = live.next(db, "Ada"), live.next(db, "Ben")
        assert ada != ben
        assert live.next(db, "Ada") == ada  # until it is answered
        live.say(db, "Ada", str(ada), 1)
        third = live.next(db, "Ada")
        live.say(db, "Ada", str(third), 1)
        assert live.next(db, "Ada") is None


def test_judgments_from_elsewhere_teach_it_and_are_not_asked_again(database: Database) -> None:
    """n1 was judged relevant by searching: after it, the nets come before anything else but the tides."""
    with database.writing() as db:
        live = learner_pool(db)
        said = [Judgment("Zoe", "T1", f"n{number}", 1) for number in (1, 2, 3)]
        import_judgments(db, live.made.campaign.id, said, source="searched")
    rounds_of(database, live)
    with database.writing() as db:
        assert [one[:2] for one in happened(db, live)] == [("judged", f"n{number}") for number in (1, 2, 3)]
        first = live.next(db, "Ada")
    assert first in NETS
    assert first not in {"n1", "n2", "n3"}
    seen = judge_all(database, live, "Ada")
    assert not {"n1", "n2", "n3"} & set(seen)
    assert len(seen) == 17


def test_a_round_of_two_hosts_is_made_once(database: Database) -> None:
    with database.writing() as db:
        live = learner_pool(db)
    rounds_of(database, live)
    other = Live(live.made, live.pool_id, live.name, live.tasks, AdaptiveStates())
    with database.writing() as db:
        docno = live.next(db, "Ada")
        live.say(db, "Ada", str(docno), 1)
    with database.writing() as db:
        # The other host has the round before, and is told of the new one between two events.
        ben = other.next(db, "Ben")
    assert rounds_of(database, live) == 1
    with database.writing() as db:
        live.say(db, "Ben", str(ben), 0)
        assert other.next(db, "Ben") not in {docno, ben}
        assert live.next(db, "Ada") not in {docno, ben}
        assert live.replay(db).differences == ()


def test_documents_that_come_later_are_no_candidates_and_rankings_before_cannot_be_made_again(
    database: Database,
) -> None:
    with database.writing() as db:
        live = learner_pool(db)
    rounds_of(database, live)
    with database.writing() as db:
        load_documents(db, live.made.campaign.id, [Document("t9", text="tides")], source="more")
    assert "t9" not in judge_all(database, live, "Ada")
    with database.reading() as db:
        replay = live.replay(db)
    assert replay.differences == ()
    assert replay.rankings_left == 2  # the first of T1 and of T2


def test_what_no_learner_can_do_is_refused(db: Session) -> None:
    live = learner_pool(db)
    campaign = live.made.campaign.id
    with pytest.raises(InvalidInput):
        make_pool(db, campaign, PoolRecipe("learner", {"mode": "magic"}))
    with pytest.raises(InvalidInput):
        make_pool(db, campaign, PoolRecipe("learner", {"share": 1.5}))


def test_advice_on_stopping_is_of_what_was_judged_and_changes_nothing(sqlite_database: Database) -> None:
    with sqlite_database.writing() as db:
        live = learner_pool(db, share=0.6, seed=1, budget=8)
        campaign = live.made.campaign.id
        with pytest.raises(Conflict):
            pool_advice(db, campaign, live.name, StoppingGoal())
    rounds_of(sqlite_database, live)
    seen = judge_all(sqlite_database, live, "Ada")
    with sqlite_database.reading() as db:
        before = pool_events(db, campaign, live.name)
        one, other = pool_advice(db, campaign, live.name, StoppingGoal(0.9))
        assert pool_events(db, campaign, live.name) == before
        with pytest.raises(NotFound):
            pool_advice(db, campaign, live.name, StoppingGoal(), ["T9"])
    assert (one.topic, other.topic) == ("T1", "T2")
    assert (one.advice.judged, one.advice.found) == (8, len(TIDES.keys() & set(seen)))
    assert (other.advice.judged, other.advice.recall.low) == (0, 0.0)
    assert one.advice.sample is not None
    assert one.curve[-1] == (8 - one.advice.sample.judged, one.advice.found - one.advice.sample.relevant)
    rows = list(advice_export([one, other], 5).rows())
    assert [row[13] for row in rows] == [*STOPPING_RULES] * 2
    # A collection of 20 documents of which the sample has nearly half: more of it says all there is to say.
    more = further_sample(one.advice, 1000)
    assert more is not None
    assert (more.documents, more.recall.low) == (one.advice.left_to_sample, more.recall.high)


def test_without_texts_there_is_nothing_to_learn_from(db: Session) -> None:
    from workbench.records import BINARY
    from workbench.workflow.campaigns.campaigns import create_campaign

    empty = create_campaign(db, name="Empty", scale=BINARY, organiser=None)
    with pytest.raises(WorkbenchError, match="the learner reads the texts"):
        make_pool(db, empty.id, PoolRecipe("learner"))


def test_a_second_pool_draws_documents_of_its_own_and_a_budget_can_be_raised(database: Database) -> None:
    with database.writing() as db:
        first = learner_pool(db, share=1, budget=6)
    rounds_of(database, first)
    before = judge_all(database, first, "Ada")
    with database.writing() as db:
        second = learner_pool(db, first.made, share=1, budget=6)
    rounds_of(database, second)
    after = judge_all(database, second, "Ben")
    # All of them at random: by the same seed every one of them would be known already.
    with database.reading() as db:
        events = pool_events(db, second.made.campaign.id, second.name)
    drawn = [
        one.docno for one in events if one.reason and one.reason.origin == "random" and one.topic == "T1"
    ]
    assert len(before) == 6
    assert drawn
    assert not set(drawn) & set(before)
    with database.writing() as db:
        with pytest.raises(InvalidInput, match="already 6 documents per topic"):
            raise_budget(db, second.made.campaign.id, second.name, 6)
        raise_budget(db, second.made.campaign.id, second.name, 9)
    assert len(after) == 6
    assert len(judge_all(database, second, "Ben")) == 3
    with database.reading() as db:
        assert second.replay(db).differences == ()
