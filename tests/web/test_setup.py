"""The page on which a campaign is set up: files are recognised, checked, and added when all is right."""

from __future__ import annotations

import re

import pytest
from flask.testing import FlaskClient

from tests.cast import Cast
from tests.uploads import links, text_of, upload
from tests.web.conftest import Enter
from workbench.records import BINARY
from workbench.storage.engine import Database
from workbench.workflow.campaigns.campaigns import create_campaign
from workbench.workflow.judging.assignments import revoke

ADDRESS = "/c/new/set-up"
TOPICS = "<top>\n<num> Number: T1\n<title> tides\n</top>\n<top>\n<num> Number: T2\n<title> nets\n</top>\n"
DOCUMENTS = '{"docno": "d1", "text": "High tide."}\n{"docno": "d2", "text": "Low tide."}\n'
RUN = "T1 Q0 d1 1 2.0 alpha\nT2 Q0 d2 1 1.0 alpha\n"


@pytest.fixture
def olga(enter: Enter, cast: Cast, sqlite_database: Database) -> FlaskClient:
    """The organiser of an empty campaign."""
    with sqlite_database.writing() as db:
        create_campaign(db, name="New", scale=BINARY, organiser=cast.accounts["Olga"].id)
    return enter("Olga")


def drop(client: FlaskClient, **files: str) -> str:
    """Drop files by name; gives the page that follows."""
    sent = [upload(name.replace("_", "."), content) for name, content in files.items()]
    answer = client.post(ADDRESS, data={"files": sent})
    assert (answer.status_code, answer.location) == (303, ADDRESS), answer.text
    return client.get(ADDRESS).text


def test_files_of_all_kinds_are_found_checked_and_added_together(olga: FlaskClient) -> None:
    # The run comes first by name, and is checked against topics that are no part of the campaign yet.
    text = text_of(drop(olga, alpha_txt=RUN, docs_jsonl=DOCUMENTS, topics_txt=TOPICS))
    assert "topics.txt Topics Read as documents 2 topics ready" in text
    assert "docs.jsonl Documents Read as topics 2 documents ready" in text
    assert "alpha.txt Run 2 lines ready" in text
    assert "Add 3 files" in text
    # Nothing is in the campaign until somebody adds it.
    assert "no topics yet" in text_of(olga.get("/c/new/").text)
    added = olga.post(f"{ADDRESS}/add")
    assert (added.status_code, added.location) == (303, ADDRESS)
    page = olga.get(ADDRESS).text
    assert "Added: 2 topics, 2 documents, 1 run. Make a pool" in text_of(page)
    assert "/c/new/pools" in links(page, "pools")
    assert "No files yet" in text_of(page)
    assert "✓ 2 topics ✓ 1 run that can be pooled ✓ 2 documents" in text_of(page)
    # A second click finds everything added.
    olga.post(f"{ADDRESS}/add")
    assert "Nothing was left to add." in text_of(olga.get(ADDRESS).text)
    assert "2 topics" in text_of(olga.get("/c/new/topics").text)


def test_only_the_pooled_ones_of_dropped_documents_are_added_where_there_is_a_pool(olga: FlaskClient) -> None:
    page = drop(olga, alpha_txt=RUN, docs_jsonl=DOCUMENTS, topics_txt=TOPICS)
    assert re.search(r'name="pooled"[^>]*disabled', page)  # there is no pool yet
    olga.post(f"{ADDRESS}/add")
    olga.post("/c/new/pools", data={"strategy": "depth", "depth": "1", "ties": "trec_eval", "run": "alpha"})
    # The run has d1 for both topics, so that the pool needs no d3.
    page = drop(olga, more_jsonl='{"docno": "d3", "text": "Ebb."}\n{"docno": "d1", "text": "High tide."}\n')
    assert not re.search(r'name="pooled"[^>]*disabled', page)
    olga.post(f"{ADDRESS}/add", data={"pooled": "yes"})
    assert "Added: 1 document." in text_of(olga.get(ADDRESS).text)
    assert "d3" not in text_of(olga.get("/c/new/documents").text)


def test_runs_that_come_before_their_topics_wait_for_them(olga: FlaskClient) -> None:
    text = text_of(drop(olga, alpha_txt=RUN, beta_txt=RUN.replace("T2", "T9").replace("alpha", "beta")))
    assert text.count("there are no topics to check this run against") == 2
    assert 'action="/c/new/set-up/add"' not in olga.get(ADDRESS).text
    text = text_of(drop(olga, topics_txt=TOPICS))
    assert "alpha.txt Run 2 lines ready" in text
    assert 'beta.txt Run 2 lines refused Details line 2, column 1: topic "T9" is not among the topics' in text
    # Without the topics, the runs wait again; nothing of them can be added alone.
    [number] = re.findall(r"set-up/(\d+)/remove", olga.get(ADDRESS).text)
    olga.post(f"{ADDRESS}/{number}/remove")
    assert text_of(olga.get(ADDRESS).text).count("there are no topics to check this run against") == 2


