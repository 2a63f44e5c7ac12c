"""Pools: what one would cost, making and changing them, and their queues."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum
from typing import Annotated

from flask import Blueprint
from pydantic import Field, StrictFloat, StrictInt
from typing_extensions import TypedDict
from werkzeug.wrappers import Response

from workbench.errors import rejected
from workbench.frozen import filled
from workbench.pooling.strategies import ALL_STRATEGIES, LEARNER, PoolRecipe
from workbench.records import TieRule
from workbench.storage import Session
from workbench.web.access import here, organiser, reader, viewer
from workbench.web.api.fields import (
    Counted,
    Flag,
    ManyNames,
    Names,
    PageJson,
    PageQuery,
    Real,
    Whole,
    after_ids,
    page_of,
    sent,
)
from workbench.web.api.judging import assessor_numbers
from workbench.web.api.operations import Text, operation
from workbench.web.context import read_here, reading, write_here, writing, writing_here
from workbench.web.downloads import streamed
from workbench.web.jobs import begin_learning, make_pool_soon, open_pool_soon, rebuild_pool_soon
from workbench.web.pages.pools.pools import pool_line, pools_shown, read_pool, write_pool
from workbench.workflow.judging import queues
from workbench.workflow.judging.queues import OutJson, QueueJson, QueueTopicJson
from workbench.workflow.people.sessions import Scope
from workbench.workflow.pools import drafts
from workbench.workflow.pools.additions import AddedPairs, Additions, add_documents, remove_addition
from workbench.workflow.pools.drafts import RebuiltPool
from workbench.workflow.pools.listing import (
    MadePoolJson,
    PoolJson,
    made_pool_json,
    origin_lines,
    pool_json,
    pool_origins,
    pool_report,
    pool_summary,
)
from workbench.workflow.pools.making import NewPool
from workbench.workflow.pools.planning import PoolPlanJson, plan_json, plan_pool

pools = Blueprint("pools", __name__, url_prefix="/campaigns/<slug>/pools")
PAIRS = "text/tab-separated-values; charset=utf-8"


class PairJson(TypedDict):
    """A pair of a pool; `origin` is runs, manual or runs+manual."""

    topic: str
    docno: str
    origin: str


@sent
class SentRecipe:
    """A pool to be made: parameters of the strategy by name, runs by tag (all accepted ones if None).

    Without `draft` it is open for judging at once.
    """

    name: str = ""
    strategy: Annotated[str, Field(json_schema_extra={"enum": list(ALL_STRATEGIES)})] = "depth"
    parameters: dict[str, str | StrictInt | StrictFloat] = field(default_factory=dict)
    ties: TieRule = TieRule.TREC_EVAL
    runs: Names | None = None
    priority: Annotated[Whole, Field(ge=1, le=10**6)] | None = None
    supplementary: Flag = False
    draft: Flag = False


class SentPoolState(StrEnum):
    """The state that a pool is to have."""

    OPEN = "open"
    CLOSED = "closed"


@sent
class PoolStateChange:
    """The state that a pool is to have: a draft is opened, an open pool closed for good."""

    state: SentPoolState


@sent
class SentPairs:
    """Documents to be added to a topic of a pool by hand, and why."""

    topic: str
    docnos: ManyNames
    reason: str


@sent
class AddedPair:
    """A document that was added to a topic by hand."""

    topic: str
    docno: str


@sent
class SentPoolName:
    """The name that a draft is to have."""

    name: str


@sent
class PairsQuery(PageQuery):
    """Which pairs; of all topics unless one is named."""

    topic: str = ""


@pools.get("")
@reader
@operation(PageJson[PoolJson], query=PageQuery)
def index(query: PageQuery) -> PageJson[PoolJson]:
    """List the pools, oldest first; drafts are listed to organisers only."""
    with reading() as db:
        found = pools_shown(db)
    return page_of(found, query, key=lambda one: one.id, form=pool_json)


@pools.post("", endpoint="make")
@organiser
@operation(MadePoolJson, scope=Scope.MANAGE, body=SentRecipe, status=201)
def make_pool(body: SentRecipe) -> MadePoolJson:
    """Make a pool from the runs by a recipe."""
    recipe = PoolRecipe(
        body.strategy, body.parameters, body.ties, body.runs, body.priority, body.supplementary
    )
    new = NewPool(here().id, recipe, name=body.name, draft=body.draft, created_by=viewer().id)
    made = make_pool_soon(new)
    if not body.draft and made.pool.strategy == LEARNER.name:
        begin_learning(here().id)
    return made_pool_json(made)


@pools.get("/<id:pool>", endpoint="show")
@reader
@operation(MadePoolJson)
def show_pool(pool: str) -> MadePoolJson:
    """Show a pool by its name: its recipe, its topics and what each run contributed."""
    return made_pool_json(read_pool(pool, pool_report)[1])


@pools.get("/<id:pool>/pairs")
@reader
@operation(PageJson[PairJson], query=PairsQuery)
def pairs(pool: str, query: PairsQuery) -> PageJson[PairJson]:
    """List the pairs of a pool by topic and docno."""
    begin = after_ids(query, 2)
    pair = (begin[0], begin[1]) if begin else None
    with reading() as db:
        name = pool_line(db, pool).name
        found = pool_origins(db, here().id, name, topic=query.topic or None, after=pair)
        return page_of(
            found,
            query,
            key=lambda one: one[:2],
            form=lambda one: {"topic": one[0], "docno": one[1], "origin": one[2]},
        )


@pools.post("/<id:pool>/pairs")
@organiser
@operation(AddedPairs, scope=Scope.MANAGE, body=SentPairs)
def add_pairs(pool: str, body: SentPairs) -> AddedPairs:
    """Add documents to a topic by hand; all of them, or none. Assessors of the topic judge them too."""
    docnos = {docno: number for number, docno in enumerate(body.docnos, start=1)}
    done = write_here(add_documents, pool, body.topic, Additions(docnos, body.reason), added_by=viewer().id)
    return filled(AddedPairs, done, passed=[one.docno for one in done.passed])


@pools.get("/<id:pool>/pairs.tsv")
@reader
@operation(Text(PAIRS, "Topic, docno and origin of each pair, one per line."))
def pairs_file(pool: str) -> Response:
    """Download the pairs of a pool."""
    with reading() as db:
        name = pool_line(db, pool).name
        return streamed(origin_lines(db, here().id, name), f"{here().slug}.{name}.tsv", kind=PAIRS)


@pools.post("/<id:pool>/state")
@organiser
@operation(PoolJson, scope=Scope.MANAGE, body=PoolStateChange)
def change_state(pool: str, body: PoolStateChange) -> PoolJson:
    """Open a draft for judging, or close an open pool for good."""
    if body.state is SentPoolState.OPEN:
        open_pool_soon(pool)
        opened = read_here(pool_summary, pool)
        if opened.strategy == LEARNER.name:
            begin_learning(here().id)
    else:
        write_here(drafts.close_pool, pool)
    return pool_json(read_here(pool_summary, pool))


@pools.patch("/<id:pool>")
@organiser
@operation(PoolJson, scope=Scope.MANAGE, body=SentPoolName)
def rename(pool: str, body: SentPoolName) -> PoolJson:
    """Rename a draft."""
    with writing_here() as (db, campaign_id):
        number = pool_summary(db, campaign_id, pool).id
        drafts.rename_draft(db, campaign_id, pool, body.name)
        return pool_json(pool_line(db, number))


@pools.post("/<id:pool>/rebuild")
@organiser
@operation(RebuiltPool, scope=Scope.MANAGE)
def rebuild(pool: str) -> RebuiltPool:
    """Rebuild a draft by its recipe, from the runs as they are now; what was added by hand is kept."""
    with reading() as db:
        name = pool_line(db, pool).name
    done = rebuild_pool_soon(name)
    return filled(RebuiltPool, done, pool=made_pool_json(done.pool))


@pools.delete("/<id:pool>/pairs")
@organiser
@operation(None, scope=Scope.MANAGE, query=AddedPair)
def remove_pair(pool: str, query: AddedPair) -> None:
    """Remove a document that was added by hand and that nobody has judged."""
    write_pool(pool, remove_addition, topic=query.topic, docno=query.docno, by=viewer().id)


@pools.delete("/<id:pool>")
@organiser
@operation(None, scope=Scope.MANAGE)
def remove(pool: str) -> None:
    """Delete a draft, with the documents added to it by hand."""
    write_here(drafts.delete_draft, pool)


plans = Blueprint("plans", __name__, url_prefix="/campaigns/<slug>/plans")
Count = Annotated[Whole, Field(ge=1, le=10**6)]


@sent
class PoolPlanQuery:
    """A recipe as for making a pool, with parameters such as `depth=50`, and how its pairs are judged.

    `seconds` of a judgment are those of the campaign's pace, and `assessors` its own, unless given.
    """

    strategy: Annotated[str, Field(json_schema_extra={"enum": list(ALL_STRATEGIES)})] = "depth"
    parameter: list[str] = field(default_factory=list)
    ties: TieRule = TieRule.TREC_EVAL
    run: list[str] = field(default_factory=list)
    priority: Count | None = None
    supplementary: Flag = False
    per_pair: Count = 1
    assessors: Count | None = None
    seconds: Real | None = None

    def recipe(self) -> PoolRecipe:
        """The same as a pool is made by; raises InvalidInput for a parameter without a value."""
        parted = [one.partition("=") for one in self.parameter]
        wrong = [name for name, equals, _ in parted if not equals]
        if wrong:
            raise rejected(
                "parameter", None, "parameter", f"{wrong[0][:40]!r} has no value", "write it like depth=50"
            )
        values = {name: value for name, _, value in parted}
        return PoolRecipe(
            self.strategy, values, self.ties, self.run or None, self.priority, self.supplementary
        )


@plans.get("/pool", endpoint="pool")
@organiser
@operation(PoolPlanJson, query=PoolPlanQuery)
def plan(query: PoolPlanQuery) -> PoolPlanJson:
    """Plan a pool: its size and the hours of judging it, by topic and by depth."""
    planned = read_here(
        plan_pool,
        query.recipe(),
        per_pair=query.per_pair,
        assessors=query.assessors,
        seconds=query.seconds,
    )
    return plan_json(planned)


pool_queues = Blueprint("queues", __name__, url_prefix="/campaigns/<slug>/pools/<id:pool>/queue")


@sent
class SentQueue:
    """How many judgments each pair is to get, and after how many minutes others get what is not answered.

    The lease applies to all queues of the campaign; None leaves it.
    """

    per_pair: Whole
    lease_minutes: Whole | None = None


@sent
class SentAssessors:
    """Assessors by name; all with an account if None."""

    assessors: Names | None = None


@sent
class SentReturn:
    """What returns to the queue: all that is out, an assessor's, a topic's, or one document of both."""

    assessor: str | None = None
    topic: str | None = None
    docno: str | None = None


@pool_queues.get("", endpoint="show")
@organiser
@operation(QueueJson)
def show_queue(pool: str) -> QueueJson:
    """Show how far a queue has come, and what is out."""
    with reading() as db:
        return _queue(db, pool)


@pool_queues.post("", endpoint="make")
@organiser
@operation(QueueJson, scope=Scope.MANAGE, body=SentQueue)
def make_queue(pool: str, body: SentQueue) -> QueueJson:
    """Make a pool a queue, or change how many judgments it asks for; what was judged counts."""
    with writing_here() as (db, campaign_id):
        queues.make_queue(db, campaign_id, pool, body.per_pair)
        if body.lease_minutes is not None:
            queues.set_lease(db, campaign_id, body.lease_minutes)
        return _queue(db, pool)


@pool_queues.delete("")
@organiser
@operation(Counted, scope=Scope.MANAGE)
def end(pool: str) -> Counted:
    """Make a queue a pool with assignments again; counts the pairs that were out."""
    return {"count": write_here(queues.end_queue, pool)}


@pool_queues.post("/assessors")
@organiser
@operation(Counted, scope=Scope.MANAGE, body=SentAssessors)
def give(pool: str, body: SentAssessors) -> Counted:
    """Give all topics of the queue to assessors; counts the new assignments."""
    with writing() as db:
        chosen = assessor_numbers(db, body.assessors)
        return {"count": queues.give_queue(db, here().id, pool, chosen)}


@pool_queues.post("/returned")
@organiser
@operation(Counted, scope=Scope.MANAGE, body=SentReturn)
def return_pairs(pool: str, body: SentReturn) -> Counted:
    """Return pairs that are out to the queue, so that somebody else gets them; what is judged stays."""
    with writing_here() as (db, campaign_id):
        if body.docno is None:
            done = queues.take_back(db, campaign_id, pool, assessor=body.assessor, topic=body.topic)
            return {"count": done}
        if body.assessor is None or body.topic is None:
            raise rejected(
                "body",
                None,
                "docno",
                "a document needs its assessor and topic",
                "name the assessor and the topic as well",
            )
        (number,) = assessor_numbers(db, [body.assessor])
        one = queues.take_back_pair(
            db, campaign_id, pool, assessor_id=number, topic=body.topic, docno=body.docno
        )
    return {"count": int(one)}


def _queue(db: Session, pool: str) -> QueueJson:
    found = queues.queue_report(db, here().id, pool)
    return filled(
        QueueJson,
        found,
        topics=[filled(QueueTopicJson, one) for one in found.by_topic],
        out=[filled(OutJson, one) for one in found.out],
    )
