"""What a participant sees: the own group's runs and the task, and no trace of anything else, on any route."""

from __future__ import annotations

import html
import io
import json
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import func, select

from tests.api import bearing, token_of
from tests.builders import ALPHA, invite, run_text
from tests.cast import Cast, signed_in_client
from tests.uploads import check_files, import_judgments, keep_all, links, text_of, upload
from tests.web.conftest import Enter
from workbench.storage.engine import Database
from workbench.storage.tables import CheckedFileRow, RunRow
from workbench.workflow.people.groups import Sender, add_group, join, participant, require_group
from workbench.workflow.people.membership import Role
from workbench.workflow.runs import own_runs as view_of_participants
from workbench.workflow.runs.own_runs import own_runs
from workbench.workflow.runs.run_checks import check_file, run_checker
from workbench.workflow.runs.run_metadata import RunMetadata
from workbench.workflow.runs.run_records import change_metadata
from workbench.workflow.runs.uploads import add_to_batch

OWN = "/c/harbour/own-runs"
CHECKED = f"{OWN}/checked"
GAMMA = run_text("gamma", {"T1": ("d1", "d6"), "T2": ("d2",)})
# Alpha is another group's run; assessor-x judged. None of these may be on a page of Petra's.
RIVAL, SECRET = "Rivalry Institute", "an uncommon method"
TRACES = (
    "alpha",
    "beta",
    "Rivalry",
    SECRET,
    "Ada",
    "Ben",
    "Judith",
    "Vera",
    "depth 2",
    "assessor-x",
    "rival-run",
)


@pytest.fixture
def rival(cast: Cast, sqlite_database: Database, enter: Enter) -> int:
    """Another group, which sent alpha; somebody judged."""
    with sqlite_database.writing() as db:
        group_id = add_group(db, cast.campaign_id, RIVAL)
        change_metadata(db, cast.campaign_id, "alpha", RunMetadata(group_id, None, SECRET, 1))
    assert import_judgments(enter("Olga"), [("T1", "d1", "assessor-x", "3")]).status_code == 303
    return group_id


@pytest.fixture
def petra(enter: Enter, rival: int) -> FlaskClient:
    return enter("Petra")


def checked(client: FlaskClient, cast: Cast, *files: tuple[Any, str]) -> str:
    """Have files checked for the group; gives the address of what was found."""
    answer = client.post(CHECKED, data={"group": str(cast.group_id), "files": list(files)})
    assert answer.status_code == 303
    return answer.location


def send(client: FlaskClient, cast: Cast, *files: tuple[Any, str], **fields: str) -> Any:
    """Check files, and send all that are good; the page of what was found where none is."""
    address = checked(client, cast, *files)
    page = client.get(address)
    good = re.findall(r'name="file" value="(\d+)"', page.text)
    return client.post(f"{address}/keep", data={"file": good, **fields}) if good else page


def traces_in(page: str) -> list[str]:
    return [trace for trace in TRACES if re.search(rf"\b{re.escape(trace)}\b", page)]