def test_what_is_wrong_is_said_with_its_remedy_and_leaves_the_rest(olga: FlaskClient) -> None:
    bad = TOPICS.replace("T2", "T1")
    text = text_of(drop(olga, a_txt=bad, docs_jsonl=DOCUMENTS, qrels_txt="T1 0 d1 1\n", list_txt="d1\nd2\n"))
    assert "topic T1 is already in the file" in text.replace('"', "")
    assert "these are qrels import them on the page Judgments" in text
    assert "the file contains neither topics nor documents nor a run" in text
    assert "Add 1 file" in text
    olga.post(f"{ADDRESS}/add")
    text = text_of(olga.get(ADDRESS).text)
    assert "Added: 2 documents." in text
    # The refused files stay until they are removed; the same name once more replaces what was there.
    assert text.count("refused") == 3
    text = text_of(drop(olga, a_txt=TOPICS))
    assert "a.txt Topics Read as documents 2 topics ready" in text
    assert text.count("refused") == 2


def test_what_could_be_topics_or_documents_is_asked_and_can_be_read_as_the_other(olga: FlaskClient) -> None:
    page = drop(olga, some_tsv="T1\thigh tides\nT2\tnets\n")
    assert "Topics please confirm Read as documents 2 topics ready" in text_of(page)
    [address] = re.findall(r'action="([^"]*/kind)"', page)
    assert olga.post(address, data={"kind": "documents"}).status_code == 303
    assert "some.tsv Documents Read as topics 2 documents ready" in text_of(olga.get(ADDRESS).text)


def test_a_correctable_run_is_corrected_in_place(olga: FlaskClient) -> None:
    drop(olga, topics_txt=TOPICS)
    # Two tags in one file have one meaning: it is one run.
    page = drop(olga, alpha_txt="T1 Q0 d1 1 2.0 alpha\nT2 Q0 d2 1 1.0 beta\n")
    assert "refused" in text_of(page)
    corrected = re.findall(r'action="([^"]*/corrected)"', page)
    assert len(corrected) == 1
    assert olga.post(corrected[0]).location == ADDRESS
    assert "alpha.txt Run 2 lines ready" in text_of(olga.get(ADDRESS).text)
    # The runs alone cannot be added while the topics they were checked against wait.
    [number] = re.findall(r'name="file" value="(\d+)"', olga.get("/c/new/runs/checked/set-up-runs").text)
    assert olga.post("/c/new/runs/checked/set-up-runs/keep", data={"file": number}).status_code == 409


def test_a_script_is_answered_in_json_and_an_unknown_file_is_not_found(olga: FlaskClient) -> None:
    json = {"Accept": "application/json"}
    sent = olga.post(ADDRESS, data={"files": [upload("t.txt", TOPICS)]}, headers=json)
    assert sent.json == {"address": ADDRESS}
    assert olga.post(ADDRESS, data={}, headers=json).status_code == 422
    assert olga.post(f"{ADDRESS}/999/remove").status_code == 404
    # The batch of dropped topics is no batch of runs.
    assert olga.get("/c/new/runs/checked/set-up-texts").status_code == 404
    forged = {"batch": "set-up-texts", "files": [upload("a.txt", RUN)]}
    assert olga.post("/c/harbour/runs/checked", data=forged).status_code == 404


def test_the_checklist_says_what_is_missing_until_assessors_can_judge(
    olga: FlaskClient, cast: Cast, sqlite_database: Database
) -> None:
    text = text_of(olga.get(ADDRESS).text)
    assert "○ Topics Runs are checked against them ○ Runs A pool can also be made without runs" in text
    assert "○ Documents ○ Pool" in text
    # The cast's campaign has a pool, assessors and assignments; d#3 is pooled by nobody, all texts are there.
    page = olga.get("/c/harbour/set-up").text
    assert "Ready: assessors can judge." in text_of(page)
    with sqlite_database.writing() as db:
        for name in ("Ada", "Ben"):
            revoke(db, cast.campaign_id, cast.assignments[name, "T1"])
    page = olga.get("/c/harbour/set-up").text
    assert "Ready: assessors can judge." not in text_of(page)
    assert "○ Assignments 1 topic without an assessor Assign topics" in text_of(page)
