"""The demo campaign in a database: made through the same use-cases as any other, and partly judged."""

from __future__ import annotations

import hashlib
import io
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from workbench.demo.assessors import MARLOW, OVERLAP_JUDGE, QUIST, demo_judgments
from workbench.demo.content import CAMPAIGN_NAME, CAMPAIGN_SCALE, GUIDELINES, demo_documents, demo_topics
from workbench.demo.runs import COSTS, GROUPS, TIDEWATER, demo_runs, description_of, group_of
from workbench.errors import NotFound, WorkbenchError
from workbench.formats.runs import write_run
from workbench.pooling.strategies import PoolRecipe
from workbench.records import Judgment
from workbench.storage import Session
from workbench.workflow.campaigns.campaigns import Campaign, campaign_by_slug, create_campaign
from workbench.workflow.campaigns.collection import load_documents, load_topics
from workbench.workflow.judging.assignments import assignments_of
from workbench.workflow.judging.distribution import Distribution, distribute, in_turn
from workbench.workflow.judging.importing import import_judgments
from workbench.workflow.judging.order import OrderRule
from workbench.workflow.judging.record import record
from workbench.workflow.judging.submission import Submission
from workbench.workflow.people.accounts import Account, NewAccount, create_account
from workbench.workflow.people.assessors import assessors_of
from workbench.workflow.people.groups import add_group, join
from workbench.workflow.people.membership import add_role
from workbench.workflow.people.roles import Role
from workbench.workflow.pools.listing import pool_entries
from workbench.workflow.pools.making import make_pool
from workbench.workflow.runs.run_metadata import RunCost, RunKind, RunMetadata
from workbench.workflow.runs.store import add_runs

SLUG = "harbour"
SEED = 1
DEPTH = 15
POOL = f"depth {DEPTH}"


@dataclass(frozen=True, slots=True)
class DemoPerson:
    """An account of the demo with its role in the campaign; `group` is the group of a participant."""

    login: str
    name: str
    role: Role
    group: str = ""


PEOPLE = (
    DemoPerson("organiser", "L. Ibarra", Role.ORGANISER),
    DemoPerson("marlow", MARLOW.name, Role.ASSESSOR),
    DemoPerson("quist", QUIST.name, Role.ASSESSOR),
    DemoPerson("sorrel", "N. Sorrel", Role.PARTICIPANT, TIDEWATER),
)


def has_demo(db: Session) -> bool:
    """Whether this database has the demo campaign already."""
    try:
        return campaign_by_slug(db, SLUG).illustrative
    except NotFound:
        return False


def make_demo(db: Session, password_hashes: Mapping[str, str]) -> Campaign:
    """Make the accounts and the campaign, with about a third of its pool judged.

    `password_hashes` are by login. Raises Conflict where a login or the campaign's name is taken.
    """
    accounts = {
        person.login: create_account(
            db,
            NewAccount(person.login, person.name, password_hashes[person.login]),
            administrator=person.role is Role.ORGANISER,
        )
        for person in PEOPLE
    }
    campaign = create_campaign(
        db, name=CAMPAIGN_NAME, slug=SLUG, scale=CAMPAIGN_SCALE, guidelines=GUIDELINES, illustrative=True
    )
    groups = {name: add_group(db, campaign.id, name) for name in GROUPS}
    for person in PEOPLE:
        account_id = accounts[person.login].id
        if person.group:
            join(db, campaign.id, groups[person.group], account_id)
        else:
            add_role(db, campaign.id, account_id, person.role)
    load_topics(db, campaign.id, demo_topics(), source="demo")
    load_documents(db, campaign.id, demo_documents(), source="demo")
    _load_runs(db, campaign.id, groups)
    pool = make_pool(db, campaign.id, PoolRecipe(parameters={"depth": DEPTH}), name=POOL).pool
    people = [one.id for one in assessors_of(db, campaign.id) if one.assignable]
    given = in_turn(db, pool.id, people, len(people))
    distribute(db, Distribution(pool.id, given, OrderRule.SHUFFLED, SEED))
    _judge(db, campaign, accounts)
    return campaign


def _load_runs(db: Session, campaign_id: int, groups: Mapping[str, int]) -> None:
    priorities: Counter[str] = Counter()
    for run in demo_runs():
        group = group_of(run.tag)
        priorities[group] += 1
        file = (f"{run.tag}.txt", io.BytesIO(b"".join(write_run(run))))
        about = RunMetadata(
            groups[group],
            RunKind.AUTOMATIC,
            description_of(run.tag),
            priorities[group],
            RunCost(*COSTS[run.tag]),
        )
        refused = add_runs(db, campaign_id, [file], about).refused
        if refused:
            raise WorkbenchError(f"a run of the demo was refused: {refused[0].errors[0]}")


def _judge(db: Session, campaign: Campaign, accounts: Mapping[str, Account]) -> None:
    entries = pool_entries(db, campaign.id, POOL)
    judgments = demo_judgments(((entry.topic, entry.docno) for entry in entries), seed=SEED)
    machine = [judgment for judgment in judgments if judgment.assessor == OVERLAP_JUDGE.name]
    import_judgments(db, campaign.id, machine, source="demo overlap-judge", machines=[OVERLAP_JUDGE.name])
    account_of = {person.name: accounts[person.login].id for person in PEOPLE}
    tasks = {(line.assessor, line.topic): line.id for line in assignments_of(db, campaign.id)}
    for judgment in judgments:
        if judgment.assessor in account_of:
            _record(db, tasks[judgment.assessor, judgment.topic], account_of[judgment.assessor], judgment)


def _record(db: Session, assignment_id: int, account_id: int, judgment: Judgment) -> None:
    draw = hashlib.sha256(f"{judgment.assessor}\0{judgment.topic}\0{judgment.docno}".encode()).hexdigest()
    record(
        db,
        assignment_id,
        account_id,
        Submission(
            judgment.docno,
            f"demo-{draw[:40]}",
            answer=judgment.answer,
            grade=judgment.grade,
            reason="written in a language that I do not read" if judgment.answer == "cannot_judge" else "",
            # Between 6 and 40 seconds, the same at every making.
            active_ms=6_000 + int(draw[:8], 16) % 34_000,
        ),
    )
