"""The late-run desk as the organiser uses it."""

from __future__ import annotations

from flask.testing import FlaskClient

from tests.uploads import text_of, upload_runs
from workbench.web.requests import write_id

ADDRESS = f"/c/harbour/runs/holes?tag={write_id('late')}"
LATE = {"T1": ("d6", "d1"), "T2": ("d/4", "d6")}


def test_a_late_run_shows_its_holes_and_one_action_has_them_judged(olga: FlaskClient) -> None:
    upload_runs(olga, late=LATE)
    page = text_of(olga.get(ADDRESS).text)
    # Nothing is judged in the cast's campaign: all four documents are holes.
    assert "Of the first 5 100 % 4 unjudged" in page
    assert 'aria-current="page">Runs<' in olga.get(ADDRESS).text
    made = olga.post(ADDRESS, data={"depth": "2"})
    assert made.status_code == 303
    # (T1, d1) and (T2, d/4) are pooled already, so the two d6 remain; nobody has judged either topic.
    said = text_of(olga.get(made.location).text)
    expected = "Pool “late late, depth 2” has 2 pairs; 0 assignments added. 2 topics have no judgments yet"
    assert expected in said


def test_what_cannot_be_filled_is_told_on_the_page(olga: FlaskClient) -> None:
    upload_runs(olga, late=LATE)
    assert "This is not a number of documents" in olga.post(ADDRESS, data={"depth": "many"}).text
    alpha = f"/c/harbour/runs/holes?tag={write_id('alpha')}"
    refused = olga.post(alpha, data={"depth": "1"})
    assert (refused.status_code, "pooled or judged already" in refused.text) == (409, True)
    assert olga.get(f"/c/harbour/runs/holes?tag={write_id('none')}").status_code == 404
