"""Campaigns of TREC's size and of ten times that, written straight into an empty database.

Everything is drawn from one seed, and nothing is written that the use-cases would refuse: every pair of the
pool is among the first documents of the runs that brought it, every judgment is of a pair that its assessor
was assigned, every pooled document is loaded.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice, pairwise
from typing import Any

import numpy as np
from sqlalchemy import insert, select, update

from workbench.formats.packed_form import pack
from workbench.formats.packed_runs import PackedRun
from workbench.pooling.strategies import PoolRecipe
from workbench.records import FOUR_GRADES, Document, Topic
from workbench.storage.engine import Database
from workbench.storage.run_files import StoredForm, store_form
from workbench.storage.tables import (
    AssignmentRow,
    Base,
    CampaignRow,
    DocumentRow,
    JudgmentEventRow,
    PoolEntryRow,
    PoolRow,
    RunRow,
)
from workbench.workflow.campaigns.campaigns import create_campaign
from workbench.workflow.campaigns.collection import load_documents, load_topics
from workbench.workflow.people.accounts import NewAccount, create_account
from workbench.workflow.people.membership import Role, add_role, assessors_of
from workbench.workflow.pools.making import NewPool, recipe_of
from workbench.workflow.runs.store import NO_METADATA

SEED = 16
SLUG = "large"
ORGANISER = "olga"
BATCH = 20_000
BEGAN = datetime(2026, 9, 1, 8, tzinfo=UTC)
# How often each grade is the true one, 0 first, as in many collections.
TRUTH = (0.78, 0.12, 0.07, 0.03)
AGREES = 0.8
GRADES = len(TRUTH)

Positions = np.ndarray[Any, np.dtype[np.int32]]


@dataclass(frozen=True, slots=True)
class Size:
    """How large a campaign is; every `second_of` a topic's pairs its second assessor judges one."""

    runs: int
    topics: int
    retrieved: int
    pool_depth: int
    pairs: int
    events: int
    assessors: int
    doubly: int
    documents: int
    document_bytes: int

    def pooled(self, topic: int) -> int:
        """How many pairs of a topic are pooled: the pairs spread evenly, the first topics one more."""
        whole, rest = divmod(self.pairs, self.topics)
        return whole + (topic < rest)


SIZES = {
    "S": Size(130, 50, 1000, 100, 95_804, 99_038, 20, 3_234, 100_000, 3000),
    "L": Size(1000, 500, 100, 34, 1_007_261, 3_000_000, 200, 201_452, 2_000_000, 300),
    # A tenth of L, which is built in minutes.
    "M": Size(1000, 50, 100, 34, 100_726, 300_000, 20, 20_145, 200_000, 300),
    # For trying the benchmark itself.
    "XS": Size(12, 6, 60, 20, 600, 700, 4, 60, 1_000, 300),
}


def docno_of(number: int) -> str:
    """The docno of a document of the collection."""
    return f"doc-{number:07}"


def topic_of(number: int) -> str:
    """The id of a topic."""
    return str(401 + number)


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """One topic: the numbers of its documents, the `pooled` first, their grades, and every run's ranking.

    `ranked`, shape (runs, retrieved), holds places among the documents, best first.
    """

    documents: Positions
    grades: Positions
    ranked: Positions


def build(database: Database, size: Size) -> None:
    """Write a campaign of this size into an empty, migrated database."""
    random = np.random.default_rng(SEED)
    campaign_id, organiser, assessors = _people(database, size)
    _documents(database, campaign_id, size)
    rankings = np.empty((size.runs, size.topics, size.retrieved), np.int32)
    pool_id = _pool(database, campaign_id, organiser, size)
    given = [_assigned(size, number, assessors) for number in range(size.topics)]
    numbers = _assign(database, pool_id, given)
    shares: list[list[tuple[int, str, int, int]]] = []
    for number in range(size.topics):
        found = _topic(size, number, random)
        rankings[:, number] = found.documents[found.ranked]
        _entries(database, pool_id, number, found, size)
        shares.append(list(_answers(size, number, found, given[number], random)))
    _events(database, campaign_id, size, shares, numbers)
    _runs(database, campaign_id, pool_id, rankings)
    with database.engine.begin() as connection:
        connection.exec_driver_sql("analyze")


def _people(database: Database, size: Size) -> tuple[int, int, list[int]]:
    with database.writing() as db:
        organiser = create_account(db, NewAccount(ORGANISER, "Olga", "no hash"))
        campaign = create_campaign(
            db, name="Large", slug=SLUG, scale=FOUR_GRADES, organiser=organiser.id, guidelines="Read it."
        )
        topics = [Topic(topic_of(one), f"subject {one}", "What?", "This.") for one in range(size.topics)]
        load_topics(db, campaign.id, topics, source="topics")
        for number in range(size.assessors):
            account = create_account(db, NewAccount(f"a{number:03}", f"Assessor {number:03}", "no hash"))
            add_role(db, campaign.id, account.id, Role.ASSESSOR)
        ids = [line.id for line in assessors_of(db, campaign.id)]
    return campaign.id, organiser.id, ids


