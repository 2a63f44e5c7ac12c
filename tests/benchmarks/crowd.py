"""A campaign that waits for a crowd at the desk of a real server, and what of its answers was stored."""

from __future__ import annotations

import io
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import select

from tests.assigned import assign_in_turn
from workbench.pooling.strategies import PoolRecipe
from workbench.records import FOUR_GRADES, Document, Topic
from workbench.storage.engine import Database
from workbench.storage.tables import AssessorRow, JudgmentEventRow
from workbench.workflow.campaigns.campaigns import create_campaign
from workbench.workflow.campaigns.collection import load_documents, load_topics
from workbench.workflow.judging.assignments import assignments_of
from workbench.workflow.people.accounts import NewAccount, create_account
from workbench.workflow.people.membership import Role, add_role, assessors_of
from workbench.workflow.people.signing_in import open_session
from workbench.workflow.pools.making import make_pool
from workbench.workflow.runs.store import add_runs

SLUG = "trial"
ORGANISER = "Olga"
# As static/desk/documents.js: so many ahead, and so many in one request.
AHEAD = 50
A_REQUEST = 20

Said = tuple[str, str, str, int | None]


@dataclass(frozen=True, slots=True)
class Material:
    """What a campaign is made of; a run is its file's name and content."""

    topics: Sequence[Topic]
    documents: Sequence[Document]
    runs: Sequence[tuple[str, bytes]]


@dataclass(frozen=True, slots=True)
class Trial:
    """A campaign that waits for its crowd: cookies and assignments (id, topic) by name."""

    tokens: dict[str, str]
    assignments: dict[str, list[tuple[int, str]]]


@dataclass(frozen=True, slots=True)
class Figures:
    """Milliseconds: median, 99th percentile, and the most."""

    median: float
    p99: float
    most: float


def figures(seconds: Sequence[float]) -> Figures:
    """What is told of many durations: nearest ranks."""
    ordered = sorted(1000 * one for one in seconds) or [0.0]
    middle, far = (ordered[min(len(ordered) - 1, percent * len(ordered) // 100)] for percent in (50, 99))
    return Figures(middle, far, ordered[-1])


def make_trial(database: Database, material: Material, *, assessors: int, depth: int, each: int = 3) -> Trial:
    """A campaign over the material, each topic of its pool given to `each` assessors in turn."""
    names = [f"Assessor {number:02}" for number in range(1, assessors + 1)]
    with database.writing() as db:
        accounts = {
            name: create_account(db, NewAccount(name.replace(" ", "-").casefold(), name, "no hash"))
            for name in (ORGANISER, *names)
        }
        campaign = create_campaign(
            db, name="Trial", scale=FOUR_GRADES, organiser=accounts[ORGANISER].id, guidelines="Read it."
        )
        load_topics(db, campaign.id, material.topics, source="topics")
        load_documents(db, campaign.id, material.documents, source="documents")
        add_runs(db, campaign.id, [(name, io.BytesIO(content)) for name, content in material.runs])
        for name in names:
            add_role(db, campaign.id, accounts[name].id, Role.ASSESSOR)
        report = make_pool(db, campaign.id, PoolRecipe(parameters={"depth": depth}))
        ids = [line.id for line in assessors_of(db, campaign.id) if line.assignable]
        assign_in_turn(db, report.pool.id, assessor_ids=ids, per_topic=each)
        tokens = {name: open_session(db, account).token for name, account in accounts.items()}
        assignments: dict[str, list[tuple[int, str]]] = defaultdict(list)
        for line in assignments_of(db, campaign.id):
            assignments[line.assessor].append((line.id, line.topic))
    return Trial(tokens, dict(assignments))


def differences(database: Database, sent: Mapping[str, Sequence[Said]]) -> list[str]:
    """Whoever's events in the database are not those sent, each once and in order."""
    event = JudgmentEventRow
    stored: dict[str, list[Said]] = defaultdict(list)
    with database.reading() as db:
        rows = db.execute(
            select(AssessorRow.name, event.client_id, event.topic, event.docno, event.grade)
            .join(AssessorRow, AssessorRow.id == event.assessor_id)
            .where(event.source == "screen")
            .order_by(event.id)
        )
        for name, client_id, topic, docno, grade in rows:
            stored[name].append((client_id, topic, docno, grade))
    return [
        f"{name}: {len(sent.get(name, ()))} sent, {len(stored[name])} stored, or in another order"
        for name in sorted(sent.keys() | stored.keys())
        if list(sent.get(name, ())) != stored[name]
    ]
