"""Small campaigns to begin a test from; everything is made through the use-cases, as a person would."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.orm import Session

from tests.moments import at
from workbench.pooling.strategies import PoolRecipe
from workbench.records import BINARY, Document, Scale, Topic
from workbench.workflow.campaigns.campaigns import Campaign, create_campaign
from workbench.workflow.campaigns.collection import load_documents, load_topics
from workbench.workflow.people.accounts import NewAccount, create_account
from workbench.workflow.people.invitations import Invited, OfferedRole, invite_all
from workbench.workflow.people.membership import Role, add_role, assessors_of
from workbench.workflow.pools.listing import PoolReport
from workbench.workflow.pools.making import make_pool
from workbench.workflow.runs.store import RunsAdded, add_runs

TOPICS = (Topic("T1", "tides", "When is high water?", "Only tables of the harbour."), Topic("T2", "nets"))
DOCNOS = ("d1", "d2", "d#3", "d/4", "é5", "d6")

# Each run as topic -> docnos, best first.
ALPHA = {"T1": ("d1", "d2", "d#3", "d6"), "T2": ("d/4", "d1", "é5")}
BETA = {"T1": ("d2", "d/4", "d1", "d6"), "T2": ("d/4", "d2")}


@dataclass(frozen=True, slots=True)
class Made:
    """A campaign with its people: account ids, and assessor ids by name."""

    campaign: Campaign
    organiser: int
    assessors: dict[str, int]
    accounts: dict[str, int]


def account(db: Session, name: str) -> int:
    """An account that nobody can sign in to: for tests below the web."""
    return create_account(db, NewAccount(name.casefold(), name, "no hash")).id


def run_text(tag: str, ranked: Mapping[str, Sequence[str]]) -> bytes:
    """A run file in which the documents stand best first."""
    lines = [
        f"{topic} Q0 {docno} {rank} {100 - rank} {tag}\n"
        for topic, docnos in ranked.items()
        for rank, docno in enumerate(docnos, start=1)
    ]
    return "".join(lines).encode()


def campaign_with_people(
    db: Session, *, scale: Scale = BINARY, assessors: Sequence[str] = ("Ada", "Ben")
) -> Made:
    """A campaign with topics, documents, an organiser and assessors."""
    organiser = account(db, "Olga")
    campaign = create_campaign(db, name="Harbour", scale=scale, organiser=organiser)
    load_topics(db, campaign.id, TOPICS, source="topics")
    documents = [Document(docno, f"Title of {docno}", f"Text of {docno}") for docno in DOCNOS]
    load_documents(db, campaign.id, documents, source="documents")
    accounts = {name: account(db, name) for name in assessors}
    for account_id in accounts.values():
        add_role(db, campaign.id, account_id, Role.ASSESSOR)
    ids = {line.name: line.id for line in assessors_of(db, campaign.id)}
    return Made(campaign, organiser, ids, accounts)


def send_runs(db: Session, campaign_id: int, **runs: Mapping[str, Sequence[str]]) -> RunsAdded:
    """Add runs by tag."""
    files = [(f"{tag}.txt", io.BytesIO(run_text(tag, ranked))) for tag, ranked in runs.items()]
    return add_runs(db, campaign_id, files)


def pooled_campaign(
    db: Session, *, depth: int = 2, scale: Scale = BINARY, assessors: Sequence[str] = ("Ada", "Ben")
) -> tuple[Made, PoolReport]:
    """A campaign with two runs and a pool over them.

    Depth 2 by hand: T1 has d1, d2 of alpha and d2, d/4 of beta, so d/4, d1, d2; T2 has d/4, d1 and d/4, d2,
    so d/4, d1, d2: six pairs of the largest possible eight.
    """
    made = campaign_with_people(db, scale=scale, assessors=assessors)
    send_runs(db, made.campaign.id, alpha=ALPHA, beta=BETA)
    return made, make_pool(db, made.campaign.id, PoolRecipe(parameters={"depth": depth}))


def invite(
    db: Session,
    campaign_id: int,
    *,
    role: Role,
    note: str = "",
    group_id: int | None = None,
    invited_by: int | None,
    now: datetime | None = None,
) -> Invited:
    """An invitation for one person; raises as `OfferedRole` and `invite_all`."""
    offered = OfferedRole(role, group_id)
    with at(now):
        (made,) = invite_all(db, campaign_id, [note], offered, invited_by=invited_by)
    return made
