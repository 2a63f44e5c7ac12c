from __future__ import annotations

import re

import pytest
from flask.testing import FlaskClient

from tests.cast import Cast
from tests.uploads import text_of
from tests.web.conftest import Enter
from workbench.storage.engine import Database
from workbench.web import paging
from workbench.web.pages import assignments
from workbench.workflow.judging.assignments import AssignmentLine, assignments_of, revoke
from workbench.workflow.people.membership import assessors_of

ADDRESS = "/c/harbour/assignments"


@pytest.fixture
def taken_back(sqlite_database: Database, cast: Cast) -> None:
    """The cast without its assignments."""
    with sqlite_database.writing() as db:
        for number in cast.assignments.values():
            revoke(db, cast.campaign_id, number)


def fields(page: str, name: str) -> list[str]:
    """The values of the boxes of a form, of those that are ticked where it is `cell`."""
    if name == "cell":
        return re.findall(r'name="cell" value="([^"]*)" checked', page)
    return re.findall(rf'name="{name}" value="([^"]*)"', page)


def lines(database: Database, cast: Cast) -> list[AssignmentLine]:
    with database.reading() as db:
        return list(assignments_of(db, cast.campaign_id))


def numbers(database: Database, cast: Cast) -> dict[str, int]:
    with database.reading() as db:
        return {one.name: one.id for one in assessors_of(db, cast.campaign_id)}


def test_it_shows_who_has_what_and_how_far_they_are(olga: FlaskClient) -> None:
    page = olga.get(ADDRESS).text
    text = text_of(page)
    assert "0 of 12 assigned judgments of depth 2 are done." in text
    assert "Topic Ada 0 of 6 Ben 0 of 6" in text
    assert len(fields(page, "cell")) == len(fields(page, "had")) == 4


def test_a_topic_is_taken_back_and_given_to_another_by_its_box(
    olga: FlaskClient, cast: Cast, sqlite_database: Database
) -> None:
    page = olga.get(ADDRESS).text
    ada, had = numbers(sqlite_database, cast)["Ada"], fields(page, "had")
    form = {"pool": cast.pool_id, "had": had, "order": "docno"}
    answer = olga.post(f"{ADDRESS}/topics", data=form | {"cell": [one for one in had if one != f"{ada}:T2"]})
    page = olga.get(answer.location).text
    assert "1 assignment removed; judgments stay in “depth 2”." in page
    assert len(lines(sqlite_database, cast)) == 3
    had = fields(page, "had")
    form = {"pool": cast.pool_id, "had": had, "order": "docno", "cell": [*had, f"{ada}:T2"]}
    answer = olga.post(f"{ADDRESS}/topics", data=form)
    assert answer.status_code == 303
    assert "1 assignment added in “depth 2”." in olga.get(answer.location).text
    assert len(lines(sqlite_database, cast)) == 4


def test_the_rest_of_a_topic_is_handed_over(
    olga: FlaskClient, enter: Enter, cast: Cast, sqlite_database: Database
) -> None:
    """T1 has three documents: Ada judges one, Ben takes the other two over and judges one, Ada the last."""
    who, ada, ben = numbers(sqlite_database, cast), enter("Ada"), enter("Ben")

    def hand_over(giver: str, taker: str, rest: str) -> None:
        had = fields(olga.get(ADDRESS).text, "had")
        cells = [one for one in had if one != f"{who[giver]}:T1"] + [f"{who[taker]}:T1"]
        form = {"pool": cast.pool_id, "had": had, "order": "docno", "cell": cells, "rest": rest}
        sent = {name: value for name, value in form.items() if value}
        assert olga.post(f"{ADDRESS}/topics", data=sent).status_code == 303

    def order(client: FlaskClient, name: str) -> list[str]:
        found = client.get(f"/c/harbour/judge/{cast.assignments[name, 'T1']}/work").json or {}
        return sorted(found["order"])

    def judge_one(client: FlaskClient, name: str) -> str:
        address = f"/c/harbour/judge/{cast.assignments[name, 'T1']}"
        found = re.search(r'name="docno" value="([^"]+)"', client.get(address).text)
        assert found
        form = {"docno": found[1], "answer": "1", "client_id": f"the-one-of-{name}"}
        assert client.post(f"{address}/answer", data=form).status_code == 303
        return found[1]

    every = order(ada, "Ada")
    with sqlite_database.writing() as db:
        revoke(db, cast.campaign_id, cast.assignments["Ben", "T1"])
    first = judge_one(ada, "Ada")
    hand_over("Ada", "Ben", "1")
    assert order(ben, "Ben") == [one for one in every if one != first]
    assert ada.get(f"/c/harbour/judge/{cast.assignments['Ada', 'T1']}/work").status_code == 404
    second = judge_one(ben, "Ben")
    (line,) = (one for one in lines(sqlite_database, cast) if (one.topic, one.assessor) == ("T1", "Ben"))
    assert (line.answered, line.pairs) == (1, 2)
    # Ben's two and three of T2, of which he has judged one.
    assert "4 documents left in 2 topics" in text_of(ben.get("/c/harbour/judge").text)
    hand_over("Ben", "Ada", "1")
    assert order(ada, "Ada") == [one for one in every if one != second]
    hand_over("Ada", "Ben", "")
    assert order(ben, "Ben") == every


