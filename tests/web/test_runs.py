from __future__ import annotations

import gzip

import pytest
from flask.testing import FlaskClient

from tests.builders import ALPHA, run_text
from tests.uploads import links, text_of, upload
from tests.web.conftest import Enter
from workbench.web.ids import write_id

ADDRESS = "/c/harbour/runs"
BROKEN = "T1 Q0 d1 1 9.0 broken\nT1 Q0 d1 2 8.0 broken\nT9 Q0 d2 1 nan broken\nT1 Q0 d2\n"


@pytest.fixture
def olga(enter: Enter) -> FlaskClient:
    return enter("Olga")


def test_the_list_says_what_each_run_is(olga: FlaskClient) -> None:
    page = olga.get(ADDRESS).text
    # Alpha has two topics of four and three documents; it is in the cast's pool, so it cannot go.
    assert "alpha alpha.txt none – accepted 2 7" in text_of(page)
    assert "depth 2 Download" in text_of(page)
    assert not links(page, "runs/remove")


def test_many_runs_are_added_at_once_plain_or_gzip(olga: FlaskClient) -> None:
    files = [
        upload("one.txt", run_text("one", {"T1": ("d1",)})),
        upload("runs/two.gz", gzip.compress(run_text("two/2", {"T2": ("d2",)}))),
    ]
    answer = olga.post(ADDRESS, data={"files": files})
    assert answer.status_code == 303
    page = text_of(olga.get(answer.location).text)
    assert "2 runs added" in page
    assert "one one.txt none – accepted 1 1" in page
    assert "two/2 two.gz none – accepted 1 1" in page
    assert "by Olga" in page


def test_a_refused_file_is_told_whole_and_leaves_nothing_while_the_others_stay(olga: FlaskClient) -> None:
    files = [upload("broken.txt", BROKEN), upload("fine.txt", run_text("fine", {"T1": ("d1", "d2")}))]
    answer = olga.post(ADDRESS, data={"files": files})
    assert answer.status_code == 422
    page = text_of(answer.text)
    assert "1 file refused 1 run added" in page
    for place in ("broken.txt:2", "broken.txt:3", "broken.txt:4"):
        assert place in page
    assert "fine.txt fine 1 2" in page
    listed = text_of(olga.get(ADDRESS).text)
    assert "fine fine.txt" in listed
    assert "broken" not in listed


def test_warnings_are_kept_with_the_run(olga: FlaskClient) -> None:
    tied = "T1 Q0 d1 1 1.0 tied\nT1 Q0 d2 2 1.0 tied\n"
    olga.post(ADDRESS, data={"files": [upload("tied.txt", tied)]})
    page = olga.get(ADDRESS).text
    assert "<summary>" in page
    assert "warning" in page
    assert "the same score" in page


def test_a_run_comes_back_as_it_was_sent(olga: FlaskClient) -> None:
    sent = run_text("r#1/é", {"T1": ("d1", "d2")})
    olga.post(ADDRESS, data={"files": [upload("rün.gz", gzip.compress(sent))]})
    (address,) = links(olga.get(ADDRESS).text, "runs/file?tag=r")
    answer = olga.get(address)
    assert answer.data == sent
    assert answer.content_type == "text/plain; charset=utf-8"
    assert "attachment" in answer.headers["Content-Disposition"]
    assert "filename*=UTF-8''r%C3%BCn" in answer.headers["Content-Disposition"]


def test_a_run_in_no_pool_is_removed_after_a_question(olga: FlaskClient) -> None:
    olga.post(ADDRESS, data={"files": [upload("x.txt", run_text("x/1", {"T1": ("d1",)}))]})
    (address,) = links(olga.get(ADDRESS).text, "runs/remove")
    question = olga.get(address)
    assert "Remove run" in question.text
    assert f'name="tag" value="{write_id("x/1")}"' in question.text
    answer = olga.post(f"{ADDRESS}/remove", data={"tag": write_id("x/1")})
    assert answer.status_code == 303
    page = olga.get(answer.location).text
    assert "Run x/1 is removed." in page
    assert not links(page, "tag=x")


def test_a_pooled_run_stays(olga: FlaskClient) -> None:
    assert olga.get(f"{ADDRESS}/remove?tag=alpha").status_code == 409
    assert olga.post(f"{ADDRESS}/remove", data={"tag": "alpha"}).status_code == 409
    assert olga.post(f"{ADDRESS}/remove", data={"tag": "nobody"}).status_code == 404
    assert "alpha.txt" in olga.get(ADDRESS).text


def test_the_same_file_twice_is_refused(olga: FlaskClient) -> None:
    answer = olga.post(ADDRESS, data={"files": [upload("alpha.txt", run_text("alpha", ALPHA))]})
    assert answer.status_code == 422
    assert "this very file is here already" in answer.text


def test_runs_wait_for_the_topics(olga: FlaskClient) -> None:
    olga.post("/campaigns/new", data={"name": "Bare", "scale": "binary"})
    assert "Load the topics first" in olga.get("/c/bare/runs").text
    answer = olga.post("/c/bare/runs", data={"files": [upload("x.txt", "1 Q0 d 1 1 x\n")]})
    assert answer.status_code == 422
    assert "this campaign has no topics yet" in answer.text
