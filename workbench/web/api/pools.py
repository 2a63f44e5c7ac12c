"""Pools: made by a recipe, listed with their pairs, opened and closed."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum
from typing import Annotated

from flask import Blueprint
from pydantic import Field
from werkzeug.wrappers import Response

from workbench.json_forms.collecting import PageJson
from workbench.json_forms.filling import filled
from workbench.json_forms.judging import AddedPairs, MadePoolJson, PairJson, PoolJson, RebuiltPool
from workbench.pooling.strategies import ALL_STRATEGIES, LEARNER, PoolRecipe
from workbench.records import TieRule
from workbench.web.access import here, organiser, reader, viewer
from workbench.web.api.cursors import Flag, ManyNames, Names, PageQuery, Whole, after_ids, page_of, sent
from workbench.web.api.operations import Text, operation
from workbench.web.context import reading, writing
from workbench.web.downloads import streamed
from workbench.web.jobs import begin_learning
from workbench.web.long_work import make_pool_soon, open_pool_soon, rebuild_pool_soon
from workbench.web.pages.pools.pool_choice import pool_line, pools_shown
from workbench.workflow.people.access_tokens import Scope
from workbench.workflow.pools import drafts
from workbench.workflow.pools.additions import Additions, add_documents, remove_addition
from workbench.workflow.pools.listing import (
    made_pool_json,
    origin_lines,
    pool_json,
    pool_origins,
    pool_report,
    pool_summary,
)
from workbench.workflow.pools.making import NewPool

blueprint = Blueprint("pools", __name__, url_prefix="/campaigns/<slug>/pools")
PAIRS = "text/tab-separated-values; charset=utf-8"


@sent
class SentRecipe:
    """A pool to be made: parameters of the strategy by name, runs by tag (all accepted ones if None).

    Without `draft` it is open for judging at once.
    """

    name: str = ""
    strategy: Annotated[str, Field(json_schema_extra={"enum": list(ALL_STRATEGIES)})] = "depth"
    parameters: dict[str, str | int | float] = field(default_factory=dict)
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


@blueprint.get("")
@reader
@operation(PageJson[PoolJson], query=PageQuery)
def index(query: PageQuery) -> PageJson[PoolJson]:
    """List the pools, oldest first; drafts are listed to organisers only."""
    with reading() as db:
        found = pools_shown(db)
    return page_of(found, query, key=lambda one: one.id, form=pool_json)


@blueprint.post("")
@organiser
@operation(MadePoolJson, scope=Scope.MANAGE, body=SentRecipe, status=201)
def make(body: SentRecipe) -> MadePoolJson:
    """Make a pool from the runs by a recipe."""
    recipe = PoolRecipe(
        body.strategy, body.parameters, body.ties, body.runs, body.priority, body.supplementary
    )
    new = NewPool(here().id, recipe, name=body.name, draft=body.draft, created_by=viewer().id)
    made = make_pool_soon(new)
    if not body.draft and made.pool.strategy == LEARNER.name:
        begin_learning(here().id)
    return made_pool_json(made)


@blueprint.get("/<id:pool>")
@reader
@operation(MadePoolJson)
def show(pool: str) -> MadePoolJson:
    """Show a pool by its name: its recipe, its topics and what each run contributed."""
    with reading() as db:
        return made_pool_json(pool_report(db, here().id, pool_line(db, pool).name))


@blueprint.get("/<id:pool>/pairs")
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


@blueprint.post("/<id:pool>/pairs")
@organiser
@operation(AddedPairs, scope=Scope.MANAGE, body=SentPairs)
def add_pairs(pool: str, body: SentPairs) -> AddedPairs:
    """Add documents to a topic by hand; all of them, or none. Assessors of the topic judge them too."""
    docnos = {docno: number for number, docno in enumerate(body.docnos, start=1)}
    with writing() as db:
        done = add_documents(
            db, here().id, pool, body.topic, Additions(docnos, body.reason), added_by=viewer().id
        )
    return filled(AddedPairs, done, passed=[one.docno for one in done.passed])


@blueprint.get("/<id:pool>/pairs.tsv")
@reader
@operation(Text(PAIRS, "Topic, docno and origin of each pair, one per line."))
def pairs_file(pool: str) -> Response:
    """Download the pairs of a pool."""
    with reading() as db:
        name = pool_line(db, pool).name
        return streamed(origin_lines(db, here().id, name), f"{here().slug}.{name}.tsv", kind=PAIRS)


@blueprint.post("/<id:pool>/state")
@organiser
@operation(PoolJson, scope=Scope.MANAGE, body=PoolStateChange)
def change_state(pool: str, body: PoolStateChange) -> PoolJson:
    """Open a draft for judging, or close an open pool for good."""
    if body.state is SentPoolState.OPEN:
        open_pool_soon(pool)
        with reading() as db:
            opened = pool_summary(db, here().id, pool)
        if opened.strategy == LEARNER.name:
            begin_learning(here().id)
    else:
        with writing() as db:
            drafts.close_pool(db, here().id, pool)
    with reading() as db:
        return pool_json(pool_summary(db, here().id, pool))


@blueprint.patch("/<id:pool>")
@organiser
@operation(PoolJson, scope=Scope.MANAGE, body=SentPoolName)
def rename(pool: str, body: SentPoolName) -> PoolJson:
    """Rename a draft."""
    with writing() as db:
        number = pool_summary(db, here().id, pool).id
        drafts.rename_draft(db, here().id, pool, body.name)
        return pool_json(pool_line(db, number))


@blueprint.post("/<id:pool>/rebuild")
@organiser
@operation(RebuiltPool, scope=Scope.MANAGE)
def rebuild(pool: str) -> RebuiltPool:
    """Rebuild a draft by its recipe, from the runs as they are now; what was added by hand is kept."""
    with reading() as db:
        name = pool_line(db, pool).name
    done = rebuild_pool_soon(name)
    return filled(RebuiltPool, done, pool=made_pool_json(done.pool))


@blueprint.delete("/<id:pool>/pairs")
@organiser
@operation(None, scope=Scope.MANAGE, query=AddedPair)
def remove_pair(pool: str, query: AddedPair) -> None:
    """Remove a document that was added by hand and that nobody has judged."""
    with writing() as db:
        name = pool_line(db, pool).name
        remove_addition(db, here().id, name, topic=query.topic, docno=query.docno, by=viewer().id)


@blueprint.delete("/<id:pool>")
@organiser
@operation(None, scope=Scope.MANAGE)
def remove(pool: str) -> None:
    """Delete a draft, with the documents added to it by hand."""
    with writing() as db:
        drafts.delete_draft(db, here().id, pool)
