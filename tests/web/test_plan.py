"""The cost planner as the organiser uses it, without a script."""

from __future__ import annotations

import json
import re

import pytest
from flask.testing import FlaskClient

from tests.cast import Cast
from tests.uploads import text_of
from tests.web.conftest import Enter

ADDRESS = "/c/harbour/plan"
FRAGMENT = {"HX-Request": "true"}


@pytest.fixture
def olga(enter: Enter) -> FlaskClient:
    return enter("Olga")


def test_the_page_says_pairs_hours_and_the_next_step(olga: FlaskClient) -> None:
    page = olga.get(f"{ADDRESS}?depth=2&per_pair=2&assessors=3&seconds=60").text
    text = text_of(page)
    # Six pairs (tests/builders.py) twice at a minute are 12 minutes, 4 for each of three; depth 3 has d#3 of
    # T1 and é5 of T2 as well.
    assert "Pairs 6 depth 2" in text
    assert "Hours in total 0.2 h 12 judgments" in text
    assert "Hours each 0.1 h 3 assessors" in text
    assert "One step more + 2 pairs + 0.1 h" in text
    assert "At 60 s per judgment, as entered" in text
    assert '<output class="steps" id="summary" form="plan" aria-live="polite"' in page
    assert 'aria-current="page">Pools<' in page


def test_the_growth_is_sent_with_the_page(olga: FlaskClient) -> None:
    page = olga.get(ADDRESS).text
    (sent,) = re.findall(r'data-growth="([^"]*)"', page)
    growth = json.loads(sent.replace("&#34;", '"'))
    assert growth == {"new": [[2, 1, 1, 1], [1, 2, 1, 0]], "topics": ["T1", "T2"]}
    assert "By depth" in page


def test_a_script_gets_only_what_changes(olga: FlaskClient) -> None:
    answer = olga.get(f"{ADDRESS}?strategy=rrf&rrf-budget=3", headers=FRAGMENT)
    assert answer.status_code == 200
    assert answer.text.lstrip().startswith('<div class="stack" id="result">')
    assert "Pairs 6 rrf, budget 3, k 60" in text_of(answer.text)
    assert "data-growth" not in answer.text


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("depth=0", "cannot be"),
        ("assessors=none", "no number of it"),
        ("per_pair=3&assessors=2", "3 times"),
        ("seconds=soon", "no number"),
        ("seconds=-4", "cannot take"),
        ("strategy=luck", "no strategy"),
        ("without=alpha&without=beta", "all runs are excluded"),
        ("depth-run_depths=gamma%3D3", "no such run"),
    ],
)
def test_what_cannot_be_planned_is_told_and_the_form_stays(olga: FlaskClient, query: str, said: str) -> None:
    for headers in ({}, FRAGMENT):
        answer = olga.get(f"{ADDRESS}?{query}", headers=headers)
        assert answer.status_code == 422
        assert said in text_of(answer.text)
        assert 'id="refusal"' in answer.text
    assert 'name="strategy"' in olga.get(f"{ADDRESS}?{query}").text


def test_a_supplementary_plan_says_how_sure_it_is(olga: FlaskClient) -> None:
    text = text_of(olga.get(f"{ADDRESS}?depth=9&supplementary=yes").text)
    # Nine pairs less the six of the cast's pool of depth 2.
    assert "Pairs 3 depth 9" in text
    assert "at most 3" in text
    assert "about 3" in text


def test_runs_can_be_left_out_and_topics_without_documents_are_marked(olga: FlaskClient) -> None:
    text = text_of(olga.get(f"{ADDRESS}?depth=1&without=beta&depth-topic_depths=T2%3D0").text)
    assert "Pairs 1 depth 1" in text
    assert "T2 nets no document 0 0.0" in text


def test_the_guess_is_kept_used_and_taken_back(olga: FlaskClient) -> None:
    assert "assumed: fewer than 20 answers" in text_of(olga.get(ADDRESS).text)
    assert olga.post(f"{ADDRESS}/guess", data={"guess": "42.5"}).status_code == 303
    assert "At 42.5 s per judgment, the estimate saved" in text_of(olga.get(ADDRESS).text)
    for wrong in ("0", "a while"):
        answer = olga.post(f"{ADDRESS}/guess", data={"guess": wrong})
        assert answer.status_code == 422
        assert f'value="{wrong}"' in answer.text
        assert 'id="guess-error-1"' in answer.text
    olga.post(f"{ADDRESS}/guess", data={"guess": ""})
    assert "assumed" in text_of(olga.get(ADDRESS).text)


def test_the_pools_form_begins_with_the_plan(olga: FlaskClient) -> None:
    page = olga.get(
        "/c/harbour/pools?strategy=rrf&rrf-budget=7&supplementary=yes&ties=file&without=beta"
    ).text
    assert 'value="rrf" required checked' in page
    assert 'id="rrf-budget" name="rrf-budget" type="text" value="7"' in page
    assert 'name="ties" value="file" required checked' in page
    assert 'value="alpha" checked' in page
    assert 'value="beta"> ' in page
    assert 'href="/c/harbour/plan"' in page


def test_a_campaign_without_runs_is_told_so(olga: FlaskClient) -> None:
    olga.post("/campaigns/new", data={"name": "Other", "scale": "binary"})
    assert "Add runs first" in olga.get("/c/other/plan").text


@pytest.mark.parametrize("name", ["Judith", "Vera", "Ada"])
def test_only_the_organiser_plans(enter: Enter, cast: Cast, name: str) -> None:
    client = enter(name)
    assert client.get(ADDRESS).status_code == 403
    assert client.post(f"{ADDRESS}/guess", data={"guess": "3"}).status_code == 403
