"""The cast: an organiser, two assessors, an adjudicator, a viewer, a participant, and an outsider.

The participant must see nothing but her group's run, the outsider nothing at all.

They share one small campaign with a pool and assignments; everything is made through the use-cases.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from argon2 import PasswordHasher
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy.orm import Session

from tests.assigned import assign
from tests.builders import ALPHA, BETA, DOCNOS, TOPICS, send_runs
from tests.moments import at
from workbench.pooling.strategies import PoolRecipe
from workbench.records import FOUR_GRADES, Document
from workbench.storage.engine import Database
from workbench.workflow.campaigns.campaigns import create_campaign
from workbench.workflow.campaigns.collection import load_documents, load_topics
from workbench.workflow.campaigns.visits import visit_of
from workbench.workflow.judging.assignments import assignments_of
from workbench.workflow.people.accounts import (
    Account,
    Passwords,
    create_account,
    create_first_account,
    prepare_account,
)
from workbench.workflow.people.groups import add_group, join
from workbench.workflow.people.membership import Role, add_role, assessors_of
from workbench.workflow.people.signing_in import open_session
from workbench.workflow.pools.making import make_pool

PASSWORD = "the tide comes twice"  # of everybody in the cast
# Argon2 with its least cost: tests hash often and protect nobody.
CHEAP = Passwords(PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))

# Name -> roles in the campaign. The organiser is the administrator as well.
ROLES: dict[str, tuple[Role, ...]] = {
    "Olga": (Role.ORGANISER,),
    "Ada": (Role.ASSESSOR,),
    "Ben": (Role.ASSESSOR,),
    "Judith": (Role.ADJUDICATOR,),
    "Vera": (Role.VIEWER,),
    "Petra": (Role.PARTICIPANT,),
    "Otto": (),
}
GROUP = "Tidewater"  # Petra's
GUIDELINES = "# How to judge\n\nRead to the end. See [the track](https://example.org/track).\n"


@dataclass(frozen=True, slots=True)
class Cast:
    """Who there is and what they work on: accounts by name, assignments by assessor's name and topic.

    `group_id` is Petra's group, which has sent nothing yet.
    """

    campaign_id: int
    slug: str
    pool_id: int
    accounts: dict[str, Account]
    assignments: dict[tuple[str, str], int]
    group_id: int


def assemble(database: Database) -> Cast:
    """Make the cast and its campaign in a migrated database without rows."""
    with database.writing() as db:
        accounts = {name: _account(db, name) for name in ROLES}
        campaign = create_campaign(
            db,
            name="Harbour",
            scale=FOUR_GRADES,
            guidelines=GUIDELINES,
            organiser=accounts["Olga"].id,
        )
        create_campaign(db, name="Elsewhere", scale=FOUR_GRADES, organiser=accounts["Otto"].id)
        group_id = add_group(db, campaign.id, GROUP)
        join(db, campaign.id, group_id, accounts["Petra"].id)
        for name, roles in ROLES.items():
            for role in roles:
                if role is not Role.PARTICIPANT:
                    add_role(db, campaign.id, accounts[name].id, role)
        load_topics(db, campaign.id, TOPICS, source="topics")
        documents = [Document(docno, f"Title of {docno}", f"Text of {docno}") for docno in DOCNOS]
        load_documents(db, campaign.id, documents, source="documents")
        send_runs(db, campaign.id, alpha=ALPHA, beta=BETA)
        pool_id = make_pool(db, campaign.id, PoolRecipe(parameters={"depth": 2})).pool.id
        assessors = [line.id for line in assessors_of(db, campaign.id)]
        assign(db, pool_id, topics=["T1", "T2"], assessor_ids=assessors, seed=1)
        lines = assignments_of(db, campaign.id)
    return Cast(
        campaign.id,
        campaign.slug,
        pool_id,
        accounts,
        {(line.assessor, line.topic): line.id for line in lines},
        group_id,
    )


def signed_in_client(app: Flask, database: Database, account: Account) -> FlaskClient:
    """A browser in which an account is signed in."""
    with database.writing() as db:
        session = open_session(db, account)
    client = app.test_client()
    client.set_cookie("workbench", session.token)
    return client


def _account(db: Session, name: str) -> Account:
    new = prepare_account(login=name, name=name, password=PASSWORD, passwords=CHEAP)
    return create_first_account(db, new) if name == "Olga" else create_account(db, new)


def signed_in(db: Session, token: str, *, now: datetime | None = None) -> Account | None:
    """To whom a session token opens anything at that moment."""
    with at(now):
        visit = visit_of(db.connection(), token)
    return None if visit is None or visit.disabled else visit.account