def test_what_somebody_else_changed_meanwhile_stays(
    olga: FlaskClient, cast: Cast, sqlite_database: Database
) -> None:
    who, had = numbers(sqlite_database, cast), fields(olga.get(ADDRESS).text, "had")
    with sqlite_database.writing() as db:
        revoke(db, cast.campaign_id, cast.assignments["Ada", "T1"])
    # The page shows her topic ticked still; only what is unticked here goes.
    kept = [one for one in had if one != f"{who['Ben']}:T1"]
    form = {"pool": cast.pool_id, "had": had, "cell": kept, "order": "docno"}
    assert olga.post(f"{ADDRESS}/topics", data=form).status_code == 303
    found = {(line.assessor, line.topic) for line in lines(sqlite_database, cast)}
    assert found == {("Ada", "T2"), ("Ben", "T2")}


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
def test_a_share_of_the_topics_goes_to_one_more(
    olga: FlaskClient, cast: Cast, sqlite_database: Database
) -> None:
    who = numbers(sqlite_database, cast)
    form = {"pool": cast.pool_id, "per_topic": "1", "assessor": [who["Ada"], who["Ben"]], "order": "shuffled"}
    # Half of two topics is the second.
    assert olga.post(f"{ADDRESS}/turn", data=form | {"again": "50"}).status_code == 303
    found = {(line.assessor, line.topic) for line in lines(sqlite_database, cast)}
    assert found == {("Ada", "T1"), ("Ben", "T2"), ("Ada", "T2")}


@pytest.mark.usefixtures("taken_back")
def test_what_is_wrong_is_said_and_what_was_typed_is_kept(
    olga: FlaskClient, cast: Cast, sqlite_database: Database
) -> None:
    who = numbers(sqlite_database, cast)
    form = {"pool": cast.pool_id, "per_topic": "2", "assessor": [who["Ada"]], "order": "priority"}
    answer = olga.post(f"{ADDRESS}/turn", data=form | {"again": "x"})
    assert answer.status_code == 422
    assert "Percentage of topics with one more assessor is not a whole number from 0 to 100" in answer.text
    assert 'value="priority" required checked' in answer.text
    assert f'value="{who["Ada"]}" checked' in answer.text
    assert f'value="{who["Ben"]}"> ' in answer.text
    answer = olga.post(f"{ADDRESS}/turn", data=form)
    assert answer.status_code == 422
    assert "each topic needs 2 assessors, but 1 selected" in answer.text
    answer = olga.post(f"{ADDRESS}/turn", data=form | {"per_topic": "1", "again": "10"})
    assert "each topic needs 2 assessors, but 1 selected" in answer.text
    assert lines(sqlite_database, cast) == []


def test_a_box_must_be_ticked(olga: FlaskClient, cast: Cast) -> None:
    answer = olga.post(f"{ADDRESS}/topics", data={"pool": cast.pool_id, "order": "docno"})
    assert answer.status_code == 422
    assert "nothing was changed" in answer.text


def test_another_campaign_is_out_of_reach(olga: FlaskClient, cast: Cast) -> None:
    olga.post("/campaigns/new", data={"name": "Other", "scale": "binary"})
    other = "/c/other/assignments"
    assert "Make a pool first" in olga.get(other).text
    stolen = {"pool": cast.pool_id, "order": "docno", "cell": ["1:T1"]}
    assert olga.post(f"{other}/topics", data=stolen).status_code in {404, 422}
    assert len(fields(olga.get(ADDRESS).text, "had")) == 4


def test_a_long_pool_is_assigned_a_page_of_topics_at_a_time(
    olga: FlaskClient, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paging, "A_PAGE", 1)
    first, second = (olga.get(ADDRESS, query_string={"from": start}).text for start in (0, 1))
    for page, shown, other in ((first, "T1", "T2"), (second, "T2", "T1")):
        # The progress of people is that of the whole pool; the table is of the topics shown.
        assert "Topic Ada 0 of 6 Ben 0 of 6" in text_of(page)
        assert len(fields(page, "had")) == 2
        assert f"Topic {shown} to Ada" in page
        assert f"Topic {other}" not in page
    assert "Topic T2 to Ada" in olga.get(ADDRESS, query_string={"search": "NETS"}).text
    nothing = text_of(olga.get(ADDRESS, query_string={"search": "nowhere"}).text)
    assert "No topic id or title contains this" in nothing


def test_fewer_topics_stand_on_a_page_where_many_people_have_each(
    olga: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Two people have each of the two topics: one of them fills the page.
    monkeypatch.setattr(assignments, "MOST_LINES", 3)
    assert len(fields(olga.get(ADDRESS).text, "had")) == 2


def test_forms_lead_back_to_their_page_of_topics(
    olga: FlaskClient, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paging, "A_PAGE", 1)
    place = {"pool": cast.pool_id, "search": "n", "from": "0", "order": "docno"}
    page = olga.get(ADDRESS, query_string={"search": "n"}).text
    had = fields(page, "had")
    removed = olga.post(f"{ADDRESS}/topics", data=place | {"had": had, "cell": had[1:]})
    assert removed.location == f"{ADDRESS}?pool={cast.pool_id}&search=n"
    page = olga.get(removed.location).text
    assert '<input type="hidden" name="search" value="n">' in page
    assert "Topic T1" not in olga.post(f"{ADDRESS}/topics", data=place).text
    given = olga.post(f"{ADDRESS}/topics", data=place | {"had": had[1:], "cell": had, "from": "1"})
    assert given.location == f"{ADDRESS}?pool={cast.pool_id}&search=n&from=1"
