"""Late runs: what a run retrieved that nobody has judged, and the pool that fills these holes."""

from __future__ import annotations

from sqlalchemy.orm import Session

from workbench.errors import Conflict
from workbench.frozen import frozen_dataclass
from workbench.pooling.strategies import PoolRecipe
from workbench.ranking import ordered
from workbench.records import sorted_ids
from workbench.storage.engine import Database
from workbench.storage.tables import PoolRow
from workbench.workflow.campaigns.collection import topics_of
from workbench.workflow.judging.assignments import Distribution, distribute
from workbench.workflow.log import answers_by_topic
from workbench.workflow.people.membership import able_ids
from workbench.workflow.pools.listing import PoolReport
from workbench.workflow.pools.making import NewPool, make_while_others_write
from workbench.workflow.pools.pool_rows import topics_of_pool
from workbench.workflow.pools.pooled_topics import highest_grades_of, machines_of
from workbench.workflow.runs.packed_store import run_for_use

CUTOFFS = (5, 10, 20, 50, 100)


@frozen_dataclass
class TopicHoles:
    """A topic's unjudged documents among a run's first, one count for each cut-off."""

    topic: str
    title: str
    retrieved: int
    unjudged: tuple[int, ...]


@frozen_dataclass
class RunHoles:
    """A run's unjudged documents by cut-off and topic; `shares` are of what it retrieved that far."""

    tag: str
    cutoffs: tuple[int, ...]
    unjudged: tuple[int, ...]
    shares: tuple[float, ...]
    by_topic: tuple[TopicHoles, ...]


@frozen_dataclass
class HolesFilled:
    """The supplementary pool for a run's holes, and how many topics went to those who know them."""

    pool: PoolReport
    assigned: int
    unassigned: int


def holes_of(db: Session, campaign_id: int, tag: str) -> RunHoles:
    """What of a run's first documents no person has judged, by cut-off and topic; raises NotFound."""
    machines, answers = machines_of(db, campaign_id), answers_by_topic(db, campaign_id)
    rankings = run_for_use(db, campaign_id, tag).rankings
    by_topic = []
    retrieved = [0] * len(CUTOFFS)
    for topic in topics_of(db, campaign_id):
        found = ordered(rankings[topic.id]) if topic.id in rankings else ()
        own = answers.get(topic.id)
        judged = highest_grades_of(own, machines) if own is not None else {}
        unjudged = [docno not in judged for docno in found]
        by_topic.append(
            TopicHoles(topic.id, topic.title, len(found), tuple(sum(unjudged[:cut]) for cut in CUTOFFS))
        )
        retrieved = [count + len(found[:cut]) for count, cut in zip(retrieved, CUTOFFS, strict=True)]
    totals = tuple(sum(line.unjudged[place] for line in by_topic) for place in range(len(CUTOFFS)))
    shares = tuple(holes / of if of else 0.0 for holes, of in zip(totals, retrieved, strict=True))
    return RunHoles(tag, CUTOFFS, totals, shares, tuple(by_topic))


def fill_holes(
    database: Database,
    campaign_id: int,
    tag: str,
    *,
    depth: int,
    created_by: int | None = None,
) -> HolesFilled:
    """Make the supplementary pool of a run to a depth, each topic for the assessors who judged it before.

    Raises NotFound for the run and Conflict where nothing is left to judge.
    """
    with database.reading() as db:
        able, answers = able_ids(db, campaign_id), answers_by_topic(db, campaign_id)
        graders = {topic: set(one.assessors[one.codes >= 0].tolist()) for topic, one in answers.items()}
        # Those who can judge now and graded something of the topic.
        knowing = {topic: who & able for topic, who in graders.items() if who & able}
    assigned = unassigned = 0

    def assign_topics(db: Session, pool: PoolRow) -> None:
        nonlocal assigned, unassigned
        topics = topics_of_pool(db, pool)
        if not topics:
            raise Conflict(f"everything that {tag} has down to rank {depth} is pooled or judged already")
        given = [
            (topic, assessor_id)
            for topic in sorted_ids(topics)
            for assessor_id in sorted(knowing.get(topic, ()))
        ]
        assigned = distribute(db, Distribution(pool.id, given))
        unassigned = len(topics - knowing.keys())

    recipe = PoolRecipe(parameters={"depth": depth}, tags=[tag], supplementary=True)
    new = NewPool(campaign_id, recipe, name=f"{tag} late, depth {depth}", created_by=created_by)
    report = make_while_others_write(database, new, finish=assign_topics)
    return HolesFilled(report, assigned, unassigned)
