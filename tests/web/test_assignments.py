from __future__ import annotations

import re

import pytest
from flask.testing import FlaskClient

from tests.cast import Cast
from tests.uploads import text_of
from tests.web.conftest import Enter
from workbench.storage.engine import Database
from workbench.web import paging
from workbench.web.pages.assignments import assignments
from workbench.workflow.judging.assignments import AssignmentLine, assignments_of
from workbench.workflow.people.assessors import assessors_of

ADDRESS = "/c/harbour/assignments"


@pytest.fixture
def olga(enter: Enter) -> FlaskClient:
    return enter("Olga")


@pytest.fixture
def taken_back(olga: FlaskClient, cast: Cast) -> None:
    """The cast without its assignments."""
    for number in cast.assignments.values():
        assert olga.post(f"{ADDRESS}/revoke", data={"assignment": number}).status_code == 303


def lines(database: Database, cast: Cast) -> list[AssignmentLine]:
    with database.reading() as db:
        return list(assignments_of(db, cast.campaign_id))


def numbers(database: Database, cast: Cast) -> dict[str, int]:
    with database.reading() as db:
        return {one.name: one.id for one in assessors_of(db, cast.campaign_id)}


def test_it_shows_who_has_what_and_how_far_they_are(olga: FlaskClient) -> None:
    page = olga.get(ADDRESS).text
    text = text_of(page)
    assert "Ada 0 of 6 2 Ben 0 of 6 2" in text
    assert "4 assignments" in text
    assert page.count("checked disabled") == 4
    assert 'name="cell"' not in page


def test_a_topic_that_is_taken_back_can_be_given_again(
    olga: FlaskClient, cast: Cast, sqlite_database: Database
) -> None:
    answer = olga.post(
        f"{ADDRESS}/revoke", data={"assignment": cast.assignments["Ada", "T2"], "pool": cast.pool_id}
    )
    page = olga.get(answer.location).text
    assert "Assignment removed." in page
    (cell,) = re.findall(r'name="cell" value="([^"]*)"', page)
    given = {"pool": cast.pool_id, "cell": [cell], "order": "docno"}
    answer = olga.post(f"{ADDRESS}/topics", data=given)
    assert answer.status_code == 303
    assert "1 assignment added in “depth 2”." in olga.get(answer.location).text
    assert len(lines(sqlite_database, cast)) == 4


@pytest.mark.usefixtures("taken_back")
def test_topics_are_given_by_hand(olga: FlaskClient, cast: Cast, sqlite_database: Database) -> None:
    who = numbers(sqlite_database, cast)
    cells = [f"{who['Ada']}:T1", f"{who['Ben']}:T1", f"{who['Ben']}:T2"]
    olga.post(
        f"{ADDRESS}/topics", data={"pool": cast.pool_id, "cell": cells, "order": "shuffled", "seed": ""}
    )
    found = {(line.assessor, line.topic) for line in lines(sqlite_database, cast)}
    assert found == {("Ada", "T1"), ("Ben", "T1"), ("Ben", "T2")}


@pytest.mark.usefixtures("taken_back")
def test_topics_are_given_in_turn(olga: FlaskClient, cast: Cast, sqlite_database: Database) -> None:
    who = numbers(sqlite_database, cast)
    form = {"pool": cast.pool_id, "per_topic": "1", "assessor": [who["Ada"], who["Ben"]], "order": "shuffled"}
    answer = olga.post(f"{ADDRESS}/turn", data=form)
    assert answer.location == f"{ADDRESS}?pool={cast.pool_id}"
    assert "2 assignments added" in olga.get(answer.location).text
    found = {(line.assessor, line.topic) for line in lines(sqlite_database, cast)}
    assert found == {("Ada", "T1"), ("Ben", "T2")}
    assert "already assigned" in olga.get(olga.post(f"{ADDRESS}/turn", data=form).location).text


@pytest.mark.usefixtures("taken_back")
def test_what_is_wrong_is_said_and_what_was_typed_is_kept(
    olga: FlaskClient, cast: Cast, sqlite_database: Database
) -> None:
    who = numbers(sqlite_database, cast)
    form = {
        "pool": cast.pool_id,
        "per_topic": "2",
        "assessor": [who["Ada"]],
        "order": "priority",
        "seed": "x",
    }
    answer = olga.post(f"{ADDRESS}/turn", data=form)
    assert answer.status_code == 422
    assert "the seed is not a whole number" in answer.text
    assert 'value="priority" required checked' in answer.text
    assert 'name="seed" value="x"' in answer.text
    assert f'value="{who["Ada"]}" checked' in answer.text
    assert f'value="{who["Ben"]}"> ' in answer.text
    answer = olga.post(f"{ADDRESS}/turn", data=form | {"seed": "7"})
    assert answer.status_code == 422
    assert "each topic is to have 2 assessors; 1 selected" in answer.text
    assert lines(sqlite_database, cast) == []


