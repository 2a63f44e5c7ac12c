"""Repeats, planted pairs and training: the organiser's page, and that an assessor cannot tell a probe."""

from __future__ import annotations

import io
import json
import re
from html import unescape
from typing import Any
from uuid import uuid4

import pytest
from flask.testing import FlaskClient
from sqlalchemy import select

from tests.cast import Cast
from tests.uploads import links, text_of
from tests.web.conftest import Enter
from workbench.formats.graded_pairs import GradedPair
from workbench.storage.engine import Database
from workbench.storage.events import PLANTED, REPEAT, TRAINING
from workbench.storage.tables import AssignmentRow, JudgmentEventRow
from workbench.workflow.judging.quality_checks import CheckRules, desk_task
from workbench.workflow.judging.quality_settings import load_known_answers, save_check_rules
from workbench.workflow.judging.task import Task

ADDRESS = "/c/harbour/settings/probes"
FILE = "topic\tdoc\tgrade\tfeedback\nT1\td6\t3\tIt has the tables.\n"
RULES = {"one_in": "20", "distance": "15", "training": "yes", "least": "70"}
FRESH = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|nonce=\"[^\"]*\"")


def known(db: Any, cast: Cast, purpose: str) -> None:
    answers = [GradedPair("T1", "d6", 3, "It has the tables.", 2)]
    load_known_answers(db, cast.campaign_id, answers, purpose=purpose, source="known.tsv")


def own_task_of(db: Any, cast: Cast) -> Task:
    return desk_task(db, cast.assignments["Ada", "T1"], cast.accounts["Ada"].id)


@pytest.fixture
def task(cast: Cast, sqlite_database: Database) -> Task:
    """Ada's topic with a repeat and a planted pair among its three documents."""
    with sqlite_database.writing() as db:
        save_check_rules(db, cast.campaign_id, CheckRules(one_in=2, distance=1))
        known(db, cast, PLANTED)
        for seed in range(50):
            db.get_one(AssignmentRow, cast.assignments["Ada", "T1"]).seed = seed
            db.flush()
            task = own_task_of(db, cast)
            purposes = [task.slot(key).purpose for key in task.order]
            if sorted(purposes) == ["judging"] * 3 + ["planted", "repeat"] and purposes[-1] == "judging":
                return task
    raise AssertionError("no seed has a repeat")


@pytest.fixture
def address(cast: Cast) -> str:
    return f"/c/harbour/judge/{cast.assignments['Ada', 'T1']}"


def work_of(client: FlaskClient, address: str) -> dict[str, Any]:
    return dict(client.get(f"{address}/work").json or {})


def answer(cast: Cast, work: dict[str, Any], key: str, grade: int = 2, **more: Any) -> dict[str, Any]:
    event = {"kind": "answer", "assignment": cast.assignments["Ada", "T1"], "client_id": str(uuid4())}
    return {
        "account": work["account"],
        "events": [event | {"docno": key, "answer": "grade", "grade": grade} | more],
    }


