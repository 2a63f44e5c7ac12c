"""Blind until done: whatever an assessor fetches is the same whether colleagues have judged or not.

Every route is walked, also those that come later: an address whose arguments have no sample fails the walk.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.api import API, bearing, takes, token_of
from tests.cast import Cast, signed_in_client
from tests.web import test_access
from tests.web.test_access import address_of, methods_of
from workbench.storage.engine import Database
from workbench.storage.events import append_events
from workbench.storage.tables import (
    AccessTokenRow,
    AdjudicationEventRow,
    AssessorNoteRow,
    AssessorRow,
    KnownAnswerRow,
)
from workbench.workflow.people.membership import Role, add_role

samples = test_access.samples

MARKER = "zebrawood"  # stands in whatever colleagues have said
COLLEAGUE = "Quillon"  # whose very name is new to the campaign
FRAGMENT = {"HX-Request": "true", "HX-Request-Type": "partial"}
# What is drawn anew for every page: ids of answers, and the random part of what refuses foreign scripts.
FRESH = re.compile(
    rb"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|(?<=\"request\": \")[0-9a-f]{16}"
)
QUERY = "?topic=T1&docno=d1&first=Ben&second=Ada&assessor=Ben&tag=alpha&a=judged&b=1&asked=1&people=yes&n=10"
ASKED: tuple[tuple[str, str, dict[str, str]], ...] = (
    ("", "page", {}),
    (QUERY, "page", {}),
    (QUERY, "fragment", FRAGMENT),
)


@pytest.fixture
def ada(app: Flask, sqlite_database: Database, cast: Cast) -> FlaskClient:
    """Ada, who may read everything once she is done: she adjudicates and looks on as well."""
    with sqlite_database.writing() as db:
        for role in (Role.ADJUDICATOR, Role.VIEWER):
            add_role(db, cast.campaign_id, cast.accounts["Ada"].id, role)
    return entered(app, sqlite_database, cast)


def entered(app: Flask, database: Database, cast: Cast) -> FlaskClient:
    """Her browser and her program in one."""
    token = token_of(database, cast.accounts["Ada"])
    with database.writing() as db:
        # Her page tells when it was last used: that is the same throughout.
        db.query(AccessTokenRow).update({"used_at": datetime(2100, 1, 1, tzinfo=UTC)})
    return bearing(signed_in_client(app, database, cast.accounts["Ada"]), token)


def addresses(app: Flask, cast: Cast, samples: dict[str, Any], method: str) -> Iterator[str]:
    """Every address of the application that answers a method, with her own assignment and with Ben's."""
    for rule in app.url_map.iter_rules():
        if method not in methods_of(rule) or rule.endpoint == "static":
            continue
        for name in ("Ada", "Ben") if "assignment_id" in rule.arguments else ("Ada",):
            own = {**samples, "assignment_id": cast.assignments[name, "T1"]}
            yield address_of(app, rule.endpoint, method, own)


def fetched(
    client: FlaskClient, app: Flask, cast: Cast, samples: dict[str, Any], reached: list[str]
) -> dict[str, Any]:
    """What every GET of the application answers, as whole page and as fragment."""
    answers: dict[str, Any] = {}
    for address in addresses(app, cast, samples, "GET"):
        for query, kind, headers in ASKED:
            if address.startswith(API):
                # Of an address that knows a parameter, one that it does not know is an error.
                query, kind = takes(app, address, query), "program"
            asked = f"{kind} {address}{query}"
            if asked in answers:
                continue
            del reached[:]
            answer = client.get(address + query, headers=headers, buffered=True)
            said = FRESH.sub(b"", answer.data)
            answers[asked] = (answer.status_code, answer.location, said)
            if not reached:
                break  # who is refused at the door is refused whatever the question is
    return answers


