"""What the pool misses, as a page."""

from __future__ import annotations

import json

from flask.testing import FlaskClient

from tests.cast import Cast
from tests.uploads import text_of
from workbench.records import Document
from workbench.storage.engine import Database
from workbench.workflow.campaigns.collection import load_documents

ADDRESS = "/c/harbour/missed"


def test_an_organiser_draws_a_sample_and_sees_what_it_says(
    olga: FlaskClient, sqlite_database: Database, cast: Cast
) -> None:
    with sqlite_database.writing() as db:
        new = [Document(f"n{number}", "", "text") for number in range(20)]
        load_documents(db, cast.campaign_id, new, source="new")
    asked = {"pool": str(cast.pool_id), "size": "6", "topic": "T1", "seed": "5"}
    wrong = olga.post(ADDRESS, data={**asked, "seed": "x"})
    assert (wrong.status_code, 'id="seed-error-1"' in wrong.text) == (422, True)
    assert olga.post(ADDRESS, data={**asked, "pool": "99"}).status_code == 422
    assert olga.post(ADDRESS, data=asked).status_code == 303
    page = text_of(olga.get(ADDRESS).text)
    assert "0 of 6 sampled documents judged" in page
    report = json.loads(olga.get(f"{ADDRESS}/table.json").text)
    assert [(one["topic"], one["seed"], one["drawn"]) for one in report["topics"]] == [("T1", 5, 6)]
    assert olga.get(f"{ADDRESS}/table.csv").text.startswith("topic,title,seed,known")
