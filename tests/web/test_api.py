"""The API: tokens and scopes, errors, pages of lists, idempotency keys, uploads, and its own description."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from openapi_spec_validator import validate
from sqlalchemy import func, select

from tests.api import API, bearing, program, token_of
from tests.builders import ALPHA, BETA, run_text
from tests.cast import Cast, signed_in_client
from workbench.storage.engine import Database
from workbench.storage.tables import (
    AccessTokenRow,
    AccountRow,
    CampaignRow,
    JudgmentEventRow,
    RepeatableRequestRow,
    RunRow,
    TrailRow,
)
from workbench.web.api.openapi import ProblemJson
from workbench.web.api.operations import operation_of
from workbench.workflow.people.membership import Role, remove_role
from workbench.workflow.people.sessions import Scope

Program = Callable[..., FlaskClient]
HARBOUR = f"{API}/campaigns/harbour"
KEY = {"Idempotency-Key": "one-and-the-same"}


@pytest.fixture
def act(app: Flask, sqlite_database: Database, cast: Cast) -> Program:
    """Give a member of the cast a program with a token, by default of every scope."""

    def act(name: str, *scopes: Scope) -> FlaskClient:
        return program(app, sqlite_database, cast.accounts[name], scopes or tuple(Scope))

    return act


def problem(response: Any) -> ProblemJson:
    """The problem that a response is; its fields are those that are documented."""
    assert response.content_type == "application/problem+json"
    found: ProblemJson = response.get_json()
    assert found.keys() == ProblemJson.__required_keys__
    assert found["status"] == response.status_code
    return found


def codes(response: Any) -> list[str]:
    return [finding["code"] for finding in problem(response)["findings"]]


def count(database: Database, table: type[Any]) -> int:
    with database.reading() as db:
        return db.scalar(select(func.count()).select_from(table)) or 0


# Who may call


def test_a_session_opens_nothing_of_the_api(app: Flask, sqlite_database: Database, cast: Cast) -> None:
    browser = signed_in_client(app, sqlite_database, cast.accounts["Olga"])
    response = browser.get(f"{API}/campaigns")
    assert problem(response)["status"] == 401
    assert response.headers["WWW-Authenticate"].lower().startswith("bearer")


def test_a_token_opens_no_page(app: Flask, sqlite_database: Database, cast: Cast) -> None:
    token = token_of(sqlite_database, cast.accounts["Olga"])
    assert bearing(app.test_client(), token).get("/c/harbour/people").status_code == 401
    as_cookie = app.test_client()
    as_cookie.set_cookie("workbench", token)
    assert as_cookie.get("/c/harbour/people").status_code == 303


def test_a_scope_that_the_token_lacks_is_refused(act: Program) -> None:
    olga = act("Olga", Scope.READ)
    assert olga.get(f"{HARBOUR}/topics").status_code == 200
    assert problem(olga.patch(HARBOUR, json={"name": "Ebb"}))["status"] == 403


def test_a_token_has_no_more_rights_than_its_owner_at_that_moment(
    act: Program, sqlite_database: Database, cast: Cast
) -> None:
    vera = act("Vera")
    assert vera.get(f"{HARBOUR}/pools").status_code == 200
    with sqlite_database.writing() as db:
        remove_role(db, cast.campaign_id, cast.accounts["Vera"].id, Role.VIEWER)
    assert vera.get(f"{HARBOUR}/pools").status_code == 404


@pytest.mark.parametrize("change", ["disabled", "expired", "revoked"])
def test_a_token_ends_with_its_time_and_its_account(
    act: Program, sqlite_database: Database, change: str
) -> None:
    olga, past = act("Olga"), datetime.now(UTC) - timedelta(seconds=1)
    assert olga.get(f"{API}/campaigns").status_code == 200
    with sqlite_database.writing() as db:
        if change == "disabled":
            db.query(AccountRow).filter_by(login="olga").update({"disabled_at": past})
        elif change == "expired":
            db.query(AccessTokenRow).update({"expires_at": past})
        else:
            db.query(AccessTokenRow).delete()
    assert olga.get(f"{API}/campaigns").status_code == 401


def test_the_trail_names_the_token(act: Program, sqlite_database: Database) -> None:
    act("Olga").patch(HARBOUR, json={"name": "Ebb"})
    with sqlite_database.reading() as db:
        entry = db.scalars(select(TrailRow).order_by(TrailRow.id.desc()).limit(1)).one()
        token = db.scalars(select(AccessTokenRow.id)).one()
    assert entry.act == "api.campaigns.change"
    assert f'"access_token":{token}' in entry.details


def test_the_last_use_of_a_token_is_stored(act: Program, sqlite_database: Database) -> None:
    before = datetime.now(UTC)
    act("Olga").get(f"{API}/campaigns")
    with sqlite_database.reading() as db:
        used = db.scalars(select(AccessTokenRow.used_at)).one()
    assert used is not None
    assert used >= before


# What is sent and answered


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("limit=0", "greater-than-equal"),
        ("limit=ten", "int-type"),
        ("limit=1&limit=2", "repeated-parameter"),
        ("cursor=nonsense", "cursor"),
        ("misspelt=1", "unknown-parameter"),
    ],
)
def test_parameters_that_are_wrong_are_named(act: Program, query: str, code: str) -> None:
    assert codes(act("Olga").get(f"{HARBOUR}/topics?{query}")) == [code]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"{", "json"),
        (b'{"name": NaN}', "json"),
        (b"[]", "dataclass-type"),
        (b"{}", "missing"),
        (b'{"name": "Ebb", "color": 1}', "unexpected-keyword-argument"),
        (b'{"name": 7}', "string-type"),
        (rb'{"name": "\u0000"}', "character"),
    ],
)
def test_bodies_that_are_wrong_are_named(act: Program, body: bytes, code: str) -> None:
    answer = act("Olga").post(f"{API}/campaigns", data=body, content_type="application/json")
    assert answer.status_code == 422
    assert codes(answer) == [code]


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("assessor=zz", 'the rule "majority" has no assessor'),
        ("line=2", 'the rule "majority" has no line'),
        ("rule=any&ties=lower", 'the rule "any" has no ties'),
    ],
)
def test_a_parameter_of_another_rule_is_not_dropped(act: Program, query: str, said: str) -> None:
    olga = act("Olga")
    for address in ("qrels", "scores"):
        assert said in problem(olga.get(f"{HARBOUR}/{address}?{query}"))["detail"]
    given = {"version": "1.0", "parameters": {"assessor": "zz"}}
    refused = olga.post(f"{HARBOUR}/releases", json=given)
    assert (refused.status_code, "has no assessor" in problem(refused)["detail"]) == (422, True)


def test_true_is_no_depth(act: Program) -> None:
    sent = {"strategy": "depth", "parameters": {"depth": True}}
    assert act("Olga").post(f"{HARBOUR}/pools", json=sent).status_code == 422


def test_a_body_of_another_type_is_refused(act: Program) -> None:
    assert problem(act("Olga").post(f"{API}/campaigns", data={"name": "Ebb"}))["status"] == 415


def test_a_list_comes_in_pages_which_lose_nothing(act: Program) -> None:
    vera, found, cursor = act("Vera"), [], ""
    while True:
        page = vera.get(f"{HARBOUR}/pools/depth%202/pairs?limit=4{cursor}").get_json()
        found += [(one["topic"], one["docno"]) for one in page["items"]]
        if page["next"] is None:
            break
        cursor = f"&cursor={page['next']}"
    # The two runs to depth 2, by hand in `tests.builders.pooled_campaign`; as bytes, / comes before 1.
    assert found == [(topic, docno) for topic in ("T1", "T2") for docno in ("d/4", "d1", "d2")]


def test_what_is_not_there_is_a_problem_too(act: Program) -> None:
    assert problem(act("Olga").get(f"{API}/nothing"))["status"] == 404
    assert problem(act("Olga").delete(f"{HARBOUR}/topics"))["status"] == 405


@pytest.mark.parametrize("number", [2**63, 10**30, int("9" * 4000)], ids=["2^63", "10^30", "4,000 digits"])
def test_a_number_that_no_row_can_have_is_not_found_by_any_method(act: Program, number: int) -> None:
    # Two rules have this address, one for each method: neither is to say that it takes the other only.
    address = f"{HARBOUR}/judging/{number}/additions"
    for answer in (act("Olga").get(address), act("Olga").post(address, json={})):
        assert problem(answer)["status"] == 404
    assert problem(act("Olga").post(f"{HARBOUR}/judging/{2**63 - 1}/additions", json={}))["status"] != 405


# Under an idempotency key


def test_a_request_under_a_key_is_done_once(act: Program, sqlite_database: Database) -> None:
    olga, sent = act("Olga"), {"name": "Estuary"}
    before = count(sqlite_database, CampaignRow)
    first, again = (olga.post(f"{API}/campaigns", json=sent, headers=KEY) for _ in range(2))
    assert (first.status_code, first.get_json()) == (201, again.get_json())
    assert "Idempotent-Replayed" not in first.headers
    assert again.headers["Idempotent-Replayed"] == "true"
    assert count(sqlite_database, CampaignRow) == before + 1


def test_a_key_is_of_one_request_and_one_account(act: Program) -> None:
    olga = act("Olga")
    assert olga.post(f"{API}/campaigns", json={"name": "Estuary"}, headers=KEY).status_code == 201
    assert codes(olga.post(f"{API}/campaigns", json={"name": "Delta"}, headers=KEY)) == ["idempotency-key"]
    # Somebody else's key says nothing of hers.
    assert act("Vera").post(f"{API}/campaigns", json={"name": "Estuary"}, headers=KEY).status_code == 403


def test_a_key_of_a_file_is_of_its_bytes(act: Program) -> None:
    olga, address = act("Olga"), f"{HARBOUR}/runs?name=gamma.txt"
    one, other = run_text("gamma", ALPHA), run_text("gamma", BETA)
    assert olga.post(address, data=one, headers=KEY).status_code == 201
    assert olga.post(address, data=one, headers=KEY).headers["Idempotent-Replayed"] == "true"
    assert codes(olga.post(address, data=other, headers=KEY)) == ["idempotency-key"]


def test_a_request_that_failed_gives_its_key_back(act: Program) -> None:
    olga = act("Olga")
    assert olga.post(f"{API}/campaigns", json={"name": ""}, headers=KEY).status_code == 422
    assert olga.post(f"{API}/campaigns", json={"name": "Estuary"}, headers=KEY).status_code == 201


@pytest.mark.parametrize("minutes", [0, 60])
def test_a_request_without_an_answer_is_never_done_again(
    act: Program, sqlite_database: Database, minutes: int
) -> None:
    # As another process leaves it that is at work, or was killed.
    olga = act("Olga")
    olga.post(f"{API}/campaigns", json={"name": "Estuary"}, headers=KEY)
    begun = datetime.now(UTC) - timedelta(minutes=minutes)
    with sqlite_database.writing() as db:
        db.query(RepeatableRequestRow).update({"status": None, "answer": None, "begun_at": begun})
    before = count(sqlite_database, CampaignRow)
    answer = olga.post(f"{API}/campaigns", json={"name": "Estuary"}, headers=KEY)
    assert problem(answer)["status"] == 409
    # Whoever asks again in a while may get the answer; what was interrupted never has one.
    assert answer.headers.get("Retry-After") == (None if minutes else "5")
    assert count(sqlite_database, CampaignRow) == before


def test_a_key_is_forgotten_after_a_day(act: Program, sqlite_database: Database) -> None:
    olga = act("Olga")
    olga.post(f"{API}/campaigns", json={"name": "Estuary"}, headers=KEY)
    with sqlite_database.writing() as db:
        yesterday = datetime.now(UTC) - timedelta(hours=25)
        db.query(RepeatableRequestRow).update({"begun_at": yesterday})
    again = olga.post(f"{API}/campaigns", json={"name": "Estuary"}, headers=KEY)
    assert again.get_json()["slug"] == "estuary-2"


def test_links_of_invitations_are_in_no_stored_answer(act: Program, sqlite_database: Database) -> None:
    olga, sent = act("Olga"), {"people": ["Iris"]}
    made = olga.post(f"{HARBOUR}/invitations", json=sent, headers=KEY).get_json()["invitations"]
    assert made[0]["link"].startswith("http")
    with sqlite_database.reading() as db:
        assert db.scalars(select(RepeatableRequestRow.answer)).all() == [None]
    assert codes(olga.post(f"{HARBOUR}/invitations", json=sent, headers=KEY)) == ["shown-once"]


# Files, runs, judgments


def test_a_run_that_is_refused_says_why_and_leaves_nothing(act: Program, sqlite_database: Database) -> None:
    before = count(sqlite_database, RunRow)
    answer = act("Olga").post(f"{HARBOUR}/runs?name=short.txt", data=b"T1 Q0 d1 1 short\n")
    assert codes(answer) == ["columns"]
    assert count(sqlite_database, RunRow) == before


def test_a_participant_sends_and_sees_runs_of_the_own_group_only(act: Program) -> None:
    petra = act("Petra")
    assert petra.get(f"{HARBOUR}/runs").get_json()["items"] == []
    content = gzip.compress(run_text("tide", ALPHA))
    made = petra.post(f"{HARBOUR}/runs?name=tide.txt.gz&kind=automatic", data=content)
    assert (made.get_json()["group"], made.get_json()["kind"]) == ("Tidewater", "automatic")
    assert [one["tag"] for one in petra.get(f"{HARBOUR}/runs").get_json()["items"]] == ["tide"]
    assert petra.get(f"{HARBOUR}/runs/tide/content").data == run_text("tide", ALPHA)
    for address in ("runs/alpha", "runs/alpha/content"):
        assert petra.get(f"{HARBOUR}/{address}").status_code == 404
    assert petra.post(f"{HARBOUR}/runs?name=a.txt&group=Others", data=content).status_code == 404
    renamed = petra.patch(f"{HARBOUR}/runs/tide", json={"description": "BM25", "kind": ""})
    assert (renamed.get_json()["description"], renamed.get_json()["kind"]) == ("BM25", None)
    assert petra.delete(f"{HARBOUR}/runs/tide").status_code == 204


def test_an_upload_may_be_larger_than_a_form(act: Program, app: Flask) -> None:
    # A mebibyte is the most of a form: this one has more, as plain text.
    ranked = {"T1": [f"document-{number:06}" for number in range(40_000)]}
    report = act("Olga").post(f"{HARBOUR}/runs/check?name=long.txt", data=run_text("long", ranked))
    assert report.get_json()["lines"] == 40_000
    too_long = act("Olga").post(
        f"{HARBOUR}/state", data=b" " * (1024**2 + 1), content_type="application/json"
    )
    assert problem(too_long)["status"] == 413


def event(assignment: int, docno: str, grade: int, name: str = "client-id-1") -> dict[str, object]:
    return {
        "client_id": name, "assignment": assignment, "docno": docno, "answer": "grade", "grade": grade,
    }  # fmt: skip


def test_a_judgment_is_recorded_once_for_an_own_assignment(
    act: Program, sqlite_database: Database, cast: Cast
) -> None:
    ada, own = act("Ada"), cast.assignments["Ada", "T1"]
    address = f"{HARBOUR}/judging/judgments"
    outcomes = [
        ada.post(address, json={"events": [event(own, "d1", 2)]}).get_json()["receipts"][0]["outcome"]
        for _ in range(2)
    ]
    assert outcomes == ["recorded", "repeated"]
    assert count(sqlite_database, JudgmentEventRow) == 1
    work = ada.get(f"{HARBOUR}/judging/{own}").get_json()
    assert sorted(work["left"]) == ["d/4", "d2"]
    assert [(one["docno"], one["grade"]) for one in work["answers"]] == [("d1", 2)]


def test_nobody_judges_or_reads_the_assignment_of_a_colleague(
    act: Program, sqlite_database: Database, cast: Cast
) -> None:
    ada, bens = act("Ada"), cast.assignments["Ben", "T1"]
    receipts = ada.post(f"{HARBOUR}/judging/judgments", json={"events": [event(bens, "d1", 2)]}).get_json()
    assert receipts["receipts"][0]["outcome"] == "refused"
    assert count(sqlite_database, JudgmentEventRow) == 0
    assert ada.get(f"{HARBOUR}/judging/{bens}").status_code == 404
    assert ada.get(f"{HARBOUR}/judging/{bens}/documents?docno=d1").status_code == 404


def test_judgments_of_others_and_documents_come_in(act: Program) -> None:
    olga, table = act("Olga"), b"topic\tdoc\tassessor\tgrade\nT1\td1\tlabeller\t3\n"
    (done,) = olga.post(f"{HARBOUR}/judgments?machine=labeller", data=table).get_json()
    assert (done["assessor"], done["machine"], done["new"]) == ("labeller", True, 1)
    assert [one["grade"] for one in olga.get(f"{HARBOUR}/judgments").get_json()["items"]] == [3]
    assert codes(olga.post(f"{HARBOUR}/judgments?machine=nobody", data=table)) == ["machine"]
    sent = {"topic": "T1", "docnos": ["d6", "d1"], "reason": "found by hand"}
    added = olga.post(f"{HARBOUR}/pools/depth%202/pairs", json=sent).get_json()
    assert (added["added"], added["passed"]) == (["d6"], ["d1"])


# Its description


@pytest.mark.slow  # it reads each form as often as others refer to it
def test_the_document_is_valid(app: Flask) -> None:
    validate(app.test_client().get(f"{API}/openapi.json").get_json())


def test_every_operation_is_described(app: Flask) -> None:
    document = app.test_client().get(f"{API}/openapi.json").get_json()
    described = {(path, method) for path, methods in document["paths"].items() for method in methods}
    of_views = [rule for rule in app.url_map.iter_rules() if rule.rule.startswith(f"{API}/")]
    stated = [rule for rule in of_views if operation_of(app, rule.endpoint)]
    assert {rule.endpoint for rule in of_views} - {rule.endpoint for rule in stated} == {
        "api.documentation.openapi"
    }
    assert len(described) == len(stated)


def test_the_reference_shows_every_address_and_loads_nothing_from_elsewhere(app: Flask) -> None:
    document = app.test_client().get(f"{API}/openapi.json").get_json()
    page = app.test_client().get("/api").text
    assert all(path in page for path in document["paths"])
    assert "http://" not in page.replace("http://localhost", "")
    assert "https://" not in page
