"""Every route says who may call it, and is called here as everybody in the cast and as nobody."""

from __future__ import annotations

import io
import shutil
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from flask import Blueprint, Flask
from flask.testing import FlaskClient
from sqlalchemy import select
from werkzeug.routing import Rule

from tests.api import API, bearing, token_of
from tests.builders import ALPHA, invite, run_text
from tests.cast import CHEAP, GROUP, ROLES, Cast, signed_in_client
from tests.databases import fill
from tests.formats.image_files import image_document, png_file
from tests.searches import stored_search
from workbench.formats.text_formats import sha256_of
from workbench.records import Answer
from workbench.settings import read_settings
from workbench.storage.engine import Database
from workbench.storage.tables import Base, TrailRow
from workbench.web.access import Access, Who, access_of, anyone
from workbench.web.app import create_app
from workbench.web.trail import is_recorded
from workbench.workflow.campaigns.collection import load_documents
from workbench.workflow.judging.record import record
from workbench.workflow.judging.submission import Submission
from workbench.workflow.people.membership import Role
from workbench.workflow.people.signing_in import open_session
from workbench.workflow.runs.run_checks import check_file, run_checker
from workbench.workflow.runs.uploads import add_to_batch
from workbench.workflow.searching.searches import Searcher

NOBODY = "nobody"
# Ben is an assessor as Ada is.
EVERYBODY = (NOBODY, *(name for name in ROLES if name != "Ben"))


def everything() -> list[tuple[str, str]]:
    """Each (endpoint, method) of the application; what it is made of matters to none of them."""
    settings = read_settings({}, instance=Path("nowhere"))
    app = create_app(settings, Database("sqlite://"), passwords=CHEAP)
    return sorted((rule.endpoint, method) for rule in app.url_map.iter_rules() for method in methods_of(rule))


def methods_of(rule: Rule) -> set[str]:
    return set(rule.methods or ()) - {"HEAD", "OPTIONS"}


@dataclass(frozen=True, slots=True)
class Called:
    """What became of a call: whether the view itself was reached, the status, and where it led."""

    reached: bool
    status: int
    location: str | None


@pytest.fixture
def samples(sqlite_database: Database, cast: Cast) -> dict[str, Any]:
    """Something real for every argument that an address has. A new argument needs a line here."""
    with sqlite_database.writing() as db:
        invited = invite(db, cast.campaign_id, role=Role.VIEWER, invited_by=cast.accounts["Olga"].id)
        expected = run_checker(db, cast.campaign_id)
        checked = check_file(expected, "late.txt", io.BytesIO(run_text("late", ALPHA)))
        number = add_to_batch(db, cast.campaign_id, "a-batch-of-files", checked)
        load_documents(db, cast.campaign_id, [image_document("picture")], source="picture")
        who = Searcher(cast.campaign_id, "T1", cast.accounts["Ada"].id, cast.assignments["Ada", "T1"])
        search_id = stored_search(db, who, ["d1", "d6"])
    return {
        "slug": cast.slug,
        "filename": "workbench.css",
        "token": invited.token,
        "token_id": 1,
        "message_id": 1,
        "tag": "alpha",
        "pool": "depth 2",
        "login": "vera",
        "role": "viewer",
        "group": GROUP,
        "account_id": cast.accounts["Vera"].id,
        "assignment_id": cast.assignments["Ada", "T1"],
        "task_id": 1,
        "pool_id": cast.pool_id,
        "batch": "a-batch-of-files",
        "number": number,
        "group_id": cast.group_id,
        "topic": "T1",
        "docno": "d1",
        "table": "growth",
        "part": "rules",
        "name": "agreement",
        "kind": "csv",
        "what": "preferences",
        "page": "judging",
        "question": "holes",
        "version": "1.0",
        "sha256": sha256_of(png_file(1, 1)),
        "search_id": search_id,
    }


@dataclass(frozen=True, slots=True)
class Route:
    """A route with one of its methods, what it says of who may call it, and an address of it."""

    endpoint: str
    method: str
    statement: Access
    address: str

    @property
    def of_api(self) -> bool:
        """Whether programs call it, with an access token."""
        return self.address.startswith(API)


@pytest.fixture
def routes(app: Flask, samples: dict[str, Any]) -> list[Route]:
    """Every route with each of its methods."""
    found = []
    for endpoint, method in everything():
        statement = access_of(app, endpoint)
        assert statement is not None
        found.append(Route(endpoint, method, statement, address_of(app, endpoint, method, samples)))
    return found


Tokens = tuple[str, str] | None


@pytest.fixture
def tokens(sqlite_database: Database, cast: Cast) -> dict[str, Tokens]:
    """The session and the access token of each in the cast, and nobody's."""
    found: dict[str, Tokens] = {NOBODY: None}
    for name in ROLES:
        with sqlite_database.writing() as db:
            session = open_session(db, cast.accounts[name]).token
        found[name] = session, token_of(sqlite_database, cast.accounts[name])
    return found