def test_no_route_shows_a_participant_anything_of_others(
    app: Flask, sqlite_database: Database, cast: Cast, petra: FlaskClient, rival: int, reached: list[str]
) -> None:
    assert send(petra, cast, upload("gamma.txt", GAMMA)).status_code == 303
    with sqlite_database.writing() as db:
        olga = cast.accounts["Olga"].id
        invited = invite(db, cast.campaign_id, role=Role.PARTICIPANT, group_id=rival, invited_by=olga)
        secret = io.BytesIO(run_text("rival-run", {"T1": ("d2",)}))
        checked = check_file(run_checker(db, cast.campaign_id), "rival.txt", secret)
        number = add_to_batch(db, cast.campaign_id, "a-batch-of-files", checked, Sender(olga))
    samples = {
        "slug": "harbour", "filename": "workbench.css", "token": "none", "invitation_id": invited.id,
        "account_id": cast.accounts["Vera"].id, "assignment_id": cast.assignments["Ada", "T1"], "task_id": 1,
        "pool_id": cast.pool_id, "group_id": rival, "topic": "T1", "docno": "d1",
        "batch": "a-batch-of-files", "number": number, "table": "growth", "part": "rules", "kind": "csv",
        "page": "judging", "what": "preferences", "question": "holes", "version": "1.0",
        "sha256": "a" * 64, "token_id": 1, "tag": "alpha", "pool": "a pool", "login": "somebody",
        "role": "viewer", "group": "another", "search_id": 1, "message_id": 1,
        "name": "scores",
    }  # fmt: skip
    token = token_of(sqlite_database, cast.accounts["Petra"])
    client = app.test_client()
    asked = 0
    for rule in app.url_map.iter_rules():
        lacking = rule.arguments - samples.keys()
        assert not lacking, f"give the walk a sample of {lacking}"
        built = rule.build({name: samples[name] for name in rule.arguments}, append_unknown=False)
        assert built is not None
        for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"}):
            for tag, headers in (
                ("alpha", {}),
                ("gamma", {"HX-Request": "true", "HX-Request-Type": "partial"}),
            ):
                if client.get_cookie("workbench") is None:  # some of them sign out
                    client = bearing(signed_in_client(app, sqlite_database, cast.accounts["Petra"]), token)
                address = f"{built[1]}?tag={tag}&topic=T1&docno=d1&group={rival}&run={tag}"
                del reached[:]
                answer = client.open(address, method=method, headers=headers, buffered=True)
                asked += 1
                assert answer.status_code < 500, address
                if rule.endpoint != "static":
                    page = answer.get_data(as_text=True)
                    assert traces_in(page) == [], (method, address, answer.status_code)
                if not reached:
                    break  # who is refused at the door is refused whatever the question is
    assert asked > 200


def test_her_pages_show_her_own_runs(petra: FlaskClient, cast: Cast) -> None:
    said = {"kind": "manual", "priority": "2", "description": "By two searchers"}
    assert send(petra, cast, upload("gamma.txt", GAMMA), **said).status_code == 303
    page = text_of(petra.get(OWN).text)
    assert "1 run submitted." in page
    assert "gamma manual 2 received 2 3" in page
    record = text_of(petra.get(f"{OWN}/run?tag=gamma").text)
    for part in ("Group Tidewater", "By two searchers", "by Petra", "gamma.txt"):
        assert part in record
    assert petra.get(f"{OWN}/run/file?tag=gamma").data == GAMMA


def test_the_run_waits_until_the_organiser_accepts_it(petra: FlaskClient, cast: Cast, enter: Enter) -> None:
    send(petra, cast, upload("gamma.txt", GAMMA))
    olga = enter("Olga")
    assert links(olga.get("/c/harbour/").text, "runs?verdict=received")
    assert re.search(r'value="gamma" ?>', olga.get("/c/harbour/pools").text)
    assert olga.post("/c/harbour/runs/run/verdict?tag=gamma", data={"verdict": "accepted"}).status_code == 303
    assert "gamma – – accepted" in text_of(petra.get(OWN).text)
    assert re.search(r'value="gamma" checked>', olga.get("/c/harbour/pools").text)


def test_a_reason_for_setting_aside_is_read_by_the_group(
    petra: FlaskClient, cast: Cast, enter: Enter
) -> None:
    send(petra, cast, upload("gamma.txt", GAMMA))
    aside = {"verdict": "set_aside", "reason": "T2 is too short"}
    assert enter("Olga").post("/c/harbour/runs/run/verdict?tag=gamma", data=aside).status_code == 303
    assert "T2 is too short" in text_of(petra.get(f"{OWN}/run?tag=gamma").text)


def test_a_tag_of_another_group_is_taken_and_no_more_is_said(petra: FlaskClient, cast: Cast) -> None:
    sent = run_text("alpha", {"T1": ("d6",)})
    address = checked(petra, cast, upload("mine.txt", sent), upload("gamma.txt", GAMMA))
    # The check says it already, as it does of everything that would refuse the file when it is sent.
    page = petra.get(address).text
    assert "the tag alpha is taken" in text_of(page)
    (number,) = re.findall(r'id="file-(\d+)"', page)
    (good,) = re.findall(r'name="file" value="(\d+)" checked', page)
    for fields in ({}, {"replacing": "yes"}):
        answer = petra.post(f"{address}/keep", data={"file": [number, good], **fields})
        assert answer.status_code == 422
        assert "the tag alpha is taken" in text_of(answer.text)
        assert RIVAL not in answer.text
    # What was good has gone all the same.
    assert petra.get(f"{OWN}/run?tag=gamma").status_code == 200