def _documents(database: Database, campaign_id: int, size: Size) -> None:
    words = ("the", "harbour", "at", "high", "water", "and", "a", "vessel", "of", "its", "port")
    text = " ".join(words[number % len(words)] for number in range(size.document_bytes // 5))
    with database.writing() as db:
        load_documents(db, campaign_id, [Document("first", "", text)], source="documents")

    def row(number: int) -> dict[str, Any]:
        title, body = f"Document {number}", f"{number} {text}"[: size.document_bytes]
        shown = {"title": title, "text": body, "sha256": Document("d", title, body).sha256}
        return {"campaign_id": campaign_id, "docno": docno_of(number)} | shown

    _insert(database, DocumentRow, map(row, range(size.documents)))
    with database.writing() as db:
        kept = update(CampaignRow).where(CampaignRow.id == campaign_id)
        db.execute(kept.values(documents=CampaignRow.documents + size.documents))


def _pool(database: Database, campaign_id: int, organiser: int, size: Size) -> int:
    with database.writing() as db:
        new = NewPool(campaign_id, PoolRecipe(parameters={"depth": size.pool_depth}), "depth", False)
        row = PoolRow(
            campaign_id=campaign_id,
            name=f"Depth {size.pool_depth}",
            recipe=recipe_of(new),
            pairs=size.pairs,
            largest_possible=size.runs * size.pool_depth * size.topics,
            created_by=organiser,
            created_at=BEGAN,
            opened_at=BEGAN,
        )
        db.add(row)
        db.flush()
        return row.id


def _assigned(size: Size, topic: int, assessors: list[int]) -> tuple[int, int]:
    """The two assessors of a topic; everybody meets many others."""
    first = topic % size.assessors
    step = 1 + topic // size.assessors * 7 + topic % 13
    return assessors[first], assessors[(first + 1 + step % (size.assessors - 1)) % size.assessors]


def _assign(database: Database, pool_id: int, given: list[tuple[int, int]]) -> dict[tuple[str, int], int]:
    pairs = [(topic_of(number), one) for number, both in enumerate(given) for one in both]
    rows = [
        {"pool_id": pool_id, "topic": topic, "assessor_id": assessor, "order_rule": "shuffled"}
        | {"seed": number, "assigned_at": BEGAN, "revoked_at": None}
        for number, (topic, assessor) in enumerate(pairs, start=1)
    ]
    _insert(database, AssignmentRow, rows)
    with database.reading() as db:
        assigned = db.execute(select(AssignmentRow.topic, AssignmentRow.assessor_id, AssignmentRow.id))
        return {(topic, assessor): number for topic, assessor, number in assigned}


def _topic(size: Size, number: int, random: np.random.Generator) -> _Found:
    pooled = size.pooled(number)
    # Beyond the pool as many again can be found, where runs go deeper than it.
    findable = pooled if size.retrieved <= size.pool_depth * 3 else pooled + size.retrieved
    documents = random.choice(size.documents, findable, replace=False).astype(np.int32)
    grades = random.choice(GRADES, findable, p=TRUTH).astype(np.int32)
    skill = random.uniform(0.05, 0.5, (size.runs, 1)).astype(np.float32)
    keys = random.random((size.runs, findable), np.float32) - skill * grades
    keys[:, pooled:] += 1
    # A share of the pool for every run to have on top, so that each pooled pair is brought by some run.
    cuts = np.linspace(0, pooled, size.runs + 1).astype(int)
    for run, (begin, end) in enumerate(pairwise(cuts.tolist())):
        keys[run, begin:end] -= 9
    if size.retrieved < findable:
        best = np.argpartition(keys, size.retrieved, axis=1)[:, : size.retrieved]
    else:
        best = np.tile(np.arange(findable), (size.runs, 1))[:, : size.retrieved]
    order = np.argsort(np.take_along_axis(keys, best, 1), axis=1)
    return _Found(documents, grades, np.take_along_axis(best, order, 1).astype(np.int32))


def _entries(database: Database, pool_id: int, number: int, found: _Found, size: Size) -> None:
    brought: dict[int, list[tuple[int, int]]] = {}
    for run, places in enumerate(found.ranked[:, : size.pool_depth].tolist()):
        for rank, place in enumerate(places, start=1):
            brought.setdefault(place, []).append((rank, run))
    if len(brought) < size.pooled(number):
        raise RuntimeError("a pooled pair was brought by no run")
    topic = topic_of(number)
    rows = []
    for place in range(size.pooled(number)):
        by = sorted(brought[place])
        rows.append(
            {"pool_id": pool_id, "topic": topic, "docno": docno_of(int(found.documents[place]))}
            | {"brought_by": [[_tag(run), rank] for rank, run in by], "best_rank": by[0][0]}
            | {"run_count": len(by)}
        )
    _insert(database, PoolEntryRow, rows)


def _tag(run: int) -> str:
    return f"run{run + 1:04}"


def _answers(
    size: Size, number: int, found: _Found, given: tuple[int, int], random: np.random.Generator
) -> Iterator[tuple[int, str, int, int]]:
    """Assessor, topic, document and grade of what is to be current: all of one, a part of the other."""
    pooled, topic = size.pooled(number), topic_of(number)
    whole, rest = divmod(size.doubly, size.topics)
    for assessor, share in ((given[0], pooled), (given[1], whole + (number < rest))):
        strange = random.random(share) > AGREES
        noise = random.integers(0, GRADES, share)
        grades = np.where(strange, noise, found.grades[:share])
        for place, grade in enumerate(grades.tolist()):
            yield assessor, topic, int(found.documents[place]), grade


def _events(
    database: Database,
    campaign_id: int,
    size: Size,
    shares: list[list[tuple[int, str, int, int]]],
    assignments: dict[tuple[str, int], int],
) -> None:
    answers = [one for share in shares for one in share]
    step = timedelta(days=60) / size.events

    def row(number: int) -> dict[str, Any]:
        # Earlier rounds said something else: they are events that are not current any more.
        again, at = divmod(size.events - 1 - number, len(answers))
        assessor, topic, document, grade = answers[at]
        return {
            "campaign_id": campaign_id,
            "assessor_id": assessor,
            "topic": topic,
            "docno": docno_of(document),
            "answer": "grade",
            "grade": (grade + again) % GRADES,
            "reason": "",
            "client_id": f"event-{number}",
            "source": "screen",
            "assignment_id": assignments[topic, assessor],
            "document_sha256": None,
            "position": 1,
            "order_rule": "shuffled",
            "seed": 1,
            "active_ms": 5000,
            "recorded_at": BEGAN + number * step,
            "purpose": "judging",
            "comment": "",
            "evidence": None,
            "ratings": None,
            "subtopics": None,
            "said_at": None,
        }

    _insert(database, JudgmentEventRow, map(row, range(size.events)))


def _runs(database: Database, campaign_id: int, pool_id: int, rankings: Positions) -> None:
    topics = tuple(topic_of(number) for number in range(rankings.shape[1]))
    retrieved = rankings.shape[2]
    starts = np.arange(len(topics) + 1) * retrieved
    scores = np.tile(np.arange(retrieved, 0, -1, dtype=np.float64), len(topics))
    hashes = []
    for run, ranked in enumerate(rankings):
        tag = _tag(run)
        docnos = [docno_of(number) for number in ranked.ravel().tolist()]
        lines = (
            f"{topics[at // retrieved]} Q0 {docno} {at % retrieved + 1} {retrieved - at % retrieved} {tag}\n"
            for at, docno in enumerate(docnos)
        )
        content = "".join(lines).encode()
        hashes.append({"tag": tag, "sha256": hashlib.sha256(content).hexdigest()})
        packed = np.array([docno.encode() for docno in docnos], "S16")
        form = pack(PackedRun(tag, topics, starts, packed, scores, len(docnos), None))
        with database.writing() as db:
            row = RunRow(
                campaign_id=campaign_id,
                tag=tag,
                file_name=f"{tag}.txt",
                content_gzip=gzip.compress(content, 1),
                sha256=hashes[-1]["sha256"],
                topics=len(topics),
                lines=len(docnos),
                warnings=[],
                added_at=BEGAN - timedelta(days=1),
                description=NO_METADATA.description,
            )
            db.add(row)
            db.flush()
            kept = [list(pair) for pair in zip(form.topics, form.layout.counts, strict=True)]
            store_form(db, row.id, StoredForm(form.layout.width, kept), form.arrays)
    with database.writing() as db:
        pool = db.get_one(PoolRow, pool_id)
        recipe = dict(pool.recipe) | {"runs": hashes, "version": "0"}
        depth = pool.recipe["parameters"]["depth"]
        recipe["largest_possible"] = {topic: len(hashes) * int(depth) for topic in topics}
        db.execute(update(PoolRow).where(PoolRow.id == pool_id).values(recipe=recipe))


def _insert(database: Database, table: type[Base], rows: Iterable[dict[str, Any]]) -> None:
    left = iter(rows)
    while part := list(islice(left, BATCH)):
        with database.writing() as db:
            db.connection().execute(insert(Base.metadata.tables[table.__tablename__]), part)
