"""The page of self-consistency."""

from __future__ import annotations

import csv
from collections.abc import Callable

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


Shown = Callable[[int], FlaskClient]


@pytest.fixture
def shown(enter: Enter, cast: Cast, sqlite_database: Database) -> Shown:
    """Ada was shown so many pairs twice, every other one relevant, and said another thing of the first."""

    def twice(pairs: int) -> FlaskClient:
        with sqlite_database.writing() as db:
            ada = next(one.id for one in assessors_of(db, cast.campaign_id) if one.name == "Ada")
            events = [
                {
                    "campaign_id": cast.campaign_id, "assessor_id": ada, "topic": "T1", "docno": f"n{number}",
                    "answer": "grade", "reason": "", "client_id": f"ada-{purpose}-{number}",
                    "source": "screen", "assignment_id": None,
                    "grade": 3 * (number % 2) if purpose == "judging" or number else 2,
                    "document_sha256": None, "position": None, "order_rule": None, "seed": None,
                    "active_ms": None, "recorded_at": utc_now(None), "purpose": purpose,
                }
                for purpose in ("judging", "repeat")
                for number in range(pairs)
            ]  # fmt: skip
            append_events(db, events)
        return enter("Olga")

    return twice


@pytest.fixture
def olga(shown: Shown) -> FlaskClient:
    return shown(12)


def test_second_showings_stand_with_values_and_contradictions(olga: FlaskClient) -> None:
    page = text_of(olga.get(ADDRESS).text)
    # 11 of 12; 6 relevant before, 7 after, 6 on both: positive 12/13, negative 10/11. Of 24 grades 11 are the
    # rarer ones.
    too_few = "No kappa: 12 pairs, 5.5 of a rarer grade, are too few for a kappa"
    assert f"Ada {too_few}. To define it: 50 pairs or more, 10 of them of a rarer grade. 12 11 0.917" in page
    # Wilson's interval of 11 of 12.
    assert "0.646 to 0.985 0.923 0.909 – 1 0 1" in page
    assert "About 60 repeats tell the share to ± .10" in page
    assert "Planted pairs The known grade against the grade given, among other pairs None yet." in page
    assert "Ada T1 n0 Repeats 0 2 across the threshold" in page
    assert "Ada 0 0 0 0 0" in page  # nothing changed of her own accord


def test_the_csv_has_all_digits_and_nobody_is_said(olga: FlaskClient, enter: Enter) -> None:
    rows = list(csv.DictReader(olga.get(f"{ADDRESS}/table.csv").text.splitlines()))
    assert float(rows[0]["observed"]) == pytest.approx(11 / 12, abs=1e-15)
    assert enter("Ada").get(ADDRESS).status_code == 403


def test_before_anything_is_answered_twice_the_page_says_so(enter: Enter) -> None:
    assert "No repeated judgments yet" in enter("Vera").get(ADDRESS).text
