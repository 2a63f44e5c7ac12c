"""Side by side on the pages: given, compared, taken back; nothing of it for anybody else."""

from __future__ import annotations

import re

import pytest
from flask.testing import FlaskClient
from sqlalchemy import select

from tests.cast import Cast
from tests.uploads import text_of
from tests.web.conftest import Enter
from workbench.records import Answer
from workbench.storage.engine import Database
from workbench.storage.tables import PreferenceTaskRow
from workbench.workflow.judging.record import Place, append
from workbench.workflow.judging.submission import Submission
from workbench.workflow.people.membership import assessors_of

PAGE = "/c/harbour/preferences"
SIDES = "/c/harbour/side-by-side"


@pytest.fixture
def ada_id(sqlite_database: Database, cast: Cast) -> str:
    with sqlite_database.reading() as db:
        return str(next(one.id for one in assessors_of(db, cast.campaign_id) if one.name == "Ada"))


@pytest.fixture
def task(enter: Enter, ada_id: str) -> str:
    """The address of a task of Ada's: d1 with d2, for T1."""
    given = {"which": "listed", "pairs": "T1 d1 d2\r\n", "assessor": ada_id}
    assert enter("Olga").post(f"{PAGE}/documents", data=given).status_code == 303
    page = enter("Ada").get(SIDES)
    found = re.search(rf'href="({SIDES}/\d+)"', page.text)
    assert found is not None
    return found.group(1)


def field(page: str, name: str) -> str:
    found = re.search(rf'name="{name}" value="([^"]*)"', page)
    assert found is not None
    return found.group(1)


def say(client: FlaskClient, task: str, said: str) -> int:
    page = client.get(task).text
    sent = {"pair": field(page, "pair"), "client_id": field(page, "client_id"), "said": said}
    sent |= {"reason": "newer figures", "active_ms": "2500"}
    return client.post(task, data=sent).status_code


def test_what_is_said_comes_out_for_trec_eval_and_as_csv(enter: Enter, task: str) -> None:
    ada = enter("Ada")
    page = text_of(ada.get(task).text)
    assert "Text of d1" in page
    assert "Text of d2" in page
    left = page.index("Title of d1") < page.index("Title of d2")
    assert say(ada, task, "left" if left else "right") == 303
    assert "Everything is compared" in ada.get(task).text
    olga = enter("Olga")
    assert olga.get(f"{PAGE}/prefs.txt").data == b"T1 Ada 1 d1 1\nT1 Ada 1 d2 0\n"
    assert b"documents,T1,Ada,d1,d2,first" in olga.get(f"{PAGE}/preferences.csv").data
    page = text_of(olga.get(PAGE).text)
    assert "1 of 1" in page
    # One decision says little, and the page says so; the reason is in the files.
    assert "The order is uncertain: too few: 1 decided, at least 6 needed." in page
    (answer,) = olga.get(f"{PAGE}/preferences.json").get_json()
    assert (answer["reason"], answer["left"]) == ("newer figures", "d1" if left else "d2")
    assert answer["active_seconds"] == 2.5
    assert b'T1,1,d1,1.0,1,1,0,0,0,"too few' in olga.get(f"{PAGE}/documents.csv").data
    undo = ada.post(f"{task}/undo", data={"client_id": field(ada.get(task).text, "client_id")})
    assert undo.status_code == 303
    assert olga.get(f"{PAGE}/prefs.txt").data == b""