def test_nothing_that_an_assessor_gets_tells_a_probe_from_the_rest(
    enter: Enter, cast: Cast, task: Task, address: str, sqlite_database: Database
) -> None:
    ada = enter("Ada")
    work = work_of(ada, address)
    assert len(work["order"]) == work["total"] == 5
    assert {len(key) for key in work["order"]} == {24}
    receipts, shapes, pages = [], set(), set()
    for key in work["order"]:
        fetched = ada.get(f"{address}/documents?docno={key}").get_json()["documents"][0]
        shapes.add(json.dumps({name: type(value).__name__ for name, value in fetched.items()}))
        page = FRESH.sub("", ada.get(f"{address}?docno={key}").text)
        assert not re.search(r"repeat|planted|purpose|aria-pressed=\"true\"", page.split("<main")[1])
        document = page.split('id="verdicts"')[1].split("</main>")[0]
        pages.add(document.replace(key, "KEY").replace(fetched["sha256"] or "", "SHA"))
        receipts.append(ada.post("/desk/events", json=answer(cast, work, key)).get_json()["receipts"][0])
    assert len(shapes) == 1
    assert {tuple(sorted(one)) for one in receipts} == {("client_id", "outcome", "why")}
    # Beside the number of those answered the bar is the same for all.
    assert len({re.sub(r"\d+|[a-z]+(?=</span> </span>)", "", page) for page in pages}) <= 2
    after = work_of(ada, address)
    assert {tuple(sorted(one)) for one in after["said"]} == {tuple(sorted(after["said"][0]))}
    assert (len(after["said"]), after["total"]) == (5, 5)
    assert set(ada.get(f"{address}/titles").get_json()["titles"]) == set(work["order"])
    with sqlite_database.reading() as db:
        purposes = list(db.scalars(select(JudgmentEventRow.purpose).order_by(JudgmentEventRow.id)))
    assert purposes == [task.slot(key).purpose for key in work["order"]]
    assert REPEAT in purposes


def test_training_without_scripts_tells_the_known_answer_and_goes_on(
    ada: FlaskClient, cast: Cast, address: str, sqlite_database: Database
) -> None:
    with sqlite_database.writing() as db:
        known(db, cast, TRAINING)
        save_check_rules(db, cast.campaign_id, CheckRules(training=True))
    page = ada.get(address).text
    found = re.search(r"data-work='(.*?)'", page)
    assert found
    key = json.loads(unescape(found[1]))["training"][0]
    assert "It has the tables" not in page
    form = {"docno": key, "answer": "1", "client_id": str(uuid4())}
    sent = ada.post(f"{address}/answer", data=form)
    told = text_of(ada.get(sent.location).text)
    assert "Expected: Highly relevant" in told
    assert "It has the tables. Continue" in told
    assert "It has the tables" not in ada.get(address).text


def test_who_falls_short_in_training_is_told_repeats_it_and_is_let_through(
    enter: Enter, cast: Cast, address: str, sqlite_database: Database
) -> None:
    with sqlite_database.writing() as db:
        known(db, cast, TRAINING)
        save_check_rules(db, cast.campaign_id, CheckRules(training=True, least=100))
    ada, olga = enter("Ada"), enter("Olga")
    work = work_of(ada, address)
    assert (len(work["order"]), work["total"]) == (1, 4)
    assert work["goal"].startswith("Training first.")
    assert "training first" in ada.get("/c/harbour/judge").text
    form = {"docno": work["order"][0], "answer": "1", "client_id": str(uuid4())}
    sent = ada.post(f"{address}/answer", data=form)
    told = text_of(ada.get(sent.location).text)
    assert "0 of 1 correct; you need 1." in told
    again = ada.get(address).text
    assert "0 of 1 correct. This is round 2." in text_of(again)
    # Real work can be neither fetched nor judged.
    assert ada.get(f"{address}/documents?docno=d1").status_code == 404
    early = ada.post("/desk/events", json=answer(cast, work, "d1")).get_json()["receipts"][0]
    assert (early["outcome"], early["why"]) == ("kept_aside", "the training of this topic comes first")
    page = olga.get(ADDRESS).text
    assert "1 0 of 1 correct 1 needed" in text_of(page)
    mine = str(cast.assignments["Ada", "T1"])
    assert mine in re.findall(r'name="assignment" value="(\d+)"', page)
    for wrong in ("", "999"):
        assert olga.post(f"{ADDRESS}/let-through", data={"assignment": wrong}).status_code == 404
    assert olga.post(f"{ADDRESS}/let-through", data={"assignment": mine}).status_code == 303
    after = work_of(ada, address)
    assert (len(after["order"]), after["total"], after["goal"]) == (4, 4, "")


