"""The page of self-consistency."""

from __future__ import annotations

import csv

import pytest
from flask.testing import FlaskClient

from tests.cast import Cast
from tests.uploads import text_of
from tests.web.conftest import Enter
from workbench.storage.engine import Database
from workbench.storage.events import append_events
from workbench.workflow.clock import utc_now
from workbench.workflow.people.assessors import assessors_of

ADDRESS = "/c/harbour/agreement/self"


@pytest.fixture
def olga(enter: Enter, cast: Cast, sqlite_database: Database) -> FlaskClient:
    """Ada was shown twelve pairs twice, and said another thing of one."""
    with sqlite_database.writing() as db:
        ada = next(one.id for one in assessors_of(db, cast.campaign_id) if one.name == "Ada")
        events = [
            {
                "campaign_id": cast.campaign_id, "assessor_id": ada, "topic": "T1", "docno": f"n{number}",
                "answer": "grade", "reason": "", "client_id": f"ada-{purpose}-{number}", "source": "screen",
                "grade": 3 * (number % 2) if purpose == "judging" or number else 2, "assignment_id": None,
                "document_sha256": None, "position": None, "order_rule": None, "seed": None,
                "active_ms": None, "recorded_at": utc_now(None), "purpose": purpose,
            }
            for purpose in ("judging", "repeat")
            for number in range(12)
        ]  # fmt: skip
        append_events(db, events)
    return enter("Olga")


def test_second_showings_stand_with_values_and_contradictions(olga: FlaskClient) -> None:
    page = text_of(olga.get(ADDRESS).text)
    # 11 of 12; 6 relevant before, 7 after: chance (13/24)^2 + (11/24)^2, pooled kappa 0.832.
    assert "Ada 12 11 0.917" in page
    assert "0.832" in page
    assert "Planted pairs The known grade against the grade given, among other pairs None yet." in page
    assert "Ada T1 n0 Repeats 0 2 across the threshold" in page
    assert "Ada 0 0 0 0 0" in page  # nothing changed of her own accord


def test_the_csv_has_all_digits_and_nobody_is_said(olga: FlaskClient, enter: Enter) -> None:
    rows = list(csv.DictReader(olga.get(f"{ADDRESS}/table.csv").text.splitlines()))
    assert float(rows[0]["observed"]) == pytest.approx(11 / 12, abs=1e-15)
    assert enter("Ada").get(ADDRESS).status_code == 403


def test_before_anything_is_answered_twice_the_page_says_so(enter: Enter) -> None:
    assert "No repeated judgments yet" in enter("Vera").get(ADDRESS).text
