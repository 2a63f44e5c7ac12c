from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from tests.uploads import import_judgments, notices_in, text_of

OWN = {
    "scale": "own", "relevant": "1", "value-0": "0", "label-0": "No", "value-1": "1", "label-1": "Some",
    "value-2": "2", "label-2": "All of it", "definition-2": "what it is <about>",
}  # fmt: skip


def test_an_administrator_makes_a_campaign_and_runs_it(olga: FlaskClient) -> None:
    assert olga.get("/campaigns/new").status_code == 200
    answer = olga.post("/campaigns/new", data={"name": " Fog  signals ", **OWN, "guidelines": "# Listen"})
    assert answer.status_code == 303
    assert answer.location == "/c/fog-signals/set-up"
    page = text_of(olga.get("/c/fog-signals/").text)
    assert "Fog signals no topics yet, grades 0 to 2, relevant from 1" in page
    assert "2 All of it what it is <about>" in page
    assert "Listen" in page


@pytest.mark.parametrize(
    ("scale", "words"),
    [
        ("binary", "grades 0 to 1, relevant from 1"),
        ("three-grades", "grades 0 to 2, relevant from 1"),
        ("four-grades", "grades 0 to 3, relevant from 2"),
    ],
)
def test_a_ready_made_scale_needs_no_table(olga: FlaskClient, scale: str, words: str) -> None:
    answer = olga.post("/campaigns/new", data={"name": "Ready", "scale": scale})
    assert answer.status_code == 303
    assert words in text_of(olga.get("/c/ready/").text)


def test_what_is_wrong_is_said_and_what_was_typed_is_kept(olga: FlaskClient) -> None:
    typed = {"name": "", **OWN, "value-1": "one", "guidelines": 'Say "why" & how\r\nand when'}
    answer = olga.post("/campaigns/new", data=typed)
    assert answer.status_code == 422
    page = answer.text
    assert 'id="name-error-1"' in page
    assert "Grade in row 2" in page
    assert 'name="value-1" value="one"' in page
    assert 'name="label-2" value="All of it"' in page
    assert 'name="definition-2" value="what it is &lt;about&gt;"' in page
    assert "Say &#34;why&#34; &amp; how\nand when</textarea>" in page
    assert 'value="own" required checked' in page
    assert olga.get("/c/campaign/").status_code == 404


def test_a_name_that_is_too_long_is_refused(olga: FlaskClient) -> None:
    answer = olga.post("/campaigns/new", data={"name": "x" * 201, "scale": "binary"})
    assert answer.status_code == 422
    assert "The name has 201 characters" in answer.text


def test_the_settings_show_what_is_and_keep_what_changes(olga: FlaskClient) -> None:
    page = olga.get("/c/harbour/settings").text
    assert 'value="Harbour"' in page
    assert 'value="four-grades" required checked' in page
    assert "<h3>How to judge</h3>" in page
    answer = olga.post("/c/harbour/settings", data={"name": "Haven", **OWN, "guidelines": ""})
    assert answer.status_code == 303
    page = olga.get(answer.location).text
    assert notices_in(page) == ["good"]
    assert 'value="Haven"' in page
    assert 'value="own" required checked' in page


def test_the_values_of_grades_stay_once_something_is_judged(olga: FlaskClient) -> None:
    import_judgments(olga, [("T1", "d1", "X", "3")])
    answer = olga.post("/c/harbour/settings", data={"name": "Haven", **OWN, "guidelines": "new"})
    assert answer.status_code == 409
    assert 'class="mono place">Scale<' in answer.text
    assert 'name="label-2" value="All of it"' in answer.text
    assert 'value="Harbour"' in olga.get("/c/harbour/settings").text


def test_an_organiser_asks_for_breaks_and_takes_that_back(olga: FlaskClient) -> None:
    address = "/c/harbour/settings"
    assert olga.post(f"{address}/breaks", data={"break_minutes": "45"}).status_code == 303
    assert 'name="break_minutes" type="text" value="45"' in olga.get(address).text
    refused = olga.post(f"{address}/breaks", data={"break_minutes": "soon"})
    assert (refused.status_code, 'id="break_minutes-error-1"' in refused.text) == (422, True)
    olga.post(f"{address}/breaks", data={"break_minutes": ""})
    assert 'name="break_minutes" type="text" value=""' in olga.get(address).text