def test_a_training_that_is_passed_opens_the_work(
    ada: FlaskClient, cast: Cast, address: str, sqlite_database: Database
) -> None:
    with sqlite_database.writing() as db:
        known(db, cast, TRAINING)
        save_check_rules(db, cast.campaign_id, CheckRules(training=True, least=100))
    work = work_of(ada, address)
    sent = answer(cast, work, work["order"][0], grade=3)
    for _ in range(2):  # sent again it says the same
        told = ada.post("/desk/events", json=sent).get_json()["receipts"][0]["feedback"]
        assert (told["same"], told["result"]) == (True, "1 of 1 correct. You can start judging now.")
    assert len(work_of(ada, address)["order"]) == 4


def test_answers_to_probes_are_downloaded_by_readers_only(
    enter: Enter, cast: Cast, task: Task, address: str
) -> None:
    ada, olga = enter("Ada"), enter("Olga")
    work = work_of(ada, address)
    for key in work["order"]:
        ada.post("/desk/events", json=answer(cast, work, key))
    page = olga.get("/c/harbour/agreement/assessors").text
    (address,) = links(page, "probe-answers.tsv")
    table = olga.get(address)
    lines = [line.split("\t") for line in table.text.splitlines()]
    assert sorted(line[4] for line in lines[1:] if line[2] == "Ada") == ["planted", "repeat"]
    assert ada.get(address).status_code == 403


def test_the_organiser_sets_the_rate_and_loads_pairs(olga: FlaskClient) -> None:
    assert olga.post(ADDRESS, data=RULES).status_code == 303
    page = olga.get(ADDRESS).text
    assert 'value="20"' in page
    assert 'value="15"' in page
    assert 'value="70"' in page
    assert " checked" in page
    # By the binomial distribution with a mark of 70 %: 4 of 5 or more, of who is right in .6, .8 and .9.
    assert "5 34 % 74 % 92 % 10 38 % 88 % 99 %" in text_of(page)
    assert "About 60 repeats estimate an assessor's share of equal answers to ± .10" in text_of(page)
    for purpose in ("planted", "training"):
        sent = {"purpose": purpose, "files": (io.BytesIO(FILE.encode()), "known.tsv")}
        assert olga.post(f"{ADDRESS}/known", data=sent).status_code == 303
    assert text_of(olga.get(ADDRESS).text).count("1 pair.") == 2
    # One pair is corrected or removed from the list.
    page = olga.get(ADDRESS).text
    (topic, docno) = re.findall(r'name="(?:topic|docno)" value="([^"]+)"', page)[:2]
    one = {"purpose": "training", "topic": topic, "docno": docno}
    assert olga.post(f"{ADDRESS}/known/change", data=one | {"grade": "0"}).status_code == 303
    assert olga.post(f"{ADDRESS}/known/change", data=one | {"grade": "9"}).status_code == 422
    assert olga.post(f"{ADDRESS}/known/change", data=one | {"remove": "yes"}).status_code == 303
    assert text_of(olga.get(ADDRESS).text).count("1 pair.") == 1
    assert olga.post(f"{ADDRESS}/known/remove", data={"purpose": "planted"}).status_code == 303
    assert "0 pairs." in text_of(olga.get(ADDRESS).text)
    assert "Quality checks" in olga.get("/c/harbour/settings").text


@pytest.mark.parametrize(
    ("path", "sent", "said"),
    [
        ("", {"one_in": "1", "distance": "10"}, "out of range"),
        ("", {"one_in": "often", "distance": "10"}, "not a number"),
        ("", {"distance": "10", "least": "101"}, "pass mark of 101 %"),
        ("/known", {"purpose": "planted"}, "no file was chosen"),
        (
            "/known",
            {"purpose": "planted", "files": (io.BytesIO(b"topic\tdoc\tgrade\nT1\tzz\t1\n"), "k.tsv")},
            "not loaded",
        ),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_kept(
    enter: Enter, path: str, sent: dict[str, Any], said: str
) -> None:
    answer = enter("Olga").post(ADDRESS + path, data=sent)
    assert answer.status_code == 422
    assert said in text_of(answer.text)
