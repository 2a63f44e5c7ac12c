"""The demo campaign with something on every page: what the walk of accessibility sees."""

from __future__ import annotations

import io
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sqlalchemy.orm import Session

from tests.assigned import assign
from tests.browser.people import CHEAP, PASSWORD, demo_instance, stored
from tests.builders import invite
from tests.formats.image_files import image_document, png_file
from tests.moments import at
from tests.searches import stored_search
from workbench.consensus.rules import rule_choice
from workbench.demo.campaign import POOL, SLUG
from workbench.formats.text_formats import sha256_of
from workbench.pooling.strategies import PoolRecipe
from workbench.records import FOUR_GRADES, Document, Topic
from workbench.storage.engine import Database
from workbench.storage.tables import AccountRow
from workbench.web.requests import CODE_STEP_COOKIE, SESSION_COOKIE
from workbench.workflow.adjudication.decisions import Decision, DecisionSubmission, decide
from workbench.workflow.adjudication.disputes import dispute_queue
from workbench.workflow.adjudication.queue import Order
from workbench.workflow.campaigns.campaigns import campaign_by_slug, create_campaign
from workbench.workflow.campaigns.collection import load_documents, load_topics
from workbench.workflow.clock import utc_now
from workbench.workflow.judging.assignments import assignments_of
from workbench.workflow.judging.preference_tasks import compare_best, compare_runs, tasks_of
from workbench.workflow.judging.unrecorded import store_unrecorded
from workbench.workflow.openid.identities import ProviderIdentity, link_identity
from workbench.workflow.people.accounts import Account, NewAccount, account_by_login, create_account
from workbench.workflow.people.groups import Sender, groups_of
from workbench.workflow.people.mail_addresses import make_confirmation, propose_address
from workbench.workflow.people.membership import Role, add_role, assessors_of
from workbench.workflow.people.signing_in import make_reset, open_session
from workbench.workflow.people.two_factor import ask_for_code, code_at, prepare_app, step_at, turn_on
from workbench.workflow.pools.additions import Additions, add_documents
from workbench.workflow.pools.learner_rounds import CollectionVectors, make_rounds
from workbench.workflow.pools.listing import pool_entries
from workbench.workflow.pools.making import make_pool
from workbench.workflow.releases.collecting import ReleaseRequest
from workbench.workflow.releases.making import make_release
from workbench.workflow.releases.releases import publish_release
from workbench.workflow.runs.run_checks import check_file, run_checker
from workbench.workflow.runs.run_metadata import RunKind, RunMetadata
from workbench.workflow.runs.store import add_runs
from workbench.workflow.runs.uploads import add_to_batch
from workbench.workflow.searching.searches import Searcher

DATABASE = "workbench.sqlite3"
# Nothing in it may break the page: one word longer than a telephone is wide, and words of both directions.
LONG_ID = "D-" + "longest" * 12
LONG_NAME = (
    "The collected papers of the harbour conservancies and of their several lighthouse-keepers, part II"
)
MIXED = "مواعيد المد والجزر في الميناء — tides in the harbour, 1854"
TWO_OF_A_BATCH = "batch-of-the-organiser", "batch-of-a-participant"

NOBODY = ""
PEOPLE = ("organiser", "marlow", "vane", "sorrel", "wick", NOBODY)
HALFWAY = "halfway"
"""Somebody whose password was right and whose code is asked for."""