def test_the_best_documents_of_each_assessor_are_given_in_pairs(
    olga: FlaskClient, cast: Cast, sqlite_database: Database
) -> None:
    # From grade 2 on both find d1 and d2 of T1 relevant, and Ada d6 as well.
    grades = {"Ada": {"d1": 3, "d2": 2, "d6": 2, "d#3": 0}, "Ben": {"d1": 2, "d2": 2}}
    with sqlite_database.writing() as db:
        ids = {one.name: one.id for one in assessors_of(db, cast.campaign_id) if one.name in grades}
        for name, given in grades.items():
            for number, (docno, grade) in enumerate(given.items()):
                said = Submission(docno, f"{name}-answer-{number}", answer=Answer.GRADE, grade=grade)
                append(db, Place(cast.campaign_id, ids[name], "T1", docno, source="desk"), said)
    form = {"which": "best", "topic": ["T1", "T2"], "assessor": [str(ids["Ada"]), str(ids["Ben"])]}

    def pairs() -> list[set[frozenset[str]]]:
        with sqlite_database.reading() as db:
            tasks = db.scalars(select(PreferenceTaskRow).order_by(PreferenceTaskRow.id)).all()
            return [set(map(frozenset, task.pairs)) for task in tasks]

    one, two, three = (frozenset(pair) for pair in (("d1", "d2"), ("d1", "d6"), ("d2", "d6")))
    # Of the two of Ada's with grade 2 the first docno comes first. T2 has no grades.
    answer = olga.post(f"{PAGE}/documents", data=form | {"best": "2"}, follow_redirects=True)
    assert "2 tasks assigned. Not assigned: 2, with nothing to compare or assigned before." in answer.text
    assert pairs() == [{one}, {one}]
    # What is given already is not given again.
    assert olga.post(f"{PAGE}/documents", data=form | {"best": "5"}).status_code == 303
    assert pairs() == [{one}, {one}, {two, three}]


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"second": "alpha"}, "a run cannot be compared with itself"),
        ({"second": "gone"}, "there is no run 'gone'"),
        ({"topic": "T9"}, "there is no topic 'T9'"),
    ],
)
def test_what_cannot_be_compared_is_refused_and_nothing_given(
    olga: FlaskClient, ada_id: str, sqlite_database: Database, sent: dict[str, str], said: str
) -> None:
    form = {"first": "alpha", "second": "beta", "topic": "T1", "assessor": ada_id}
    refused = olga.post(f"{PAGE}/runs", data=form | sent)
    assert 400 <= refused.status_code < 500
    assert said.casefold() in text_of(refused.text).casefold()
    with sqlite_database.reading() as db:
        assert db.scalars(select(PreferenceTaskRow)).all() == []


def test_a_task_is_nobody_elses(enter: Enter, task: str) -> None:
    for name in ("Ben", "Olga", "Vera", "Petra"):
        assert enter(name).get(task).status_code in {403, 404}
    assert enter("Ada").get(PAGE).status_code == 403
    assert enter("Ada").get(f"{task}?pair=9").status_code == 404
    assert enter("Ben").get(SIDES).status_code == 200
    assert "T1" not in enter("Ben").get(SIDES).text


def test_two_runs_are_shown_without_their_names(enter: Enter, ada_id: str) -> None:
    olga, ada = enter("Olga"), enter("Ada")
    given = {"first": "alpha", "second": "beta", "topic": "T2", "assessor": ada_id}
    assert olga.post(f"{PAGE}/runs", data=given).status_code == 303
    (address,) = set(re.findall(rf"{SIDES}/\d+", ada.get(SIDES).text))
    page = ada.get(address).text
    assert "Title of d/4" in page
    assert "alpha" not in page
    assert "beta" not in page
    assert say(ada, address, "tie") == 303
    (one,) = olga.get(f"{PAGE}/runs.json").get_json()
    assert (one["first"], one["ties"], one["sign_test_p"]) == ("alpha", 1, None)


def test_a_wrong_line_is_told_with_its_number(enter: Enter, ada_id: str) -> None:
    sent = {"which": "listed", "pairs": "T1 d1 d2\nT1 d1\n", "assessor": ada_id}
    answer = enter("Olga").post(f"{PAGE}/documents", data=sent)
    assert answer.status_code == 422
    assert "Pairs:2" in text_of(answer.text)
    nobody = enter("Olga").post(f"{PAGE}/documents", data={"which": "listed", "pairs": "T1 d1 d2"})
    assert "nobody is selected" in text_of(nobody.text).casefold()


def test_each_choice_of_pairs_has_its_own_fields_under_it_and_keeps_what_was_typed(
    olga: FlaskClient, ada_id: str
) -> None:
    # What belongs to neither choice comes last: who answers.
    places = [
        olga.get(PAGE).text.index(f'name="{name}"')
        for name in ("which", "best", "topic", "pairs", "assessor")
    ]
    assert places == sorted(places)
    sent = {"which": "best", "best": "x", "topic": "T2", "assessor": ada_id}
    refused = olga.post(f"{PAGE}/documents", data=sent)
    assert refused.status_code == 422
    assert 'id="best-error-1"' in refused.text
    documents, _, runs = refused.text.partition(f'action="{PAGE}/runs"')
    checked = re.compile(r'name="(topic|assessor)" value="([^"]*)"\s+checked')
    assert checked.findall(documents) == [("topic", "T2"), ("assessor", ada_id)]
    assert checked.findall(runs) == []
    refused = olga.post(f"{PAGE}/runs", data={"first": "beta", "second": "alpha"})
    assert refused.status_code == 422
    assert re.findall(r'value="(\w+)" selected', refused.text.partition(f'action="{PAGE}/runs"')[2]) == [
        "beta",
        "alpha",
    ]