def test_the_check_finds_twins_of_one_upload_and_runs_that_are_there(petra: FlaskClient, cast: Cast) -> None:
    send(petra, cast, upload("gamma.txt", GAMMA))
    newer = run_text("gamma", {"T1": ("d6", "d1")})
    twin = run_text("delta", {"T1": ("d1", "d2")})
    files = (("same.txt", GAMMA), ("newer.txt", newer), ("delta.txt", twin), ("twin.txt", twin))
    address = checked(petra, cast, *(upload(name, content) for name, content in files))
    page = petra.get(address).text
    said = text_of(page)
    assert "same.txt : this file is already run gamma" in said
    assert "newer.txt : your group has a run gamma already" in said
    assert 'twin.txt : this file is already there as the file "delta.txt"' in html.unescape(said)
    good = re.findall(r'name="file" value="(\d+)" checked', page)
    assert len(good) == 2
    assert petra.post(f"{address}/keep", data={"file": good, "replacing": "yes"}).status_code == 303
    assert petra.get(f"{OWN}/run/file?tag=gamma").data == newer
    assert petra.get(f"{OWN}/run?tag=delta").status_code == 200


def test_the_very_file_of_another_group_is_not_told_from_any_other(
    petra: FlaskClient, cast: Cast, enter: Enter
) -> None:
    theirs = enter("Olga").get("/c/harbour/runs/file?tag=alpha").data
    backwards = run_text("alpha", {topic: docnos[::-1] for topic, docnos in ALPHA.items()})
    same = text_of(send(petra, cast, upload("a.txt", theirs)).text)
    other = text_of(send(petra, cast, upload("a.txt", backwards)).text)
    assert same == other


def test_she_replaces_and_withdraws_what_is_not_in_use(petra: FlaskClient, cast: Cast) -> None:
    send(petra, cast, upload("gamma.txt", GAMMA), description="first words")
    newer = run_text("gamma", {"T1": ("d6", "d1")})
    again = petra.post(f"{OWN}/run/replace?tag=gamma", data={"files": [upload("g2.txt", newer)]})
    assert again.status_code == 303
    page = petra.get(f"{OWN}/run?tag=gamma").text
    assert "first words" in page
    (old,) = links(page, "sha256=")
    assert petra.get(old).data == GAMMA
    assert petra.get(f"{OWN}/run/file?tag=gamma").data == newer
    other = upload("x.txt", run_text("delta", {"T1": ("d1",)}))
    wrong = petra.post(f"{OWN}/run/replace?tag=gamma", data={"files": [other]})
    assert wrong.status_code == 422
    assert "the file contains run delta, not gamma" in text_of(wrong.text)
    assert petra.get(f"{OWN}/run?tag=delta").status_code == 404
    assert petra.get(f"{OWN}/run/withdraw?tag=gamma").status_code == 200
    assert petra.post(f"{OWN}/run/withdraw", data={"tag": "gamma"}).status_code == 303
    assert petra.get(f"{OWN}/run?tag=gamma").status_code == 404


def test_a_run_in_a_pool_stays_as_it_is(petra: FlaskClient, cast: Cast, enter: Enter) -> None:
    send(petra, cast, upload("gamma.txt", GAMMA))
    recipe = {"strategy": "depth", "depth": "1", "ties": "trec_eval", "run": ["gamma"]}
    assert enter("Olga").post("/c/harbour/pools", data=recipe).status_code == 303
    page = text_of(petra.get(f"{OWN}/run?tag=gamma").text)
    assert "in use" in page
    assert "pool" not in page
    sent = run_text("gamma", {"T1": ("d6",)})
    replacing = {"files": [upload("g.txt", sent)]}
    assert petra.post(f"{OWN}/run/replace?tag=gamma", data=replacing).status_code == 409
    assert petra.post(f"{OWN}/run?tag=gamma", data={"kind": "manual"}).status_code == 409
    assert petra.post(f"{OWN}/run/withdraw", data={"tag": "gamma"}).status_code == 409
    refused = send(petra, cast, upload("g.txt", sent), replacing="yes")
    assert "is in use and can no longer be replaced" in text_of(refused.text)


