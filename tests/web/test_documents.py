from __future__ import annotations

import html
import json
import re
import time
from datetime import UTC, datetime, timedelta

import pytest
from flask.testing import FlaskClient
from sqlalchemy import select, update

from tests.builders import DOCNOS
from tests.uploads import links, text_of, upload, upload_runs
from workbench.formats.documents import DOCUMENT_FORMATS
from workbench.formats.text_formats import in_words
from workbench.formats.topics import TOPIC_FORMATS
from workbench.storage.engine import Database
from workbench.storage.tables import DocumentLoadRow
from workbench.web.pages import documents
from workbench.workflow.people.trail import TrailFilter, trail_entries

ADDRESS = "/c/harbour/documents"


def lines(*documents: tuple[str, str, str]) -> str:
    return "".join(
        json.dumps({"id": docno, "title": title, "text": text}) + "\n" for docno, title, text in documents
    )


def test_the_list_counts_and_leads_to_documents_with_any_docno(olga: FlaskClient) -> None:
    page = olga.get(ADDRESS).text
    assert "6 documents" in text_of(page)
    addresses = links(page, "documents/document?")
    assert len(addresses) == len(DOCNOS)
    found = [text_of(olga.get(address).text) for address in addresses]
    for docno in DOCNOS:
        assert any(f"Title of {docno} Text of {docno}" in text for text in found)


def test_a_search_is_in_docnos_and_titles(olga: FlaskClient) -> None:
    page = olga.get(ADDRESS, query_string={"search": "#"}).text
    assert len(links(page, "documents/document?")) == 1
    assert 'value="#"' in page
    nothing = olga.get(ADDRESS, query_string={"search": "100%"}).text
    assert links(nothing, "documents/document?") == []
    assert 'class="empty"' in nothing


def test_of_many_documents_those_are_found_that_begin_so(
    olga: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(documents, "MANY", 20)
    many = lines(*((f"m{n:03}/x", "many", "text") for n in range(60)))
    assert olga.post(ADDRESS, data={"files": [upload("many.jsonl", many)]}).status_code == 303
    found = links(olga.get(ADDRESS, query_string={"search": "m05"}).text, "documents/document?")
    assert len(found) == 10
    assert all("m05" in one for one in found)
    titled = olga.get(ADDRESS, query_string={"search": "many"}).text
    assert links(titled, "documents/document?") == []
    (within,) = links(titled, "within=1")
    slow = olga.get(within).text
    assert len(links(slow, "documents/document?")) == 30
    (following,) = links(slow, "after=")
    assert len(links(olga.get(following).text, "documents/document?")) == 30


def test_a_document_is_rendered_and_can_run_nothing(olga: FlaskClient) -> None:
    nasty = lines(("n1", "<img src=x onerror=alert(1)>", "<p>One</p><script>alert(1)</script><b>two</b>"))
    olga.post(ADDRESS, data={"files": [upload("n.jsonl", nasty)]})
    page = olga.get(f"{ADDRESS}/document?docno=n1").text
    assert "<b>two</b>" in page
    assert "alert(1)</script>" not in page
    assert "<img" not in page


def test_an_unknown_document_is_not_there(olga: FlaskClient) -> None:
    assert olga.get(f"{ADDRESS}/document?docno=nowhere").status_code == 404


def test_only_what_the_pools_need_is_kept_and_what_is_missing_is_named(olga: FlaskClient) -> None:
    # A pool over a run with two documents that nobody loaded.
    upload_runs(olga, c={"T1": ("new/1", "new#2")})
    made = olga.post("/c/harbour/pools", data={"depth": "9", "ties": "trec_eval", "run": ["c"]})
    assert "without text" not in text_of(olga.get(ADDRESS).text)  # a draft is no pool yet
    olga.post(f"{made.location}/open")
    page = text_of(olga.get(ADDRESS).text)
    assert "2 pooled documents without text" in page
    assert "new#2 new/1" in page
    file = upload("d.jsonl", lines(("new/1", "found", "text"), ("other", "not pooled", "text")))
    answer = olga.post(ADDRESS, data={"files": [file], "pooled": "yes"})
    assert answer.status_code == 303
    page = text_of(olga.get(ADDRESS).text)
    assert "d.jsonl: 2 documents read: 1 new, 1 not in any pool and skipped." in page
    assert "1 pooled document without text" in page
    assert "7 documents" in page


def test_a_refused_file_leaves_nothing_even_of_the_good_one(olga: FlaskClient) -> None:
    good, bad = lines(("g1", "good", "text")), '{"id": ""}\n{"id": "x", "text": 3}\n{nonsense\n'
    answer = olga.post(
        ADDRESS, data={"files": [upload("good.jsonl", good), upload("bad.jsonl", bad)], "pooled": "yes"}
    )
    assert answer.status_code == 422
    assert "bad.jsonl:1" in answer.text
    assert "bad.jsonl:3" in answer.text
    assert 'name="pooled" value="yes" checked' in answer.text
    assert "6 documents" in text_of(olga.get(ADDRESS).text)


def test_the_form_names_every_format_that_is_read(olga: FlaskClient) -> None:
    assert in_words(DOCUMENT_FORMATS) in html.unescape(olga.get(ADDRESS).text)
    assert in_words(TOPIC_FORMATS) in html.unescape(olga.get("/c/harbour/topics").text)


def test_the_form_comes_first_and_documents_without_text_are_a_list_to_download(olga: FlaskClient) -> None:
    upload_runs(olga, more={"T1": ("d8", "d9")})
    recipe = {"strategy": "depth", "depth": "2", "ties": "trec_eval", "run": ["more"]}
    made = olga.post("/c/harbour/pools", data=recipe)
    olga.post(f"{made.location}/open")
    page = olga.get("/c/harbour/documents").text
    assert 0 < page.index('name="files"') < page.index('id="missing"')
    (link,) = re.findall(r'href="(/c/harbour/documents/without-text[^"]*)"', page)
    assert olga.get(link).data == b"d8\nd9\n"


def test_a_load_that_is_cut_is_in_the_trail_and_needs_attention_until_it_is_complete(
    olga: FlaskClient, sqlite_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(_: float) -> None:
        raise KeyboardInterrupt

    many = lines(*((f"n{number:04}", "", "Neap.") for number in range(1200)))
    with monkeypatch.context() as first:
        first.setattr(time, "sleep", killed)
        with pytest.raises(KeyboardInterrupt):
            olga.post(ADDRESS, data={"files": [upload("big.jsonl", many)]})
    with sqlite_database.reading() as db:
        (entry, *_) = trail_entries(db, TrailFilter())
    (changed,) = entry.details["changes"]
    assert (entry.act, changed["values"][0]["documents"]) == ("documents.load", [6, 506])
    said = "The load of big.jsonl was interrupted: 500 of 1,200 documents stored."
    # As long as it may still be going on nothing is said.
    assert said not in text_of(olga.get("/c/harbour/").text)
    with sqlite_database.writing() as db:
        db.execute(update(DocumentLoadRow).values(moved_at=datetime.now(UTC) - timedelta(minutes=1)))
    assert said in text_of(olga.get("/c/harbour/").text)
    assert olga.post(ADDRESS, data={"files": [upload("big.jsonl", many)]}).status_code == 303
    assert "was interrupted" not in olga.get("/c/harbour/").text
    with sqlite_database.reading() as db:
        assert db.scalars(select(DocumentLoadRow)).all() == []
