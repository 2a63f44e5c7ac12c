from __future__ import annotations

import json
import re

import pytest
from flask.testing import FlaskClient
from sqlalchemy import select

from tests.assigned import assign
from tests.cast import Cast
from tests.uploads import text_of
from tests.web.conftest import Enter
from workbench.learning.stopping import STOPPING_RULES
from workbench.pooling.strategies import PoolRecipe
from workbench.storage.engine import Database
from workbench.storage.tables import AssignmentRow, PoolEventRow
from workbench.web.requests import read_id
from workbench.workflow.judging.assignments import assignments_of
from workbench.workflow.people.membership import assessors_of
from workbench.workflow.pools.learner_rounds import CollectionVectors, make_rounds
from workbench.workflow.pools.making import make_pool

ADDRESS = "/c/harbour/pools"
NAME = "as we go"


@pytest.fixture
def live(cast: Cast, sqlite_database: Database) -> tuple[int, dict[str, int]]:
    """A max-mean pool of four documents a topic, T1 given to both: its number, and the assignments."""
    with sqlite_database.writing() as db:
        made = make_pool(
            db, cast.campaign_id, PoolRecipe(strategy="max-mean", parameters={"budget": 4}), name=NAME
        )
        ids = [one.id for one in assessors_of(db, cast.campaign_id)]
        assign(db, made.pool.id, topics=["T1"], assessor_ids=ids)
        lines = [line for line in assignments_of(db, cast.campaign_id) if line.pool == NAME]
    return made.pool.id, {line.assessor: line.id for line in lines}


def on_desk(client: FlaskClient, task: int) -> str:
    """The docno that the desk shows, empty where it has none."""
    page = client.get(f"/c/harbour/judge/{task}").text
    found = re.search(r'name="docno" value="([^"]+)"', page)
    return read_id(found[1]) if found else ""


def say(client: FlaskClient, task: int, docno: str, answer: str, number: int) -> None:
    form = {"docno": docno.replace("/", "%2F"), "answer": answer, "client_id": f"client-{docno[-1]}-{number}"}
    page = client.get(f"/c/harbour/judge/{task}").text
    sent = re.search(r'name="docno" value="([^"]+)"', page)
    assert sent
    form["docno"] = sent[1]
    assert client.post(f"/c/harbour/judge/{task}/answer", data=form).status_code == 303


def test_an_adaptive_strategy_is_offered_and_makes_an_empty_pool(olga: FlaskClient) -> None:
    page = olga.get(ADDRESS).text
    assert "while people judge" in page
    form = {
        "strategy": "thompson",
        "thompson-budget": "3",
        "thompson-seed": "7",
        "name": NAME,
        "ties": "trec_eval",
        "run": ["alpha", "beta"],
    }
    answer = olga.post(ADDRESS, data=form)
    assert answer.status_code == 303
    page = text_of(olga.get(answer.location).text)
    assert f"Pool “{NAME}” was saved as a draft of at most 6 pairs." in page
    assert "Adaptive pool" in page
    assert "thompson, depth 100, budget 3, rate 1, seed 7" in page


def test_the_desk_hands_out_one_document_and_shows_it_again(
    enter: Enter, live: tuple[int, dict[str, int]]
) -> None:
    ada, ben = enter("Ada"), enter("Ben")
    tasks = live[1]
    first = on_desk(ada, tasks["Ada"])
    assert first == "d1"
    assert on_desk(ada, tasks["Ada"]) == first
    other = on_desk(ben, tasks["Ben"])
    assert other not in {"", first}
    say(ada, tasks["Ada"], first, "1", 1)
    assert on_desk(ada, tasks["Ada"]) not in {"", first, other}


def test_the_list_of_topics_and_the_answers_hand_out_nothing(
    ada: FlaskClient, live: tuple[int, dict[str, int]], sqlite_database: Database
) -> None:
    assert "0 of up to 7" in text_of(ada.get("/c/harbour/judge").text)
    assert ada.get(f"/c/harbour/judge/{live[1]['Ada']}/answers").status_code == 200
    with sqlite_database.reading() as db:
        assert db.scalars(select(PoolEventRow)).all() == []


def test_an_assessor_learns_nothing_of_strategy_or_runs(
    ada: FlaskClient, live: tuple[int, dict[str, int]]
) -> None:
    for address in ("", f"/{live[1]['Ada']}", f"/{live[1]['Ada']}/answers"):
        page = ada.get(f"/c/harbour/judge{address}").text
        for word in ("max-mean", "alpha", "beta", "Ben", "adaptive"):
            assert word not in page
    for address in ("", "/events.tsv", "/events.json"):
        assert ada.get(f"{ADDRESS}/{live[0]}/live{address}").status_code == 403


def test_the_organiser_sees_what_is_out_and_what_was_found(
    enter: Enter, olga: FlaskClient, live: tuple[int, dict[str, int]]
) -> None:
    address = f"{ADDRESS}/{live[0]}/live"
    assert "Nothing was handed out yet" in text_of(olga.get(address).text)
    ada, ben = enter("Ada"), enter("Ben")
    say(ada, live[1]["Ada"], on_desk(ada, live[1]["Ada"]), "3", 1)
    out = on_desk(ben, live[1]["Ben"])
    page = text_of(olga.get(address).text)
    assert "Handed out 2 of at most 8" in page
    assert "T1 tides 4 2 1 1" in page
    assert f"T1 {out} Ben" in page


