"""Releases by pages: made, published, withdrawn; and the page of one for outsiders."""

from __future__ import annotations

import gzip
import hashlib
import io
import re
import zipfile
from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.cast import Cast
from tests.uploads import import_judgments, notices_in, text_of
from tests.web.conftest import Enter
from workbench.storage.engine import Database
from workbench.web.access import BYTES_FROM_STRANGERS
from workbench.web.pages import releases as release_pages
from workbench.workflow.releases import releases

LIST = "/c/harbour/releases"
NEW = f"{LIST}/new"
ONE = f"{LIST}/v/1.0"
PUBLIC = "/releases/harbour/1.0"
# By majority: d1 of T1 is 3, é5 of T2 is 1; on d2 two differ. The cast's scale counts from grade 2.
ROWS = [
    ("T1", "d1", "X", "3"), ("T1", "d1", "Y", "3"), ("T1", "d1", "Z", "0"),
    ("T1", "d2", "X", "2"), ("T1", "d2", "Y", "0"), ("T2", "é5", "X", "1"),
]  # fmt: skip
# AP(rel=2) of T1 is 1/2 (d1 second of two), T2 has no relevant document: the mean is 1/4.
RUN = b"T1 Q0 d2 1 2 mine\nT1 Q0 d1 2 1 mine\n"
FORM = {
    "version": "1.0",
    "title": "Tides & <b>harbours</b>",
    "authors": "Ö. Ames\n\nThe Group",
    "licence": "CC-BY-4.0",
}


@pytest.fixture
def olga(enter: Enter) -> FlaskClient:
    client = enter("Olga")
    assert import_judgments(client, ROWS).status_code == 303
    return client


@pytest.fixture
def released(olga: FlaskClient) -> FlaskClient:
    answer = olga.post(NEW, query_string={"rule": "majority"}, data=FORM)
    assert (answer.status_code, answer.location) == (303, ONE)
    return olga


@pytest.fixture
def public(released: FlaskClient) -> FlaskClient:
    assert released.post(f"{ONE}/publish").location == ONE
    return released


def sent(content: bytes, name: str = "my.run") -> dict[str, Any]:
    return {"data": {"run": (io.BytesIO(content), name)}, "content_type": "multipart/form-data"}


def test_without_a_release_the_list_says_what_one_is_and_only_organisers_are_offered_to_make_it(
    olga: FlaskClient, enter: Enter
) -> None:
    assert f'href="{NEW}"' in olga.get(LIST).text
    page = enter("Vera").get(LIST)
    assert page.status_code == 200
    assert f'href="{NEW}"' not in page.text
    assert enter("Vera").get(NEW).status_code == 403


def test_what_is_open_is_said_first_with_a_link_for_each(olga: FlaskClient) -> None:
    page = olga.get(NEW, query_string={"rule": "majority"}).text
    open_ = page.partition("Still open")[2].partition("</section>")[0]
    assert "disputed pair" in open_
    assert 'href="/c/harbour/adjudication"' in open_
    # Six pairs are pooled: d1 has a grade, d2 is a tie. é5 of T2 is judged and not pooled.
    for said in (
        "4 pooled pairs have no judgment",
        "1 judged pair has no grade by this rule",
        "2 of 7 pairs",
    ):
        assert said in text_of(open_)
    assert 'href="/c/harbour/qrels?rule=majority' in open_
    assert 'value="1.0"' in page


def test_a_release_is_listed_with_its_figures_and_downloads_as_it_was_made(released: FlaskClient) -> None:
    text = text_of(released.get(LIST).text)
    assert "1.0 current" in text
    assert "Majority" in text
    content = released.get(f"{ONE}/zip").data
    page = released.get(ONE).text
    assert hashlib.sha256(content).hexdigest() in page
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.read("qrels.txt").decode() == "T1 0 d1 3\nT2 0 é5 1\n"
        assert b"CC-BY-4.0" in archive.read("CITATION.cff")
        for name in archive.namelist():
            assert name in page or name == "SHA256SUMS"
    assert "Tides &amp; &lt;b&gt;harbours&lt;/b&gt;" in page
    assert "Ö. Ames and The Group (" in page
    assert 'value="1.1"' in released.get(NEW).text
    # Two topics are too few for an interval of kappa, and nothing was included by choice.
    assert "no interval, over 2 pairs" in text_of(page)
    assert "Included nothing beside the judgments" in text_of(page)
    assert "No names of people are in it." in text_of(page)


def test_a_release_with_comments_does_not_promise_that_it_names_nobody(olga: FlaskClient) -> None:
    olga.post(NEW, query_string={"rule": "majority"}, data=FORM | {"include": ["documents", "comments"]})
    text = text_of(olga.get(ONE).text)
    assert "Included comments, documents; not originals, runs" in text
    assert "It includes comments, which may name people." in text
    assert "No names of people" not in text


def test_deleting_a_campaign_says_which_releases_it_takes_away(public: FlaskClient) -> None:
    text = text_of(public.get("/c/harbour/settings/archive").text)
    assert "1 release (1 public: its address stops working)" in text
    assert f'href="{LIST}"' in public.get("/c/harbour/settings/archive").text.partition("Export first")[2]


def test_a_version_is_taken_once_and_the_form_comes_back_as_it_was(released: FlaskClient) -> None:
    again = released.post(NEW, query_string={"rule": "any"}, data=FORM | {"include": "documents"})
    assert again.status_code == 409
    assert re.search(r'name="include" value="documents" checked', again.text)
    assert "The Group</textarea>" in again.text
    script = released.post(NEW, data=FORM | {"homepage": "javascript:alert(1)"})
    assert (script.status_code, "the homepage is not a web address" in script.text) == (422, True)
    wrong = released.post(NEW, query_string={"rule": "any"}, data=FORM | {"version": "no version"})
    assert wrong.status_code == 422
    assert 'aria-invalid="true"' in wrong.text.partition('id="version"')[2].partition(">")[0]
    assert len(re.findall(r'/releases/v/[^/"]+/zip', released.get(LIST).text)) == 1