def browser_with(app: Flask, tokens: Tokens) -> FlaskClient:
    client = app.test_client()
    if tokens is not None:
        session, access_token = tokens
        client.set_cookie("workbench", session)
        bearing(client, access_token)
    return client


def address_of(app: Flask, endpoint: str, method: str, samples: dict[str, Any]) -> str:
    rule = next(rule for rule in app.url_map.iter_rules(endpoint) if method in methods_of(rule))
    lacking = rule.arguments - samples.keys()
    assert not lacking, f"give the walk a sample of {lacking}"
    built = rule.build({name: samples[name] for name in rule.arguments}, append_unknown=False)
    assert built is not None
    return built[1]


def expected(statement: Access, name: str) -> int | None:
    """The status of a refusal, or None where the view is to be reached."""
    if statement.who is Who.ANYONE:
        return None
    if name == NOBODY:
        return 303
    if statement.who is Who.ADMINISTRATOR:
        return None if name == "Olga" else 403
    if statement.who is Who.MEMBER and not statement.roles & set(ROLES[name]):
        return 403 if ROLES[name] else 404
    return None


def test_every_route_says_who_may_call_it(app: Flask) -> None:
    silent = [endpoint for endpoint in app.view_functions if access_of(app, endpoint) is None]
    assert silent == []


# What an assessor said before the role was withdrawn is stored for the organiser, whoever the sender is now.
FORMER_ASSESSORS = {"judging.answer", "judging.comment"}


def test_statements_about_members_stand_on_addresses_of_a_campaign(app: Flask) -> None:
    wrong = [
        rule.rule
        for rule in app.url_map.iter_rules()
        if (statement := access_of(app, rule.endpoint))
        and (statement.who is Who.MEMBER) != rule.rule.startswith(("/c/<slug>", f"{API}/campaigns/<slug>"))
        and rule.endpoint not in FORMER_ASSESSORS
    ]
    assert wrong == []


def called(client: FlaskClient, reached: list[str], route: Route, **headers: str) -> Called:
    del reached[:]
    response = client.open(route.address, method=route.method, headers=headers, buffered=True)
    return Called(route.endpoint in reached, response.status_code, response.location)


def test_each_route_refuses_whom_it_does_not_name(
    app: Flask,
    sqlite_database: Database,
    routes: list[Route],
    tokens: dict[str, Tokens],
    reached: list[str],
) -> None:
    before = rows_of(sqlite_database)
    wrong = []
    for route, name in product(routes, EVERYBODY):
        refusal = expected(route.statement, name)
        if refusal is None:
            continue
        if route.of_api and refusal == 303:
            refusal = 401
        # A refusal in short, as htmx gets it, takes a third of the page's time; without a session it is none.
        short = {} if name == NOBODY else {"HX-Request": "true"}
        answer = called(browser_with(app, tokens[name]), reached, route, **short)
        led = refusal != 303 or (answer.location or "").startswith("/sign-in")
        if not led or replace(answer, location=None) != Called(False, refusal, None):
            wrong.append((name, route.address, answer))
    assert wrong == []
    assert rows_of(sqlite_database) == before


@pytest.mark.parametrize("reading", [True, False], ids=["reading", "writing"])
def test_each_route_opens_to_whom_it_names(
    app: Flask,
    sqlite_database: Database,
    routes: list[Route],
    tokens: dict[str, Tokens],
    reached: list[str],
    tmp_path: Path,
    *,
    reading: bool,
    cast: Cast,
) -> None:
    acts: list[tuple[str, int | None]] = []
    told: list[tuple[str, int | None] | None] = []
    sqlite_database.close()
    saved = shutil.copyfile(sqlite_database.engine.url.database or "", tmp_path / "saved.sqlite3")
    wrong = []
    for route, name in product(routes, EVERYBODY):
        if (route.method == "GET") is not reading or expected(route.statement, name) is not None:
            continue
        if not reading:
            fill(sqlite_database, saved)
        answer = called(browser_with(app, tokens[name]), reached, route)
        if not answer.reached or answer.status >= 500:
            wrong.append((name, route.address, answer))
        changes = route.method == "POST" or (route.of_api and not reading)
        if name != NOBODY and changes and is_recorded(route.statement, route.endpoint):
            acts.append((route.endpoint, cast.accounts[name].id))
            told.append(latest_act(sqlite_database))
    assert wrong == []
    # Each form that somebody who may post it posts leaves an entry of the trail, accepted or not.
    assert told == acts
    assert len(acts) > 60 or reading


def latest_act(database: Database) -> tuple[str, int | None] | None:
    with database.reading() as db:
        entry = db.scalars(select(TrailRow).order_by(TrailRow.id.desc()).limit(1)).one_or_none()
    return (entry.act, entry.account_id) if entry else None