def test_the_events_are_files(ada: FlaskClient, olga: FlaskClient, live: tuple[int, dict[str, int]]) -> None:
    say(ada, live[1]["Ada"], on_desk(ada, live[1]["Ada"]), "0", 1)
    lines = olga.get(f"{ADDRESS}/{live[0]}/live/events.tsv").text.splitlines()
    assert lines[0] == "topic\tnumber\thappening\tdocno\trelevant\tassessor\tat\torigin\tround\trank\tscore"
    assert [line.split("\t")[:6] for line in lines[1:]] == [
        ["T1", "1", "handed_out", "d1", "", "Ada"],
        ["T1", "2", "judged", "d1", "0", "Ada"],
    ]
    answer = olga.get(f"{ADDRESS}/{live[0]}/live/events.json")
    assert [one["relevant"] for one in json.loads(answer.data)] == [None, False]
    assert "harbour.as we go.events.json" in answer.headers["Content-Disposition"]


def test_a_pool_that_is_not_adaptive_has_no_such_page(olga: FlaskClient, cast: Cast) -> None:
    answer = olga.get(f"{ADDRESS}/{cast.pool_id}/live")
    assert answer.status_code == 422
    assert "is not adaptive" in text_of(answer.text)
    assert olga.get(f"{ADDRESS}/999/live").status_code == 404


def test_the_order_of_an_adaptive_pool_is_not_to_be_chosen(
    olga: FlaskClient, live: tuple[int, dict[str, int]], sqlite_database: Database
) -> None:
    page = olga.get(f"/c/harbour/assignments?pool={live[0]}").text
    assert "shuffled for each" not in page
    assert "The strategy of this pool chooses what comes next" in text_of(page)
    form = {"pool": str(live[0]), "per_topic": "1", "assessor": ["1"], "order": "docno"}
    assert olga.post("/c/harbour/assignments/turn", data=form).status_code == 303
    with sqlite_database.reading() as db:
        rules = db.scalars(select(AssignmentRow.order_rule).where(AssignmentRow.pool_id == live[0])).all()
    assert set(rules) == {"priority"}


def test_a_learners_pool_is_made_judged_and_tells_the_organiser_why(
    enter: Enter, olga: FlaskClient, cast: Cast, sqlite_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    for module in ("judging.reading", "pools.open_pools"):
        monkeypatch.setattr(f"workbench.web.pages.{module}.begin_learning", asked.append)
    form = {"strategy": "learner", "learner-budget": "4", "learner-share": "0", "name": NAME}
    made = olga.post(ADDRESS, data={**form, "ties": "trec_eval"})
    assert made.status_code == 303, text_of(made.text)[:1500]
    draft = made.location
    assert olga.post(f"{draft}/open", data={}).status_code == 303
    assert asked == [cast.campaign_id]
    number = int(draft.rsplit("/", 1)[1])
    with sqlite_database.writing() as db:
        ids = [one.id for one in assessors_of(db, cast.campaign_id)]
        assign(db, number, topics=["T1"], assessor_ids=ids)
        lines = [line for line in assignments_of(db, cast.campaign_id) if line.pool == NAME]
    tasks = {line.assessor: line.id for line in lines}
    ada = enter("Ada")
    # Not "nothing left" but a conflict, and the ranking is asked for.
    assert ada.get(f"/c/harbour/judge/{tasks['Ada']}").status_code == 409
    assert asked == [cast.campaign_id] * 2
    make_rounds(sqlite_database, cast.campaign_id, CollectionVectors())
    docno = on_desk(ada, tasks["Ada"])
    say(ada, tasks["Ada"], docno, "1", 1)
    assert "learner" not in ada.get(f"/c/harbour/judge/{tasks['Ada']}").text
    assert asked == [cast.campaign_id] * 3  # its batch of one document is judged
    of_topic = olga.get(f"{draft}/topic?topic=T1").text
    assert "learner, round 0, rank 1" in text_of(of_topic)
    # It has no runs, so none are counted.
    assert ">Runs</th>" not in of_topic
    assert ">Runs</th>" in olga.get(f"/c/harbour/pools/{cast.pool_id}/topic?topic=T1").text
    row = olga.get(f"{draft}/live/events.tsv").text.splitlines()[1].split("\t")
    assert row[3:4] + row[7:10] == [docno, "learner", "0", "1"]
    assert f"T1\t{docno}\tlearner" in olga.get(f"{draft}/pairs.tsv").text.splitlines()
    about = draft + "/stopping"
    assert f'href="{about}"' in olga.get(draft).text
    whole, one = olga.get(about), olga.get(f"{about}/topic?topic=T1&recall=0.9&further=3")
    assert whole.status_code == one.status_code == 200
    assert all(rule in text_of(one.text) for rule in STOPPING_RULES)
    table = olga.get(f"{about}/table.csv?topic=T1").text.splitlines()
    assert len(table) == 1 + len(STOPPING_RULES)
    assert olga.get(f"{about}?recall=high").status_code == 422
    assert olga.get(f"{about}/topic?topic=T9").status_code == 404
    assert ada.get(about).status_code in {403, 404}  # whoever judges sees nothing of it