def judge_as_colleagues(database: Database, cast: Cast) -> None:
    """Ben, a person elsewhere and a machine judge; everything in which words can stand holds the marker."""
    with database.writing() as db:
        ben = db.query(AssessorRow).filter_by(campaign_id=cast.campaign_id, name="Ben").one().id
        others = [
            AssessorRow(campaign_id=cast.campaign_id, name=f"{COLLEAGUE}{number}", machine=number == 1)
            for number in range(2)
        ]
        db.add_all(others)
        db.flush()
        now = datetime.now(UTC)
        events = [
            {
                "campaign_id": cast.campaign_id, "assessor_id": who, "topic": topic, "docno": docno,
                "answer": "grade", "grade": 3, "reason": MARKER, "comment": MARKER,
                "client_id": f"{MARKER}-{topic}-{number}-{purpose}", "source": "screen",
                "assignment_id": cast.assignments["Ben", topic] if who == ben else None,
                "document_sha256": None, "position": number, "order_rule": "shuffled", "seed": 1,
                "active_ms": 4321, "recorded_at": now, "purpose": purpose,
                "evidence": [[0, 4, MARKER]], "ratings": {"how sure": MARKER}, "subtopics": [MARKER],
            }
            for who in (ben, *(other.id for other in others))
            for purpose in ("judging", "repeat", "discussion")
            for topic in ("T1", "T2")
            for number, docno in enumerate(("d1", "d2", "d/4"), start=1)
        ]  # fmt: skip
        assert append_events(db, events) == len(events)
        db.add(AssessorNoteRow(assessor_id=ben, topic="T1", words=[MARKER], note=MARKER, changed_at=now))
        db.add(
            AdjudicationEventRow(
                campaign_id=cast.campaign_id,
                topic="T1",
                docno="d1",
                decision="grade",
                grade=3,
                reason=MARKER,
                seen=[[1, COLLEAGUE, "grade", 3]],
                client_id=MARKER,
                recorded_at=now,
                account_id=cast.accounts["Judith"].id,
            )
        )
        db.add(
            KnownAnswerRow(
                campaign_id=cast.campaign_id,
                topic="T1",
                docno="d2",
                purpose="planted",
                grade=3,
                feedback=MARKER,
                added_at=now,
            )
        )


def answer_all(database: Database, cast: Cast) -> None:
    """Ada answers every pair of hers: T1 and T2 have d1, d2 and d/4 each."""
    with database.writing() as db:
        ada = db.query(AssessorRow).filter_by(campaign_id=cast.campaign_id, name="Ada").one().id
        events = [
            {
                "campaign_id": cast.campaign_id, "assessor_id": ada, "topic": topic, "docno": docno,
                "answer": "grade", "grade": 0, "reason": "", "client_id": f"own-answer-{topic}-{docno}",
                "source": "screen", "assignment_id": cast.assignments["Ada", topic],
                "document_sha256": None, "position": 1, "order_rule": "shuffled", "seed": 1,
                "active_ms": 1, "recorded_at": datetime.now(UTC),
            }
            for topic in ("T1", "T2")
            for docno in ("d1", "d2", "d/4")
        ]  # fmt: skip
        assert append_events(db, events) == len(events)


def test_nothing_that_she_can_fetch_depends_on_what_colleagues_have_said(
    app: Flask,
    sqlite_database: Database,
    cast: Cast,
    samples: dict[str, Any],
    ada: FlaskClient,
    reached: list[str],
) -> None:
    # From elsewhere: whoever sits at the server's own machine may read its metrics.
    ada.environ_base["REMOTE_ADDR"] = "192.0.2.1"
    before = fetched(ada, app, cast, samples, reached)
    judge_as_colleagues(sqlite_database, cast)
    after = fetched(ada, app, cast, samples, reached)
    assert len(after) > 200
    assert after.keys() == before.keys()
    # Equal answers hide grades and counts as well, for which no marker could be planted.
    changed = [
        (asked, *before[asked][:2], *after[asked][:2]) for asked in after if after[asked] != before[asked]
    ]
    assert changed == []
    pages = b"".join(said for _, _, said in after.values())
    assert MARKER.encode() not in pages
    assert COLLEAGUE.encode() not in pages
    assert re.search(rb"\bBen\b", pages) is None


def test_nothing_that_she_can_send_brings_it_out(
    app: Flask, sqlite_database: Database, cast: Cast, samples: dict[str, Any], ada: FlaskClient
) -> None:
    judge_as_colleagues(sqlite_database, cast)
    for address in addresses(app, cast, samples, "POST"):
        answer = ada.post(address + QUERY, data={"topic": "T1", "docno": "d1"}, buffered=True)
        assert answer.status_code < 500, address
        assert MARKER not in answer.text, address
        assert COLLEAGUE not in answer.text, address
        if answer.headers.getlist("Set-Cookie"):
            ada = entered(app, sqlite_database, cast)


def test_once_she_is_done_her_other_roles_open_what_they_open(
    app: Flask, sqlite_database: Database, cast: Cast, samples: dict[str, Any], ada: FlaskClient
) -> None:
    judge_as_colleagues(sqlite_database, cast)
    assert ada.get("/c/harbour/agreement").status_code == 403
    answer_all(sqlite_database, cast)
    page = ada.get("/c/harbour/agreement").text
    assert COLLEAGUE in page
    assert "Ben" in page
    # Who only assesses reads nothing of it, done or not.
    ben = signed_in_client(app, sqlite_database, cast.accounts["Ben"])
    assert ben.get("/c/harbour/agreement").status_code == 403