def test_a_campaign_has_a_last_day_and_a_number_of_runs_for_groups(
    petra: FlaskClient, cast: Cast, enter: Enter
) -> None:
    olga = enter("Olga")
    rules = {"rule_set": "usual", "max_per_topic": ""}
    assert (
        olga.post("/c/harbour/runs/rules", data={**rules, "max_per_group": "1", "last_day": ""}).status_code
        == 303
    )
    send(petra, cast, upload("gamma.txt", GAMMA))
    assert "A group can send 1 run; a run that replaces another does not count." in text_of(
        petra.get(OWN).text
    )
    delta = run_text("delta", {"T1": ("d1",), "T2": ("d2",)})
    refused = send(petra, cast, upload("delta.txt", delta))
    assert "a group can send 1 run, and yours has sent as many" in text_of(refused.text)
    newer = run_text("gamma", {"T1": ("d6",), "T2": ("d2",)})
    replaced = petra.post(f"{OWN}/run/replace?tag=gamma", data={"files": [upload("g2.txt", newer)]})
    assert replaced.status_code == 303
    for day, said in (("soon", "is not a date"), ("2026-02-30", "is not a date")):
        slip = olga.post("/c/harbour/runs/rules", data={**rules, "max_per_group": "", "last_day": day})
        assert slip.status_code == 422
        assert said in text_of(slip.text)
    yesterday = (datetime.now(UTC) - timedelta(days=1)).date().isoformat()
    olga.post("/c/harbour/runs/rules", data={**rules, "max_per_group": "", "last_day": yesterday})
    page = petra.get(OWN).text
    assert "The last day to send runs was" in text_of(page)
    assert 'name="files"' not in page
    late = send(petra, cast, upload("delta.txt", delta))
    assert f"the campaign took runs until {yesterday} (UTC)" in text_of(late.text)
    # A run that came too late goes through the organiser, who has no last day.
    keep_all(olga, check_files(olga, upload("delta.txt", delta)))
    assert "delta" in text_of(olga.get("/c/harbour/runs").text)


def test_she_sends_for_her_group_only(
    petra: FlaskClient, cast: Cast, rival: int, sqlite_database: Database
) -> None:
    for group in (str(rival), "999", ""):
        data = {"group": group, "files": [upload("gamma.txt", GAMMA)]}
        assert petra.post(CHECKED, data=data).status_code == 404
    send(petra, cast, upload("gamma.txt", GAMMA))
    # A group in the form of the record moves nothing.
    assert petra.post(f"{OWN}/run?tag=gamma", data={"group": str(rival)}).status_code == 303
    with sqlite_database.reading() as db:
        (run,) = own_runs(db, cast.campaign_id, participant(db, cast.campaign_id, cast.accounts["Petra"].id))
        assert run.group == require_group(db, cast.campaign_id, cast.group_id)


def test_a_broken_file_is_told_whole(petra: FlaskClient, cast: Cast) -> None:
    wrong = send(petra, cast, upload("gamma.txt", GAMMA), kind="robot")
    assert wrong.status_code == 422
    assert "kind-error-1" in wrong.text
    bad = "T1 Q0 d1 1 x bad\nT9 Q0 d1 1 1 bad\n"
    page = text_of(send(petra, cast, upload("bad.txt", bad)).text)
    assert '1 5 the score "x" is not a finite decimal number' in page
    assert '2 1 topic "T9" is' in page
    assert "1 refused" in page
    assert "gamma" not in text_of(petra.get(OWN).text)


def test_nothing_of_a_dry_run_is_seen_by_anybody_else(
    petra: FlaskClient, cast: Cast, enter: Enter, sqlite_database: Database, rival: int
) -> None:
    address = checked(petra, cast, upload("gamma.txt", GAMMA))
    assert "not submitted yet" in text_of(petra.get(OWN).text)
    olga = enter("Olga")
    theirs = address.replace("/own-runs/", "/runs/")
    assert olga.get(theirs).status_code == 404
    assert "not added yet" not in text_of(olga.get("/c/harbour/runs").text)
    organisers = olga.post("/c/harbour/runs/checked", data={"files": [upload("delta.txt", GAMMA)]}).location
    assert petra.get(organisers.replace("/runs/", "/own-runs/")).status_code == 404
    with sqlite_database.writing() as db:
        judith = cast.accounts["Judith"]
        join(db, cast.campaign_id, rival, judith.id, both_sides=True)
    client = enter("Judith")
    assert client.get(address).status_code == 404
    assert client.post(f"{address}/discard").status_code == 303
    assert petra.get(address).status_code == 200