# What changes an archived campaign as a whole; everything else is refused there.
AT_THE_END = {
    *("archive.restore", "archive.duplicate", "archive.delete"),
    *("releases.publish", "releases.unpublish", "releases.withdraw"),
    *("api.campaigns.change_state", "api.releases.change_state"),
}


def rows_of(database: Database) -> dict[str, list[str]]:
    """Everything in the database but who is signed in and the trail, which tells of refusals."""
    passing = {"session", "access_token", "trail"}
    tables = [table for table in Base.metadata.sorted_tables if table.name not in passing]
    with database.reading() as db:
        return {table.name: sorted(map(repr, db.execute(select(table)))) for table in tables}


def test_nothing_changes_in_an_archived_campaign_and_everything_can_be_read(
    app: Flask, sqlite_database: Database, cast: Cast, samples: dict[str, Any]
) -> None:
    # An answer, so that there is something to export.
    with sqlite_database.writing() as db:
        answer = Submission("d1", "an-answer-to-keep", answer=Answer.GRADE, grade=1)
        record(db, cast.assignments["Ada", "T1"], cast.accounts["Ada"].id, answer)
    clients = {
        name: bearing(
            signed_in_client(app, sqlite_database, cast.accounts[name]),
            token_of(sqlite_database, cast.accounts[name]),
        )
        for name in ROLES
        if name != "Otto"
    }
    in_campaign = []
    for endpoint, method in everything():
        statement = access_of(app, endpoint)
        if statement is not None and statement.who is Who.MEMBER:
            name = next(name for name, roles in ROLES.items() if statement.roles & set(roles))
            in_campaign.append((endpoint, method, name, address_of(app, endpoint, method, samples)))
    read = [(name, address) for _, method, name, address in in_campaign if method == "GET"]
    statuses = [clients[name].get(address, buffered=True).status_code for name, address in read]
    assert clients["Olga"].post("/c/harbour/settings/archive").status_code == 303
    before = rows_of(sqlite_database)
    refused = {
        (endpoint, clients[name].open(address, method=method).status_code)
        for endpoint, method, name, address in in_campaign
        if method != "GET" and endpoint not in AT_THE_END
    }
    assert {status for _, status in refused} == {409}, sorted(refused)
    now = [clients[name].get(address, buffered=True).status_code for name, address in read]
    assert list(zip(read, now, strict=True)) == list(zip(read, statuses, strict=True))
    # What was computed to be read is no change.
    assert rows_of(sqlite_database) | {"job": []} == before | {"job": []}


def test_a_campaign_of_others_looks_as_though_it_were_not_there(enter: Any) -> None:
    otto = enter("Otto")
    there, nowhere = otto.get("/c/harbour/people"), otto.get("/c/nowhere/people")
    assert (there.status_code, there.text) == (404, nowhere.text)
    assert "Harbour" not in there.text


def test_an_administrator_is_no_member_of_every_campaign(enter: Any) -> None:
    assert enter("Olga").get("/c/elsewhere/people").status_code == 404


def test_htmx_is_told_that_nobody_is_signed_in_and_led_nowhere(app: Flask, cast: Cast) -> None:
    response = app.test_client().get("/c/harbour/judge", headers={"HX-Request": "true"})
    assert response.status_code == 401
    assert "Location" not in response.headers


def test_an_assessor_sees_one_tab_and_an_organiser_the_others(enter: Any) -> None:
    judging, people = '<a href="/c/harbour/judge"', '<a href="/c/harbour/people"'
    assessors = enter("Ada").get("/c/harbour/judge").text
    organisers = enter("Olga").get("/c/harbour/people").text
    assert (judging in assessors, people in assessors) == (True, False)
    assert (judging in organisers, people in organisers) == (False, True)


def silent_route(app: Flask) -> str:
    blueprint = Blueprint("forgotten", __name__)
    blueprint.add_url_rule("/forgotten", "index", lambda: "open to all?")
    app.register_blueprint(blueprint)
    return "/forgotten"


def test_a_route_that_says_nothing_is_refused(own_app: Flask, sqlite_database: Database, cast: Cast) -> None:
    address = silent_route(own_app)
    own_app.testing = False
    response = signed_in_client(own_app, sqlite_database, cast.accounts["Olga"]).get(address)
    assert response.status_code == 403
    assert "open to all" not in response.text


def test_a_route_that_says_nothing_fails_loudly_in_tests(
    own_app: Flask, sqlite_database: Database, cast: Cast
) -> None:
    address = silent_route(own_app)
    client = signed_in_client(own_app, sqlite_database, cast.accounts["Olga"])
    with pytest.raises(RuntimeError, match="does not say who"):
        client.get(address)


def test_anyone_means_anyone() -> None:
    @anyone
    def view() -> str:
        return ""

    assert view() == ""