def test_a_box_must_be_ticked(olga: FlaskClient, cast: Cast) -> None:
    answer = olga.post(f"{ADDRESS}/topics", data={"pool": cast.pool_id, "order": "docno"})
    assert answer.status_code == 422
    assert "nothing is selected" in answer.text


def test_a_closed_pool_takes_no_assignment(olga: FlaskClient, cast: Cast, sqlite_database: Database) -> None:
    olga.post(f"/c/harbour/pools/{cast.pool_id}/close")
    assert "its topics can no longer be assigned" in olga.get(ADDRESS).text
    ada = numbers(sqlite_database, cast)["Ada"]
    cell = {"pool": cast.pool_id, "cell": [f"{ada}:T1"], "order": "docno"}
    assert olga.post(f"{ADDRESS}/topics", data=cell).status_code == 409


def test_another_campaign_is_out_of_reach(olga: FlaskClient, cast: Cast) -> None:
    olga.post("/campaigns/new", data={"name": "Other", "scale": "binary"})
    other = "/c/other/assignments"
    assert "Make a pool first" in olga.get(other).text
    number = cast.assignments["Ada", "T1"]
    assert olga.post(f"{other}/revoke", data={"assignment": number}).status_code == 404
    stolen = {"pool": cast.pool_id, "order": "docno", "cell": ["1:T1"]}
    assert olga.post(f"{other}/topics", data=stolen).status_code in {404, 422}
    assert "4 assignments" in text_of(olga.get(ADDRESS).text)


def test_a_long_pool_is_assigned_a_page_of_topics_at_a_time(
    olga: FlaskClient, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paging, "A_PAGE", 1)
    first, second = (olga.get(ADDRESS, query_string={"from": start}).text for start in (0, 1))
    for page, shown, other in ((first, "T1", "T2"), (second, "T2", "T1")):
        # The progress of people is that of the whole pool; the table and the list are of the topics shown.
        assert "Ada 0 of 6 2 Ben 0 of 6 2" in text_of(page)
        assert "4 assignments" in text_of(page)
        assert "Below are the 2 for the topics on this page" in text_of(page)
        assert page.count("checked disabled") == 2
        assert f"Topic {shown} is assigned to Ada" in page
        assert f"Topic {other}" not in page
    assert "Topic T2 is assigned" in olga.get(ADDRESS, query_string={"search": "NETS"}).text
    nothing = text_of(olga.get(ADDRESS, query_string={"search": "nowhere"}).text)
    assert "No topic id or title contains this" in nothing
    assert "4 assignments" in nothing


def test_fewer_topics_stand_on_a_page_where_many_people_have_each(
    olga: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Two people have each of the two topics: one of them fills the page.
    monkeypatch.setattr(assignments, "MOST_LINES", 3)
    page = text_of(olga.get(ADDRESS).text)
    assert "Below are the 2 for the topics on this page" in page
    assert "Ada 0 of 6 2 Ben 0 of 6 2" in page


def test_forms_lead_back_to_their_page_of_topics(
    olga: FlaskClient, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paging, "A_PAGE", 1)
    place = {"pool": cast.pool_id, "search": "n", "from": "0"}
    removed = olga.post(f"{ADDRESS}/revoke", data=place | {"assignment": cast.assignments["Ada", "T2"]})
    assert removed.location == f"{ADDRESS}?pool={cast.pool_id}&search=n"
    page = olga.get(removed.location).text
    assert '<input type="hidden" name="search" value="n">' in page
    (cell,) = re.findall(r'name="cell" value="([^"]*)"', page)
    assert "Topic T1" not in olga.post(f"{ADDRESS}/topics", data=place | {"order": "docno"}).text
    given = olga.post(f"{ADDRESS}/topics", data=place | {"cell": [cell], "order": "docno", "from": "1"})
    assert given.location == f"{ADDRESS}?pool={cast.pool_id}&search=n&from=1"