def test_a_dry_run_compares_with_nobody_elses_runs(petra: FlaskClient, cast: Cast, enter: Enter) -> None:
    theirs = enter("Olga").get("/c/harbour/runs/file?tag=alpha").data.replace(b"alpha", b"gamma")
    address = checked(petra, cast, upload("gamma.txt", theirs))
    (found,) = json.loads(petra.get(f"{address}?format=json").data)["files"]
    assert found["ok"]
    assert "alpha" not in petra.get(address).text
    assert send(petra, cast, upload("gamma.txt", theirs)).status_code == 303
    # The organiser is told what the group is not.
    assert "alpha" in enter("Olga").get("/c/harbour/runs/run?tag=gamma").text


def test_the_task_has_the_topics_and_the_guidelines(petra: FlaskClient) -> None:
    page = text_of(petra.get("/c/harbour/task").text)
    for said in ("tides", "When is high water?", "Only tables of the harbour.", "Read to the end."):
        assert said in page
    assert b'{"id": "T1", "title": "tides"' in petra.get("/c/harbour/task/topics.jsonl").data


def test_the_list_of_campaigns_tells_her_nothing_of_judging(petra: FlaskClient, cast: Cast) -> None:
    send(petra, cast, upload("gamma.txt", GAMMA))
    page = text_of(petra.get("/").text)
    assert "1 run of your group" in page
    assert "judged" not in page
    assert "pool" not in page.casefold()


def test_somebody_who_judges_too_is_blind_until_that_is_done(
    app: Flask, sqlite_database: Database, cast: Cast, rival: int
) -> None:
    ada = cast.accounts["Ada"]
    with sqlite_database.writing() as db:
        join(db, cast.campaign_id, rival, ada.id, both_sides=True)
    client = signed_in_client(app, sqlite_database, ada)
    assert client.get("/c/harbour/judge").status_code == 200
    assert client.get(OWN).status_code == 403
    assert client.get(f"{OWN}/run?tag=alpha").status_code == 403


def test_a_group_with_too_many_files_that_wait_is_refused_before_another_is_checked(
    petra: FlaskClient, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(view_of_participants, "MOST_WAITING", 1)
    address = checked(petra, cast, upload("gamma.txt", GAMMA))
    more = {"group": str(cast.group_id), "files": [upload("delta.txt", "no run at all")]}
    answer = petra.post(CHECKED, data=more, headers={"Accept": "application/json"})
    assert (answer.status_code, "delta.txt" in petra.get(address).text) == (409, False)
    # What is submitted waits no more.
    good = re.findall(r'name="file" value="(\d+)"', petra.get(address).text)
    assert petra.post(f"{address}/keep", data={"file": good}).status_code == 303
    checked(petra, cast, upload("delta.txt", run_text("delta", {"T1": ("d1",)})))


def test_earlier_versions_of_a_run_count_toward_the_quota_and_organisers_have_none(
    petra: FlaskClient,
    cast: Cast,
    enter: Enter,
    sqlite_database: Database,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    send(petra, cast, upload("gamma.txt", GAMMA))
    with sqlite_database.reading() as db:
        (stored,) = db.scalars(select(func.length(RunRow.content_gzip)).where(RunRow.tag == "gamma"))
    monkeypatch.setattr(view_of_participants, "MOST_BYTES", stored)
    again = run_text("gamma", {"T1": ("d1",), "T2": ("d2",)})
    refused = petra.post(f"{OWN}/run/replace?tag=gamma", data={"files": upload("gamma.txt", again)})
    assert refused.status_code == 409
    answer = petra.post(CHECKED, data={"group": str(cast.group_id), "files": upload("gamma.txt", again)})
    assert answer.status_code == 409
    with sqlite_database.reading() as db:
        assert (
            db.scalars(select(CheckedFileRow.file_name).where(CheckedFileRow.kept_at.is_(None))).all() == []
        )
    files = {"files": [upload("epsilon.txt", run_text("epsilon", {"T1": ("d1",)}))]}
    assert enter("Olga").post("/c/harbour/runs/checked", data=files).status_code == 303
