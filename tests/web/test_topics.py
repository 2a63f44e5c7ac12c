from __future__ import annotations

import gzip
import re
from html import unescape

import pytest
from flask.testing import FlaskClient

from tests.uploads import import_judgments, links, text_of, upload
from workbench.web.paging import A_PAGE


def load(client: FlaskClient, *files: tuple[str, str | bytes]) -> tuple[int, str]:
    answer = client.post(
        "/c/harbour/topics", data={"files": [upload(name, content) for name, content in files]}
    )
    return answer.status_code, answer.text


def test_the_list_has_every_topic_with_its_pairs(olga: FlaskClient) -> None:
    text = text_of(olga.get("/c/harbour/topics").text)
    assert "2 topics" in text
    assert "T1 tides 0 of 3 0 T2 nets 0 of 3 0" in text


def test_several_files_of_any_format_are_loaded_at_once(olga: FlaskClient) -> None:
    trec = "<top>\n<num> Number: 7\n<title> seven\n</top>\n"
    jsonl = gzip.compress(b'{"id": "T1", "title": "tides of the moon"}\n{"id": "8", "title": "eight"}\n')
    status, _ = load(olga, ("topics.txt", trec), ("more.jsonl.gz", jsonl))
    assert status == 303
    text = text_of(olga.get("/c/harbour/topics").text)
    assert "topics.txt: 1 topic read: 1 new." in text
    assert "more.jsonl.gz: 2 topics read: 1 new, 1 changed." in text
    assert "7 seven not pooled" in text
    assert "T1 tides of the moon" in text


def test_refused_files_are_told_whole_and_leave_nothing(olga: FlaskClient) -> None:
    good = '{"id": "9", "title": "nine"}\n'
    bad = '{"id": "10", "title": ""}\n{"id": "11"\n'
    status, page = load(olga, ("good.jsonl", good), ("bad.jsonl", bad), ("worse.jsonl", "{\n"))
    assert status == 422
    assert "bad.jsonl:1" in page
    assert "bad.jsonl:2" in page
    assert "worse.jsonl:1" in page
    assert "nine" not in olga.get("/c/harbour/topics").text


def test_a_topic_has_its_statement_and_its_judging(olga: FlaskClient) -> None:
    import_judgments(olga, [("T1", "d1", "X", "3"), ("T1", "d1", "Y", "0"), ("T1", "d2", "X", "0")])
    text = text_of(olga.get("/c/harbour/topics/topic?topic=T1").text)
    assert "When is high water?" in text
    assert "Only tables of the harbour." in text
    assert "2 of 3 pairs judged, 1 with different grades" in text
    assert "3 Highly relevant 1" in text
    assert "Ada depth 2 0 of 3" in text


def test_ids_of_any_kind_lead_to_their_topic(olga: FlaskClient) -> None:
    ids = ["a/b", "c#d", "e:f", "ü%2F", "g&h=1", "?x", ".."]
    load(olga, ("t.tsv", "".join(f"{topic}\ttitle of {topic}\n" for topic in ids)))
    addresses = links(olga.get("/c/harbour/topics").text, "topics/topic")
    assert len(addresses) == 2 + len(ids)
    for topic, address in zip(ids, addresses[2:], strict=True):
        assert f"title of {topic}" in text_of(olga.get(address).text)


LIST = "/c/harbour/topics"


def load_many(client: FlaskClient, count: int) -> None:
    """So many topics more, M1 and on; the last is entitled in Greek."""
    rows = "".join(f"M{number}\tnumber {number}\n" for number in range(1, count)) + f"M{count}\tΆνεμος\n"
    assert load(client, ("many.tsv", rows))[0] == 303


def test_a_list_of_one_page_has_neither_buttons_nor_search(olga: FlaskClient) -> None:
    load_many(olga, A_PAGE - 2)
    page = olga.get(LIST).text
    assert len(links(page, "topics/topic")) == A_PAGE
    assert 'role="search"' not in page
    assert "Next" not in text_of(page)


def test_a_long_list_is_read_page_by_page_without_loss(olga: FlaskClient) -> None:
    load_many(olga, 2 * A_PAGE)
    address, seen = LIST, []
    while address:
        page = olga.get(address).text
        seen += links(page, "topics/topic")
        found = re.search(r'href="([^"]*)">Next<', page)
        address = unescape(found[1]) if found else ""
    assert len(seen) == len(set(seen)) == 2 + 2 * A_PAGE
    assert "62 topics" in text_of(page)
    assert "61 to 62 of 62" in text_of(page)


def test_topics_are_found_by_id_and_title_and_the_pages_keep_the_search(olga: FlaskClient) -> None:
    load_many(olga, 4 * A_PAGE)
    found = olga.get(LIST, query_string={"search": "NUMBER 1"}).text
    # Titles that begin with 1 of 1 to 119: 1, 10 to 19, 100 to 119.
    assert "31 of 122 topics" in text_of(found)
    (following,) = re.findall(r'href="([^"]*)">Next<', found)
    after = olga.get(unescape(following)).text
    assert len(links(after, "topics/topic")) == 1
    assert "31 to 31 of 31" in text_of(after)
    assert len(links(olga.get(LIST, query_string={"search": "άνεμ"}).text, "topics/topic")) == 1
    assert links(olga.get(LIST, query_string={"search": "nowhere"}).text, "topics/topic") == []


@pytest.mark.parametrize("start", ["-1", "0", "x", "999999", str(2**63), "1e3"])
def test_a_page_that_is_not_there_is_the_nearest(olga: FlaskClient, start: str) -> None:
    answer = olga.get(LIST, query_string={"from": start})
    assert answer.status_code == 200
    assert len(links(answer.text, "topics/topic")) == 2