def test_a_release_that_is_not_public_is_nothing_to_a_stranger(
    released: FlaskClient, stranger: FlaskClient
) -> None:
    for address in (PUBLIC, f"{PUBLIC}/zip", "/releases/harbour/9", "/releases/nowhere/1.0"):
        answer = stranger.get(address)
        assert answer.status_code == 404
        assert "Tides" not in answer.text
    assert stranger.post(f"{PUBLIC}/score", **sent(RUN)).status_code == 404


def test_a_stranger_reads_a_public_release_and_downloads_the_same_bytes(
    public: FlaskClient, stranger: FlaskClient, cast: Cast
) -> None:
    page = stranger.get(PUBLIC)
    assert page.status_code == 200
    assert stranger.get(f"{PUBLIC}/zip").content_type == "application/zip"
    assert stranger.get(f"{PUBLIC}/zip").data == public.get(f"{ONE}/zip").data
    assert "ir_measures qrels.txt my.run 'AP(rel=2)' nDCG@10" in text_of(page.text)
    # Nobody is named, and nothing leads into the campaign.
    for name in (*cast.accounts, "Ada"):
        assert name not in page.text
    assert "/c/harbour" not in page.text
    assert public.post(f"{ONE}/unpublish").status_code == 303
    assert stranger.get(PUBLIC).status_code == 404


def test_a_strangers_run_is_scored_and_not_kept(
    public: FlaskClient, stranger: FlaskClient, sqlite_database: Database
) -> None:
    before = stranger.get(f"{PUBLIC}/zip").data, public.get("/c/harbour/runs").text.count("mine")
    for content in (RUN, gzip.compress(RUN)):
        answer = stranger.post(f"{PUBLIC}/score", **sent(content))
        assert answer.status_code == 200
        text = text_of(answer.text)
        assert "AP(rel=2) 0.2500" in text
        # Both documents of T1 are within the first ten, d1 has a grade; T2 has none: (1/2 + 0) / 2.
        assert "Judged@10 0.2500" in text
        assert "documents for 1 of them" in text
    assert (stranger.get(f"{PUBLIC}/zip").data, public.get("/c/harbour/runs").text.count("mine")) == before


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"no run\n", "columns"),
        (b"", "empty"),
        (gzip.compress(RUN, mtime=0)[:-9], "gzip"),
        (gzip.compress(b"T1 Q0 d1 1 1 mine\n" * 2000, mtime=0), "too-large"),
        (b"x" * 3000, "too-large"),
    ],
)
def test_what_is_no_run_or_too_large_is_refused_with_what_to_do(
    public: FlaskClient, stranger: FlaskClient, monkeypatch: pytest.MonkeyPatch, content: bytes, code: str
) -> None:
    monkeypatch.setattr(releases, "MOST_BYTES", 2000)
    monkeypatch.setattr(releases, "MOST_UNPACKED", 20_000)
    answer = stranger.post(f"{PUBLIC}/score", **sent(content))
    assert answer.status_code == 422
    assert 'id="refusal"' in answer.text
    assert ("MiB" in answer.text.partition('id="refusal"')[2].partition("</section>")[0]) == (
        code == "too-large"
    )


def test_only_the_form_for_runs_takes_more_from_a_stranger(
    public: FlaskClient, stranger: FlaskClient
) -> None:
    more = RUN * (BYTES_FROM_STRANGERS // len(RUN) + 10)
    assert stranger.post(f"{PUBLIC}/score", **sent(more)).status_code == 422  # a document twice
    assert stranger.post("/sign-in", **sent(more)).status_code == 413
    whole = stranger.post(f"{PUBLIC}/score", data=b" " * (5 * 2**20), content_type="multipart/form-data")
    assert whole.status_code == 413


def test_who_finds_another_run_being_scored_is_asked_to_come_again(
    public: FlaskClient, stranger: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(release_pages, "PATIENCE_SECONDS", 0)
    with release_pages._SCORING:
        assert stranger.post(f"{PUBLIC}/score", **sent(RUN)).status_code == 503
    assert stranger.post(f"{PUBLIC}/score", **sent(RUN)).status_code == 200


def test_a_withdrawn_release_keeps_its_pages_with_the_reason(
    public: FlaskClient, stranger: FlaskClient
) -> None:
    refused = public.post(f"{ONE}/withdraw", data={"reason": " "})
    assert refused.status_code == 422
    assert public.post(f"{ONE}/withdraw", data={"reason": "Topic T2 <was> wrong"}).status_code == 303
    for page in (public.get(ONE), stranger.get(PUBLIC)):
        assert page.status_code == 200
        assert "Topic T2 &lt;was&gt; wrong" in page.text.partition('id="withdrawn"')[2]
    assert stranger.get(f"{PUBLIC}/zip").status_code == 200
    assert public.post(f"{ONE}/publish").status_code == 409
    assert public.post(f"{ONE}/unpublish").status_code == 409
    assert "withdrawn" in text_of(public.get(LIST).text)
    assert "1.0 current" not in text_of(public.get(LIST).text)


def test_an_archived_campaign_can_still_withdraw_a_release_but_not_make_one(public: FlaskClient) -> None:
    assert public.post("/c/harbour/settings/archive").status_code == 303
    assert public.post(NEW, data=FORM | {"version": "2.0"}).status_code == 409
    answer = public.post(f"{ONE}/withdraw", data={"reason": "wrong"})
    assert answer.status_code == 303
    assert "good" in notices_in(public.get(ONE).text)