@dataclass(frozen=True, slots=True)
class FullCampaign:
    """Its database, the cookie of each login, and a value for every argument that an address has."""

    cookies: dict[str, str]
    samples: dict[str, Any]
    bare: str  # the slug of a campaign without anything
    long: str  # the slug of a campaign of long names
    long_samples: dict[str, Any]
    content: bytes = b""

    def cookie(self, who: str) -> tuple[str, str]:
        """The name and value of the cookie by which a browser is somebody's."""
        return CODE_STEP_COOKIE if who == HALFWAY else SESSION_COOKIE, self.cookies[who]

    def write(self, folder: Path) -> Path:
        """Write it into a folder, which is an instance then."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / DATABASE).write_bytes(self.content)
        return folder


@cache
def full_campaign() -> FullCampaign:
    """Made once for all tests of a worker; they read it only."""
    with TemporaryDirectory() as folder:
        instance = demo_instance(Path(folder))
        with stored(instance) as database:
            full = _extended(database)
        return replace(full, content=(instance / DATABASE).read_bytes())


def _extended(database: Database) -> FullCampaign:
    with database.writing() as db:
        campaign = campaign_by_slug(db, SLUG)
        for login, name, role in (
            ("vane", "E. Vane", Role.ADJUDICATOR),
            ("wick", "O. Wick", Role.VIEWER),
        ):
            add_role(db, campaign.id, _account(db, login, name), role)
        accounts = {login: account_by_login(db, login) for login in PEOPLE if login}
        samples = {
            "slug": SLUG,
            "filename": "workbench.css",
            "number": 1,
            "table": "growth",
            "what": "preferences",
        }
        samples |= {"part": "rules", "kind": "csv", "topic": "T02", "page": "agreement"}
        load_documents(db, campaign.id, [image_document("picture")], source="picture")
        samples |= {"sha256": sha256_of(png_file(1, 1)), "picture": "picture"}
        samples |= {"question": "depth", "holes": "holes", "topics": "topics"}
        samples |= _work(db, campaign.id, accounts)
        samples["back_topic"], samples["back"] = _settle(db, campaign.id, accounts)
        bare = create_campaign(db, name="Bare", scale=FOUR_GRADES, organiser=accounts["organiser"].id)
        long, long_samples = _long(db, accounts)
        samples["reset_token"] = make_reset(db, accounts["sorrel"].id).token
        propose_address(db, accounts["sorrel"].id, "sorrel@example.org")
        samples["address_token"] = make_confirmation(db, accounts["sorrel"].id, "sorrel@example.org")
        cookies = {login: open_session(db, account).token for login, account in accounts.items()}
        cookies[HALFWAY] = _second_factors(db, accounts)
    make_rounds(database, campaign.id, CollectionVectors())
    samples["version"] = _released(database, campaign.id)
    return FullCampaign(cookies, samples, bare.slug, long, samples | long_samples)


def _account(db: Session, login: str, name: str) -> int:
    return create_account(db, NewAccount(login, name, CHEAP.hash(PASSWORD))).id


def _second_factors(db: Session, accounts: dict[str, Account]) -> str:
    """An app that waits for its first code, and one that signs in; the token of a sign-in that waits for it.

    Somebody else has linked an account at a provider.
    """
    prepare_app(db, accounts["wick"].id)
    prepare_app(db, accounts["vane"].id)
    secret = db.get_one(AccountRow, accounts["vane"].id).app_secret
    assert secret is not None
    assert turn_on(db, accounts["vane"].id, code_at(secret, step_at(utc_now(None))))
    link_identity(db, ProviderIdentity("https://login.example.org", "42", MIXED), accounts["marlow"].id)
    # Longer than the walk takes, which is longer than five minutes.
    with at(utc_now(None) + timedelta(hours=3)):
        return ask_for_code(db, accounts["vane"].id).token


def _released(database: Database, campaign_id: int) -> str:
    """A public release."""
    request = ReleaseRequest("1.0", rule_choice("majority"), seed=1)
    version = make_release(database, campaign_id, request).release.version
    with database.writing() as db:
        publish_release(db, campaign_id, version)
    return version


def _work(db: Session, campaign_id: int, accounts: dict[str, Account]) -> dict[str, Any]:
    organiser, marlow = accounts["organiser"].id, accounts["marlow"].id
    people = {line.name: line.id for line in assessors_of(db, campaign_id) if line.assignable}
    own = people["A. Marlow"]
    draft = make_pool(db, campaign_id, PoolRecipe(parameters={"depth": 20}), name="a draft", draft=True).pool
    live = make_pool(db, campaign_id, PoolRecipe(strategy="hedge"), name="as we go").pool
    learner = make_pool(db, campaign_id, PoolRecipe("learner", {"budget": 20}), name="read further").pool
    assign(db, live.id, topics=["T08"], assessor_ids=[own])
    parts = {
        (one.pool, one.topic): one.id
        for one in assignments_of(db, campaign_id)
        if one.assessor == "A. Marlow"
    }
    task = parts[POOL, "T02"]
    docnos = [entry.docno for entry in pool_entries(db, campaign_id, POOL) if entry.topic == "T02"]
    add_documents(db, campaign_id, POOL, "T02", Additions({"ALM-0001": 1}, "named in it"), added_by=organiser)
    compare_best(db, campaign_id, ["T01"], count=3, assessor_ids=[own])
    compare_runs(db, campaign_id, "harbour-bm25", "harbour-lm", topics=["T02"], assessor_ids=[own])
    sent = {"assignment": task, "client_id": "0a8a6d1e-5a0c-4a5c-9b1f-6a1df5a5c0de", "docno": "ALM-0001"}
    sent |= {"kind": "answer", "answer": "grade", "grade": 2, "comment": "said late"}
    store_unrecorded(db, campaign_id, marlow, sent, why="this pool is closed")
    invited = invite(db, campaign_id, role=Role.VIEWER, note="for the archive", invited_by=organiser)
    groups = {line.name: line.id for line in groups_of(db, campaign_id)}
    college = groups["Tidewater College"]
    for batch, group, sender in zip(
        TWO_OF_A_BATCH, (None, college), (organiser, accounts["sorrel"].id), strict=True
    ):
        for name, text in (
            ("good.txt", "T01 Q0 ALM-0001 1 2.5 late-run\n"),
            ("bad.txt", "T01 Q0 ALM-0001 one\n"),
        ):
            checked = check_file(run_checker(db, campaign_id), name, io.BytesIO(text.encode()))
            add_to_batch(db, campaign_id, batch, checked, Sender(sender), group_id=group)
    about = RunMetadata(college, RunKind.MANUAL, "Made by hand, and in no pool", 2)
    spare = io.BytesIO(b"T01 Q0 ALM-0001 1 2.5 spare\n")
    add_runs(db, campaign_id, [("spare.txt", spare)], about)
    tasks = tasks_of(db, campaign_id, account_id=marlow)
    searches = [
        stored_search(db, Searcher(campaign_id, "T02", *who), ["ALM-0001", "ALM-0002"])
        for who in ((marlow, task), (organiser,))
    ]
    return {
        "search_id": searches[0],
        "organisers_search_id": searches[1],
        "assignment_id": task,
        "live_task_id": parts[live.name, "T08"],
        "done_task_id": parts[POOL, "T01"],
        "one": docnos[0],
        "other": docnos[1],
        "pool_id": 1,
        "draft_id": draft.id,
        "live_id": live.id,
        "learner_id": learner.id,
        "task_id": tasks[0].id,
        "run_task_id": tasks[-1].id,
        "token": invited.token,
        "invitation_id": invited.id,
        "group_id": college,
        "account_id": accounts["sorrel"].id,
        "batch": TWO_OF_A_BATCH[0],
        "own_batch": TWO_OF_A_BATCH[1],
    }


def _settle(db: Session, campaign_id: int, accounts: dict[str, Account]) -> tuple[str, str]:
    vane = accounts["vane"].id
    disputed = [(line.topic, line.docno) for line in dispute_queue(db, campaign_id, order=Order.TOPIC).lines]
    decisions = (
        DecisionSubmission(Decision.BACK, "walk-0-of-the-desk", reason="read the last paragraph again"),
        DecisionSubmission(Decision.GRADE, "walk-1-of-the-desk", 2, "it is dated"),
        DecisionSubmission(Decision.UNCLEAR, "walk-2-of-the-desk"),
    )
    for pair, submission in zip(disputed, decisions, strict=False):
        decide(db, campaign_id, vane, pair, submission)
    return disputed[0]


def _long(db: Session, accounts: dict[str, Account]) -> tuple[str, dict[str, Any]]:
    campaign = create_campaign(db, name=LONG_NAME, scale=FOUR_GRADES, organiser=accounts["organiser"].id)
    for login in ("marlow", "vane"):
        add_role(db, campaign.id, accounts[login].id, Role.ASSESSOR)
    load_topics(
        db, campaign.id, [Topic(LONG_ID, LONG_NAME), Topic("T2", MIXED, MIXED, MIXED)], source="topics"
    )
    documents = [
        Document(LONG_ID, LONG_NAME, f"{LONG_ID} {LONG_ID}"),
        Document("D2", MIXED, MIXED * 20),
    ]
    load_documents(db, campaign.id, documents, source="documents")
    run = (
        f"{LONG_ID} Q0 {LONG_ID} 1 2.0 {LONG_ID}\nT2 Q0 {LONG_ID} 1 2.0 {LONG_ID}\nT2 Q0 D2 2 1.0 {LONG_ID}\n"
    )
    add_runs(db, campaign.id, [("long.txt", io.BytesIO(run.encode()))])
    pool = make_pool(db, campaign.id, PoolRecipe(parameters={"depth": 2}), name=LONG_NAME[:60]).pool
    people = [line.id for line in assessors_of(db, campaign.id)]
    assign(db, pool.id, topics=[LONG_ID, "T2"], assessor_ids=people)
    marlows = [one for one in assignments_of(db, campaign.id) if one.assessor == "A. Marlow"]
    task = next(one.id for one in marlows if one.topic == LONG_ID)
    return campaign.slug, {"slug": campaign.slug, "pool_id": pool.id, "assignment_id": task}
