from __future__ import annotations

import gzip

from flask.testing import FlaskClient

from tests.builders import run_text
from tests.uploads import check_files, keep_all, links, text_of, upload
from workbench.web.requests import write_id

ADDRESS = "/c/harbour/runs"


def add(client: FlaskClient, *files: tuple[str, str | bytes]) -> None:
    keep_all(client, check_files(client, *(upload(name, content) for name, content in files)))


def test_the_list_says_what_each_run_is(olga: FlaskClient) -> None:
    page = olga.get(ADDRESS).text
    # Alpha has two topics of four and three documents; it is in the cast's pool, so it cannot go.
    assert "alpha alpha.txt none accepted 2 7" in text_of(page)
    assert "depth 2 Download" in text_of(page)
    assert not links(page, "runs/remove")


def test_warnings_are_kept_with_the_run(olga: FlaskClient) -> None:
    add(olga, ("tied.txt", "T1 Q0 d1 1 1.0 tied\nT1 Q0 d2 2 1.0 tied\n"))
    page = olga.get(ADDRESS).text
    assert "<summary>" in page
    assert "line 1, column 5: another document of the topic has the same score" in text_of(page)


def test_a_run_comes_back_as_it_was_sent(olga: FlaskClient) -> None:
    sent = run_text("r#1/é", {"T1": ("d1", "d2")})
    add(olga, ("rün.gz", gzip.compress(sent)))
    (address,) = links(olga.get(ADDRESS).text, "runs/file?tag=r")
    answer = olga.get(address)
    assert answer.data == sent
    assert answer.content_type == "text/plain; charset=utf-8"
    assert "attachment" in answer.headers["Content-Disposition"]
    assert "filename*=UTF-8''r%C3%BCn" in answer.headers["Content-Disposition"]


def test_a_run_in_no_pool_is_removed_after_a_question(olga: FlaskClient) -> None:
    add(olga, ("x.txt", run_text("x/1", {"T1": ("d1",)})))
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


def test_runs_wait_for_the_topics(olga: FlaskClient) -> None:
    olga.post("/campaigns/new", data={"name": "Bare", "scale": "binary"})
    assert "Load the topics first" in olga.get("/c/bare/runs").text
    answer = olga.post("/c/bare/runs/checked", data={"files": [upload("x.txt", "1 Q0 d 1 1 x\n")]})
    assert answer.status_code == 422
    assert "This campaign has no topics yet" in answer.text
